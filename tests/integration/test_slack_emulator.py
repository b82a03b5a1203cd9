"""The bot against a Slack emulator that others wrote: through Socket Mode and by signed HTTP.

local-slack keeps channels, threads and users, and checks signatures. It has no streams and no statuses, so drafts are
shown by updates here; it is lenient about limits, never rate limits, and gives each event to every socket.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from adapters.slack.config import Listening
from engine import Delta, Final
from tests.delivery_fakes import Script, ScriptedEngine, answered, outcome
from tests.local_slack import ALICE, BOB, BOT, CHANNEL, SECRET, SUPPORT, local_slack, needs_local_slack
from tests.slack_desk import slack_desk
from tests.waiting import PATIENCE, until

pytestmark = needs_local_slack

QUESTION = "How do I get my deposit back?"
STREAMED: Script = [Delta("Ten "), 0.3, Delta("working days."), 0.3, *answered("Ten **working** days.")]


async def test_a_mention_is_answered_rated_and_followed_up(tmp_path: Path, unused_tcp_port: int) -> None:
    engine = ScriptedEngine(STREAMED)
    async with (
        local_slack(tmp_path, unused_tcp_port, mode="socket") as slack,
        slack_desk(engine, tmp_path, f"{slack.url}/api/", support=SUPPORT) as desk,
    ):
        await slack.says(f"<@{BOT}> {QUESTION}")
        (message,) = await slack.until(["Ten **working** days."])
        await slack.says("And by when is it?", thread=message["thread_ts"])
        await slack.until(["Ten **working** days."] * 2)
        await slack.taps(message, "👍 Helpful", user=BOB)
        await slack.taps(message, "👎 Not helpful")

        async def rated() -> bool:
            exchange = await desk.inbox.exchange(1)
            return exchange is not None and exchange.rating == "not_helpful"

        await until(rated)
    assert [question.text for question in engine.questions] == [QUESTION, "And by when is it?"]
    assert len(engine.questions[1].history) == 1


async def test_signed_http(tmp_path: Path, unused_tcp_port_factory: Any) -> None:
    port, events_port = unused_tcp_port_factory(), unused_tcp_port_factory()
    listening = Listening(signing_secret=SECRET, port=events_port)
    async with local_slack(tmp_path, port, mode="events", events_port=events_port) as slack:
        engine = ScriptedEngine(STREAMED)
        async with slack_desk(engine, tmp_path, f"{slack.url}/api/", app_token=None, listening=listening):
            await slack.says(f"<@{BOT}> {QUESTION}")
            await slack.until(["Ten **working** days."])
            await slack.says("Nobody asks the bot here.", user=BOB)
            await asyncio.sleep(0.5)
    assert len(engine.questions) == 1


async def test_a_quiet_answer_is_shown_to_everyone_by_a_tap(tmp_path: Path, unused_tcp_port: int) -> None:
    engine = ScriptedEngine(answered("Ten **working** days."))
    async with (
        local_slack(tmp_path, unused_tcp_port, mode="socket") as slack,
        slack_desk(engine, tmp_path, f"{slack.url}/api/", quiet=frozenset({CHANNEL})),
    ):
        asked = await slack.says(f"<@{BOT}> {QUESTION}")
        (whispered,) = await slack.until(["Ten **working** days."])
        assert whispered["ephemeral_to"] == ALICE
        await slack.taps(whispered, "👥 Show everyone")
        async with asyncio.timeout(PATIENCE):
            while "ephemeral_to" in (ours := await slack.ours())[0]:  # noqa: ASYNC110  of another program
                await asyncio.sleep(0.05)
    (shown,) = ours
    assert shown["thread_ts"] == asked["message"]["ts"]
    assert len(engine.questions) == 1


async def test_a_ticket_is_answered_in_the_support_channel(tmp_path: Path, unused_tcp_port: int) -> None:
    engine = ScriptedEngine([Final(outcome("I do not know.", kind="missed"))])
    async with (
        local_slack(tmp_path, unused_tcp_port, mode="socket") as slack,
        slack_desk(engine, tmp_path, f"{slack.url}/api/", support=SUPPORT),
    ):
        await slack.says(f"<@{BOT}> {QUESTION}")

        async def shows(channel: str, *parts: str) -> bool:
            texts = await slack.texts(channel)
            return all(any(part in text for text in texts) for part in parts)

        await until(lambda: shows(SUPPORT, QUESTION))
        await until(lambda: shows(CHANNEL, "passed your question to people"))
        (head,) = await slack.ours(SUPPORT)
        await slack.says("// between us", channel=SUPPORT, user=BOB, thread=head["ts"])
        await slack.says("It is paid back *in ten days*.", channel=SUPPORT, user=BOB, thread=head["ts"])
        await until(lambda: shows(CHANNEL, "It is paid back **in ten days**."))
        await until(lambda: shows(SUPPORT, "Taken by"))
        await slack.says("Thank you very much!", thread=(await slack.ours())[0]["thread_ts"])
        await until(lambda: shows(SUPPORT, "Thank you very much!"))
        (head, *_) = await slack.ours(SUPPORT)
        await slack.taps(head, "✅ Close", user=BOB, channel=SUPPORT)
        await until(lambda: shows(SUPPORT, "Closed by"))
        assert not await shows(CHANNEL, "between us")


async def test_what_people_delete_goes_from_the_other_side(tmp_path: Path, unused_tcp_port: int) -> None:
    engine = ScriptedEngine([Final(outcome("I do not know.", kind="missed"))])
    async with (
        local_slack(tmp_path, unused_tcp_port, mode="socket") as slack,
        slack_desk(engine, tmp_path, f"{slack.url}/api/", support=SUPPORT),
    ):
        await slack.says(f"<@{BOT}> {QUESTION}")

        async def ours(channel: str, most: int) -> bool:
            return len(await slack.ours(channel)) == most

        await until(lambda: ours(SUPPORT, 1))
        await until(lambda: ours(CHANNEL, 1))
        ((head,), (answer,)) = await slack.ours(SUPPORT), await slack.ours(CHANNEL)
        wrote = await slack.uploads("Here it is.", b"%PDF", channel=SUPPORT, user=BOB, thread=head["ts"])
        await until(lambda: ours(CHANNEL, 3))
        mine = await slack.says("My number is 1234.", thread=answer["thread_ts"])
        await until(lambda: ours(SUPPORT, 2))
        await slack.post("delete-message", channel=SUPPORT, user=BOB, ts=wrote)
        await until(lambda: ours(CHANNEL, 1))
        await slack.post("delete-message", channel=CHANNEL, user=ALICE, ts=mine["message"]["ts"])
        await until(lambda: ours(SUPPORT, 1))
