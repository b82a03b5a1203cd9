"""An asker who wants to be forgotten, as they and the people in the support chat see it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.telegram.config import Spot
from engine import Final
from tests.delivery_fakes import ScriptedEngine, outcome
from tests.telegram_desk import telegram_desk
from tests.telegram_faults import Fault, Refusal
from tests.telegram_server import TelegramServer

SUPPORT = -1_000_000_000_009
SECRET = "12 Elm Street"


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer(seconds_between=10).running() as server:
        server.chat(SUPPORT, "supergroup", forum=True)
        yield server


async def test_forget_closes_the_ticket_and_takes_the_texts_out_of_the_support_chat(
    server: TelegramServer, tmp_path: Path
) -> None:
    engine = ScriptedEngine([Final(outcome("I do not know.", kind="missed"))])
    async with telegram_desk(engine, tmp_path, server, support=Spot(chat=SUPPORT)) as desk:
        server.says(f"Who lives at {SECRET}?")
        await server.until(lambda: any(SECRET in text for text in server.texts(SUPPORT)))
        server.says(f"I mean {SECRET}, second floor, please")
        await server.until(lambda: sum(SECRET in text for text in server.texts(SUPPORT)) == 2)
        photo = [{"file_id": "1", "file_unique_id": "1", "width": 1, "height": 1}]
        server.says(None, photo=photo, caption=f"a photo of {SECRET}")
        await server.until(lambda: sum(SECRET in text for text in server.texts(SUPPORT)) == 3)
        server.says("/forget")
        await server.until(lambda: "Забыл всё, что вы мне писали." in server.texts())
        await server.until(lambda: not any(SECRET in text for text in server.texts(SUPPORT)))
        await server.until(lambda: any("обращение закрыто" in text for text in server.texts(SUPPORT)))
        await server.until(lambda: bool(server.made("editForumTopic")))
        await server.until(lambda: len(server.ours(SUPPORT)) == 2)  # what the ticket is, and the note
        (ticket,) = [one for one in [await desk.tickets.ticket(1)] if one]
        assert (ticket.state, ticket.closing, ticket.question) == ("closed", "forgotten", "")
        server.says("Where do I pay the rent in this house?")
        await server.until(lambda: server.texts()[-1].startswith("I do not know."))
        assert (await desk.tickets.latest(ticket.conversation) or ticket).id != ticket.id, (
            "a new question, a new ticket"
        )
    assert SECRET not in str(server.made("editForumTopic")[-1].params)


async def test_what_was_deleted_in_the_support_chat_holds_up_nothing(server: TelegramServer, tmp_path: Path) -> None:
    engine = ScriptedEngine([Final(outcome("I do not know.", kind="missed"))])
    async with telegram_desk(engine, tmp_path, server, support=Spot(chat=SUPPORT)):
        server.says(f"Who lives at {SECRET}?")
        await server.until(lambda: any(SECRET in text for text in server.texts(SUPPORT)))
        for id in list(server.chats[SUPPORT].messages):
            del server.chats[SUPPORT].messages[id]
        server.says("/forget")
        await server.until(lambda: any("обращение закрыто" in text for text in server.texts(SUPPORT)))


async def test_what_is_too_old_to_be_deleted_is_emptied(server: TelegramServer, tmp_path: Path) -> None:
    """The picture stays, without its words."""
    refusal = Refusal(400, "Bad Request: message can't be deleted for everyone")
    server.faults = lambda method, params: Fault(refusal) if method == "deleteMessage" else None
    engine = ScriptedEngine([Final(outcome("I do not know.", kind="missed"))])
    async with telegram_desk(engine, tmp_path, server, support=Spot(chat=SUPPORT)):
        server.says("Who lives in this house?")
        await server.until(lambda: bool(server.ours(SUPPORT)))
        server.says(f"I mean {SECRET}, second floor, please")
        await server.until(lambda: sum(SECRET in text for text in server.texts(SUPPORT)) == 1)
        server.says(None, photo=[server.files.attached(b"picture 1")], caption=f"a photo of {SECRET}")
        await server.until(lambda: sum(SECRET in text for text in server.texts(SUPPORT)) == 2)
        server.says("/forget")
        await server.until(lambda: any("обращение закрыто" in text for text in server.texts(SUPPORT)))
        await server.until(lambda: not any(SECRET in text for text in server.texts(SUPPORT)))
    words, picture = server.ours(SUPPORT)[1:3]
    assert words["text"] == picture["caption"] == "🧹 удалено по просьбе спросившего"
    assert "photo" in picture
