"""Buttons, commands and who owns a conversation, end to end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from adapters.telegram.config import Spot
from engine import Citation, Delta, Final, Turn
from tests.delivery_fakes import ScriptedEngine, answered, outcome
from tests.telegram_desk import telegram_desk
from tests.telegram_server import TelegramServer
from tests.waiting import until

QUESTION = "How do I get my deposit back?"
GROUP = -1_000_000_000_001
SUPPORT = -1_000_000_000_009


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer(seconds_between=10).running() as server:
        yield server


async def answer_in(server: TelegramServer, chat: int = 7) -> None:
    server.says(QUESTION if chat > 0 else f"/ask {QUESTION}", chat=chat)
    await server.until(lambda: bool(server.buttons(chat)))


async def test_a_helpful_answer_is_rated_by_one_tap(server: TelegramServer, tmp_path: Path) -> None:
    async with telegram_desk(ScriptedEngine(answered()), tmp_path, server) as desk:
        await answer_in(server)
        server.taps(server.buttons()["👍 Helpful"], server.ours()[0])
        await server.until(lambda: not server.buttons())
        exchange = await desk.inbox.exchange(1)
    assert exchange is not None
    assert exchange.rating == "helpful"
    assert [said["text"] for said in server.answered_taps.values()] == ["Thank you!"]


async def test_an_answer_that_did_not_help_is_asked_about_once_more(server: TelegramServer, tmp_path: Path) -> None:
    async with telegram_desk(ScriptedEngine(answered()), tmp_path, server):
        await answer_in(server)
        server.taps(server.buttons()["👎 Not helpful"], server.ours()[0])
        await server.until(lambda: "Something is missing" in server.buttons())
    # The next tap comes after a restart.
    async with telegram_desk(ScriptedEngine(answered()), tmp_path, server) as desk:
        server.taps(server.buttons()["Something is missing"], server.ours()[0])
        await server.until(lambda: not server.buttons())
        exchange = await desk.inbox.exchange(1)
    assert exchange is not None
    assert (exchange.rating, exchange.reason) == ("not_helpful", "incomplete")


async def test_a_stored_answer_that_did_not_help_asks_the_documents(server: TelegramServer, tmp_path: Path) -> None:
    engine = ScriptedEngine([Final(outcome("Stored.", kind="faq_direct"))], answered("From the documents."))
    async with telegram_desk(engine, tmp_path, server):
        await answer_in(server)
        server.taps(server.buttons()["👎 Not helpful"], server.ours()[0])
        await server.until(lambda: server.texts() == ["From the documents."] and bool(server.buttons()))
    assert [question.beyond_faq for question in engine.questions] == [False, True]
    assert [said["text"] for said in server.answered_taps.values()] == ["Let me look in the documents instead ..."]


async def test_sources_leave_what_was_said_about_attachments(server: TelegramServer, tmp_path: Path) -> None:
    photo = [{"file_id": "1", "file_unique_id": "1", "width": 1, "height": 1}]
    cited = outcome("Ten days.", citations=(Citation(document="rent/lease.md", section="7.2", title="Refund"),))
    async with telegram_desk(ScriptedEngine([Final(cited)]), tmp_path, server):
        server.says(None, photo=photo, caption=QUESTION)
        await server.until(lambda: bool(server.buttons()))
        server.taps(server.buttons()["📄 Sources"], server.ours()[0])
        await server.until(lambda: "rent/lease.md" in server.texts()[0])
    assert "I do not read attachments" in server.texts()[0]


async def test_other_peoples_taps_change_nothing(server: TelegramServer, tmp_path: Path) -> None:
    async with telegram_desk(ScriptedEngine(answered()), tmp_path, server) as desk:
        await answer_in(server, GROUP)
        server.taps(server.buttons(GROUP)["👎 Not helpful"], server.ours(GROUP)[0], sender=8)
        await server.until(lambda: bool(server.answered_taps))
        exchange = await desk.inbox.exchange(1)
    assert exchange is not None
    assert exchange.rating is None
    assert [said["text"] for said in server.answered_taps.values()] == ["This button is for the person who asked."]


@pytest.mark.parametrize(
    "data", ["up:999", "up", "up:1:2:3:4", "rm -rf", "up:-1", "up:٣", "why:1:made_up", "lang:1:xx"]
)
async def test_made_up_data_harms_nobody(server: TelegramServer, tmp_path: Path, data: str) -> None:
    async with telegram_desk(ScriptedEngine(answered()), tmp_path, server):
        await answer_in(server)
        server.taps(data, server.ours()[0])
        await server.until(lambda: bool(server.answered_taps))
        server.says("And another question, please?")
        await server.until(lambda: len(server.ours()) == 2)


async def test_a_tap_is_answered_while_an_answer_is_being_made(server: TelegramServer, tmp_path: Path) -> None:
    engine = ScriptedEngine(answered(), [Delta("Slow "), 3600.0, *answered()])
    async with telegram_desk(engine, tmp_path, server):
        await answer_in(server)
        server.says("A question with a slow answer?")
        await server.until(lambda: len(server.ours()) == 2)
        server.taps("up:1", server.ours()[0])
        await server.until(lambda: bool(server.answered_taps))


async def test_commands_answer_in_both_languages(server: TelegramServer, tmp_path: Path) -> None:
    async with telegram_desk(ScriptedEngine(answered()), tmp_path, server):
        server.says("/start")
        await server.until(lambda: len(server.ours()) == 1)
        assert server.texts()[0].startswith("Здравствуйте!")
        server.says("/language")
        await server.until(lambda: len(server.ours()) == 2)
        server.taps(server.buttons()["English"], server.ours()[-1])
        await server.until(lambda: "I will answer in English." in [text.strip() for text in server.texts()])
        server.says("/help")
        await server.until(lambda: len(server.ours()) == 3)
    assert "/human — ask for a human" in server.texts()[-1]
    assert set(server.commands) == {"", "ru", "en"}
    assert {"command": "human", "description": "позвать человека"} in server.commands["ru"]


async def test_a_chosen_language_goes_with_the_question(server: TelegramServer, tmp_path: Path) -> None:
    engine = ScriptedEngine(answered())
    async with telegram_desk(engine, tmp_path, server) as desk:
        await desk.inbox.speak(f"{desk.config.desk}::7", "en")
        server.says("Как вернуть депозит?")
        await server.until(lambda: bool(server.ours()))
    assert engine.questions[0].language == "en"


async def test_the_conversation_is_remembered_and_forgotten(server: TelegramServer, tmp_path: Path) -> None:
    engine = ScriptedEngine(answered())
    async with telegram_desk(engine, tmp_path, server):
        for count, text in enumerate((QUESTION, "And how long does it take?", "/forget", "And how long was it?"), 1):
            server.says(text)
            await server.until(lambda count=count: len(server.ours()) == count)  # type: ignore[misc]
    histories = [question.history for question in engine.questions]
    assert histories == [(), (Turn(question=QUESTION, answer="The final text."),), ()]


async def test_a_voice_message_is_told_from_a_question(server: TelegramServer, tmp_path: Path) -> None:
    engine = ScriptedEngine(answered())
    voice = {"file_id": "1", "file_unique_id": "1", "duration": 1}
    photo = [{"file_id": "1", "file_unique_id": "1", "width": 1, "height": 1}]
    async with telegram_desk(engine, tmp_path, server):
        server.says(None, voice=voice)
        await server.until(lambda: len(server.ours()) == 1)
        assert "голосовое сообщение" in server.texts()[0]
        assert engine.questions == []
        server.says(None, photo=photo, caption="What does this error mean?")
        await server.until(lambda: len(server.ours()) == 2)
    assert engine.questions[0].text == "What does this error mean?"
    assert "I do not read attachments (photo)" in server.texts()[-1]


# --- people -----------------------------------------------------------------------------------------------------------


async def test_asking_for_a_human_tells_people_once(server: TelegramServer, tmp_path: Path) -> None:
    server.chat(SUPPORT, "supergroup", topics={3})
    async with telegram_desk(ScriptedEngine(answered()), tmp_path, server, support=Spot(chat=SUPPORT, topic=3)) as desk:
        await answer_in(server)
        for _ in range(2):
            server.taps("human:1", server.ours()[0])
        await server.until(lambda: any("passed your question" in text for text in server.texts()))
        server.says("Is anybody there, please?")
        await server.until(lambda: any("People have your question" in text for text in server.texts()))
        server.says("/ask " + QUESTION)
        await server.until(lambda: server.texts()[-1] == "The final text.")
        assert (await desk.inbox.standing(f"{desk.config.desk}::7")).owner == "queue"
        await server.until(lambda: len(server.ours(SUPPORT)) == 2)
    told, further = server.ours(SUPPORT)
    assert further["text"] == "Is anybody there, please?"
    assert further["quotes"] == told["message_id"]
    assert QUESTION in told["text"]
    assert "Asker 7" in told["text"]
    assert told["message_thread_id"] == 3


async def test_without_people_nobody_is_promised_one(server: TelegramServer, tmp_path: Path) -> None:
    async with telegram_desk(ScriptedEngine(answered()), tmp_path, server) as desk:
        server.says("/human")
        await server.until(lambda: bool(server.ours()))
        assert (await desk.inbox.standing(f"{desk.config.desk}::7")).owner == "bot"
    assert "не подключили" in server.texts()[0]


async def test_the_bot_is_silent_while_a_human_has_the_conversation(server: TelegramServer, tmp_path: Path) -> None:
    async with telegram_desk(ScriptedEngine(answered()), tmp_path, server) as desk:
        await desk.inbox.hand_over(f"{desk.config.desk}::7", "human")
        server.says(QUESTION)
        server.says(QUESTION, chat=8, sender=8)
        await server.until(lambda: bool(server.ours(8)))
        await asyncio.sleep(0.2)
        assert server.ours() == []
        assert not server.made("sendChatAction")
        await desk.inbox.hand_over(f"{desk.config.desk}::7", "bot")
        server.says("Are you here again, dear bot?")
        await server.until(lambda: len(server.ours()) == 1)


async def test_a_human_who_takes_over_during_an_answer_stops_it(server: TelegramServer, tmp_path: Path) -> None:
    taken_over = asyncio.Event()
    engine = ScriptedEngine([Delta("Half an ans"), taken_over.wait, *answered()])
    async with telegram_desk(engine, tmp_path, server) as desk:
        server.says(QUESTION)
        await server.until(lambda: bool(server.ours()))
        await desk.inbox.hand_over(f"{desk.config.desk}::7", "human")
        taken_over.set()

        async def dropped() -> bool:
            exchange = await desk.inbox.exchange(1)
            return exchange is not None and exchange.ending == "dropped"

        await until(dropped)
    assert server.ours() == []


async def test_the_owner_of_a_business_account_takes_over_by_writing(server: TelegramServer, tmp_path: Path) -> None:
    server.chat(7, is_business=True)
    business: dict[str, Any] = {"update": "business_message", "business_connection_id": "b1"}
    async with telegram_desk(ScriptedEngine(answered()), tmp_path, server):
        server.says(QUESTION, **business)
        await server.until(lambda: len(server.ours()) == 1)
        assert server.made("sendMessage")[0].params["business_connection_id"] == "b1"
        server.says("I am looking into it myself.", sender=500, **business)
        server.says("Thank you, and how long will it take?", **business)
        server.says(QUESTION, chat=8, sender=8)
        await server.until(lambda: bool(server.ours(8)))
        await asyncio.sleep(0.2)
    assert len(server.ours()) == 1
