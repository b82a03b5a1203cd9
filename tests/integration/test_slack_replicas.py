"""Two processes of one bot in Slack, on one state database: events reach any of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engine import Delta, Typing
from tests.delivery_fakes import Script, ScriptedEngine, answered
from tests.slack_desk import Desk, slack_desk
from tests.slack_server import ASKER, BOT, CHANNEL, DIRECT, SlackServer
from tests.waiting import until

QUESTION = "How do I get my deposit back?"
ENDLESS: Script = [Typing(), 0.1, Delta("Ten "), Delta("working days"), 600.0, *answered()]
SILENT: Script = [Typing(), 600.0, *answered()]


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with SlackServer(envelope_seconds=0.5).running() as server:
        yield server


@dataclass
class Two:
    engine: ScriptedEngine
    answering: Desk
    other: Desk


@asynccontextmanager
async def two(
    server: SlackServer, folder: Path, script: Script, text: str = QUESTION, **values: Any
) -> AsyncIterator[tuple[Two, Any]]:
    """The first one answers: the second comes when it does. With the message that asks."""
    engine = ScriptedEngine(script, answered())
    async with slack_desk(engine, folder, server, **values) as first:
        asked = server.says(text, **({"channel": CHANNEL} if values else {}))
        await until(lambda: bool(engine.questions))
        async with slack_desk(engine, folder, server, **values) as second:
            yield Two(engine, first, second), asked


def stop_event(asked: Any) -> dict[str, Any]:
    return {"type": "agent_session_stopped", "channel": DIRECT, "thread_ts": asked["ts"], "user": ASKER}


async def nothing_open(desk: Desk) -> None:
    async def closed() -> bool:
        return not await desk.inbox.unfinished()

    await until(closed)


@pytest.mark.parametrize("streams", [True, False], ids=["streamed", "edited"])
async def test_a_stop_that_reaches_another_process_ends_the_answer(
    server: SlackServer, tmp_path: Path, streams: bool
) -> None:
    server.streams = streams
    async with two(server, tmp_path, ENDLESS) as (desks, asked):
        await until(lambda: any("working" in text for text in server.texts()))
        await desks.other.app.stopped(stop_event(asked))
        await until(lambda: server.texts() == ["Ten working days\n\n_Stopped._"])
        await nothing_open(desks.other)
        assert desks.engine.open == 0
        assert server.sessions[DIRECT, asked["ts"]] == "active"
        server.taps(server.buttons(server.ours()[0])["🔁 Try again"], server.ours()[0])
        await until(lambda: server.texts() == ["The final text."])


async def test_a_stop_before_anything_was_said_reaches_the_other_process(server: SlackServer, tmp_path: Path) -> None:
    async with two(server, tmp_path, SILENT) as (desks, asked):
        await desks.other.app.stopped(stop_event(asked))
        await until(lambda: server.texts() == ["_Stopped._"])
        await nothing_open(desks.other)
    assert len(desks.engine.questions) == 1


async def test_a_stop_that_no_process_can_heed_changes_nothing(server: SlackServer, tmp_path: Path) -> None:
    async with two(server, tmp_path, answered()) as (desks, asked):
        await until(lambda: server.texts() == ["The final text."])
        await nothing_open(desks.other)
        await desks.other.app.stopped(stop_event(asked))
        await until(lambda: server.sessions.get((DIRECT, asked["ts"])) == "active")
        server.says("And by when?", thread=asked["ts"])
        await until(lambda: len(server.texts()) == 2)
    assert server.texts() == ["The final text."] * 2


async def test_a_human_who_takes_over_by_another_process_silences_the_answer(
    server: SlackServer, tmp_path: Path
) -> None:
    going_on = asyncio.Event()
    script: Script = [Typing(), Delta("Ten "), going_on.wait, Delta("days"), *answered()]
    async with two(server, tmp_path, script) as (desks, _):
        await until(lambda: bool(server.texts()))
        (open_one,) = await desks.other.inbox.unfinished()
        await desks.other.inbox.hand_over(open_one.conversation, "human")
        going_on.set()
        await nothing_open(desks.other)
    assert server.texts() == [], "what was begun is taken away"


async def test_two_taps_in_two_processes_show_an_answer_to_everyone_once(server: SlackServer, tmp_path: Path) -> None:
    async with two(server, tmp_path, answered(), f"<@{BOT}> {QUESTION}", quiet=frozenset({CHANNEL})) as (desks, asked):
        await until(lambda: bool(server.whispered(ASKER)))
        await nothing_open(desks.other)
        message = server.whispered(ASKER)[0]
        body = server.tap(server.buttons(message)["👥 Show everyone"], message)
        acts = [await one.app.tapped(body) for one in (desks.answering, desks.other)]
        await asyncio.gather(*(act() for act in acts))
        assert server.texts(CHANNEL, asked["ts"]) == ["The final text."]
