"""Tickets from the miss to the last word, with askers and operators in Slack."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine import Delta
from tests.delivery_fakes import ScriptedEngine, answered, missed
from tests.slack_desk import slack_desk
from tests.slack_files import Person
from tests.slack_rules import Fault
from tests.slack_server import BOT, CHANNEL, DIRECT, SUPPORT, SlackServer
from tests.slack_tickets import (
    ANNA,
    BORIS,
    QUESTION,
    all_carried,
    head,
    owner,
    people_say,
    peopled,
    shown,
    tap,
    ticket_made,
)
from tests.waiting import PATIENCE


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with peopled().running() as server:
        yield server


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
