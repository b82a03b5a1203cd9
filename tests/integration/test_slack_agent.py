"""The conversation with an agent in Slack: what is suggested, what it is called, and the stop button."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from engine import Delta, Interim, Language, Typing
from tests.delivery_fakes import Script, ScriptedEngine, answered
from tests.slack_desk import Desk, slack_desk
from tests.slack_rules import Fault, broken, once, too_many
from tests.slack_server import ASKER, BOT, CHANNEL, DIRECT, SlackServer
from tests.waiting import PATIENCE

QUESTION = "How do I get my deposit back?"
ENDLESS: Script = [Typing(), 0.1, Delta("Ten "), Delta("working days"), 600.0, *answered()]


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with SlackServer(envelope_seconds=0.5).running() as server:
        yield server


async def closed(desk: Desk) -> None:
    async with asyncio.timeout(PATIENCE):
        while await desk.inbox.unfinished():  # noqa: ASYNC110  the database knows no event
            await asyncio.sleep(0.01)


async def suggestions(language: Language | None) -> Sequence[str]:
    known = {"ru": ["Как вернуть депозит?"], "en": ["Is the deposit refundable?", "x" * 200]}
    return known[language] if language else [*known["ru"], *known["en"]]


# --- the stop button ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("streams", [True, False], ids=["streamed", "edited"])
@pytest.mark.parametrize("channel", [DIRECT, CHANNEL])
async def test_a_stopped_answer_stays_as_far_as_it_was_said(
    server: SlackServer, tmp_path: Path, streams: bool, channel: str
) -> None:
    server.streams = streams
    engine = ScriptedEngine(ENDLESS, answered())
    async with slack_desk(engine, tmp_path, server) as desk:
        asked = server.says(f"<@{BOT}> {QUESTION}", channel=channel)
        thread = channel, asked["ts"]
        await server.until(lambda: any("working" in text for text in server.texts(channel)))
        await server.until(lambda: server.sessions.get(thread) == "processing")
        server.stops(asked["ts"], channel=channel)
        await server.until(lambda: server.texts(channel) == ["Ten working days\n\n_Stopped._"])
        await closed(desk)
        assert engine.open == 0, "the engine is let go"
        assert server.sessions[thread] == "active"
        (message,) = server.ours(channel)
        assert list(server.buttons(message)) == ["🔁 Try again"]
        server.says("And by when?", channel=channel, thread=asked["ts"])
        await server.until(lambda: len(server.texts(channel)) == 2)
    assert engine.questions[1].history == (), "what was stopped is no answer to refer to"


async def test_a_stop_before_anything_was_said(server: SlackServer, tmp_path: Path) -> None:
    engine = ScriptedEngine([Typing(), 600.0, *answered()], answered())
    async with slack_desk(engine, tmp_path, server) as desk:
        asked = server.says("Как вернуть депозит?")
        await server.until(lambda: bool(server.sessions))
        server.stops(asked["ts"])
        await server.until(lambda: server.texts() == ["_Остановлено._"])
        await closed(desk)
        server.taps(server.buttons(server.ours()[0])["🔁 Ещё раз"], server.ours()[0])
        await server.until(lambda: server.texts() == ["The final text."])


async def test_an_interim_message_is_not_what_was_said(server: SlackServer, tmp_path: Path) -> None:
    script: Script = [Delta("Within ten days."), 0.2, Interim("Gathering ...", keeps_draft=True), 600.0, *answered()]
    async with slack_desk(ScriptedEngine(script), tmp_path, server):
        asked = server.says(QUESTION)
        await server.until(lambda: any("Gathering" in text for text in server.texts()))
        server.stops(asked["ts"])
        await server.until(lambda: server.texts() == ["Within ten days.\n\n_Stopped._"])


async def test_a_stop_that_comes_late_or_elsewhere_changes_nothing(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(answered()), tmp_path, server) as desk:
        asked = server.says(QUESTION)
        await server.until(lambda: server.texts() == ["The final text."])
        await closed(desk)
        server.stops(asked["ts"])
        server.stops("1.000100", channel=CHANNEL)
        await server.until(lambda: server.sessions.get((CHANNEL, "1.000100")) == "active")
    assert server.texts() == ["The final text."]


async def test_a_stream_that_slack_has_stopped_ends_the_answer_without_the_event(
    server: SlackServer, tmp_path: Path
) -> None:
    stopped = asyncio.Event()
    script: Script = [Delta("Ten "), stopped.wait, Delta("working "), 600.0, *answered()]
    async with slack_desk(ScriptedEngine(script), tmp_path, server):
        server.says(QUESTION)
        await server.until(lambda: bool(server.ours()))
        server.channels[DIRECT].messages[server.ours()[0]["ts"]].update(streaming=False, stopped=True)
        stopped.set()
        await server.until(lambda: any("_Stopped._" in text for text in server.texts()))


FAULTS = {
    "rate limit": ("chat.update", too_many(1)),
    "bad gateway": ("chat.update", broken()),
    "response lost": ("chat.update", Fault(lost=True)),
    "the session does not end": ("agents.sessions.setStatus", broken()),
}


@pytest.mark.parametrize("name", FAULTS)
async def test_whatever_slack_does_what_was_stopped_is_marked_once(
    server: SlackServer, tmp_path: Path, name: str
) -> None:
    method, fault = FAULTS[name]
    async with slack_desk(ScriptedEngine(ENDLESS), tmp_path, server) as desk:
        asked = server.says(QUESTION)
        await server.until(lambda: any("working" in text for text in server.texts()))
        server.faults = once(method, fault)
        server.stops(asked["ts"])
        await server.until(lambda: any("_Stopped._" in text for text in server.texts()))
        await closed(desk)
    assert server.texts() == ["Ten working days\n\n_Stopped._"]
    assert server.sessions == {(DIRECT, asked["ts"]): "active"}


async def test_a_process_that_stops_leaves_a_stopped_answer_to_the_next(server: SlackServer, tmp_path: Path) -> None:
    engine = ScriptedEngine(ENDLESS)
    async with slack_desk(engine, tmp_path, server, patience=0.1):
        asked = server.says(QUESTION)
        await server.until(lambda: any("working" in text for text in server.texts()))
        server.faults = lambda method, params: broken() if method == "chat.update" else None
        server.stops(asked["ts"])
        await server.until(lambda: bool(server.made("chat.update")))
    server.faults = lambda method, params: None
    async with slack_desk(engine, tmp_path, server):
        await server.until(lambda: server.texts() == ["Ten working days\n\n_Stopped._"])
    assert len(engine.questions) == 1


# --- sessions and titles --------------------------------------------------------------------------------------------


async def test_a_thread_has_its_question_for_a_title_and_its_session_ends(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine([Typing(), 0.3, *answered()]), tmp_path, server) as desk:
        first, second = server.says(QUESTION), server.says("how? " * 100)
        await server.until(lambda: len(server.texts()) == 2)
        await closed(desk)
    assert server.titles[DIRECT, first["ts"]] == QUESTION
    assert len(server.titles[DIRECT, second["ts"]]) <= 200
    assert set(server.sessions.values()) == {"active"}


async def test_an_app_that_is_no_agent_is_asked_once_and_titled_as_an_assistant(
    server: SlackServer, tmp_path: Path
) -> None:
    server.agent = False
    async with slack_desk(ScriptedEngine([Typing(), 0.3, *answered()]), tmp_path, server) as desk:
        for number in (1, 2):
            server.says(QUESTION)
            await server.until(lambda number=number: len(server.texts()) == number)  # type: ignore[misc]
            await closed(desk)
    assert len(server.made("agents.sessions.setStatus")) == 1
    assert list(server.titles.values()) == [QUESTION] * 2
    assert not server.sessions


async def test_a_session_that_a_killed_process_left_is_ended_by_the_next(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine([Typing(), 600.0, *answered()]), tmp_path, server, patience=0.1):
        asked = server.says(QUESTION)
        await server.until(lambda: bool(server.sessions))
    server.sessions[DIRECT, asked["ts"]] = "processing"  # as if it had been killed
    async with slack_desk(ScriptedEngine(answered()), tmp_path, server):
        await server.until(lambda: server.sessions == {(DIRECT, asked["ts"]): "active"})
    assert server.texts() == ["The final text."]


# --- suggested questions --------------------------------------------------------------------------------------------


def opened(tab: str) -> dict[str, Any]:
    return {"type": "app_home_opened", "user": ASKER, "channel": DIRECT, "tab": tab}


async def test_whoever_opens_the_conversation_sees_what_can_be_asked(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(answered()), tmp_path, server, suggestions=suggestions):
        server.deliver(opened("messages"))
        await server.until(lambda: len(server.suggested) == 1)
        server.taps("en", {"channel": DIRECT, "ts": "1.1"}, action="refdesk-language:en")
        await server.until(lambda: len(server.views) == 1)
        server.deliver(opened("messages"))
        await server.until(lambda: len(server.suggested) == 2)
    first, second = server.suggested
    assert [one["message"] for one in first["prompts"]][:2] == ["Как вернуть депозит?", "Is the deposit refundable?"]
    assert second["title"].startswith("Hello!")
    assert [len(one["title"]) for one in second["prompts"]] == [26, 75]
    assert [len(one["message"]) for one in second["prompts"]] == [26, 200]
    assert not server.ours(), "nothing is written before something is asked"


async def test_without_known_questions_nothing_is_suggested(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(answered()), tmp_path, server):
        server.deliver(opened("messages"))
        await server.until(lambda: not server.pending)
    assert not server.made("assistant.threads.setSuggestedPrompts")


async def test_a_thread_of_an_assistant_of_before_is_greeted(server: SlackServer, tmp_path: Path) -> None:
    server.agent = False
    root = server.put(DIRECT, {"user": BOT, "text": "New Assistant Thread"})
    thread = {"user_id": ASKER, "channel_id": DIRECT, "thread_ts": root["ts"], "context": {}}
    async with slack_desk(ScriptedEngine(answered()), tmp_path, server, suggestions=suggestions):
        server.deliver({"type": "assistant_thread_started", "assistant_thread": thread})
        await server.until(lambda: len(server.suggested) == 1)
        server.deliver({"type": "assistant_thread_context_changed", "assistant_thread": thread})
        server.says(QUESTION, thread=root["ts"])
        await server.until(lambda: server.texts(DIRECT, root["ts"])[-1:] == ["The final text."])
        await server.until(lambda: not server.pending)
    greeting, answer = server.texts(DIRECT, root["ts"])
    assert greeting.startswith(("Hello!", "Здравствуйте!"))
    assert answer == "The final text."
    assert server.suggested[0]["thread_ts"] == root["ts"]
