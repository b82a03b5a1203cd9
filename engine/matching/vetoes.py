"""Questions that were nearly served a stored answer and were not: for the editor, who may have an entry to write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from engine.types import FaqMatch, Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Vetoed:
    question: str
    conversation: str = ""
    question_id: str = ""
    """So that what somebody asked can be removed."""
    entry: str
    wording: str
    """The entry's wording that the question resembles most."""
    vetoed_by: str
    score: float
    times: int = 1
    last_at: str = ""
    """ISO 8601, UTC; given by the store, like `times`."""

    @classmethod
    def of(cls, question: Question, match: FaqMatch) -> Vetoed | None:
        """None when nothing was vetoed."""
        if match.vetoed_by is None or match.entry is None:
            return None
        wording = next((pair.question for pair in match.nearest if pair.entry == match.entry.id), "")
        return cls(
            question=question.text,
            conversation=question.conversation,
            question_id=question.id,
            entry=match.entry.id,
            wording=wording or match.entry.questions[0],
            vetoed_by=match.vetoed_by,
            score=match.score,
        )


class VetoStore(Protocol):
    async def add(self, vetoed: Vetoed) -> None:
        """Kept until newer ones need the room, or its text is removed."""
        ...

    async def newest(self, limit: int) -> tuple[Vetoed, ...]:
        """The same question at the same entry is told once, and counted."""
        ...
