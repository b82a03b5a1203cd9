"""Buttons, `/ask` and the Home in Slack."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from engine import Citation, Final
from tests.delivery_fakes import ScriptedEngine, answered, outcome
from tests.slack_desk import Desk, slack_desk
from tests.slack_rules import once, refused
from tests.slack_server import ASKER, BOT, CHANNEL, DIRECT, SUPPORT, SlackServer

QUESTION = "How do I get my deposit back?"
CITED = outcome("Ten days.", citations=(Citation(document="rent/lease.md", section="7.2", title="Refund", page=3),))


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with SlackServer().running() as server:
        yield server


async def answer(server: SlackServer, channel: str = DIRECT) -> dict[str, Any]:
    await server.until(lambda: any(server.buttons(one) for one in server.ours(channel)))
    return server.ours(channel)[-1]


async def rating(desk: Desk) -> tuple[str | None, str]:
    exchange = await desk.inbox.exchange(1)
    assert exchange is not None
    return exchange.rating, exchange.reason


async def test_a_bad_answer_is_rated_with_its_reason(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(answered()), tmp_path, server) as desk:
        server.says(QUESTION)
        message = await answer(server)
        server.taps(server.buttons(message)["👎 Not helpful"], message)
        await server.until(lambda: "It is wrong" in server.buttons(server.ours()[0]))
        server.taps(server.buttons(server.ours()[0])["It is wrong"], server.ours()[0])
        await server.until(lambda: not server.buttons(server.ours()[0]))
        assert await rating(desk) == ("not_helpful", "wrong")
    assert server.texts() == ["The final text."]
    assert [one["text"] for one in server.whispers] == ["What was wrong?", "Thank you!"]


async def test_a_stored_answer_that_did_not_help_asks_the_documents(server: SlackServer, tmp_path: Path) -> None:
    engine = ScriptedEngine([Final(outcome("Stored.", kind="faq_direct"))], answered("From the documents."))
    async with slack_desk(engine, tmp_path, server) as desk:
        server.says(QUESTION)
        message = await answer(server)
        server.taps(server.buttons(message)["👎 Not helpful"], message)
        await server.until(lambda: server.texts() == ["From the documents."])
        await server.until(lambda: "👎 Not helpful" in server.buttons(server.ours()[0]))
        assert await rating(desk) == ("not_helpful", "")
    assert [question.beyond_faq for question in engine.questions] == [False, True]
    assert [one["text"] for one in server.whispers] == ["Let me look in the documents instead ..."]


async def test_only_the_asker_rates(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(answered()), tmp_path, server) as desk:
        server.says(f"<@{BOT}> {QUESTION}", channel=CHANNEL)
        message = await answer(server, CHANNEL)
        server.taps(server.buttons(message)["👍 Helpful"], message, user="U02BOB")
        await server.until(lambda: bool(server.whispers))
        assert await rating(desk) == (None, "")
        server.taps("up:999", message)
        server.taps("nonsense", message)
        await server.until(lambda: len(server.whispers) == 3)
        server.taps(server.buttons(message)["👍 Helpful"], message)
        await server.until(lambda: len(server.whispers) == 4)
        assert await rating(desk) == ("helpful", "")


async def test_sources_are_shown_below_the_answer(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine([Final(CITED)]), tmp_path, server):
        server.says(QUESTION)
        message = await answer(server)
        server.taps(server.buttons(message)["📄 Sources"], message)
        await server.until(lambda: "Sources:" in server.texts()[0])
    assert "`rent/lease.md`, section 7.2 “Refund”, p. 3" in server.texts()[0]
    assert list(server.buttons(server.ours()[0])) == ["👍 Helpful", "👎 Not helpful"]


async def test_somebody_else_sees_the_sources_alone(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine([Final(CITED)]), tmp_path, server):
        server.says(f"<@{BOT}> {QUESTION}", channel=CHANNEL)
        message = await answer(server, CHANNEL)
        server.taps(server.buttons(message)["📄 Sources"], message, user="U02BOB")
        await server.until(lambda: bool(server.whispers))
    assert "lease.md" in server.whispers[0]["text"]
    assert server.texts(CHANNEL) == ["Ten days."]


async def test_a_human_is_asked_once_and_the_bot_waits(server: SlackServer, tmp_path: Path) -> None:
    engine = ScriptedEngine(answered())
    async with slack_desk(engine, tmp_path, server, support=SUPPORT):
        root = server.says(QUESTION)
        message = await answer(server)
        for _ in range(2):
            server.taps(server.buttons(message)["🙋 Ask a human"], message)
        await server.until(lambda: len(server.ours()) == 2)
        server.says("Is anybody there?", thread=root["ts"])
        await server.until(lambda: len(server.ours()) == 3)
        await server.until(lambda: len(server.ours(SUPPORT)) == 2)
    asked, joined = server.texts(SUPPORT)
    assert QUESTION in asked
    assert joined == "Is anybody there?"
    assert "right here" in server.texts()[1]
    assert "People have your question" in server.texts()[2]
    assert len(engine.questions) == 1


# --- /ask -----------------------------------------------------------------------------------------------------------


async def test_ask_is_answered_in_the_thread_of_the_question(server: SlackServer, tmp_path: Path) -> None:
    engine = ScriptedEngine(answered())
    async with slack_desk(engine, tmp_path, server):
        server.commands(f"{QUESTION} <!channel>")
        await answer(server, CHANNEL)
        root, reply = server.ours(CHANNEL)
        server.says("And by when is it?", channel=CHANNEL, thread=root["ts"])
        await server.until(lambda: len(server.ours(CHANNEL)) == 3)
    assert root["text"].startswith(f"<@{ASKER}> asks: {QUESTION}")
    assert "<!channel>" not in root["text"]
    assert reply["thread_ts"] == root["ts"]
    assert [turn.question for turn in engine.questions[1].history] == [f"{QUESTION} @channel"]


@pytest.mark.parametrize("asked_for", ["asker", "everyone"])
async def test_ask_comes_as_a_direct_message_where_wanted_or_needed(
    server: SlackServer, tmp_path: Path, asked_for: str
) -> None:
    server.channels[CHANNEL].member = asked_for == "asker"
    async with slack_desk(ScriptedEngine(answered()), tmp_path, server, asked_for=asked_for):
        server.commands(QUESTION)
        await answer(server)
        await server.until(lambda: bool(server.acknowledged))
    assert not server.ours(CHANNEL)
    assert server.acknowledged[0]["answer"] == {"text": "I will answer you in a direct message."}


async def test_ask_alone_explains_itself_and_a_failure_is_told(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(answered()), tmp_path, server):
        server.commands("")
        await server.until(lambda: len(server.acknowledged) == 1)
        server.faults = once("chat.postMessage", refused("fatal_error"))
        server.channels[DIRECT].member = False
        server.commands(QUESTION)
        await server.until(lambda: len(server.acknowledged) == 2)
    first, second = (one["answer"]["text"] for one in server.acknowledged)
    assert "/ask how do I get" in first
    assert "could not be taken" in second


# --- Home -----------------------------------------------------------------------------------------------------------


async def topics() -> Sequence[tuple[str, str]]:
    return [("Housing <!here>", "Rent & repairs")]


async def test_home_shows_what_is_known_and_keeps_the_language(server: SlackServer, tmp_path: Path) -> None:
    engine = ScriptedEngine(answered())
    async with slack_desk(engine, tmp_path, server, topics=topics):
        server.deliver({"type": "app_home_opened", "user": ASKER, "tab": "home", "channel": DIRECT})
        await server.until(lambda: len(server.views) == 1)
        message = {"channel": DIRECT, "ts": "1.1"}
        server.taps("ru", message, action="refdesk-language:ru")
        await server.until(lambda: len(server.views) == 2)
        server.says(QUESTION)
        await server.until(lambda: bool(engine.questions))
        await asyncio.sleep(0.1)
    first, second = (str(view["view"]) for view in server.views)
    assert "Rent &amp; repairs" in first
    assert "<!here>" not in first
    assert "Что я знаю" in second
    assert engine.questions[0].language == "ru"
