"""Tickets from the miss to the last word, with askers and operators in Slack."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adapters.escalation import OwnerRules
from adapters.office_hours import OfficeHours
from engine import Delta, Final, Outcome
from engine.types import FaqMatch, FaqPair, Route
from tests.delivery_fakes import ScriptedEngine, answered, outcome
from tests.slack_desk import Desk, slack_desk
from tests.slack_files import Person
from tests.slack_rules import Fault, Json
from tests.slack_server import ASKER, BOT, CHANNEL, DIRECT, SUPPORT, SlackServer
from tests.waiting import PATIENCE

QUESTION = "Can I keep a snake in my room?"
ANNA, BORIS = "U11ANNA", "U12BORIS"


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with SlackServer().running() as server:
        server.shared.people |= {ANNA: Person("Anna"), BORIS: Person("Boris"), ASKER: Person("Alice")}
        yield server


def missed(**values: Any) -> list[Any]:
    near = FaqPair(entry="pets", question="Are cats allowed?", answer="**Cats** are welcome.", score=0.71)
    match = FaqMatch(band="miss", score=0.71, cosine=0.6, entry=None, nearest=(near,))
    route = Route(domain="housing", collection="rules", documents=(), levels=())
    made: Outcome = replace(outcome("I do not know.", kind="missed"), faq=match, route=route)
    return [Final(replace(made, miss_reason="nothing_found", **values))]


def head(server: SlackServer) -> Json:
    return next(one for one in server.ours(SUPPORT) if "thread_ts" not in one)


def people_say(server: SlackServer, text: str, *, user: str = ANNA, **values: Any) -> Json:
    return server.says(text, channel=SUPPORT, user=user, thread=head(server)["ts"], **values)


def tap(server: SlackServer, caption: str, *, user: str = ANNA) -> None:
    data = next(value for text, value in server.buttons(head(server)).items() if caption in text)
    server.taps(data, head(server), user=user)


def shown(server: SlackServer, channel: str = SUPPORT) -> str:
    return "\n".join(server.texts(channel))


async def ticket_made(server: SlackServer, text: str = QUESTION, **values: Any) -> Json:
    asked = server.says(text, **values)
    await server.until(lambda: bool(server.ours(SUPPORT)))
    return asked


async def all_carried(desk: Desk) -> None:
    async with asyncio.timeout(PATIENCE):
        while await desk.tickets.due(desk.me.desk):  # noqa: ASYNC110 - a store tells nobody
            await asyncio.sleep(0.02)


async def owner(desk: Desk, asked: Json) -> str:
    return (await desk.inbox.standing(f"{desk.me.desk}:{asked['channel']}:{asked['ts']}")).owner


async def test_a_miss_becomes_a_ticket_with_all_that_was_tried(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT):
        asked = await ticket_made(server)
        server.says("And what about two *small* snakes?", thread=asked["ts"])
        await server.until(lambda: len(server.ours()) == 2)
        await server.until(lambda: len(server.ours(SUPPORT)) == 2)
    said, again = server.texts()
    assert said.startswith("I do not know.")
    assert "I have passed your question to people" in said
    assert "passed" not in again, "one notice for a ticket"
    first, joined = server.ours(SUPPORT)
    assert joined["thread_ts"] == first["ts"]
    for part in (QUESTION, "Alice", "housing → rules", "0.71 Are cats allowed?", "nothing was found"):
        assert part in server.texts(SUPPORT)[0]
    assert server.texts(SUPPORT)[1] == "And what about two **small** snakes?"
    assert list(server.buttons(first)) == ["✋ Take", "✅ Close", "🚫 Not our topic", "📎 Are cats allowed?"]


async def test_the_reply_of_an_operator_reaches_the_asker_with_its_edits(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT) as desk:
        asked = await ticket_made(server)
        people_say(server, "// let me look it up")
        wrote = people_say(server, f"<@{BOT}> *No snakes*, sorry: <https://a.example/rules|the rules>.")
        await server.until(lambda: len(server.ours()) == 2)
        people_say(server, "", files=[server.shared.attached("rules.pdf", b"%PDF-1")], subtype="file_share")
        await server.until(lambda: len(server.ours()) == 3)
        server.shared.edits(SUPPORT, wrote["ts"], "No snakes _here_, sorry.")
        await server.until(lambda: server.texts()[1] == "No snakes *here*, sorry.")
        assert await owner(desk, asked) == "human"
        await server.until(lambda: "Taken by Anna" in server.texts(SUPPORT)[0])
        await all_carried(desk)
    answer, file = server.ours()[1:]
    assert answer["thread_ts"] == file["thread_ts"] == asked["ts"]
    assert [one["name"] for one in file["files"]] == ["rules.pdf"]
    assert server.shared.bodies[file["files"][0]["id"]] == b"%PDF-1"
    assert "look it up" not in shown(server, DIRECT)


async def test_formatting_of_clients_comes_from_their_blocks(server: SlackServer, tmp_path: Path) -> None:
    bold = {"type": "text", "text": "No snakes", "style": {"bold": True}}
    items = [{"type": "rich_text_section", "elements": [{"type": "text", "text": one}]} for one in ("cats", "dogs")]
    elements = [
        {"type": "rich_text_section", "elements": [bold, {"type": "text", "text": ", but * this:\n"}]},
        {"type": "rich_text_list", "style": "bullet", "elements": items},
        {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "a < b"}]},
    ]
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT):
        await ticket_made(server)
        people_say(server, "No snakes", blocks=[{"type": "rich_text", "elements": elements}])
        await server.until(lambda: len(server.ours()) == 2)
    assert server.texts()[1] == "**No snakes**, but \\* this:\n\n- cats\n- dogs\n\n```\na < b\n```"


async def test_a_long_reply_comes_whole_and_an_edit_may_shorten_it(server: SlackServer, tmp_path: Path) -> None:
    words = [f"word{number}" for number in range(1000)]
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT) as desk:
        await ticket_made(server)
        wrote = people_say(server, " ".join(words))
        await server.until(lambda: "word999" in shown(server, DIRECT))
        assert " ".join(server.texts()[1:]).split() == words
        server.shared.edits(SUPPORT, wrote["ts"], "Short.")
        await server.until(lambda: server.texts()[1] == "Short.")
        await all_carried(desk)
    assert set(server.texts()[2:]) == {"…"}


async def test_the_bot_is_silent_until_the_ticket_is_handed_back(server: SlackServer, tmp_path: Path) -> None:
    engine = ScriptedEngine(missed(), answered("The bot is back."))
    async with slack_desk(engine, tmp_path, server, support=SUPPORT) as desk:
        asked = await ticket_made(server)
        tap(server, "Take")
        await server.until(lambda: "Taken by" in server.texts(SUPPORT)[0])
        server.says("Thank you, I am waiting for you!", thread=asked["ts"])
        await server.until(lambda: "Thank you, I am waiting for you!" in server.texts(SUPPORT))
        assert len(server.ours()) == 1
        tap(server, "Hand back")
        await server.until(lambda: "Waiting" in server.texts(SUPPORT)[0])
        assert await owner(desk, asked) == "bot"
        server.says("Then, bot, how do I pay the rent?", thread=asked["ts"])
        await server.until(lambda: "The bot is back." in server.texts())


async def test_an_operator_who_replies_while_the_answer_streams_ends_it(server: SlackServer, tmp_path: Path) -> None:
    going_on = asyncio.Event()
    engine = ScriptedEngine(missed(), [Delta("Half an ans"), going_on.wait, Delta("wer"), *answered()])
    async with slack_desk(engine, tmp_path, server, support=SUPPORT) as desk:
        asked = await ticket_made(server)
        server.says("And how about a lizard, please?", thread=asked["ts"])
        await server.until(lambda: "Half" in shown(server, DIRECT))
        people_say(server, "No lizards either.")
        await server.until(lambda: "No lizards either." in server.texts())
        going_on.set()
        await server.until(lambda: "Half" not in shown(server, DIRECT))
        async with asyncio.timeout(PATIENCE):
            while await desk.inbox.unfinished():  # noqa: ASYNC110 - a store tells nobody
                await asyncio.sleep(0.02)
    assert "final" not in shown(server, DIRECT)


async def test_two_operators_do_not_answer_at_once(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT):
        await ticket_made(server)
        people_say(server, "It is mine.", user=ANNA)
        await server.until(lambda: "It is mine." in server.texts())
        people_say(server, "Mine too!", user=BORIS)
        await server.until(lambda: "not sent" in shown(server))
        tap(server, "Hand back", user=ANNA)
    assert "Mine too!" not in server.texts()


async def test_the_ticket_of_an_operator_who_left_is_free(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT) as desk:
        await ticket_made(server)
        tap(server, "Take", user=ANNA)
        await server.until(lambda: "Taken by Anna" in shown(server))
        server.shared.people[ANNA] = Person("Anna", deleted=True)
        people_say(server, "Boris here.", user=BORIS)
        await server.until(lambda: "Boris here." in server.texts())
        await server.until(lambda: "Taken by Boris" in shown(server))
        await all_carried(desk)
    assert "has left" in shown(server)


async def test_a_ticket_is_answered_with_a_known_entry(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT) as desk:
        asked = await ticket_made(server)
        tap(server, "Are cats allowed?")
        await server.until(lambda: "**Cats** are welcome." in server.texts())
        await server.until(lambda: "Closed by Anna" in server.texts(SUPPORT)[0])
        assert await owner(desk, asked) == "bot"
        people_say(server, "Too late")
        await server.until(lambda: "closed; the message was not sent" in shown(server))
    assert not server.buttons(head(server))


async def test_a_question_off_topic_is_told_so(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT):
        await ticket_made(server)
        tap(server, "Not our topic")
        await server.until(lambda: "not our topic" in shown(server, DIRECT))


async def test_an_asker_in_a_channel_is_answered_in_the_thread(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT):
        asked = await ticket_made(server, f"<@{BOT}> {QUESTION}", channel=CHANNEL)
        server.says("Anybody?", channel=CHANNEL, thread=asked["ts"])
        await server.until(lambda: "Anybody?" in server.texts(SUPPORT))
        people_say(server, "No snakes.")
        await server.until(lambda: "No snakes." in server.texts(CHANNEL, asked["ts"]))


async def test_a_channel_that_is_gone_is_reported_in_the_ticket(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT):
        await ticket_made(server, f"<@{BOT}> {QUESTION}", channel=CHANNEL)
        server.channels[CHANNEL].member = False
        people_say(server, "No snakes.")
        await server.until(lambda: "Not delivered" in shown(server))


@pytest.mark.parametrize("told", [True, False])
async def test_a_deleted_ticket_begins_a_new_thread(server: SlackServer, tmp_path: Path, told: bool) -> None:
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT) as desk:
        asked = await ticket_made(server)
        await all_carried(desk)
        first = head(server)
        if told:
            server.shared.deletes(SUPPORT, first["ts"])
        else:
            del server.channels[SUPPORT].messages[first["ts"]]
        server.says("Are you still there, dear people?", thread=asked["ts"])
        await server.until(lambda: "Are you still there, dear people?" in server.texts(SUPPORT))
        await server.until(lambda: "earlier topic was deleted" in shown(server))
        people_say(server, "We are.")
        await server.until(lambda: "We are." in server.texts())
        tap(server, "Close")
        await server.until(lambda: "Closed by Anna" in shown(server))
    assert head(server)["ts"] != first["ts"]
    assert shown(server).count(QUESTION) == 1


async def test_a_support_channel_that_is_gone_loses_nothing(server: SlackServer, tmp_path: Path) -> None:
    server.channels[SUPPORT].member = False
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT):
        server.says(QUESTION)
        await server.until(lambda: bool(server.ours()))
        await server.until(lambda: bool(server.made("chat.postMessage")))
    server.channels[SUPPORT].member = True
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT):
        await server.until(lambda: QUESTION in shown(server))


async def test_a_bot_in_the_support_channel_answers_nobody(server: SlackServer, tmp_path: Path) -> None:
    server.shared.people["U99APP"] = Person("App", is_bot=True)
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT):
        await ticket_made(server)
        people_say(server, "Build failed", user="U99APP", bot_id="B99")
        people_say(server, "From my own tool", user=ANNA, bot_id="B98", app_id="A98")
        await server.until(lambda: "From my own tool" in server.texts())
    assert "Build failed" not in server.texts()


async def test_an_event_that_comes_again_changes_nothing(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT) as desk:
        asked = await ticket_made(server)
        wrote = people_say(server, "No snakes.")
        await server.until(lambda: "No snakes." in server.texts())
        tap(server, "Close")
        await server.until(lambda: "Closed by" in shown(server))
        server.deliver(wrote, attempt=1)
        server.deliver(asked, attempt=1)
        await server.until(lambda: server.pending == 0)
        await all_carried(desk)
    assert server.texts().count("No snakes.") == 1
    assert len(server.ours(SUPPORT)) == 1


# --- when it is opened ----------------------------------------------------------------------------------------------


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


async def test_the_bot_answers_again_after_the_ticket_came_back(server: SlackServer, tmp_path: Path) -> None:
    engine = ScriptedEngine(missed(), answered("The rent is due on Mondays."))
    async with slack_desk(engine, tmp_path, server, support=SUPPORT) as desk:
        asked = await ticket_made(server)
        people_say(server, "I will see to it.")
        await server.until(lambda: "I will see to it." in server.texts())
        tap(server, "Hand back")
        await server.until(lambda: "Waiting" in server.texts(SUPPORT)[0])
        server.says("When is the rent due, please?", thread=asked["ts"])
        await server.until(lambda: "The rent is due on Mondays." in server.texts())
        assert await owner(desk, asked) == "bot"
    assert not any("waiting" in turn.answer.lower() for turn in engine.questions[-1].history), "no word of being silent"


async def test_a_lost_response_is_no_second_reply(server: SlackServer, tmp_path: Path) -> None:
    """The reply arrives, the word about it does not; and the process stops there."""
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT):
        await ticket_made(server)
        server.faults = lambda method, params: (
            Fault(lost=True)
            if method == "chat.postMessage" and params["channel"] == DIRECT
            else Fault(seconds=9)
            if method.startswith("conversations")
            else None
        )
        people_say(server, "No snakes.")
        await server.until(lambda: "No snakes." in server.texts())
    server.faults = lambda method, params: None
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT) as desk:
        people_say(server, "Nor lizards.")
        await server.until(lambda: "Nor lizards." in server.texts())
        await all_carried(desk)
    assert server.texts().count("No snakes.") == 1
