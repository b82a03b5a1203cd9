"""The bot against a Slack emulator that others wrote: through Socket Mode and by signed HTTP.

local-slack keeps channels, threads and users, and checks signatures. It has no streams and no statuses, so drafts are
shown by updates here; it is lenient about limits, never rate limits, and gives each event to every socket.
"""

from __future__ import annotations

import asyncio
import platform
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml

from adapters.slack.config import Listening
from engine import Delta
from tests.delivery_fakes import Script, ScriptedEngine, answered
from tests.ports import held_port
from tests.slack_desk import slack_desk
from tests.slack_rules import shown
from tests.waiting import PATIENCE, until

BINARY = Path(__file__).parents[1] / "peers" / "node_modules" / "local-slack-linux-x64" / "bin" / "local-slack"
SECRET = "test-signing-secret"
BOT, ALICE, BOB, CHANNEL, SUPPORT = "U0BOT", "U01ALICE", "U02BOB", "C01GEN", "C02SUP"
QUESTION = "How do I get my deposit back?"
STREAMED: Script = [Delta("Ten "), 0.3, Delta("working days."), 0.3, *answered("Ten **working** days.")]

pytestmark = [
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

    async def taps(self, message: dict[str, Any], text: str, user: str = ALICE) -> None:
        for block in message["blocks"]:
            for button in block.get("elements", ()):
                if button["text"]["text"] == text:
                    action = {name: button[name] for name in ("type", "action_id", "value")}
                    action["block_id"] = block.get("block_id", "b")
                    await self.post("interact", channel=CHANNEL, messageTs=message["ts"], user=user, action=action)
                    return
        raise AssertionError(f"there is no button {text}")


def given_port() -> Iterator[int]:
    with held_port() as port:
        yield port


port, events_port = pytest.fixture(given_port), pytest.fixture(given_port)


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


async def test_a_mention_is_answered_rated_and_followed_up(tmp_path: Path, port: int) -> None:
    engine = ScriptedEngine(STREAMED)
    async with (
        local_slack(tmp_path, port, mode="socket") as slack,
        slack_desk(engine, tmp_path, f"{slack.url}/api/", support=SUPPORT) as desk,
    ):
        await slack.says(f"<@{BOT}> {QUESTION}")
        (message,) = await slack.until(["Ten **working** days."])
        await slack.says("And by when is it?", thread=message["thread_ts"])
        await slack.until(["Ten **working** days."] * 2)
        await slack.taps(message, "👍 Helpful", user=BOB)
        await slack.taps(message, "👎 Not helpful")

        async def rated() -> bool:
            exchange = await desk.inbox.exchange(1)
            return exchange is not None and exchange.rating == "not_helpful"

        await until(rated)
    assert [question.text for question in engine.questions] == [QUESTION, "And by when is it?"]
    assert len(engine.questions[1].history) == 1


async def test_signed_http(tmp_path: Path, port: int, events_port: int) -> None:
    listening = Listening(signing_secret=SECRET, port=events_port)
    async with local_slack(tmp_path, port, mode="events", events_port=events_port) as slack:
        engine = ScriptedEngine(STREAMED)
        async with slack_desk(engine, tmp_path, f"{slack.url}/api/", app_token=None, listening=listening):
            await slack.says(f"<@{BOT}> {QUESTION}")
            await slack.until(["Ten **working** days."])
            await slack.says("Nobody asks the bot here.", user=BOB)
            await asyncio.sleep(0.5)
    assert len(engine.questions) == 1
