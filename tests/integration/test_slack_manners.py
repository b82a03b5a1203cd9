"""Which messages are answered in Slack, how often, and how soon they are acknowledged."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from adapters.slack.config import Listening
from engine import KnowledgeError
from tests.delivery_fakes import ScriptedEngine, answered
from tests.ports import held_port
from tests.slack_desk import Desk, slack_desk
from tests.slack_server import BOT, CHANNEL, DIRECT, SUPPORT, TEAM, SlackServer
from tests.waiting import until

QUESTION = "How do I get my deposit back?"
HUMAN = "U02BOB"


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with SlackServer(envelope_seconds=0.5).running() as server:
        yield server


async def settled(server: SlackServer, desk: Desk) -> None:
    """Every event was acknowledged, so it is kept, and whatever it led to has been done."""
    await server.until(lambda: not server.pending)
    await until(lambda: idle(desk))


async def idle(desk: Desk) -> bool:
    return not await desk.inbox.waiting() and not await desk.inbox.unfinished()


async def test_a_mention_told_twice_is_one_question(server: SlackServer, tmp_path: Path) -> None:
    engine = ScriptedEngine(answered())
    async with slack_desk(engine, tmp_path, server) as desk:
        server.says(f"<@{BOT}> {QUESTION}", channel=CHANNEL)
        await settled(server, desk)
    assert server.texts(CHANNEL) == ["The final text."]
    assert [question.text for question in engine.questions] == [QUESTION]
    assert len(server.acknowledged) == 2


async def test_events_that_come_again_are_not_answered_again(server: SlackServer, tmp_path: Path) -> None:
    engine = ScriptedEngine(answered())
    async with slack_desk(engine, tmp_path, server) as desk:
        event = server.says(QUESTION)
        server.deliver(event, attempt=1)
        server.deliver(event, attempt=2)
        await settled(server, desk)
    async with slack_desk(engine, tmp_path, server) as desk:  # after a restart, minutes later
        server.deliver(event, attempt=3)
        await settled(server, desk)
    assert server.texts() == ["The final text."]
    assert len(engine.questions) == 1


async def test_a_follow_up_in_a_thread_needs_no_mention(server: SlackServer, tmp_path: Path) -> None:
    engine = ScriptedEngine(answered())
    async with slack_desk(engine, tmp_path, server) as desk:
        first = server.says(f"<@{BOT}> {QUESTION}", channel=CHANNEL)
        await settled(server, desk)
    async with slack_desk(engine, tmp_path, server) as desk:  # what the bot takes part in is known after a restart
        server.says("And how long does it take?", channel=CHANNEL, thread=first["ts"])
        await settled(server, desk)
        server.says(f"<@{HUMAN}> did you get yours?", channel=CHANNEL, thread=first["ts"])
        server.says("An unrelated thread: who knows?", channel=CHANNEL, thread="1.000100")
        await settled(server, desk)
    assert [question.text for question in engine.questions] == [QUESTION, "And how long does it take?"]
    assert [turn.question for turn in engine.questions[1].history] == [QUESTION]
    assert len(server.ours(CHANNEL, first["ts"])) == 2


IGNORED: dict[str, dict[str, Any]] = {
    "another bot": {"bot_id": "B09", "user": "U0CI"},
    "a bot by its profile": {"bot_profile": {"id": "B09"}},
    "an edit": {"subtype": "message_changed", "hidden": True, "message": {"text": QUESTION, "user": "U01ALICE"}},
    "an unfurl": {"subtype": "message_changed", "hidden": True, "message": {"text": QUESTION, "user": BOT}},
    "a deletion": {"subtype": "message_deleted", "hidden": True},
    "a join": {"subtype": "channel_join"},
    "a topic": {"subtype": "channel_topic"},
    "a pin": {"subtype": "pinned_item"},
    "Slackbot": {"user": "USLACKBOT"},
    "itself": {"user": BOT},
    "nothing": {"text": ""},
}


@pytest.mark.parametrize("name", IGNORED)
@pytest.mark.parametrize("channel", [DIRECT, CHANNEL])
async def test_what_is_no_question_is_acknowledged_and_ignored(
    server: SlackServer, tmp_path: Path, name: str, channel: str
) -> None:
    engine = ScriptedEngine(answered())
    async with slack_desk(engine, tmp_path, server, auto_answer=frozenset({CHANNEL})) as desk:
        server.says(**{"text": QUESTION, "channel": channel, **IGNORED[name]})
        await settled(server, desk)
    assert not engine.questions
    assert not server.made("chat.postMessage")


async def test_channels_and_the_support_channel(server: SlackServer, tmp_path: Path) -> None:
    engine = ScriptedEngine(answered())
    auto = frozenset({CHANNEL, SUPPORT})
    async with slack_desk(engine, tmp_path, server, auto_answer=auto, support=SUPPORT) as desk:
        server.says(QUESTION, channel=CHANNEL)
        server.says(QUESTION, channel=SUPPORT)
        await settled(server, desk)
    assert len(engine.questions) == 1
    assert not server.ours(SUPPORT)


async def test_without_auto_answer_a_channel_is_left_alone(server: SlackServer, tmp_path: Path) -> None:
    engine = ScriptedEngine(answered())
    async with slack_desk(engine, tmp_path, server) as desk:
        server.says(QUESTION, channel=CHANNEL)
        await settled(server, desk)
    assert not engine.questions


async def test_a_question_with_a_screenshot_is_read_by_its_text(server: SlackServer, tmp_path: Path) -> None:
    engine = ScriptedEngine(answered())
    files = [{"id": "F1", "mimetype": "image/png"}]
    async with slack_desk(engine, tmp_path, server) as desk:
        server.says(QUESTION, subtype="file_share", files=files)
        await settled(server, desk)
        server.says("", subtype="file_share", files=files)
        await settled(server, desk)
    assert [question.text for question in engine.questions] == [QUESTION]
    answer, alone = server.texts()
    assert "I do not read attachments (photo)" in answer
    assert "put your question into words" in alone


async def test_a_reply_also_sent_to_the_channel_is_one_question(server: SlackServer, tmp_path: Path) -> None:
    engine = ScriptedEngine(answered())
    async with slack_desk(engine, tmp_path, server) as desk:
        root = server.says(f"<@{BOT}> {QUESTION}", channel=CHANNEL)
        await settled(server, desk)
        again = server.says("And by when is it?", channel=CHANNEL, thread=root["ts"], subtype="thread_broadcast")
        server.deliver({**again, "subtype": "message_changed", "hidden": True, "message": again})
        await settled(server, desk)
    assert len(engine.questions) == 2
    assert len(server.ours(CHANNEL, root["ts"])) == 2


async def test_a_slow_answer_holds_up_no_acknowledgement(server: SlackServer, tmp_path: Path) -> None:
    going_on = asyncio.Event()
    async with slack_desk(ScriptedEngine([going_on.wait, *answered()]), tmp_path, server):
        for number in range(30):
            server.says(f"{QUESTION} {number}")
        await server.until(lambda: len(server.acknowledged) == 30)
        assert server.texts() == []
        going_on.set()
        await server.until(lambda: len(server.texts()) == 30)


async def test_what_could_not_be_kept_is_not_acknowledged_and_comes_again(
    server: SlackServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = ScriptedEngine(answered())
    async with slack_desk(engine, tmp_path, server) as desk:
        fail_once(desk, monkeypatch)
        server.says(QUESTION)
        await server.until(lambda: server.texts() == ["The final text."] and len(server.acknowledged) == 1)


def fail_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = desk.app.keep
    failed: list[int] = []

    async def keep(event: Any) -> None:
        if not failed:
            failed.append(1)
            raise KnowledgeError("the disk is full")
        await kept(event)

    monkeypatch.setattr(desk.app, "keep", keep)


@pytest.mark.parametrize("reason", ["refresh_requested", "warning", "too_many_websockets"])
async def test_a_connection_that_slack_ends_loses_nothing(server: SlackServer, tmp_path: Path, reason: str) -> None:
    async with slack_desk(ScriptedEngine(answered()), tmp_path, server) as desk:
        server.says(QUESTION)
        await settled(server, desk)
        await server.disconnect(reason)
        server.says(QUESTION)
        await server.until(lambda: server.texts() == ["The final text."] * 2)


# --- over HTTP ------------------------------------------------------------------------------------------------------

SECRET = "test-signing-secret"


@pytest.fixture
def port() -> Iterator[int]:
    with held_port() as port:
        yield port


async def posted(port: int, body: str, *, secret: str = SECRET, age: int = 0) -> tuple[int, str]:
    at = str(int(time.time()) - age)
    signature = "v0=" + hmac.new(secret.encode(), f"v0:{at}:{body}".encode(), hashlib.sha256).hexdigest()
    headers = {"X-Slack-Request-Timestamp": at, "X-Slack-Signature": signature, "Content-Type": "application/json"}
    url = f"http://127.0.0.1:{port}/slack/events"
    async with aiohttp.ClientSession() as session, session.post(url, data=body, headers=headers) as response:
        return response.status, await response.text()


async def test_signed_requests_are_taken_and_others_refused(
    server: SlackServer, tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = ScriptedEngine(answered())
    message = server.put(DIRECT, {"user": "U01ALICE", "text": QUESTION})
    event = {**message, "channel": DIRECT, "channel_type": "im"}
    body = json.dumps({"type": "event_callback", "team_id": TEAM, "event_id": "Ev1", "event": event})
    listening = Listening(signing_secret=SECRET, port=port)
    async with slack_desk(engine, tmp_path, server, app_token=None, listening=listening) as desk:
        challenge = json.dumps({"type": "url_verification", "challenge": "c1"})
        assert (await posted(port, challenge))[1].find("c1") >= 0
        assert (await posted(port, body, secret="wrong"))[0] == 401
        assert (await posted(port, body, age=600))[0] == 401
        assert not engine.questions
        fail_once(desk, monkeypatch)
        assert (await posted(port, body))[0] == 500, "Slack is to send it again"
        assert [(await posted(port, body))[0] for _ in range(3)] == [200, 200, 200]
        await server.until(lambda: server.texts() == ["The final text."])
    assert len(engine.questions) == 1
