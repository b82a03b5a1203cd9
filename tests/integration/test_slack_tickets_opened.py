"""When a question asked in Slack becomes a ticket, and what the asker is told then."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.escalation import OwnerRules
from adapters.office_hours import OfficeHours
from engine import Final
from tests.delivery_fakes import ScriptedEngine, answered, missed, outcome
from tests.slack_desk import slack_desk
from tests.slack_rules import Fault, Params
from tests.slack_server import CHANNEL, DIRECT, SUPPORT, SlackServer
from tests.slack_tickets import ANNA, QUESTION, head, people_say, peopled, shown, ticket_made
from tests.waiting import PATIENCE


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with peopled().running() as server:
        yield server


@pytest.mark.parametrize(
    ("text", "language", "reason"),
    [
        ("Позовите человека, пожалуйста", "ru", "просят человека"),
        ("I want to talk to a human", "en", "a human is asked for"),
        ("Я подам на вас в суд завтра утром", "ru", "правило: суд"),
    ],
)
async def test_words_open_a_ticket_in_both_languages(
    server: SlackServer, tmp_path: Path, text: str, language: str, reason: str
) -> None:
    engine = ScriptedEngine(answered())
    hours = OfficeHours.parse("Mon 9:00-9:01", "Europe/Moscow", "")
    given = {"rules": OwnerRules(words=("суд",)), "hours": hours}
    async with slack_desk(engine, tmp_path, server, support=SUPPORT, supported=given):
        await ticket_made(server, text)
        await server.until(lambda: bool(server.ours()))
    assert engine.questions == []
    told = {"ru": ("Передал ваш вопрос людям", "Они будут на месте пн"), "en": ("passed your", "there Mon")}[language]
    assert all(part in server.texts()[0] for part in told)
    assert reason in shown(server)


async def test_the_command_for_a_human_opens_a_ticket(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(answered()), tmp_path, server, support=SUPPORT):
        server.commands("my parcel has not come", command="/human")
        await server.until(lambda: "my parcel has not come" in shown(server))
        await server.until(lambda: len(server.ours(CHANNEL)) == 2)
    assert "passed your question" in server.texts(CHANNEL)[1]


async def test_the_second_answer_that_did_not_help_goes_to_people(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(answered()), tmp_path, server, support=SUPPORT):
        thread = None
        for number in (1, 2):
            asked = server.says(f"How do I get my deposit back, number {number}?", thread=thread)
            thread = thread or asked["ts"]
            await server.until(
                lambda number=number: len(server.ours()) == number and bool(server.buttons(server.ours()[-1]))  # type: ignore[misc]
            )
            assert not server.ours(SUPPORT)
            message = server.ours()[-1]
            server.taps(server.buttons(message)["👎 Not helpful"], message)
        await server.until(lambda: bool(server.ours(SUPPORT)))
        await server.until(lambda: "passed your question" in shown(server, DIRECT))
    assert "did not help twice" in shown(server)


async def test_not_it_twice_goes_to_people(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(answered()), tmp_path, server, support=SUPPORT):
        thread = None
        for count, text in enumerate((QUESTION, "нет, не то", "Нет, не то!"), 1):
            asked = server.says(text, thread=thread)
            thread = thread or asked["ts"]
            await server.until(lambda count=count: len(server.ours()) == count)  # type: ignore[misc]
        await server.until(lambda: bool(server.ours(SUPPORT)))
    assert QUESTION in server.texts(SUPPORT)[0]
    assert "Передал ваш вопрос" in server.texts()[-1]


async def test_three_messages_while_waiting_get_one_notice_and_one_holding_text(
    server: SlackServer, tmp_path: Path
) -> None:
    async with slack_desk(ScriptedEngine(answered()), tmp_path, server, support=SUPPORT) as desk:
        asked = await ticket_made(server, "I want to talk to a human")
        for number in range(3):
            server.says(f"Is there anybody out there, number {number}?", thread=asked["ts"])
            await server.until(lambda number=number: f"number {number}?" in shown(server))  # type: ignore[misc]
        async with asyncio.timeout(PATIENCE):
            while await desk.inbox.unfinished() or await desk.inbox.waiting():  # noqa: ASYNC110
                await asyncio.sleep(0.02)
    notice, holding = server.texts()
    assert "I have passed" in notice
    assert "People have your question" in holding
    assert len(server.ours(SUPPORT)) == 4


async def test_a_promise_of_a_model_is_kept(server: SlackServer, tmp_path: Path) -> None:
    engine = ScriptedEngine([Final(outcome("Передаю ваш вопрос оператору.", language="ru"))])
    async with slack_desk(engine, tmp_path, server, support=SUPPORT):
        await ticket_made(server, "Где моя посылка, скажите пожалуйста?")
        await server.until(lambda: "Передал ваш вопрос людям" in shown(server, DIRECT))
    assert "бот обещал передать людям" in shown(server)


@pytest.mark.parametrize("told", [True, False], ids=["whose thread it is", "nothing"])
async def test_who_answers_before_the_bot_knows_its_own_ticket_is_heard(
    server: SlackServer, tmp_path: Path, told: bool
) -> None:
    """The response to the ticket's message is lost; people are told whose thread they answer in, or not."""

    def answer_at_once(method: str, params: Params) -> None:
        if method != "chat.postMessage" or params["channel"] != SUPPORT:
            return
        server.after = lambda method, params: None
        if told:
            people_say(server, "No snakes.")
        else:
            message = server.put(SUPPORT, {"user": ANNA, "text": "No snakes.", "thread_ts": head(server)["ts"]})
            server.deliver({"type": "message", "channel": SUPPORT, "channel_type": "channel", **message})

    lost = iter([Fault(lost=True)])
    server.after = answer_at_once
    server.faults = lambda method, params: next(lost, None) if params.get("channel") == SUPPORT else None
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT):
        server.says(QUESTION)
        await server.until(lambda: "No snakes." in server.texts())
    assert len([one for one in server.ours(SUPPORT) if "thread_ts" not in one]) == 1
