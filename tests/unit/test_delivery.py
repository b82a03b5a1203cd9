from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from itertools import pairwise

import pytest
import structlog

from adapters.delivery import APOLOGY, DeliveryFailed, Lane, Limits, RateLimited, deliver, respond
from engine import (
    AnswerEvent,
    Delta,
    Escalated,
    Final,
    Interim,
    Outcome,
    ProviderError,
    Question,
    Retract,
    Typing,
    detect_language,
)
from tests.delivery_fakes import (
    Lost,
    RecordingReply,
    Script,
    ScriptedEngine,
    Slow,
    answered,
    outcome,
    play,
    run,
)


def delivered(
    script: Script, reply: RecordingReply, *, pace: float = 1.0, limits: Limits | None = None, lane: Lane | None = None
) -> Outcome | None:
    return run(deliver(play(script), reply, pace=pace, language="en", limits=limits, lane=lane))


# --- the ordinary course --------------------------------------------------------------------------------------------


def test_the_draft_is_shown_whole_each_time_and_then_the_final_text() -> None:
    reply = RecordingReply()
    ending = outcome("Refunds take ten days.")
    result = delivered([Typing(), 0.5, Delta("Refunds "), 2.0, Delta("take"), 2.0, Final(ending)], reply)
    assert result == ending
    assert reply.verbs == ["typing", "show", "show", "finish"]
    assert reply.done("show", "finish") == ["Refunds ", "Refunds take", ending]


def test_an_escalation_is_a_final_text_too() -> None:
    reply = RecordingReply()
    ending = outcome("A colleague will answer.", kind="missed")
    assert delivered([Typing(), Escalated(ending)], reply) == ending
    assert reply.done("finish") == [ending]


def test_a_direct_answer_costs_one_call() -> None:
    reply = RecordingReply()
    delivered(answered(), reply)
    assert reply.verbs == ["finish"]


def test_pieces_that_come_faster_than_the_pace_are_shown_together() -> None:
    reply = RecordingReply()
    script: list[AnswerEvent | float] = []
    for number in range(60):
        script += [Delta(f"{number} "), 0.05]
    delivered([*script, *answered()], reply, pace=1.0)
    shows = [call for call in reply.calls if call.verb == "show"]
    assert len(shows) == 3
    assert all(later.at - earlier.at >= 1.0 for earlier, later in pairwise(shows))


def test_a_slow_platform_skips_frames_and_gets_the_latest_text() -> None:
    reply = RecordingReply([Slow(5.0)])
    script: list[AnswerEvent | float] = []
    for number in range(50):
        script += [Delta(f"{number} "), 0.1]
    delivered([*script, 1.0, *answered()], reply, pace=0.1)
    assert reply.done("show") == ["0 ", "".join(f"{number} " for number in range(50))]


def test_text_that_shows_nothing_new_is_not_sent() -> None:
    reply = RecordingReply()
    delivered([Delta("\n"), 2.0, Delta("Yes"), 2.0, Delta(""), 2.0, *answered()], reply)
    assert reply.done("show") == ["\nYes"]


def test_typing_is_renewed_until_the_next_event() -> None:
    reply = RecordingReply()
    delivered([Typing(), 9.0, Delta("Yes"), 9.0, *answered()], reply, limits=Limits(typing_every=4.0))
    assert reply.verbs == ["typing", "typing", "typing", "show", "finish"]


# --- retraction, second pass ----------------------------------------------------------------------------------------


def test_a_retracted_draft_is_withdrawn_before_the_final_text() -> None:
    reply = RecordingReply()
    delivered([Delta("Wrong"), 2.0, Retract("unfounded"), 2.0, *answered()], reply)
    assert reply.verbs == ["show", "withdraw", "finish"]


def test_a_draft_retracted_before_it_was_shown_never_is() -> None:
    reply = RecordingReply()
    delivered([Delta("Right"), 0.1, Delta(" wrong"), Retract("unfounded"), 9.0, *answered()], reply, pace=1.0)
    assert reply.done("show") == ["Right"]
    unshown = RecordingReply()
    delivered([Delta("Wrong"), Retract("unfounded"), 9.0, *answered()], unshown)
    assert unshown.verbs == ["finish"]


def test_a_show_that_seems_to_have_failed_is_withdrawn_all_the_same() -> None:
    reply = RecordingReply([Lost()])
    delivered([Delta("Wrong"), 2.0, Retract("unfounded"), *answered()], reply)
    assert reply.verbs == ["withdraw", "finish"]


def test_a_withdrawal_that_fails_is_insisted_on() -> None:
    reply = RecordingReply([None, ConnectionError(), RateLimited(30.0)])
    delivered([Delta("Wrong"), 2.0, Retract("unfounded"), *answered()], reply)
    assert reply.verbs == ["show", "withdraw", "finish"]


def test_a_kept_draft_is_shown_in_full_before_the_interim_message() -> None:
    reply = RecordingReply()
    interim = Interim("Gathering more data: section 7.2 ...", keeps_draft=True)
    script: Script = [Delta("One"), 0.1, Delta(" two"), interim, 9.0, Delta("One two three"), 9.0, *answered()]
    delivered(script, reply)
    assert reply.verbs == ["show", "show", "interim", "show", "finish"]
    assert reply.done("show", "interim") == ["One", "One two", (interim.text, True), "One two three"]


def test_an_interim_message_that_keeps_nothing_needs_no_draft_before_it() -> None:
    reply = RecordingReply()
    delivered([Typing(), 1.0, Delta("See 7.2"), Interim("Gathering ..."), 9.0, *answered()], reply)
    assert reply.verbs == ["typing", "interim", "finish"]


# --- a platform in trouble ------------------------------------------------------------------------------------------


def test_a_rate_limit_pauses_everything_until_its_deadline_and_keeps_the_latest_text() -> None:
    reply = RecordingReply([None, RateLimited(33.0)])
    script: list[AnswerEvent | float] = []
    for number in range(80):
        script += [Delta(f"{number} "), 0.5]
    delivered([*script, *answered()], reply, pace=1.5)
    shows = [call for call in reply.calls if call.verb == "show"]
    assert shows[1].done is False
    assert shows[2].at == pytest.approx(shows[1].at + 33.0)
    assert str(shows[2].value).count(" ") > 60


def test_a_rate_limit_on_typing_alone_costs_nothing_but_time() -> None:
    reply = RecordingReply([RateLimited(3.0)])
    delivered([Typing(), 1.0, Delta("Yes"), 9.0, *answered()], reply)
    assert reply.verbs == ["show", "finish"]


def test_the_final_text_waits_for_a_penalty_of_two_minutes() -> None:
    reply = RecordingReply([None, RateLimited(126.0)])
    delivered([Delta("Yes"), 60.0, *answered()], reply)
    assert reply.verbs == ["show", "finish"]
    assert reply.calls[-1].at == pytest.approx(186.0)


def test_a_limit_beyond_the_deadline_fails_at_once_and_says_when_to_come_back() -> None:
    reply = RecordingReply([RateLimited(3600.0)])
    with pytest.raises(DeliveryFailed) as failure:
        delivered(answered(), reply)
    assert failure.value.retry_after == pytest.approx(3600.0)
    assert len(reply.calls) == 1


def test_a_limit_of_no_seconds_is_not_asked_in_a_tight_loop() -> None:
    reply = RecordingReply([RateLimited(0.0)] * 5)
    delivered(answered(), reply)
    assert all(later.at > earlier.at for earlier, later in pairwise(reply.calls))


def test_a_limit_is_shared_by_the_deliveries_of_a_lane() -> None:
    first, second = RecordingReply([RateLimited(20.0)]), RecordingReply()

    async def both() -> None:
        lane = Lane()
        one = deliver(play([Delta("One"), 1.0, *answered()]), first, pace=1.0, language="en", lane=lane)
        two = deliver(play([5.0, Delta("Two"), *answered()]), second, pace=1.0, language="en", lane=lane)
        await asyncio.gather(one, two)

    run(both())
    assert second.calls[0].at >= 20.0


def test_failed_shows_are_logged_without_text_and_make_no_difference() -> None:
    reply = RecordingReply([None, ValueError("secret"), ConnectionError("secret")])
    with structlog.testing.capture_logs() as logs:
        delivered([Typing(), 1.0, Delta("secret"), 2.0, Interim("secret", keeps_draft=True), 9.0, *answered()], reply)
    assert reply.verbs == ["typing", "finish"]
    assert [(entry["event"], entry["verb"], entry["error"]) for entry in logs] == [
        ("delivery.step_failed", "show", "ValueError"),
        ("delivery.step_failed", "interim", "ConnectionError"),
    ]
    assert "secret" not in repr(logs)


def test_a_call_that_hangs_does_not_hold_up_the_final_text_for_ever() -> None:
    reply = RecordingReply([Slow(10_000.0)])
    delivered([Delta("Yes"), 1.0, *answered()], reply, limits=Limits(call=30.0))
    assert reply.verbs == ["finish"]
    assert reply.calls[-1].at == pytest.approx(30.0)


def test_the_final_text_is_tried_again_after_failures() -> None:
    reply = RecordingReply([ConnectionError(), TimeoutError(), ValueError(), Slow(1000.0)])
    delivered(answered(), reply)
    assert reply.verbs == ["finish"]
    assert len(reply.calls) == 5


def test_a_final_text_that_never_passes_becomes_an_apology_and_an_error() -> None:
    reply = RecordingReply([ValueError("unparsable")] * 5)
    with pytest.raises(DeliveryFailed) as failure:
        delivered(answered(), reply)
    assert isinstance(failure.value.__cause__, ValueError)
    assert reply.verbs == ["apologise"]


def test_a_reply_that_knows_no_retry_can_help_is_not_asked_again() -> None:
    gone = DeliveryFailed("finish")
    reply = RecordingReply([gone, gone])
    with pytest.raises(DeliveryFailed):
        delivered(answered(), reply)
    assert [call.verb for call in reply.calls] == ["finish", "apologise"]


# --- an engine in trouble -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trouble", "event"),
    [
        ([ProviderError("model", "down")], "delivery.answer_broken"),
        ([ZeroDivisionError("a bug")], "delivery.answer_broken"),
        ([], "delivery.no_ending"),
        ([Final(outcome("  \n"))], "delivery.empty_answer"),
        ([100_000.0, *answered()], "delivery.answer_broken"),
    ],
)
def test_an_answer_that_does_not_end_becomes_an_apology(trouble: Script, event: str) -> None:
    reply = RecordingReply([None, RateLimited(3.0), ConnectionError()])
    with structlog.testing.capture_logs() as logs:
        assert delivered([Delta("Half an"), 1.0, *trouble], reply) is None
    assert reply.verbs == ["show", "apologise"]
    assert reply.done("apologise") == [APOLOGY["en"]]
    assert event in [entry["event"] for entry in logs]


def test_an_apology_that_never_passes_is_an_error() -> None:
    with pytest.raises(DeliveryFailed):
        delivered([], RecordingReply([ConnectionError()] * 9))


def test_respond_enters_the_engine_and_leaves_it() -> None:
    engine, reply = ScriptedEngine(answered("Yes.")), RecordingReply()
    result = run(respond(engine, Question(text="Is it?"), reply, pace=1.0))
    assert result is not None
    assert result.text == "Yes."
    assert engine.open == 0


@pytest.mark.parametrize(
    ("question", "apology"),
    [
        (Question(text="Как отменить полис?"), APOLOGY["ru"]),
        (Question(text="Как отменить полис?", language="en"), APOLOGY["en"]),
        (Question(text="How do I cancel?"), APOLOGY["en"]),
    ],
)
def test_the_apology_is_in_the_askers_language(question: Question, apology: str) -> None:
    reply = RecordingReply()
    assert run(respond(ScriptedEngine([ProviderError("model", "down")]), question, reply, pace=1.0)) is None
    assert reply.done("apologise") == [apology]


class _BrokenDoor:
    """An engine that breaks when it is entered, or when it is left."""

    def __init__(self, *, on: str) -> None:
        self._on = on

    @asynccontextmanager
    async def answer(self, question: Question) -> AsyncGenerator[AsyncIterator[AnswerEvent], None]:
        if self._on == "entering":
            raise ProviderError("store", "gone")
        async with aclosing(play(answered())) as events:
            yield events
        raise ProviderError("store", "gone")


def test_an_engine_that_cannot_be_entered_is_apologised_for() -> None:
    reply = RecordingReply()
    assert run(respond(_BrokenDoor(on="entering"), Question(text="Is it?"), reply, pace=1.0)) is None
    assert reply.verbs == ["apologise"]


def test_an_engine_that_breaks_after_the_answer_is_only_logged() -> None:
    reply = RecordingReply()
    with structlog.testing.capture_logs() as logs:
        assert run(respond(_BrokenDoor(on="leaving"), Question(text="Is it?"), reply, pace=1.0)) is not None
    assert reply.verbs == ["finish"]
    assert [entry["event"] for entry in logs] == ["delivery.engine_broken"]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Как отменить?", "ru"),
        ("How?", "en"),
        ("VPN не работает", "ru"),
        ("?", "en"),
        ("", "en"),
        ("Как подключить router Meadow wifi?", "ru"),
    ],
)
def test_language_of(text: str, language: str) -> None:
    assert detect_language(text) == language


# --- cancellation ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("moment", [0.5, 1.5, 4.5, 9.5])
def test_cancellation_closes_everything_and_is_not_swallowed(moment: float) -> None:
    """While waiting for an event, during a show, during a pause of the platform, during the final text."""
    engine = ScriptedEngine([Typing(), 1.0, Delta("Yes"), 1.0, *answered()])
    reply = RecordingReply([None, Slow(2.0), RateLimited(3.0), Slow(9.0)])

    async def cancelled() -> None:
        delivery = asyncio.create_task(respond(engine, Question(text="Is it?"), reply, pace=1.0))
        await asyncio.sleep(moment)
        delivery.cancel()
        with pytest.raises(asyncio.CancelledError):
            await delivery
        assert asyncio.all_tasks() == {asyncio.current_task()}

    run(cancelled())
    assert engine.open == 0
    assert "finish" not in reply.verbs
    assert "apologise" not in reply.verbs
