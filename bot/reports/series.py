"""What the report shows, as numbers over time. Holds no text of a question but those of gaps, and nobody's id."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal, get_args
from zoneinfo import ZoneInfo

from bot.gap_desk import Found
from engine.logged import LoggedAnswer
from engine.tickets import OpenedTicket
from engine.types import OutcomeKind

Span = Literal["day", "week", "month"]
KINDS: tuple[OutcomeKind, ...] = get_args(OutcomeKind)
_SERVED: tuple[OutcomeKind, ...] = ("faq_direct", "faq_adjacent")
_DAYS_BY_DAY, _DAYS_BY_WEEK = 35, 210
_NEVER_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Milliseconds."""

    median: float
    p95: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Percentiles | None:
        """None of nothing."""
        ordered = sorted(values)
        if not ordered:
            return None
        return cls(statistics.median(ordered), ordered[round(0.95 * (len(ordered) - 1))])


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """A day, a week or a month."""

    begins: date
    kinds: Mapping[OutcomeKind, int]
    escalated: int
    model_calls: int
    tokens: int
    calls_saved: int
    tokens_saved: int
    helpful: int
    not_helpful: int
    references: int
    resolved: int
    first_text: Percentiles | None

    @property
    def questions(self) -> int:
        return sum(self.kinds.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    begins: datetime
    ends: datetime
    span: Span
    buckets: tuple[Bucket, ...]
    """All of the period without gaps, from the first question on, oldest first."""
    kinds: Mapping[OutcomeKind, int]
    languages: Mapping[str, int]
    reasons: Mapping[str, int]
    """Of tickets."""
    ratings: Mapping[OutcomeKind, tuple[int, int]]
    """Helpful and not, by the kind of answer."""
    resolved_by: Mapping[str, int]
    references: int
    totals: Mapping[OutcomeKind, Percentiles]
    first_text: Percentiles | None
    tokens: int
    model_calls: int
    tokens_saved: int
    calls_saved: int
    found: Found
    cited: Mapping[str, int]
    never_cited: tuple[str, ...]
    """The first of them."""
    never_cited_count: int
    documents: int

    @property
    def questions(self) -> int:
        return sum(self.kinds.values())

    @property
    def escalated(self) -> int:
        return sum(self.reasons.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """What there is to report on."""

    answers: Sequence[LoggedAnswer]
    tickets: Sequence[OpenedTicket]
    documents: Sequence[str]
    found: Found


def report(logged: Logged, begins: datetime, ends: datetime, zone: ZoneInfo) -> Report:
    """`begins` and `ends` bound the period; days are those of the zone."""
    answers = logged.answers
    usual = _usual(answers)
    moments = [one.asked_at for one in answers] + [one.opened_at for one in logged.tickets]
    span = _span(moments, ends, zone)
    places = _bucket_dates(moments, ends, zone, span)
    cited = Counter(path for answer in answers for path in answer.cited)
    never = [path for path in logged.documents if path not in cited]
    references = [reference for answer in answers for reference in answer.references]
    return Report(
        begins=begins.astimezone(zone),
        ends=ends.astimezone(zone),
        span=span,
        buckets=_buckets(places, logged, zone, span, usual),
        kinds=_counted(answers),
        languages=dict(Counter(answer.language for answer in answers).most_common()),
        reasons=dict(Counter(ticket.reason for ticket in logged.tickets).most_common()),
        ratings=_by_kind(answers),
        resolved_by=dict(Counter(one.by for one in references if one.by is not None).most_common()),
        references=len(references),
        totals=_totals(answers),
        first_text=Percentiles.of(_first_text(answers)),
        tokens=sum(map(_tokens, answers)),
        model_calls=sum(answer.usage.model_calls for answer in answers),
        tokens_saved=sum(_saved(answer, _tokens(answer), usual[0]) for answer in answers),
        calls_saved=sum(_saved(answer, answer.usage.model_calls, usual[1]) for answer in answers),
        found=logged.found,
        cited=dict(cited.most_common()),
        never_cited=tuple(never[:_NEVER_SHOWN]),
        never_cited_count=len(never),
        documents=len(logged.documents),
    )


def _usual(answers: Sequence[LoggedAnswer]) -> tuple[float, float]:
    """Tokens and model calls of an answer that a model wrote from documents; 0 where none did."""
    written = [answer for answer in answers if answer.kind == "answered" and answer.usage.model_calls]
    if not written:
        return 0.0, 0.0
    return (
        statistics.mean(map(_tokens, written)),
        statistics.mean(answer.usage.model_calls for answer in written),
    )


def _saved(answer: LoggedAnswer, spent: int, usual: float) -> int:
    """What the gate saved: what an answer costs otherwise, less what this one did."""
    return max(0, round(usual) - spent) if answer.kind in _SERVED else 0


def _tokens(answer: LoggedAnswer) -> int:
    return answer.usage.prompt_tokens + answer.usage.completion_tokens


def _first_text(answers: Iterable[LoggedAnswer]) -> list[float]:
    return [shown for answer in answers if (shown := answer.timings_ms.get("first_shown", 0.0)) > 0]


def _counted(answers: Iterable[LoggedAnswer]) -> dict[OutcomeKind, int]:
    counts = Counter(answer.kind for answer in answers)
    return {kind: counts[kind] for kind in KINDS}


def _by_kind(answers: Sequence[LoggedAnswer]) -> dict[OutcomeKind, tuple[int, int]]:
    counts = Counter((one.kind, one.rating) for one in answers)
    return {
        kind: (counts[kind, "helpful"], counts[kind, "not_helpful"])
        for kind in KINDS
        if counts[kind, "helpful"] or counts[kind, "not_helpful"]
    }


def _totals(answers: Sequence[LoggedAnswer]) -> dict[OutcomeKind, Percentiles]:
    found = {
        kind: Percentiles.of(one.timings_ms.get("total", 0.0) for one in answers if one.kind == kind) for kind in KINDS
    }
    return {kind: times for kind, times in found.items() if times is not None}


# --- time -----------------------------------------------------------------------------------------------------------


def _span(moments: Sequence[str], ends: datetime, zone: ZoneInfo) -> Span:
    last = ends.astimezone(zone).date()
    first = min((_begin(moment, zone, "day") for moment in moments), default=last)
    days = (last - first).days
    return "day" if days <= _DAYS_BY_DAY else "week" if days <= _DAYS_BY_WEEK else "month"


def _begin(moment: str, zone: ZoneInfo, span: Span) -> date:
    return _floor(datetime.fromisoformat(moment).astimezone(zone).date(), span)


def _floor(day: date, span: Span) -> date:
    if span == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if span == "month" else day


def _bucket_dates(moments: Sequence[str], ends: datetime, zone: ZoneInfo, span: Span) -> list[date]:
    if not moments:
        return []
    last = _floor(ends.astimezone(zone).date(), span)
    place = min(last, *(_begin(moment, zone, span) for moment in moments))
    dates = [place]
    while place < last:
        place = _floor(place + timedelta(days={"day": 1, "week": 7, "month": 31}[span]), span)
        dates.append(place)
    return dates


def _buckets(
    places: Sequence[date], logged: Logged, zone: ZoneInfo, span: Span, usual: tuple[float, float]
) -> tuple[Bucket, ...]:
    answers: dict[date, list[LoggedAnswer]] = {place: [] for place in places}
    for answer in logged.answers:
        answers[_begin(answer.asked_at, zone, span)].append(answer)
    tickets = Counter(_begin(ticket.opened_at, zone, span) for ticket in logged.tickets)
    return tuple(_bucket(place, here, tickets[place], usual) for place, here in answers.items())


def _bucket(begins: date, answers: Sequence[LoggedAnswer], escalated: int, usual: tuple[float, float]) -> Bucket:
    references = [reference for answer in answers for reference in answer.references]
    return Bucket(
        begins=begins,
        kinds=_counted(answers),
        escalated=escalated,
        model_calls=sum(answer.usage.model_calls for answer in answers),
        tokens=sum(map(_tokens, answers)),
        calls_saved=sum(_saved(answer, answer.usage.model_calls, usual[1]) for answer in answers),
        tokens_saved=sum(_saved(answer, _tokens(answer), usual[0]) for answer in answers),
        helpful=sum(answer.rating == "helpful" for answer in answers),
        not_helpful=sum(answer.rating == "not_helpful" for answer in answers),
        references=len(references),
        resolved=sum(reference.status == "resolved" for reference in references),
        first_text=Percentiles.of(_first_text(answers)),
    )
