"""A digest of two gaps, kept in memory, for tests of the platforms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from adapters.digest import NO_TICKET, GapLook, digest_key
from engine import GapState, Relay

WEEK = "2026-W49"


@dataclass
class Marked:
    """Two gaps, kept in memory."""

    texts: dict[int, str] = field(default_factory=lambda: {1: "Where is my *receipt*?", 2: "May I keep a snake?"})
    states: dict[int, tuple[GapState, str]] = field(default_factory=dict[int, tuple[GapState, str]])

    async def look(self, misses: Sequence[int]) -> GapLook:
        state, by = self.states.get(misses[0], ("new", ""))
        return GapLook(question=self.texts[misses[0]], state=state, by=by)

    async def mark(self, misses: Sequence[int], state: GapState, by: str) -> None:
        self.states[misses[0]] = (state, by)


def digest(desk: str) -> Relay:
    gaps = [{"misses": [id], "count": 2, "total": 3, "trend": "rising"} for id in (1, 2)]
    content = {
        "week": WEEK, "begins": "23.11", "ends": "30.11", "asked": 9, "missed": 4, "language": "en", "gaps": gaps,
        "popular": [],
    }  # fmt: skip
    return Relay(ticket=NO_TICKET, to=desk, key=digest_key(desk, WEEK), kind="digest", content=content)
