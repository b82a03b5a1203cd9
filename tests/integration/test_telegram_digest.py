"""The weekly digest in Telegram's support chat."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from adapters.telegram.config import Spot
from tests.delivery_fakes import ScriptedEngine, answered
from tests.digest_gaps import Marked, digest
from tests.telegram_desk import Desk, telegram_desk
from tests.telegram_server import TelegramServer, person
from tests.waiting import PATIENCE

SUPPORT = -1_000_000_000_009


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer(seconds_between=10).running() as server:
        server.chat(SUPPORT, "supergroup", forum=True)
        yield server


def running(server: TelegramServer, folder: Path, gaps: Marked) -> AbstractAsyncContextManager[Desk]:
    engine = ScriptedEngine(answered("Hello."))
    return telegram_desk(engine, folder, server, support=Spot(chat=SUPPORT), supported={"gaps": gaps})


async def test_a_digest_is_sent_and_follows_the_taps(server: TelegramServer, tmp_path: Path) -> None:
    gaps = Marked()
    async with running(server, tmp_path, gaps) as desk:
        assert await desk.tickets.say(digest(desk.config.desk))
        await server.until(lambda: bool(server.ours(SUPPORT)))
        (sent,) = server.ours(SUPPORT)
        assert "Unanswered questions, 23.11 – 30.11" in sent["text"]
        assert "⚪ 1. Where is my *receipt*?\n2× this week, rising, 3× in all" in sent["text"]
        assert sent.get("message_thread_id") is None, "it is no ticket's"
        rows = sent["reply_markup"]["inline_keyboard"]
        assert [one["text"] for one in rows[1]] == ["2 ✋", "2 ✅", "2 🚫"]
        server.taps(rows[1][0]["callback_data"], {**sent, "from": person(4242)}, sender=501)
        await server.until(lambda: "🟡 2. May I keep a snake?" in server.texts(SUPPORT)[0])
        assert gaps.states == {2: ("taken", "Asker 501")}
        assert "Asker 501" in server.texts(SUPPORT)[0]
        assert server.made("answerCallbackQuery")[-1].params["text"] == "Taken."
    assert len(server.ours(SUPPORT)) == 1


async def test_a_digest_is_sent_once_over_restarts(server: TelegramServer, tmp_path: Path) -> None:
    for _ in range(2):
        async with running(server, tmp_path, Marked()) as desk:
            await desk.tickets.say(digest(desk.config.desk))
            await server.until(lambda: bool(server.ours(SUPPORT)))
            server.says("Hello?")
            count = len(server.ours())
            await server.until(lambda count=count: len(server.ours()) > count)  # type: ignore[misc]
            async with asyncio.timeout(PATIENCE):
                while await desk.tickets.due(desk.config.desk):  # noqa: ASYNC110  a store tells nobody
                    await asyncio.sleep(0.02)
    assert len(server.ours(SUPPORT)) == 1


async def test_a_tap_from_elsewhere_does_nothing(server: TelegramServer, tmp_path: Path) -> None:
    gaps = Marked()
    async with running(server, tmp_path, gaps) as desk:
        await desk.tickets.say(digest(desk.config.desk))
        await server.until(lambda: bool(server.ours(SUPPORT)))
        (sent,) = server.ours(SUPPORT)
        data = sent["reply_markup"]["inline_keyboard"][0][0]["callback_data"]
        elsewhere = {**sent, "chat": {"id": 7, "type": "private"}, "from": person(4242)}
        server.taps(data, elsewhere, sender=7)
        await server.until(lambda: bool(server.made("answerCallbackQuery")))
        assert server.made("answerCallbackQuery")[-1].params["text"] == "This digest is there no longer."
    assert gaps.states == {}
