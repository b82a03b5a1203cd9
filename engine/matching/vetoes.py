"""Questions that were nearly served a stored answer and were not: for the editor, who may have an entry to write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from engine.types import FaqMatch


@dataclass(frozen=True, slots=True, kw_only=True)
class Vetoed:
    """Nothing in it says who asked."""

    question: str
    entry: str
    wording: str
    """The entry's wording that the question resembles most."""
    vetoed_by: str
    score: float
    times: int = 1
    last_at: str = ""
    """ISO 8601, UTC; given by the store, like `times`."""

    @classmethod
    def of(cls, question: str, match: FaqMatch) -> Vetoed | None:
        """None when nothing was vetoed."""
        if match.vetoed_by is None or match.entry is None:
            return None
        wording = next((pair.question for pair in match.nearest if pair.entry == match.entry.id), "")
        return cls(
            question=question,
            entry=match.entry.id,
            wording=wording or match.entry.questions[0],
            vetoed_by=match.vetoed_by,
            score=match.score,
        )


class VetoStore(Protocol):
    async def add(self, vetoed: Vetoed) -> None:
        """The same question at the same entry is kept once, and counted."""
        ...

    async def newest(self, limit: int) -> tuple[Vetoed, ...]: ...
