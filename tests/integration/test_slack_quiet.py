"""Busy channels in Slack: an answer is first shown to its asker, and to everyone when the asker says so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.slack.quiet import read_everyone
from engine import Citation, Delta, Final, Interim, Typing
from tests.delivery_fakes import Script, ScriptedEngine, answered, outcome
from tests.slack_desk import Desk, slack_desk
from tests.slack_rules import Fault, Json, broken, once, too_many
from tests.slack_server import ASKER, BOT, CHANNEL, DIRECT, SUPPORT, SlackServer
from tests.waiting import PATIENCE

QUESTION = f"<@{BOT}> How do I get my deposit back?"
QUIET = frozenset({CHANNEL})
BOB = "U02BOB"
EVERYONE = "👥 Show everyone"
CITED = outcome("Ten days.", citations=(Citation(document="rent/lease.md", section="7.2", title="Refund", page=3),))


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with SlackServer(envelope_seconds=0.5).running() as server:
        yield server


async def whispered(server: SlackServer, number: int = 1) -> Json:
    await server.until(lambda: len(server.whispered(ASKER)) == number)
    return server.whispered(ASKER)[-1]


def tap(server: SlackServer, button: str, user: str = ASKER) -> None:
    message = next(one for one in server.whispered(ASKER) if button in server.buttons(one))
    server.taps(server.buttons(message)[button], message, user=user)


async def closed(desk: Desk) -> None:
    async with asyncio.timeout(PATIENCE):
        while await desk.inbox.unfinished():  # noqa: ASYNC110  the database knows no event
            await asyncio.sleep(0.01)


async def test_an_answer_is_seen_by_its_asker_alone_and_then_by_everyone(server: SlackServer, tmp_path: Path) -> None:
    script: Script = [Typing(), 0.1, Delta("Ten "), 0.1, Interim("Gathering ..."), Delta("days"), 0.1, *answered()]
    async with slack_desk(ScriptedEngine(script), tmp_path, server, quiet=QUIET) as desk:
        asked = server.says(QUESTION, channel=CHANNEL)
        message = await whispered(server)
        assert server.whispered_texts(ASKER) == ["The final text."]
        assert list(server.buttons(message)) == ["👍 Helpful", "👎 Not helpful", EVERYONE]
        assert "thread_ts" not in message, "in a thread that has only begun, nobody would see it"
        await closed(desk)
        assert not server.ours(CHANNEL)
        tap(server, EVERYONE)
        await server.until(lambda: server.texts(CHANNEL, asked["ts"]) == ["The final text."])
        await server.until(lambda: not server.whispered(ASKER))
        (shown,) = server.ours(CHANNEL)
        assert list(server.buttons(shown)) == ["👍 Helpful", "👎 Not helpful"]
        server.taps(server.buttons(shown)["👍 Helpful"], shown)
        await server.until(lambda: not server.buttons(server.ours(CHANNEL)[0]))
    assert len(server.ours(CHANNEL)) == 1


async def test_elsewhere_nothing_is_quiet(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(answered()), tmp_path, server, quiet=QUIET):
        server.says("How do I get my deposit back?")
        await server.until(lambda: server.texts() == ["The final text."])
    assert not server.whispers


async def test_the_buttons_speak_russian(server: SlackServer, tmp_path: Path) -> None:
    engine = ScriptedEngine([Final(outcome("Десять дней.", language="ru"))])
    async with slack_desk(engine, tmp_path, server, quiet=QUIET):
        server.says(f"<@{BOT}> Как вернуть депозит?", channel=CHANNEL)
        await whispered(server)
        tap(server, "👥 Показать всем")
        await server.until(lambda: server.texts(CHANNEL) == ["Десять дней."])


async def test_after_a_restart_and_twice_it_is_shown_once(server: SlackServer, tmp_path: Path) -> None:
    engine = ScriptedEngine(answered())
    async with slack_desk(engine, tmp_path, server, quiet=QUIET) as desk:
        server.says(QUESTION, channel=CHANNEL)
        await whispered(server)
        await closed(desk)
    async with slack_desk(engine, tmp_path, server, quiet=QUIET):
        tap(server, EVERYONE)
        tap(server, EVERYONE)
        await server.until(lambda: server.texts(CHANNEL) == ["The final text."])
        await server.until(lambda: "Everyone can see this answer already." in server.whispered_texts(ASKER))
    assert len(server.ours(CHANNEL)) == 1
    assert len(engine.questions) == 1


FAULTS = {
    "rate limit": too_many(1),
    "bad gateway": broken(),
    "the response is lost": Fault(lost=True),
}


@pytest.mark.parametrize("name", FAULTS)
async def test_whatever_slack_does_everyone_sees_it_once(server: SlackServer, tmp_path: Path, name: str) -> None:
    async with slack_desk(ScriptedEngine(answered()), tmp_path, server, quiet=QUIET):
        server.says(QUESTION, channel=CHANNEL)
        await whispered(server)
        server.faults = once("chat.postMessage", FAULTS[name])
        tap(server, EVERYONE)
        await server.until(lambda: not server.whispered(ASKER))
    assert server.texts(CHANNEL) == ["The final text."]


@pytest.mark.parametrize("name", FAULTS)
async def test_whatever_slack_does_the_asker_sees_it(server: SlackServer, tmp_path: Path, name: str) -> None:
    server.faults = once("chat.postEphemeral", FAULTS[name])
    async with slack_desk(ScriptedEngine(answered()), tmp_path, server, quiet=QUIET) as desk:
        server.says(QUESTION, channel=CHANNEL)
        await server.until(lambda: bool(server.whispered(ASKER)))
        await closed(desk)
    assert set(server.whispered_texts(ASKER)) == {"The final text."}
    assert not server.ours(CHANNEL)


async def test_a_response_that_slack_takes_no_more_harms_nothing(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(answered()), tmp_path, server, quiet=QUIET):
        server.says(QUESTION, channel=CHANNEL)
        await whispered(server)
        server.closed = True
        tap(server, EVERYONE)
        await server.until(lambda: server.texts(CHANNEL) == ["The final text."])
        tap(server, "👍 Helpful")
        await server.until(lambda: "Thank you!" in server.whispered_texts(ASKER))


async def test_ratings_reasons_and_sources_change_what_the_asker_sees(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine([Final(CITED)]), tmp_path, server, quiet=QUIET) as desk:
        server.says(QUESTION, channel=CHANNEL)
        message = await whispered(server)
        tap(server, "📄 Sources")
        await server.until(lambda: "lease.md" in server.whispered_texts(ASKER)[0])
        assert EVERYONE in server.buttons(server.whispered(ASKER)[0])
        tap(server, "👎 Not helpful")
        await server.until(lambda: "It is wrong" in server.buttons(server.whispered(ASKER)[0]))
        tap(server, "It is wrong")
        await server.until(lambda: list(server.buttons(server.whispered(ASKER)[0])) == ["📄 Sources", EVERYONE])
        exchange = await desk.inbox.exchange(1)
    assert exchange is not None
    assert (exchange.rating, exchange.reason) == ("not_helpful", "wrong")
    assert message["ts"] == server.whispered(ASKER)[0]["ts"]
    assert not server.ours(CHANNEL)


async def test_only_the_asker_shows_it_and_made_up_buttons_show_nothing(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(answered()), tmp_path, server, quiet=QUIET) as desk:
        server.says(QUESTION, channel=CHANNEL)
        message = await whispered(server)
        await closed(desk)
        tap(server, EVERYONE, user=BOB)
        server.taps("all:999", message)
        server.taps("all:1", {**message, "channel": DIRECT})
        server.taps("all:nonsense", message)
        await server.until(lambda: len(server.whispers) == 5)
    assert not server.ours(CHANNEL)
    assert not server.ours(DIRECT)
    assert [read_everyone(data) for data in ("all:7", "all:", "all:x", "up:7", "all:" + "9" * 30)] == [7] + [None] * 4


async def test_a_thread_goes_on_with_its_asker_and_with_everyone_once_it_was_shown(
    server: SlackServer, tmp_path: Path
) -> None:
    engine = ScriptedEngine(answered())
    async with slack_desk(engine, tmp_path, server, quiet=QUIET) as desk:
        asked = server.says(QUESTION, channel=CHANNEL)
        await whispered(server)
        server.says("Does anybody know?", channel=CHANNEL, thread=asked["ts"], user=BOB)
        server.says("And by when is it?", channel=CHANNEL, thread=asked["ts"])
        second = await whispered(server, 2)
        assert second["thread_ts"] == asked["ts"]
        await closed(desk)
        assert [question.text for question in engine.questions][1:] == ["And by when is it?"]
        tap(server, EVERYONE)
        await server.until(lambda: len(server.ours(CHANNEL)) == 1)
        server.says("Is that so?", channel=CHANNEL, thread=asked["ts"], user=BOB)
        await server.until(lambda: server.whispered_texts(BOB) == ["The final text."])
    assert len(engine.questions) == 3


async def test_a_human_is_asked_from_a_quiet_answer(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(answered()), tmp_path, server, quiet=QUIET, support=SUPPORT):
        server.says(QUESTION, channel=CHANNEL)
        await whispered(server)
        tap(server, "🙋 Ask a human")
        await server.until(lambda: bool(server.ours(SUPPORT)))
        await server.until(lambda: any("right here" in text for text in server.whispered_texts(ASKER)))
    assert not server.ours(CHANNEL)
    assert EVERYONE not in server.buttons(server.whispered(ASKER)[-1]), "that is nobody else's business"


async def test_an_apology_can_be_asked_again_and_an_absent_asker_is_given_up(
    server: SlackServer, tmp_path: Path
) -> None:
    engine = ScriptedEngine([ValueError("broken")], answered())
    async with slack_desk(engine, tmp_path, server, quiet=QUIET) as desk:
        server.says(QUESTION, channel=CHANNEL)
        await whispered(server)
        tap(server, "🔁 Try again")
        await server.until(lambda: "The final text." in server.whispered_texts(ASKER))
        await closed(desk)
        server.absent.add(BOB)
        server.says(QUESTION, channel=CHANNEL, user=BOB)
        await server.until(lambda: len(server.made("chat.postEphemeral")) >= 3)
        await closed(desk)
    assert not server.whispered(BOB)
