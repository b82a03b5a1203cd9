"""A Slack emulator that others wrote, as a test runs it: channels, threads, users and signatures, but no streams."""

from __future__ import annotations

import asyncio
import platform
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml

from tests.slack_rules import shown
from tests.waiting import PATIENCE

BINARY = Path(__file__).parent / "peers" / "node_modules" / "local-slack-linux-x64" / "bin" / "local-slack"
SECRET = "test-signing-secret"
BOT, ALICE, BOB, CHANNEL, SUPPORT = "U0BOT", "U01ALICE", "U02BOB", "C01GEN", "C02SUP"

needs_local_slack = [
    pytest.mark.skipif(
        not (sys.platform == "linux" and platform.machine() == "x86_64"),
        reason="local-slack is built for Linux on x86-64",
    ),
    pytest.mark.skipif(not BINARY.exists(), reason="local-slack is not installed: make setup-peers"),
]


class LocalSlack:
    def __init__(self, url: str, session: aiohttp.ClientSession) -> None:
        self.url, self._session = url, session

    async def post(self, path: str, **body: Any) -> Any:
        async with self._session.post(f"{self.url}/_control/{path}", json=body) as response:
            return await response.json()

    async def says(self, text: str, *, user: str = ALICE, channel: str = CHANNEL, thread: str | None = None) -> Any:
        more = {"thread_ts": thread} if thread else {}
        return await self.post("message", channel=channel, user=user, text=text, **more)

    async def uploads(self, text: str, body: bytes, *, user: str, channel: str, thread: str) -> str:
        """A message with a file; returns its `ts`."""
        form = aiohttp.FormData({"channel": channel, "user": user, "text": text, "thread_ts": thread})
        form.add_field("file", body, filename="rules.pdf")
        async with self._session.post(f"{self.url}/_control/upload", data=form) as response:
            return str((await response.json())["message"]["ts"])

    async def ours(self, channel: str = CHANNEL) -> list[dict[str, Any]]:
        async with self._session.get(f"{self.url}/_control/messages/{channel}") as response:
            found = (await response.json())["messages"]
        return [message for message in found if message.get("user") == BOT]

    async def texts(self, channel: str = CHANNEL) -> list[str]:
        return [shown(message) for message in await self.ours(channel)]

    async def until(self, texts: list[str], channel: str = CHANNEL) -> list[dict[str, Any]]:
        async with asyncio.timeout(PATIENCE):
            while await self.texts(channel) != texts:  # noqa: ASYNC110  another program knows no event of ours
                await asyncio.sleep(0.05)
        return await self.ours(channel)

    async def taps(self, message: dict[str, Any], text: str, user: str = ALICE, channel: str = CHANNEL) -> None:
        for block in message["blocks"]:
            for button in block.get("elements", ()):
                if button["text"]["text"] == text:
                    action = {name: button[name] for name in ("type", "action_id", "value")}
                    action["block_id"] = block.get("block_id", "b")
                    await self.post("interact", channel=channel, messageTs=message["ts"], user=user, action=action)
                    return
        raise AssertionError(f"there is no button {text}")


@asynccontextmanager
async def local_slack(folder: Path, port: int, *, mode: str, events_port: int = 9) -> AsyncIterator[LocalSlack]:
    world = {
        "workspace": {"name": "Test", "domain": "test", "teamId": "T01TEST"},
        "app": {
            "appId": "A01APP",
            "botUserId": BOT,
            "botName": "desk",
            "botToken": "xoxb-test-token",
            "appToken": "xapp-test-token",
            "signingSecret": SECRET,
            "mode": mode,
            "requestUrl": f"http://127.0.0.1:{events_port}/slack/events",
        },
        "users": [{"id": ALICE, "name": "alice"}, {"id": BOB, "name": "bob"}],
        "channels": [
            {"id": CHANNEL, "name": "general", "members": [ALICE, BOB, BOT]},
            {"id": SUPPORT, "name": "support", "members": [BOB, BOT]},
        ],
    }
    settings = folder / "local-slack.yaml"
    settings.write_text(yaml.safe_dump(world), encoding="utf-8")
    BINARY.chmod(0o755)
    arguments = ("--config", str(settings), "--port", str(port), "--base-host", "127.0.0.1")
    process = await asyncio.create_subprocess_exec(
        str(BINARY), *arguments, cwd=folder, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        async with aiohttp.ClientSession() as session:
            slack = LocalSlack(f"http://127.0.0.1:{port}", session)
            async with asyncio.timeout(60):
                while not await _answers(slack):  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
            yield slack
    finally:
        process.kill()
        await process.wait()


async def _answers(slack: LocalSlack) -> bool:
    try:
        await slack.ours()
    except (aiohttp.ClientError, OSError):
        return False
    return True
