"""Copies that Telegram makes in and of tickets: they follow edits that bring files, and go where they may."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from adapters.telegram.config import Spot
from tests.delivery_fakes import ScriptedEngine, missed
from tests.telegram_desk import Desk, telegram_desk
from tests.telegram_faults import Fault, Refusal
from tests.telegram_server import BOT_ID, Json, TelegramServer
from tests.waiting import PATIENCE

SUPPORT = -1_000_000_000_009
QUESTION = "Can I keep a snake in my room?"
BUSINESS: Json = {"update": "business_message", "business_connection_id": "b1"}


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer(seconds_between=100).running() as server:
        server.chat(SUPPORT, "supergroup", forum=True)
        yield server


def people_say(server: TelegramServer, text: str) -> int:
    topic: Any = {"message_thread_id": max(server.chats[SUPPORT].topics), "is_topic_message": True}
    return int(server.says(text, chat=SUPPORT, sender=501, **topic)["message"]["message_id"])


def worded(server: TelegramServer) -> list[tuple[str | None, str | None]]:
    """Text and caption of what the asker was sent by people."""
    return [(one.get("text"), one.get("caption")) for one in server.ours()[1:]]


async def all_carried(desk: Desk) -> None:
    async with asyncio.timeout(PATIENCE):
        while await desk.tickets.due(f"telegram:{BOT_ID}"):  # noqa: ASYNC110 - a store tells nobody
            await asyncio.sleep(0.02)


async def test_a_picture_that_an_edit_brings_comes_after_the_words(server: TelegramServer, tmp_path: Path) -> None:
    async with telegram_desk(ScriptedEngine(missed()), tmp_path, server, support=Spot(chat=SUPPORT)) as desk:
        server.says(QUESTION)
        await server.until(lambda: bool(server.ours(SUPPORT)) and bool(server.ours()))
        wrote = people_say(server, "No snakes.")
        await server.until(lambda: server.texts()[-1] == "No snakes.")
        first, second = server.files.attached(b"picture 1"), server.files.attached(b"picture 2")
        server.edits(wrote, "No snakes, see:", chat=SUPPORT, photo=[first])
        await server.until(lambda: worded(server) == [("No snakes, see:", None), (None, "")])
        server.edits(wrote, "No snakes, see there:", chat=SUPPORT, photo=[second])
        await server.until(lambda: worded(server) == [("No snakes, see there:", None), (None, "")])
        await server.until(lambda: server.ours()[-1].get("photo") == [second])
        await all_carried(desk)
    assert len(server.ours()) == 3, "the picture that was taken out is gone"


async def test_a_picture_in_the_place_of_another_one(server: TelegramServer, tmp_path: Path) -> None:
    async with telegram_desk(ScriptedEngine(missed()), tmp_path, server, support=Spot(chat=SUPPORT)) as desk:
        server.says(QUESTION)
        await server.until(lambda: bool(server.ours(SUPPORT)))
        first, second = server.files.attached(b"picture 1"), server.files.attached(b"picture 2")
        mine = server.says(None, photo=[first], caption="This one")["message"]["message_id"]
        await server.until(lambda: server.texts(SUPPORT)[-1] == "This one")
        server.edits(mine, "No, this one", seconds=500, photo=[second])
        await server.until(lambda: server.texts(SUPPORT)[1:] == ["No, this one"])
        server.edits(mine, "Yes, this one", seconds=600)
        await server.until(lambda: server.texts(SUPPORT)[1:] == ["Yes, this one"])
        await all_carried(desk)
    assert server.ours(SUPPORT)[-1]["photo"] == [second]


@pytest.mark.parametrize("late", [False, True])
async def test_what_is_deleted_in_a_business_chat_goes(server: TelegramServer, tmp_path: Path, late: bool) -> None:
    """After 48 hours nothing can be deleted: it is emptied then."""
    refusal = Refusal(400, "Bad Request: message can't be deleted for everyone")
    server.faults = lambda method, params: Fault(refusal) if late and method == "deleteMessage" else None
    server.chat(7, is_business=True)
    async with telegram_desk(ScriptedEngine(missed()), tmp_path, server, support=Spot(chat=SUPPORT)) as desk:
        server.says(QUESTION, **BUSINESS)
        await server.until(lambda: bool(server.ours(SUPPORT)))
        mine = server.says("My number is 1234.", **BUSINESS)["business_message"]["message_id"]
        await server.until(lambda: "My number is 1234." in server.texts(SUPPORT))
        gone = {"business_connection_id": "b1", "chat": {"id": 7, "type": "private"}, "message_ids": [mine]}
        server.deliver({"deleted_business_messages": gone})
        await server.until(lambda: "My number is 1234." not in server.texts(SUPPORT))
        await all_carried(desk)
    assert server.texts(SUPPORT)[1:] == (["…"] if late else [])
