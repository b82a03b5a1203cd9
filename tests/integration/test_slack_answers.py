"""Answers in Slack: unmodified slack-bolt through Socket Mode against a small Slack of our own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from adapters.delivery import APOLOGY
from adapters.slack import stream
from engine import Delta, Final, Interim, Retract, Typing
from tests.delivery_fakes import Script, ScriptedEngine, answered, outcome
from tests.slack_desk import slack_desk
from tests.slack_rules import Fault, broken, once, refused, too_many
from tests.slack_server import BOT, CHANNEL, DIRECT, SlackServer
from tests.waiting import until


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with SlackServer().running() as server:
        yield server


QUESTION = "How do I get my deposit back?"
SLOW_SCRIPT: Script = [Typing(), Delta("Ten "), 0.3, Delta("days."), 0.3, *answered()]


async def test_a_question_gets_its_answer_in_its_thread_and_with_buttons(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(answered("Ten **working** days.")), tmp_path, server):
        event = server.says(QUESTION)
        await server.until(lambda: bool(server.ours()))
    (answer,) = server.ours()
    assert answer["thread_ts"] == event["ts"]
    assert server.texts() == ["Ten **working** days."]
    assert answer["text"] == "Ten *working* days.", "what notifications show"
    assert list(server.buttons(answer)) == ["👍 Helpful", "👎 Not helpful"]
    (sent,) = server.made("chat.postMessage")
    assert sent.params["unfurl_links"] is False


async def test_an_answer_is_streamed_by_appending_and_settled_by_an_update(server: SlackServer, tmp_path: Path) -> None:
    def shown(text: str) -> Callable[[], Awaitable[None]]:
        return lambda: server.until(lambda: "".join(server.texts(CHANNEL)).strip() == text)

    script: Script = [
        *(Delta("Ten "), shown("Ten"), Delta("working "), shown("Ten working")),
        *(Delta("days."), shown("Ten working days."), *answered("Ten working days.")),
    ]
    async with slack_desk(ScriptedEngine(script), tmp_path, server):
        server.says(f"<@{BOT}> {QUESTION}", channel=CHANNEL)
        await server.until(lambda: server.counted()["chat.update"] == 1)
    assert server.texts(CHANNEL) == ["Ten working days."]
    assert server.counted()["chat.startStream"] == server.counted()["chat.stopStream"] == 1
    assert "".join(server.appended).strip().endswith("days.")
    (started,) = server.made("chat.startStream")
    assert started.params["recipient_user_id"]
    assert not server.made("chat.postMessage")


async def test_without_streams_an_answer_grows_by_updates(server: SlackServer, tmp_path: Path) -> None:
    server.streams = False
    script: Script = [Delta("Ten "), 0.3, Delta("working "), 1.9, Delta("days."), 0.1, *answered("Ten days in all.")]
    async with slack_desk(ScriptedEngine(script, script), tmp_path, server):
        server.says(QUESTION)
        await server.until(lambda: server.texts() == ["Ten days in all."])
        server.says(QUESTION)
        await server.until(lambda: server.texts() == ["Ten days in all."] * 2)
    assert server.counted()["chat.startStream"] == 1, "a workspace without streams is asked once"
    assert server.counted()["chat.postMessage"] == 2


async def test_a_long_stream_goes_on_in_a_new_message(server: SlackServer, tmp_path: Path) -> None:
    steps = [f"Step {number}. " + "word " * 100 + "\n\n" for number in range(1, 13)]
    script: Script = [piece for step in steps for piece in (Delta(step), 0.75)]
    async with slack_desk(ScriptedEngine([*script, *answered("".join(steps))]), tmp_path, server):
        server.says("How is it done?")
        await server.until(lambda: any(server.buttons(one) for one in server.ours()))
    assert server.counted()["chat.startStream"] >= 2
    assert "".join(server.texts()).split() == "".join(steps).split()
    assert [bool(server.buttons(one)) for one in server.ours()] == [False, False, True]


async def test_a_stream_is_renewed_before_slack_ends_it(
    server: SlackServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "MOST_SECONDS", 0.5)
    words = [f"word{number} " for number in range(3)]

    def begun(streams: int) -> Callable[[], Awaitable[None]]:
        return lambda: server.until(lambda: server.counted()["chat.startStream"] >= streams)

    script: Script = [step for at, word in enumerate(words, 1) for step in (Delta(word), begun(at), 0.6)]
    async with slack_desk(ScriptedEngine([*script, *answered("".join(words))]), tmp_path, server):
        server.says(QUESTION)
        await server.until(lambda: any(server.buttons(one) for one in server.ours()))
    assert [text.split() for text in server.texts()] == ["".join(words).split()]


STREAM_FAULTS = {
    "ended by Slack": ("chat.appendStream", refused("message_not_in_streaming_state")),
    "too long": ("chat.appendStream", refused("msg_too_long")),
    "rate limit": ("chat.appendStream", too_many(1)),
    "bad gateway": ("chat.appendStream", broken()),
    "an append's response is lost": ("chat.appendStream", Fault(lost=True)),
    "the start's response is lost": ("chat.startStream", Fault(lost=True)),
    "refused here": ("chat.startStream", refused("channel_type_not_supported")),
    "rate limit on the start": ("chat.startStream", too_many(1)),
    "the stop fails": ("chat.stopStream", broken()),
}


@pytest.mark.parametrize("name", STREAM_FAULTS)
async def test_a_stream_that_fails_loses_no_word_and_says_none_twice(
    server: SlackServer, tmp_path: Path, name: str
) -> None:
    method, fault = STREAM_FAULTS[name]
    server.faults = once(method, fault)
    script: Script = [Delta("Ten "), 0.9, Delta("working "), 0.9, Delta("days "), 0.9, *answered("Ten working days.")]
    async with slack_desk(ScriptedEngine(script), tmp_path, server):
        server.says(QUESTION)
        await server.until(lambda: bool(server.ours()) and any(server.buttons(one) for one in server.ours()))
    assert server.texts() == ["Ten working days."]


async def test_a_status_is_shown_where_there_is_a_pane(server: SlackServer, tmp_path: Path) -> None:
    def statuses(count: int) -> Callable[[], Awaitable[None]]:
        return lambda: server.until(lambda: len(server.statuses_shown) == count)

    interim = Interim("Собираю ещё данные: раздел 7.2 …")
    script: Script = [Typing(), statuses(1), interim, statuses(2), Final(outcome("Десять дней."))]
    async with slack_desk(ScriptedEngine(script), tmp_path, server):
        server.says("Как вернуть депозит?")
        await server.until(lambda: server.texts() == ["Десять дней."])
    assert server.statuses_shown == ["ищет ответ …", "Собираю ещё данные: раздел 7.2 …"]
    assert server.counted()["chat.postMessage"] == 1


async def test_elsewhere_the_interim_message_becomes_the_answer(server: SlackServer, tmp_path: Path) -> None:
    interim = "Собираю ещё данные: раздел 7.2 …"
    script: Script = [
        Interim(interim),
        lambda: server.until(lambda: server.texts(CHANNEL) == [interim]),
        Final(outcome("Десять дней.")),
    ]
    async with slack_desk(ScriptedEngine(script), tmp_path, server):
        server.says(f"<@{BOT}> Как вернуть депозит?", channel=CHANNEL)
        await server.until(lambda: server.texts(CHANNEL) == ["Десять дней."])


async def test_a_kept_draft_stays_above_the_interim_message(server: SlackServer, tmp_path: Path) -> None:
    kept = "Within ten days.\n\n_(being completed ...)_\n\nGathering more data: section 7.2 ..."
    script: Script = [
        Delta("Within ten days."),
        0.2,
        Interim("Gathering more data: section 7.2 ...", keeps_draft=True),
        lambda: server.until(lambda: server.texts() == [kept]),
    ]
    async with slack_desk(ScriptedEngine([*script, *answered("All of it.")]), tmp_path, server):
        server.says(QUESTION)
        await server.until(lambda: server.texts() == ["All of it."])


@pytest.mark.parametrize("streams", [True, False])
async def test_a_retracted_draft_is_seen_no_longer(server: SlackServer, tmp_path: Path, streams: bool) -> None:
    server.streams = streams
    script: Script = [
        Delta("Never pay."),
        lambda: server.until(lambda: [text.strip() for text in server.texts()] == ["Never pay."]),
        Retract("guardrail"),
        lambda: server.until(lambda: server.texts() == ["Checking the answer ..."]),
        *answered("Pay by the 10th."),
    ]
    async with slack_desk(ScriptedEngine(script), tmp_path, server):
        server.says(QUESTION)
        await server.until(lambda: server.texts() == ["Pay by the 10th."])


async def test_an_engine_that_breaks_ends_in_an_apology_with_a_button(server: SlackServer, tmp_path: Path) -> None:
    engine = ScriptedEngine([Delta("Ten"), 0.1, ValueError("broken")], answered())
    async with slack_desk(engine, tmp_path, server):
        server.says(QUESTION)
        await server.until(lambda: server.texts() == [APOLOGY["en"]])
        server.taps(server.buttons(server.ours()[0])["🔁 Try again"], server.ours()[0])
        await server.until(lambda: server.texts() == ["The final text."])


FAULTS = {
    "rate limit on the first message": ("chat.postMessage", too_many(1)),
    "rate limit on an update": ("chat.update", too_many(1)),
    "rate limit on the status": ("assistant.threads.setStatus", too_many(1)),
    "bad gateway before the deed": ("chat.postMessage", broken()),
    "bad gateway on an update": ("chat.update", broken()),
    "the first message's response is lost": ("chat.postMessage", Fault(lost=True)),
    "an update's response is lost": ("chat.update", Fault(lost=True)),
    "blocks are refused": ("chat.postMessage", refused("invalid_blocks")),
    "slow": ("chat.postMessage", Fault(seconds=0.7)),
}


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("streams", [True, False], ids=["streamed", "edited"])
@pytest.mark.parametrize("script", [answered(), SLOW_SCRIPT], ids=["at once", "slow"])
async def test_whatever_slack_does_the_answer_is_there_once(
    server: SlackServer, tmp_path: Path, name: str, streams: bool, script: Script
) -> None:
    server.streams = streams
    method, fault = FAULTS[name]
    server.faults = once(method, fault)
    async with slack_desk(ScriptedEngine(script), tmp_path, server):
        server.says(QUESTION)
        await server.until(lambda: server.texts() == ["The final text."])
    assert server.texts() == ["The final text."]


async def test_nothing_is_asked_of_a_method_before_its_rate_limit_is_over(server: SlackServer, tmp_path: Path) -> None:
    server.streams = False
    server.faults = once("chat.update", too_many(2))
    script: Script = [Delta("Ten "), 1.8, Delta("working "), 0.2, Delta("days "), 0.2, Delta("or so."), *answered()]
    async with slack_desk(ScriptedEngine(script), tmp_path, server):
        server.says(QUESTION)
        await server.until(lambda: server.texts() == ["The final text."])
    first, second, *_ = server.made("chat.update")
    assert second.at - first.at >= 2


async def test_a_deleted_message_is_posted_anew(server: SlackServer, tmp_path: Path) -> None:
    server.streams = False

    def delete() -> None:
        server.channels[DIRECT].messages.pop(server.ours()[0]["ts"])

    script: Script = [Delta("Ten days."), lambda: server.until(lambda: bool(server.ours())), delete, *answered()]
    async with slack_desk(ScriptedEngine(script), tmp_path, server):
        server.says(QUESTION)
        await server.until(lambda: server.texts() == ["The final text."])


async def test_a_channel_that_the_bot_has_left_is_given_up(server: SlackServer, tmp_path: Path) -> None:
    def leave() -> None:
        server.channels[CHANNEL].member = False

    async with slack_desk(ScriptedEngine([leave, 0.1, *answered()]), tmp_path, server) as desk:
        event = server.says(f"<@{BOT}> {QUESTION}", channel=CHANNEL)
        await server.until(lambda: bool(server.made("chat.postMessage")))

        async def done() -> bool:
            return not await desk.inbox.unfinished()

        await until(done)
        assert (await desk.inbox.standing(f"{desk.me.desk}:{CHANNEL}:{event['ts']}")).unreachable
