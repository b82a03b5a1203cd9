"""Tickets from the miss to the last word, with askers and operators in Telegram."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from adapters.escalation import OwnerRules
from adapters.reception import Habits
from adapters.telegram.config import Spot
from engine import Delta, Final
from tests.delivery_fakes import ScriptedEngine, answered, missed, outcome
from tests.telegram_desk import Desk, telegram_desk
from tests.telegram_faults import Fault
from tests.telegram_server import Json, TelegramServer, person
from tests.waiting import PATIENCE, until

QUESTION = "Can I keep a snake in my room?"
SUPPORT = -1_000_000_000_009
ANNA, BORIS = 501, 502
PEOPLE = Spot(chat=SUPPORT)


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer(seconds_between=10).running() as server:
        server.chat(SUPPORT, "supergroup", forum=True)
        yield server


def topic_of(server: TelegramServer) -> int:
    return max(server.chats[SUPPORT].topics)


def people_say(server: TelegramServer, text: str | None, *, sender: int = ANNA, **values: Any) -> Json:
    topic = {"message_thread_id": topic_of(server), "is_topic_message": True}
    return server.says(text, chat=SUPPORT, sender=sender, **{**topic, **values})


def tap(server: TelegramServer, caption: str, *, sender: int = ANNA, message: int = 0) -> None:
    under = server.ours(SUPPORT)[message]
    rows = under["reply_markup"]["inline_keyboard"]
    data = next(one["callback_data"] for row in rows for one in row if caption in one["text"])
    server.taps(data, {**under, "from": person(4242)}, sender=sender)


async def ticket_made(server: TelegramServer) -> None:
    server.says(QUESTION)
    await server.until(lambda: bool(server.ours(SUPPORT)))


async def nothing_unfinished(desk: Desk) -> bool:
    return not await desk.inbox.unfinished()


async def nothing_due(desk: Desk) -> bool:
    return not await desk.tickets.due(desk.config.desk)


async def owner(desk: Desk) -> str:
    return (await desk.inbox.standing(f"{desk.config.desk}::7")).owner


async def test_a_miss_becomes_a_ticket_with_all_that_was_tried(server: TelegramServer, tmp_path: Path) -> None:
    async with telegram_desk(ScriptedEngine(missed()), tmp_path, server, support=PEOPLE):
        await ticket_made(server)
        server.says("And what about two small snakes?")
        await server.until(lambda: len(server.ours()) == 2)
        await server.until(lambda: len(server.ours(SUPPORT)) == 2)
    said, again = server.texts()
    assert said.startswith("I do not know.")
    assert "I have passed your question to people" in said
    assert "passed" not in again, "one notice for a ticket"
    (made,) = server.made("createForumTopic")
    assert QUESTION in made.params["name"]
    head, joined = server.ours(SUPPORT)
    assert head["message_thread_id"] == joined["message_thread_id"] == topic_of(server)
    for part in (QUESTION, "Asker 7", "housing → rules", "0.71 Are cats allowed?", "nothing was found"):
        assert part in head["text"]
    assert joined["text"] == "And what about two small snakes?"


async def test_the_reply_of_an_operator_reaches_the_asker_with_its_edits(
    server: TelegramServer, tmp_path: Path
) -> None:
    async with telegram_desk(ScriptedEngine(missed()), tmp_path, server, support=PEOPLE) as desk:
        await ticket_made(server)
        bold = [{"type": "bold", "offset": 0, "length": 2}]
        people_say(server, "// let me look it up")
        wrote = people_say(server, "No snakes, sorry.", entities=bold)
        await server.until(lambda: len(server.ours()) == 2)
        photo = [{"file_id": "1", "file_unique_id": "1", "width": 1, "height": 1}]
        people_say(server, None, photo=photo, caption="The rule")
        await server.until(lambda: len(server.ours()) == 3)
        server.edits(wrote["message"]["message_id"], "No snakes here, sorry.", chat=SUPPORT, seconds=4000)
        await server.until(lambda: server.texts()[1] == "No snakes here, sorry.")
        assert await owner(desk) == "human"
        await server.until(lambda: "Taken by Asker 501" in server.texts(SUPPORT)[0])
    assert server.ours()[1]["copied"]
    assert server.ours()[2]["photo"] == photo
    assert not any("look it up" in text for text in server.texts())


async def test_the_bot_is_silent_until_the_ticket_is_handed_back(server: TelegramServer, tmp_path: Path) -> None:
    engine = ScriptedEngine(missed(), answered("The bot is back."))
    async with telegram_desk(engine, tmp_path, server, support=PEOPLE) as desk:
        await ticket_made(server)
        tap(server, "Take")
        await server.until(lambda: "Taken by" in server.texts(SUPPORT)[0])
        server.says("Thank you, I am waiting for you!")
        await server.until(lambda: "Thank you, I am waiting for you!" in server.texts(SUPPORT))
        assert len(server.ours()) == 1
        tap(server, "Hand back")
        await server.until(lambda: "Waiting" in server.texts(SUPPORT)[0])
        assert await owner(desk) == "bot"
        server.says("Then, bot, how do I pay the rent?")
        await server.until(lambda: "The bot is back." in server.texts())


async def test_taking_a_ticket_stops_an_answer_that_is_being_made(server: TelegramServer, tmp_path: Path) -> None:
    going_on = asyncio.Event()
    engine = ScriptedEngine(missed(), [Delta("Half an ans"), going_on.wait, *answered()])
    async with telegram_desk(engine, tmp_path, server, support=PEOPLE) as desk:
        await ticket_made(server)
        server.says("And how about a lizard, please?")
        await server.until(lambda: any("Half" in text for text in server.texts()))
        people_say(server, "No lizards either.")
        await server.until(lambda: "No lizards either." in server.texts())
        going_on.set()
        await server.until(lambda: not any("Half" in text for text in server.texts()))
        await until(lambda: nothing_unfinished(desk))
    assert not any("final" in text for text in server.texts())


async def test_a_reply_that_comes_again_is_relayed_once(server: TelegramServer, tmp_path: Path) -> None:
    """In its ticket, when that is closed, and when the asker has another one."""
    async with telegram_desk(ScriptedEngine(missed()), tmp_path, server, support=PEOPLE) as desk:
        await ticket_made(server)
        wrote = people_say(server, "No snakes.")
        await server.until(lambda: "No snakes." in server.texts())
        server.redeliver(wrote)
        tap(server, "Close")
        await server.until(lambda: "Closed by" in server.texts(SUPPORT)[0])
        server.redeliver(wrote)
        server.says("And what about two small snakes?")
        await server.until(lambda: any("two small snakes" in text for text in server.texts(SUPPORT)))
        server.redeliver(wrote)
        people_say(server, "Nor two.")
        await server.until(lambda: "Nor two." in server.texts())
        async with asyncio.timeout(PATIENCE):
            while await desk.tickets.due(desk.config.desk):  # noqa: ASYNC110 - a store tells nobody
                await asyncio.sleep(0.02)
    assert server.texts().count("No snakes.") == 1
    assert not any("not sent" in text for text in server.texts(SUPPORT)), "nobody is told of it either"


async def test_two_operators_do_not_answer_at_once(server: TelegramServer, tmp_path: Path) -> None:
    async with telegram_desk(ScriptedEngine(missed()), tmp_path, server, support=PEOPLE):
        await ticket_made(server)
        people_say(server, "It is mine.", sender=ANNA)
        await server.until(lambda: "It is mine." in server.texts())
        people_say(server, "Mine too!", sender=BORIS)
        await server.until(lambda: any("not sent" in text for text in server.texts(SUPPORT)))
    assert "Mine too!" not in server.texts()


async def test_a_ticket_is_answered_with_a_known_entry(server: TelegramServer, tmp_path: Path) -> None:
    async with telegram_desk(ScriptedEngine(missed()), tmp_path, server, support=PEOPLE) as desk:
        await ticket_made(server)
        tap(server, "Are cats allowed?")
        await server.until(lambda: "Cats are welcome." in [text.strip() for text in server.texts()])
        await server.until(lambda: "Closed by" in server.texts(SUPPORT)[0])
        assert await owner(desk) == "bot"
        people_say(server, "Too late")
        await server.until(lambda: any("closed; the message was not sent" in text for text in server.texts(SUPPORT)))


async def test_a_question_off_topic_is_told_so(server: TelegramServer, tmp_path: Path) -> None:
    async with telegram_desk(ScriptedEngine(missed()), tmp_path, server, support=PEOPLE):
        await ticket_made(server)
        tap(server, "Not our topic")
        await server.until(lambda: any("not our topic" in text for text in server.texts()))


async def test_without_topics_a_ticket_is_a_thread_of_replies(server: TelegramServer, tmp_path: Path) -> None:
    server.chats[SUPPORT].forum = False
    async with telegram_desk(ScriptedEngine(missed()), tmp_path, server, support=PEOPLE) as desk:
        await ticket_made(server)
        server.says(QUESTION, chat=8, sender=8)
        await server.until(lambda: len(server.ours(SUPPORT)) == 2)
        await until(lambda: nothing_due(desk))
        second = server.ours(SUPPORT)[1]
        server.says("For the second asker", chat=SUPPORT, sender=ANNA, reply_to_message=second)
        server.says("Just talk among ourselves", chat=SUPPORT, sender=ANNA)
        await server.until(lambda: "For the second asker" in server.texts(8))
    assert len(server.ours(7)) == 1
    assert len(server.ours(8)) == 2


async def test_an_asker_who_blocked_the_bot_is_reported(server: TelegramServer, tmp_path: Path) -> None:
    async with telegram_desk(ScriptedEngine(missed()), tmp_path, server, support=PEOPLE):
        await ticket_made(server)
        server.chats[7].blocked = True
        people_say(server, "No snakes.")
        await server.until(lambda: any("has blocked the bot" in text for text in server.texts(SUPPORT)))


async def test_a_deleted_topic_is_replaced(server: TelegramServer, tmp_path: Path) -> None:
    async with telegram_desk(ScriptedEngine(missed()), tmp_path, server, support=PEOPLE):
        await ticket_made(server)
        first = topic_of(server)
        server.chats[SUPPORT].topics = {first + 50}
        server.says("Are you still there, dear people?")
        await server.until(lambda: "Are you still there, dear people?" in server.texts(SUPPORT))
        await server.until(lambda: any("topic was deleted" in text for text in server.texts(SUPPORT)))
        people_say(server, "We are.")
        await server.until(lambda: "We are." in server.texts())
    heads = [one for one in server.ours(SUPPORT) if QUESTION in one["text"]]
    assert [one["message_thread_id"] for one in heads] == [first, first + 51]


async def test_words_for_a_human_and_the_owners_words_go_to_people(server: TelegramServer, tmp_path: Path) -> None:
    engine = ScriptedEngine(answered())
    rules = {"rules": OwnerRules(words=("суд",))}
    async with telegram_desk(engine, tmp_path, server, support=PEOPLE, supported=rules):
        server.says("Позовите человека, пожалуйста")
        await server.until(lambda: bool(server.ours()))
        server.says("Я подам на вас в суд завтра утром", chat=8, sender=8)
        await server.until(lambda: bool(server.ours(8)))
        await server.until(lambda: len(server.ours(SUPPORT)) == 2)
    assert engine.questions == []
    assert "Передал ваш вопрос людям" in server.texts()[0]
    heads = " ".join(server.texts(SUPPORT))
    assert "просят человека" in heads
    assert "правило: суд" in heads


async def test_the_second_answer_that_did_not_help_goes_to_people(server: TelegramServer, tmp_path: Path) -> None:
    async with telegram_desk(ScriptedEngine(answered()), tmp_path, server, support=PEOPLE):
        for number in (1, 2):
            server.says(f"How do I get my deposit back, number {number}?")
            await server.until(lambda number=number: len(server.ours()) == number and bool(server.buttons()))  # type: ignore[misc]
            assert not server.ours(SUPPORT)
            server.taps(f"down:{number}", server.ours()[-1])
            await server.until(lambda number=number: len(server.answered_taps) == number)  # type: ignore[misc]
        await server.until(lambda: bool(server.ours(SUPPORT)))
        await server.until(lambda: any("passed your question" in text for text in server.texts()))
    assert "did not help twice" in server.texts(SUPPORT)[0]


async def test_not_it_twice_goes_to_people(server: TelegramServer, tmp_path: Path) -> None:
    async with telegram_desk(ScriptedEngine(answered()), tmp_path, server, support=PEOPLE):
        for count, text in enumerate((QUESTION, "No, that's not it", "That is not it"), 1):
            server.says(text)
            await server.until(lambda count=count: len(server.ours()) == count)  # type: ignore[misc]
        await server.until(lambda: bool(server.ours(SUPPORT)))
    assert QUESTION in server.texts(SUPPORT)[0]
    assert "passed your question" in server.texts()[-1]


async def test_a_lost_response_is_no_second_reply(server: TelegramServer, tmp_path: Path) -> None:
    """The copy arrives, the word about it does not; and the process stops there."""
    async with telegram_desk(ScriptedEngine(missed()), tmp_path, server, support=PEOPLE):
        await ticket_made(server)
        server.faults = lambda method, params: (
            Fault(lost=True) if method == "copyMessage" else Fault(seconds=9) if method.startswith("edit") else None
        )
        people_say(server, "No snakes.")
        await server.until(lambda: "No snakes." in server.texts())
    server.faults = lambda method, params: None
    async with telegram_desk(ScriptedEngine(missed()), tmp_path, server, support=PEOPLE) as desk:
        people_say(server, "Nor lizards.")
        await server.until(lambda: "Nor lizards." in server.texts())
        await until(lambda: nothing_due(desk))
    assert server.texts().count("No snakes.") == 1


async def test_three_messages_while_waiting_get_one_notice_and_one_holding_text(
    server: TelegramServer, tmp_path: Path
) -> None:
    async with telegram_desk(ScriptedEngine(answered()), tmp_path, server, support=PEOPLE) as desk:
        server.says("Позовите человека, пожалуйста")
        await server.until(lambda: bool(server.ours(SUPPORT)) and bool(server.ours()))
        for number in range(3):
            server.says(f"Есть тут кто-нибудь живой, номер {number}?")
            await server.until(lambda number=number: any(f"{number}?" in text for text in server.texts(SUPPORT)))  # type: ignore[misc]
        await all_answered(desk)
    notice, holding = server.texts()
    assert "Передал ваш вопрос людям" in notice
    assert "уже у людей" in holding
    assert len(server.ours(SUPPORT)) == 4


async def test_a_question_in_three_messages_is_one_ticket(server: TelegramServer, tmp_path: Path) -> None:
    engine = ScriptedEngine(missed())
    habits = Habits(burst=0.8, together=60.0)
    async with telegram_desk(engine, tmp_path, server, support=PEOPLE, habits=habits) as desk:
        for text in ("здравствуйте", "у меня", "не входит"):
            server.says(text)
        await server.until(lambda: bool(server.ours(SUPPORT)))
        await all_answered(desk)
    assert [one.text for one in engine.questions][-1] == "здравствуйте\nу меня\nне входит"
    assert "не входит" in server.texts(SUPPORT)[0]
    assert len([one for one in server.texts(SUPPORT) if "Обращение" in one or "Ticket" in one]) == 1


async def test_a_promise_of_a_model_is_kept(server: TelegramServer, tmp_path: Path) -> None:
    engine = ScriptedEngine([Final(outcome("Соединяю вас с оператором.", language="ru"))])
    async with telegram_desk(engine, tmp_path, server, support=PEOPLE):
        server.says("Где моя посылка, скажите пожалуйста?")
        await server.until(lambda: bool(server.ours(SUPPORT)))
        await server.until(lambda: any("Передал ваш вопрос людям" in text for text in server.texts()))
    assert "бот обещал передать людям" in server.texts(SUPPORT)[0]


async def test_the_ticket_of_an_operator_who_left_is_free(server: TelegramServer, tmp_path: Path) -> None:
    async with telegram_desk(ScriptedEngine(missed()), tmp_path, server, support=PEOPLE):
        await ticket_made(server)
        tap(server, "Take", sender=ANNA)
        await server.until(lambda: "Taken by" in server.texts(SUPPORT)[0])
        server.members[SUPPORT] = {"status": "left", "user": person(ANNA)}
        people_say(server, "Boris here.", sender=BORIS)
        await server.until(lambda: "Boris here." in server.texts())
        await server.until(lambda: any("has left" in text for text in server.texts(SUPPORT)))
        await server.until(lambda: "Taken by Asker 502" in server.texts(SUPPORT)[0])


async def test_a_reply_in_the_first_moment_finds_its_ticket(server: TelegramServer, tmp_path: Path) -> None:
    """The ticket can be seen, and the process has not heard under which id."""
    server.chats[SUPPORT].forum = False
    async with telegram_desk(ScriptedEngine(missed()), tmp_path, server, support=PEOPLE):
        server.faults = lambda method, params: (
            Fault(lost=True) if method == "sendMessage" and params["chat_id"] == SUPPORT else None
        )
        await ticket_made(server)
        server.says("No snakes.", chat=SUPPORT, sender=ANNA, reply_to_message=server.ours(SUPPORT)[0])
        server.faults = lambda method, params: None
        await server.until(lambda: "No snakes." in server.texts())
    assert len(server.ours(SUPPORT)) == 1


async def all_answered(desk: Desk) -> None:
    async with asyncio.timeout(20):
        while await desk.inbox.unfinished() or await desk.inbox.waiting():  # noqa: ASYNC110 - a store tells nobody
            await asyncio.sleep(0.02)
