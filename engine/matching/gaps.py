"""Gaps: questions that nobody could answer, together when they ask the same, and what editors make of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, Protocol

from engine.types import FaqPair, GapState, Language, Miss

WEEKS = 8
"""How many weeks a trend is shown for."""
Trend = Literal["rising", "steady", "falling"]
_WEEK = timedelta(days=7)
_RECENT = 2
_LEAST_CHANGE = 2
_CHANGE = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class GapMark:
    """The state that an editor gave to a miss, and so to whatever group it is in."""

    state: GapState
    changed_at: str
    """ISO 8601, UTC."""
    changed_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question that was answered from documents."""

    question: str
    asked_at: str
    language: Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """One question in all its wordings."""

    misses: tuple[Miss, ...]
    """Oldest first."""
    answered: tuple[Asked, ...] = ()
    """When it was asked and did get an answer."""
    mark: GapMark | None = None
    nearest: tuple[FaqPair, ...] = ()
    """The FAQ's entries that come nearest now."""
    served_by: str | None = None
    """The entry that answers it now."""

    @property
    def id(self) -> int:
        """That of its oldest miss; any of its misses names it."""
        return self.misses[0].id

    @property
    def count(self) -> int:
        return len(self.misses)

    @property
    def example(self) -> Miss:
        """The latest wording."""
        return self.misses[-1]

    @property
    def languages(self) -> tuple[Language, ...]:
        return tuple(sorted({miss.language for miss in self.misses}))

    @property
    def state(self) -> GapState:
        return "written" if self.served_by else self.mark.state if self.mark else "new"

    @property
    def since(self) -> int:
        """How often it was missed again after its state was set."""
        mark = self.mark
        return 0 if mark is None else sum(miss.asked_at > mark.changed_at for miss in self.misses)


class GapStore(Protocol):
    async def misses(self, since: str, limit: int) -> tuple[Miss, ...]:
        """Those with a text, asked at this moment (ISO 8601, UTC) or later or marked, the newest `limit`, oldest first.
        What was no question is not among them."""
        ...

    async def answered(self, since: str, limit: int) -> tuple[Asked, ...]:
        """The newest questions that were answered from documents, oldest first."""
        ...

    async def marks(self) -> Mapping[int, GapMark]:
        """By miss."""
        ...

    async def questions(self, misses: Sequence[int]) -> Mapping[int, str]:
        """The texts of those that have one still."""
        ...

    async def mark(self, misses: Sequence[int], state: GapState, by: str) -> None: ...


def grouped(
    misses: Sequence[Miss], answered: Sequence[Asked], groups: Sequence[Sequence[int]], marks: Mapping[int, GapMark]
) -> tuple[list[Gap], list[tuple[Asked, ...]]]:
    """Groups of places, misses before answered ones, as gaps and as questions that were always answered.

    The latest mark of any of its misses is a gap's: groups may fall together or apart as new questions come.
    """
    gaps: list[Gap] = []
    always: list[tuple[Asked, ...]] = []
    for group in groups:
        missed = sorted((misses[place] for place in group if place < len(misses)), key=lambda miss: miss.id)
        others = sorted((answered[place - len(misses)] for place in group if place >= len(misses)), key=_moment)
        if not missed:
            always.append(tuple(others))
            continue
        given = [marks[miss.id] for miss in missed if miss.id in marks]
        mark = max(given, key=lambda one: one.changed_at, default=None)
        gaps.append(Gap(misses=tuple(missed), answered=tuple(others), mark=mark))
    return sorted(gaps, key=lambda gap: (-gap.count, gap.id)), sorted(always, key=lambda some: -len(some))


def per_week(moments: Sequence[str], now: datetime, weeks: int = WEEKS) -> list[int]:
    """How many of these moments (ISO 8601) lie in each of the last weeks; the last one ends now."""
    counts = [0] * weeks
    for moment in moments:
        back = int((now - datetime.fromisoformat(moment)) / _WEEK)
        if 0 <= back < weeks:
            counts[weeks - 1 - back] += 1
    return counts


def trend(counts: Sequence[int]) -> Trend:
    """The last two weeks against the two before."""
    recent, before = sum(counts[-_RECENT:]), sum(counts[-2 * _RECENT : -_RECENT])
    if abs(recent - before) < _LEAST_CHANGE:
        return "steady"
    if recent >= before * _CHANGE:
        return "rising"
    return "falling" if before >= recent * _CHANGE else "steady"


def _moment(asked: Asked) -> str:
    return asked.asked_at
