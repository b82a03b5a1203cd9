"""The bot against a Slack emulator that others wrote, through a proxy that misbehaves: the final text is there once."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.pacing import Limits
from engine import Delta
from tests.delivery_fakes import Script, ScriptedEngine, answered
from tests.fault_proxy import Trouble
from tests.local_slack import BOT, LocalSlack, local_slack, needs_local_slack
from tests.slack_desk import slack_desk
from tests.slack_faults import SlackFaults
from tests.waiting import PATIENCE

pytestmark = needs_local_slack

QUESTION = f"<@{BOT}> How do I get my deposit back?"
FINAL = "Ten **working** days."
SLOW: Script = [Delta("Ten "), 0.3, Delta("working days."), 0.3, *answered(FINAL)]
LIMITS = Limits(backoff=0.05, last_word=60.0, attempts=50)
IMPATIENT = replace(LIMITS, call=1.5)


@pytest.fixture
async def slack(tmp_path: Path, unused_tcp_port: int) -> AsyncIterator[LocalSlack]:
    async with local_slack(tmp_path, unused_tcp_port, mode="socket") as slack:
        yield slack


@pytest.fixture
async def faults(slack: LocalSlack) -> AsyncIterator[SlackFaults]:
    async with SlackFaults(slack.url).running() as faults:
        yield faults


TROUBLES = {
    "429 on the first message": ("chat.postMessage", Trouble(status=429, retry_after=1)),
    "429 on an update": ("chat.update", Trouble(status=429, retry_after=1)),
    "500 on the first message": ("chat.postMessage", Trouble(status=500)),
    "502 on an update": ("chat.update", Trouble(status=502)),
    "503 on the first message": ("chat.postMessage", Trouble(status=503)),
    "no answer to the first message in time": ("chat.postMessage", Trouble(seconds=4.0)),
    "the first message is posted, and told too late": ("chat.postMessage", Trouble(seconds=0.5, lost=True)),
    "the connection ends before the first message": ("chat.postMessage", Trouble(cut=True)),
    "the connection ends after the first message": ("chat.postMessage", Trouble(lost=True)),
    "the connection ends before an update": ("chat.update", Trouble(cut=True)),
    "the connection ends after an update": ("chat.update", Trouble(lost=True)),
}


@pytest.mark.parametrize("name", TROUBLES)
async def test_whatever_happens_to_a_call_the_answer_is_there_once(
    slack: LocalSlack, faults: SlackFaults, tmp_path: Path, name: str
) -> None:
    method, trouble = TROUBLES[name]
    faults.trouble = lambda called, before: trouble if called == method and before == 0 else None
    limits = IMPATIENT if trouble.seconds > IMPATIENT.call else LIMITS
    async with slack_desk(ScriptedEngine(SLOW), tmp_path, f"{faults.url}/api/", limits=limits) as desk:
        await slack.says(QUESTION)
        await slack.until([FINAL])
        async with asyncio.timeout(PATIENCE):
            while await desk.inbox.unfinished():  # noqa: ASYNC110  the database knows no event
                await asyncio.sleep(0.02)
        assert await slack.texts() == [FINAL]
    assert faults.counted[method], "the trouble was met"


async def test_events_that_come_twice_are_answered_once(slack: LocalSlack, faults: SlackFaults, tmp_path: Path) -> None:
    faults.twice = True
    engine = ScriptedEngine(SLOW)
    async with slack_desk(engine, tmp_path, f"{faults.url}/api/", limits=LIMITS):
        await slack.says(QUESTION)
        (message,) = await slack.until([FINAL])
        await slack.says("And by when is it?", thread=message["thread_ts"])
        await slack.until([FINAL] * 2)
    assert len(engine.questions) == 2


async def test_connections_that_end_before_an_event_is_acknowledged_lose_none(
    slack: LocalSlack, faults: SlackFaults, tmp_path: Path
) -> None:
    engine = ScriptedEngine(SLOW)
    async with slack_desk(engine, tmp_path, f"{faults.url}/api/", limits=LIMITS):
        faults.cuts = 1
        await slack.says(QUESTION)
        await slack.until([FINAL])
    assert len(engine.questions) == 1
    assert faults.cuts == 0


async def test_on_a_bad_day_each_question_is_answered_once(
    slack: LocalSlack, faults: SlackFaults, tmp_path: Path
) -> None:
    dice = random.Random(20_261_130)
    kinds = [Trouble(status=429, retry_after=1), Trouble(status=502), Trouble(cut=True), Trouble(lost=True)]
    calls = ("chat.postMessage", "chat.update", "conversations.replies")
    faults.trouble = lambda method, before: (
        dice.choice(kinds) if method in calls and before % 4 != 3 and dice.random() < 0.35 else None
    )
    faults.twice = True
    scripts = [[Delta("Ten "), 0.2, *answered(f"Answer {number}.")] for number in range(12)]
    engine = ScriptedEngine(*scripts)
    async with slack_desk(engine, tmp_path, f"{faults.url}/api/", limits=LIMITS) as desk:
        for number in range(12):
            await slack.says(f"<@{BOT}> question {number}?")
        async with asyncio.timeout(2 * PATIENCE):
            while sorted(await slack.texts()) != sorted(f"Answer {number}." for number in range(12)):  # noqa: ASYNC110
                await asyncio.sleep(0.1)
            while await desk.inbox.unfinished():  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        assert len(await slack.ours()) == 12
    assert len(engine.questions) == 12
