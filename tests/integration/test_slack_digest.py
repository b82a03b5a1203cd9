"""The weekly digest in Slack's support channel."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from tests.delivery_fakes import ScriptedEngine, answered
from tests.digest_gaps import Marked, digest
from tests.slack_desk import Desk, slack_desk
from tests.slack_files import Person
from tests.slack_server import SUPPORT, SlackServer

ANNA = "U11ANNA"


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with SlackServer().running() as server:
        server.shared.people |= {ANNA: Person("Anna")}
        yield server


def running(server: SlackServer, folder: Path, gaps: Marked) -> AbstractAsyncContextManager[Desk]:
    return slack_desk(ScriptedEngine(answered("Hello.")), folder, server, support=SUPPORT, supported={"gaps": gaps})


async def all_carried(desk: Desk) -> None:
    async with asyncio.timeout(20):
        while await desk.tickets.due(desk.me.desk):  # noqa: ASYNC110  a store tells nobody
            await asyncio.sleep(0.02)


async def test_a_digest_is_sent_once_and_follows_the_taps(server: SlackServer, tmp_path: Path) -> None:
    gaps = Marked()
    async with running(server, tmp_path, gaps) as desk:
        assert await desk.tickets.say(digest(desk.me.desk))
        await server.until(lambda: bool(server.ours(SUPPORT)))
        (sent,) = server.ours(SUPPORT)
        assert "thread_ts" not in sent, "it is no ticket's"
        assert "Unanswered questions, 23.11 – 30.11" in server.texts(SUPPORT)[0]
        buttons = server.buttons(sent)
        assert [*buttons] == ["1 ✋", "1 ✅", "1 🚫", "2 ✋", "2 ✅", "2 🚫"]
        server.taps(buttons["2 🚫"], sent, user=ANNA)
        await server.until(lambda: "⚫ *2.*" in server.texts(SUPPORT)[0] or "⚫ **2.**" in server.texts(SUPPORT)[0])
        assert gaps.states == {2: ("wont_do", "Anna")}
        assert "Anna" in server.texts(SUPPORT)[0]
        await all_carried(desk)
    async with running(server, tmp_path, gaps) as desk:
        assert not await desk.tickets.say(digest(desk.me.desk))
        await all_carried(desk)
    assert len(server.ours(SUPPORT)) == 1


async def test_a_tap_from_elsewhere_does_nothing(server: SlackServer, tmp_path: Path) -> None:
    gaps = Marked()
    async with running(server, tmp_path, gaps) as desk:
        await desk.tickets.say(digest(desk.me.desk))
        await server.until(lambda: bool(server.ours(SUPPORT)))
        (sent,) = server.ours(SUPPORT)
        data = server.buttons(sent)["1 ✋"]
        server.says("Hello?")
        await server.until(lambda: bool(server.ours()))
        server.taps(data, server.ours()[0], user=ANNA)
        await server.until(lambda: bool(server.made("chat.postEphemeral")))
    assert gaps.states == {}
