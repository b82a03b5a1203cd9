"""Streams that Slack ends, refuses or forgets: no word is lost and none is there twice.

The kinds of failure that people report of streamed answers: the whole text once more when the stream is closed, a
stream that dies after some minutes so that neither an append nor the stop is taken, and a start that is refused where
the workspace, the place or the missing thread does not allow streams.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine import Delta
from tests.delivery_fakes import Script, ScriptedEngine, answered
from tests.slack_desk import slack_desk
from tests.slack_rules import Fault, Json, Params, Refusal
from tests.slack_server import BOT, CHANNEL, DIRECT, SlackServer

QUESTION = "How do I get my deposit back?"
WORDS = [f"word{number} " for number in range(4)]
TEXT = "".join(WORDS)
SLOW: Script = [*(piece for word in WORDS for piece in (Delta(word), 0.85)), *answered(TEXT)]


class ForgetfulSlack(SlackServer):
    """Ends every stream `seconds` after its start, as Slack does after some minutes."""

    seconds = float("inf")

    def _chat_startStream(self, params: Params) -> Json:
        started = super()._chat_startStream(params)
        message = self.channels[started["channel"]].messages[started["ts"]]
        asyncio.get_running_loop().call_later(min(self.seconds, 1e6), message.update, {"streaming": False})
        return started


@pytest.fixture
async def server() -> AsyncIterator[ForgetfulSlack]:
    async with ForgetfulSlack().running() as server:
        assert isinstance(server, ForgetfulSlack)
        yield server


async def finished(server: SlackServer, channel: str = DIRECT) -> None:
    await server.until(lambda: any(server.buttons(one) for one in server.ours(channel)))


async def test_closing_a_stream_delivers_nothing_again(server: ForgetfulSlack, tmp_path: Path) -> None:
    closed: list[list[str]] = []

    def note(method: str, params: Params) -> None:
        if method == "chat.stopStream":
            closed.append("".join(server.texts()).split())

    server.after = note
    async with slack_desk(ScriptedEngine(SLOW), tmp_path, server):
        server.says(QUESTION)
        await finished(server)
    (shown,) = closed
    assert shown == TEXT.split()[: len(shown)], "each word of it once"
    assert server.texts() == [TEXT]
    (stop,) = server.made("chat.stopStream")
    assert not {"markdown_text", "chunks"} & stop.params.keys()


@pytest.mark.parametrize("channel", [DIRECT, CHANNEL])
async def test_a_stream_that_slack_has_ended_goes_on_as_a_message(
    server: ForgetfulSlack, tmp_path: Path, channel: str
) -> None:
    server.seconds = 1.5
    async with slack_desk(ScriptedEngine(SLOW), tmp_path, server):
        server.says(f"<@{BOT}> {QUESTION}", channel=channel)
        await finished(server, channel)
    assert server.texts(channel) == [TEXT]
    assert server.counted()["chat.startStream"] == 1
    assert server.made("chat.update")


REFUSED = {
    "in direct messages": (DIRECT, False, "channel_type_not_supported"),
    "in channels": (CHANNEL, False, "channel_type_not_supported"),
    "in threads": (CHANNEL, True, "channel_type_not_supported"),
    "without a recipient": (CHANNEL, False, "missing_recipient_user_id"),
    "without a thread": (DIRECT, False, "invalid_thread_ts"),
    "in this workspace": (DIRECT, False, "enterprise_is_restricted"),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_where_no_stream_is_allowed_the_answer_grows_by_updates(
    server: ForgetfulSlack, tmp_path: Path, name: str
) -> None:
    channel, in_thread, error = REFUSED[name]
    server.faults = lambda method, params: Fault(Refusal(error)) if method == "chat.startStream" else None
    root = server.put(CHANNEL, {"user": "U02BOB", "text": "Does anybody know?"})["ts"] if in_thread else None
    script: Script = [
        *(Delta("Ten "), lambda: server.until(lambda: bool(server.ours(channel)))),
        *(Delta("days"), 0.3, *answered()),
    ]
    async with slack_desk(ScriptedEngine(script), tmp_path, server):
        event = server.says(f"<@{BOT}> {QUESTION}", channel=channel, thread=root)
        await finished(server, channel)
    assert server.texts(channel, root or event["ts"]) == ["The final text."]
    assert server.counted()["chat.startStream"] == 1
