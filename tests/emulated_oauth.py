"""Slack's installation pages and tokens as others emulate them (`emulate`, needs Node), and a browser before them.

It gives codes that are good once, knows each app's secret and addresses, and grants the scopes that were asked for. It
delivers no events and does not name the scopes of a token in its responses, as Slack does.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml
from yarl import URL

SCRIPT = Path(__file__).parent / "peers" / "node_modules" / "emulate" / "dist" / "index.js"
CLIENT_ID, CLIENT_SECRET, SIGNING_SECRET = "1.2", "test-client-secret", "test-signing-secret"
BOT, BOT_ID = "U0BOT", "B0BOT"

needs_emulate = pytest.mark.skipif(
    shutil.which("node") is None or not SCRIPT.exists(),
    reason="emulate is not installed: make setup-peers (needs Node)",
)


@dataclass(frozen=True)
class Answered:
    status: int
    text: str
    headers: dict[str, str]


class Browser:
    """It keeps cookies, those for https alone too, and follows no redirect by itself."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session
        self.user = ""
        """Who allowed the last installation."""

    async def get(self, url: str) -> Answered:
        return await self._answered(self._session.get(url, allow_redirects=False))

    async def post(self, url: str, form: dict[str, str]) -> Answered:
        return await self._answered(self._session.post(url, data=form, allow_redirects=False))

    def cookies(self) -> dict[str, str]:
        return {cookie.key: cookie.value for cookie in self._session.cookie_jar}

    def keeps(self, cookies: dict[str, str], origin: str) -> None:
        self._session.cookie_jar.update_cookies(cookies, URL(origin))

    async def _answered(self, request: Any) -> Answered:
        async with request as response:
            return Answered(response.status, await response.text(), dict(response.headers))

    async def asks(self, install_url: str) -> str:
        """Open our page; the address at Slack's that it leads to."""
        page = await self.get(install_url)
        assert page.status == 200
        (link,) = re.findall(r'<a href="([^"]+)"', page.text)
        return str(link).replace("&amp;", "&")

    async def allows(self, authorize_url: str, **changed: str) -> str:
        """Allow it on Slack's page; the address of ours to which Slack leads back."""
        page = await self.get(authorize_url)
        assert page.status == 200, page.text
        form = dict(re.findall(r'name="([^"]+)"\s+value="([^"]*)"', page.text.partition("</form>")[0]))
        self.user = form["user_id"]
        origin = "/".join(authorize_url.split("/")[:3])
        back = await self.post(f"{origin}/oauth/v2/authorize/callback", {**form, **changed})
        assert back.status == 302, back.text
        return back.headers["Location"]


@asynccontextmanager
async def browser(*origins: str) -> AsyncIterator[Browser]:
    jar = aiohttp.CookieJar(unsafe=True, treat_as_secure_origin=list(origins))
    async with aiohttp.ClientSession(cookie_jar=jar) as session:
        yield Browser(session)


@asynccontextmanager
async def emulated_slack(folder: Path, port: int, redirect_url: str) -> AsyncIterator[str]:
    """Its address, without a path."""
    app = {
        "app_id": "A1",
        "client_id": CLIENT_ID,
        "client_secret": CLIENT_SECRET,
        "name": "Refdesk",
        "redirect_uris": [redirect_url],
        "bot_id": BOT_ID,
        "bot_user_id": BOT,
        "bot_name": "desk",
    }
    world = {
        "slack": {
            "strict_scopes": True,
            "signing_secret": SIGNING_SECRET,
            "users": [{"name": "alice", "real_name": "Alice"}],
            "channels": [{"name": "general"}],
            "oauth_apps": [app],
        }
    }
    seed = folder / "emulate.yaml"
    seed.write_text(yaml.safe_dump(world), encoding="utf-8")
    log = (folder / "emulate.log").open("wb")
    process = await asyncio.create_subprocess_exec(
        "node", str(SCRIPT), "start", "-s", "slack", "--port", str(port), "--seed", str(seed),
        cwd=folder, stdout=log.fileno(), stderr=log.fileno(),
    )  # fmt: skip
    url = f"http://127.0.0.1:{port}"
    try:
        async with aiohttp.ClientSession() as session, asyncio.timeout(60):
            while not await _answers(session, url):
                assert process.returncode is None, (folder / "emulate.log").read_text()
                await asyncio.sleep(0.1)
        yield url
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        log.close()


async def _answers(session: aiohttp.ClientSession, url: str) -> bool:
    try:
        async with session.post(f"{url}/api/auth.test") as response:
            return response.status == 200
    except (aiohttp.ClientError, OSError):
        return False
