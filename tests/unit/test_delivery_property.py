"""Whatever the engine says and the platform does, the grammar of `engine.events` ends in one final text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import structlog
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.delivery import Limits, RateLimited, deliver
from engine import AnswerEvent, Delta, Escalated, Final, Interim, Retract, Typing
from tests.delivery_fakes import Call, Lost, RecordingReply, Slow, Trouble, outcome, play, run

_WORDS = st.text(alphabet="ab \n", max_size=4)
_WAITS = st.sampled_from([0.0, 0.1, 0.9, 2.0, 40.0])
_TROUBLES: st.SearchStrategy[list[Trouble]] = st.lists(
    st.one_of(
        st.none(),
        st.builds(Lost),
        st.builds(ConnectionError),
        st.builds(RateLimited, st.sampled_from([0.0, 0.5, 3.0, 60.0])),
        st.builds(Slow, st.sampled_from([0.1, 5.0, 500.0])),
    ),
    max_size=14,
)


@st.composite
def _draft(draw: st.DrawFn) -> list[AnswerEvent]:
    pieces: list[AnswerEvent] = [Delta(word) for word in draw(st.lists(_WORDS, max_size=6))]
    is_retracted = bool(pieces) and draw(st.booleans())
    return [*pieces, Retract("unfounded")] if is_retracted else pieces


@st.composite
def _answers(draw: st.DrawFn) -> list[AnswerEvent]:
    """Any answer of the grammar in `engine.events`, each draft's letters marked with its number."""
    first, second = draw(_draft()), draw(_draft())
    events: list[AnswerEvent] = [Typing()] * draw(st.integers(0, 3))
    events += _numbered(first, 1)
    if draw(st.booleans()):
        keeps = bool(first) and not isinstance(first[-1], Retract) and draw(st.booleans())
        events += [Interim("Gathering ...", keeps_draft=keeps), *_numbered(second, 2)]
    is_escalated = draw(st.booleans())
    return [*events, Escalated(outcome()) if is_escalated else Final(outcome())]


def _numbered(draft: list[AnswerEvent], number: int) -> list[AnswerEvent]:
    first = Delta(f"{number}:")
    return [first, *draft] if draft else []


@settings(deadline=None, max_examples=400)
@given(events=_answers(), waits=st.lists(_WAITS, min_size=24, max_size=24), troubles=_TROUBLES)
def test_whatever_happens_the_final_text_is_the_last_thing_delivered(
    events: list[AnswerEvent], waits: list[float], troubles: list[Trouble]
) -> None:
    reply = RecordingReply(troubles)
    script: list[AnswerEvent | float] = []
    for event, wait in zip(events, waits, strict=False):
        script += [event, wait]
    limits = Limits(attempts=20, last_word=1e7, backoff=0.001)
    with structlog.testing.capture_logs():
        ending = run(deliver(play(script), reply, pace=1.0, language="en", limits=limits))

    assert reply.done("finish") == [ending] == [outcome()]
    assert reply.calls[-1].verb == "finish"
    assert reply.calls[-1].done
    assert "apologise" not in [call.verb for call in reply.calls]
    assert reply.verbs.count("interim") <= 1
    for number in (1, 2):
        _check_draft(number, events, reply.calls)


def _check_draft(number: int, events: Sequence[AnswerEvent], calls: Sequence[Call]) -> None:
    marker = f"{number}:"
    shows = [index for index, call in enumerate(calls) if call.verb == "show" and str(call.value).startswith(marker)]
    texts = [str(calls[index].value) for index in shows]
    assert all(later.startswith(earlier) for earlier, later in pairwise(texts))
    assert all(
        later.at - earlier.at > 1.0 - 1e-6
        for earlier, later in pairwise(calls[index] for index in shows if calls[index].done)
    )
    pieces, retracted = _said(marker, events)
    assert all(pieces.startswith(text) for text in texts)
    if shows and retracted:
        assert "withdraw" in [call.verb for call in calls[shows[-1] :] if call.done]


def _said(marker: str, events: Sequence[AnswerEvent]) -> tuple[str, bool]:
    """All of a draft's text, and whether it was retracted."""
    text, inside = "", False
    for event in events:
        match event:
            case Delta(text=piece):
                inside = inside or piece == marker
                text += piece if inside else ""
            case Retract() if inside:
                return text, True
            case Typing():
                pass
            case _ if inside:
                return text, False
            case _:
                pass
    return text, False
