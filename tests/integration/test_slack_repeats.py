"""Events that come again, and events that only look like questions: a question is answered once, whatever is sent.

The kinds of failure that people report of bots in Slack: a retry answered anew, an acknowledgement that came late, an
event replayed minutes later or after a restart, changes that change no words, an unfurled link of the bot's own,
another bot taken for this one, and a connection that is refused or ended while it is being made.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import itertools
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from adapters.slack.config import Listening
from engine import Delta, Turn
from tests.delivery_fakes import Script, ScriptedEngine, answered
from tests.slack_desk import slack_desk
from tests.slack_rules import Fault, Json, Params, once
from tests.slack_server import BOT, CHANNEL, DIRECT, TEAM, SlackServer

QUESTION = "How do I get my deposit back?"
SECRET = "test-signing-secret"
STREAMED: Script = [Delta("Ten "), 0.9, Delta("days."), 0.9, *answered()]
CI = {"user": "U0CI", "bot_id": "B09", "subtype": "bot_message", "text": "Build 7 has passed."}


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with SlackServer(envelope_seconds=0.5).running() as server:
        yield server


def delivery(event: Json, id: str = "Ev0001") -> Json:
    return {"type": "event_callback", "team_id": TEAM, "api_app_id": "A01", "event_id": id, "event": event}


async def all_taken(server: SlackServer) -> None:
    """Every event was acknowledged; what comes after it in its conversation is answered after it."""
    await server.until(lambda: not server.pending)


@pytest.mark.parametrize("script", [answered(), [0.4, *answered()]], ids=["answered at once", "while it is answered"])
async def test_retries_of_an_event_are_no_new_questions(server: SlackServer, tmp_path: Path, script: Script) -> None:
    engine = ScriptedEngine(script)
    event = {**server.put(DIRECT, {"user": "U01ALICE", "text": QUESTION}), "channel": DIRECT, "channel_type": "im"}
    async with slack_desk(engine, tmp_path, server):
        for attempt in range(3):
            server.envelope("events_api", delivery(event), attempt=attempt)
        await all_taken(server)
        await server.until(lambda: server.texts() == ["The final text."])
    assert len(engine.questions) == 1
    assert server.texts() == ["The final text."]


async def test_retries_over_http_are_no_new_questions(
    server: SlackServer, tmp_path: Path, unused_tcp_port: int
) -> None:
    engine = ScriptedEngine([0.4, *answered()])
    event = {**server.put(DIRECT, {"user": "U01ALICE", "text": QUESTION}), "channel": DIRECT, "channel_type": "im"}
    body, at = json.dumps(delivery(event)), str(int(time.time()))
    signature = "v0=" + hmac.new(SECRET.encode(), f"v0:{at}:{body}".encode(), hashlib.sha256).hexdigest()
    headers = {"X-Slack-Request-Timestamp": at, "X-Slack-Signature": signature, "Content-Type": "application/json"}

    async def post(session: aiohttp.ClientSession, retry: int) -> int:
        more = {"X-Slack-Retry-Num": str(retry), "X-Slack-Retry-Reason": "http_timeout"} if retry else {}
        url = f"http://127.0.0.1:{unused_tcp_port}/slack/events"
        async with session.post(url, data=body, headers={**headers, **more}) as response:
            return response.status

    listening = Listening(signing_secret=SECRET, port=unused_tcp_port)
    async with slack_desk(engine, tmp_path, server, app_token=None, listening=listening):
        async with aiohttp.ClientSession() as session:
            assert await asyncio.gather(*(post(session, retry) for retry in range(3))) == [200, 200, 200]
        await server.until(lambda: server.texts() == ["The final text."])
    assert len(engine.questions) == 1


async def test_an_acknowledgement_that_comes_late_is_no_second_question(
    server: SlackServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slack loses its patience twice while the event is being kept."""
    engine, came, enough = ScriptedEngine(answered()), itertools.count(1), asyncio.Event()
    async with slack_desk(engine, tmp_path, server) as desk:
        kept = desk.app.keep

        async def keep(event: Any) -> None:
            if next(came) == 3:
                enough.set()
            await enough.wait()
            await kept(event)

        monkeypatch.setattr(desk.app, "keep", keep)
        server.says(QUESTION)
        await server.until(lambda: server.texts() == ["The final text."])
        await all_taken(server)
    assert len(engine.questions) == 1
    assert next(came) > 3, "it was sent three times"


async def test_what_was_kept_and_not_acknowledged_is_not_answered_after_a_restart(
    server: SlackServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = ScriptedEngine(answered())
    async with slack_desk(engine, tmp_path, server) as desk:
        kept = desk.app.keep

        async def keep(event: Any) -> None:
            await kept(event)
            raise ConnectionError("nobody hears of it")

        monkeypatch.setattr(desk.app, "keep", keep)
        server.says(QUESTION)
        await server.until(lambda: server.texts() == ["The final text."])
    assert server.pending == 1
    async with slack_desk(engine, tmp_path, server):
        await all_taken(server)
        server.says("And another question?")
        await server.until(lambda: len(engine.questions) == 2)
    assert [question.text for question in engine.questions] == [QUESTION, "And another question?"]


# --- what changes no words ------------------------------------------------------------------------------------------


def change(message: Json, channel: str, **more: Any) -> Json:
    at = {"channel": channel, "ts": "1700009999.000100", "event_ts": "1700009999.000100", "channel_type": "channel"}
    return {"type": "message", "subtype": "message_changed", "hidden": True, **at, "message": {**message, **more}}


@pytest.mark.parametrize(
    "more",
    [
        {"edited": {"user": "U01ALICE", "ts": "1.1"}},
        {"attachments": [{"from_url": "https://example.org", "title": "Example"}]},
        {"reply_count": 1, "reply_users": [BOT], "latest_reply": "1.2"},
        {"reactions": [{"name": "eyes", "users": ["U02BOB"], "count": 1}]},
    ],
    ids=["the same words", "a link unfurled", "a reply counted", "a reaction"],
)
async def test_changes_of_a_question_that_leave_its_words_are_no_questions(
    server: SlackServer, tmp_path: Path, more: Json
) -> None:
    engine = ScriptedEngine(answered())
    async with slack_desk(engine, tmp_path, server):
        event = server.says(f"<@{BOT}> {QUESTION}", channel=CHANNEL)
        await server.until(lambda: server.texts(CHANNEL) == ["The final text."])
        for _ in range(50):
            message = {name: event[name] for name in ("user", "text", "ts")}
            server.deliver(change(message, CHANNEL, **more, previous_message=message))
        await all_taken(server)
        server.says("And by when is it?", channel=CHANNEL, thread=event["ts"])
        await server.until(lambda: len(server.ours(CHANNEL)) == 2)
    assert [question.text for question in engine.questions] == [QUESTION, "And by when is it?"]


@pytest.mark.parametrize("text", [{}, {"text": ""}, {"text": "See https://example.org/a"}])
async def test_a_link_of_the_bots_own_that_is_unfurled_is_no_question(
    server: SlackServer, tmp_path: Path, text: Json
) -> None:
    engine = ScriptedEngine(answered("See https://example.org/a"))
    async with slack_desk(engine, tmp_path, server, auto_answer=frozenset({CHANNEL})):
        event = server.says(QUESTION, channel=CHANNEL)
        await server.until(lambda: bool(server.ours(CHANNEL)))
        (ours,) = server.ours(CHANNEL)
        shown = {name: ours[name] for name in ("user", "bot_id", "ts", "thread_ts")}
        unfurled = [{"from_url": "https://example.org/a", "title": "A"}]
        server.deliver(change(shown, CHANNEL, **text, attachments=unfurled))
        server.deliver({"type": "link_shared", "channel": CHANNEL, "user": BOT, "links": unfurled})
        server.says("And by when is it?", channel=CHANNEL, thread=event["ts"])
        await server.until(lambda: len(server.ours(CHANNEL)) == 2)
    assert len(engine.questions) == 2
    assert all(call.params["unfurl_links"] is False for call in server.made("chat.postMessage"))


# --- other bots -----------------------------------------------------------------------------------------------------


async def test_another_bots_post_in_the_thread_is_no_answer_of_ours(server: SlackServer, tmp_path: Path) -> None:
    engine = ScriptedEngine(answered())
    async with slack_desk(engine, tmp_path, server):
        event = server.says(f"<@{BOT}> {QUESTION}", channel=CHANNEL)
        await server.until(lambda: bool(server.ours(CHANNEL)))
        server.says(channel=CHANNEL, thread=event["ts"], **CI)
        server.says("And by when is it?", channel=CHANNEL, thread=event["ts"])
        await server.until(lambda: len(server.ours(CHANNEL)) == 2)
    assert engine.questions[1].history == (Turn(question=QUESTION, answer="The final text."),)


@pytest.mark.parametrize("method", ["chat.postMessage", "chat.startStream"])
async def test_another_bots_post_is_not_adopted_for_one_of_ours_that_is_lost(
    server: SlackServer, tmp_path: Path, method: str
) -> None:
    """Its response never arrives, and beside it stands what somebody else has posted meanwhile."""
    engine = ScriptedEngine(answered() if method == "chat.postMessage" else STREAMED)
    server.faults = once(method, Fault(lost=True))

    def post(called: str, params: Params) -> None:
        if called == method:
            server.put(CHANNEL, {**CI, "thread_ts": params["thread_ts"]})
            server.after = lambda method, params: None

    server.after = post
    async with slack_desk(engine, tmp_path, server):
        server.says(f"<@{BOT}> {QUESTION}", channel=CHANNEL)
        await server.until(lambda: server.texts(CHANNEL) == ["The final text."])
    theirs = [one["text"] for one in server.channels[CHANNEL].messages.values() if one["user"] == CI["user"]]
    assert theirs == [CI["text"]]


# --- connections ----------------------------------------------------------------------------------------------------


class CrowdedSlack(SlackServer):
    """Some of the next connections are ended while they are being made."""

    ended = 0

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        if self.ended == 0:
            return await super()._socket(request)
        self.ended -= 1
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_str(json.dumps({"type": "disconnect", "reason": "too_many_websockets"}))
        async for _ in socket:
            pass
        return socket


@pytest.mark.parametrize("again", [False, True], ids=["at the start", "when it comes back"])
async def test_a_connection_that_is_ended_while_it_is_made_is_made_again(tmp_path: Path, again: bool) -> None:
    async with CrowdedSlack(envelope_seconds=0.5).running() as server:
        assert isinstance(server, CrowdedSlack)
        server.ended = 0 if again else 2
        async with slack_desk(ScriptedEngine(answered()), tmp_path, server):
            if again:
                server.says(QUESTION)
                await server.until(lambda: len(server.texts()) == 1)
                server.ended = 2
                await server.disconnect("too_many_websockets")
            server.says(QUESTION)
            await server.until(lambda: server.texts() == ["The final text."] * (1 + again))
    assert server.ended == 0
