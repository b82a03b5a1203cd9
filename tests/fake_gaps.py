"""Misses and their marks in memory; passes the same contract suite as the real ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from engine.matching.gaps import Asked, GapMark
from engine.types import GapState, Miss


@dataclass
class FakeGaps:
    all_misses: list[Miss] = field(default_factory=list[Miss])
    """Oldest first."""
    asked: list[Asked] = field(default_factory=list[Asked])
    marked: dict[int, GapMark] = field(default_factory=dict[int, GapMark])

    async def misses(self, since: str, limit: int) -> tuple[Miss, ...]:
        found = [
            miss
            for miss in self.all_misses
            if miss.question and miss.reason != "not_a_question" and (miss.asked_at >= since or miss.id in self.marked)
        ]
        return tuple(found[-limit:])

    async def answered(self, since: str, limit: int) -> tuple[Asked, ...]:
        return tuple([one for one in self.asked if one.asked_at >= since][-limit:])

    async def marks(self) -> Mapping[int, GapMark]:
        return dict(self.marked)

    async def questions(self, misses: Sequence[int]) -> Mapping[int, str]:
        return {miss.id: miss.question for miss in self.all_misses if miss.id in misses and miss.question}

    async def mark(self, misses: Sequence[int], state: GapState, by: str) -> None:
        now = datetime.now(UTC).isoformat(timespec="microseconds")
        self.marked |= {miss: GapMark(state=state, changed_at=now, changed_by=by) for miss in misses}
