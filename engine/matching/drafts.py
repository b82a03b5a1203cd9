"""Entries of the FAQ in the making: drafted from what people answered, decided on by an editor. And entries that are
to be looked at again, because their answer did not help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from engine.matching.edits import FaqEdit
from engine.types import Language

DraftState = Literal["open", "approved", "merged", "rejected", "expired"]
"""Waiting; become an entry; become a wording of another entry; not wanted; its texts removed before it was decided."""


@dataclass(frozen=True, slots=True)
class NearEntry:
    """An entry that may say the same already, with the wording that is nearest and how near it is (0..1)."""

    entry: str
    question: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqDraft:
    ticket: int
    maker: str
    questions: tuple[str, ...]
    answer: str
    """Markdown, like the answers of entries."""
    language: Language
    near: tuple[NearEntry, ...] = ()
    version: int = 1
    """Grows with each change of its texts: what an editor decides is what they have seen."""
    state: DraftState = "open"
    decided_by: str = ""
    edit: int | None = None
    """The edit of the FAQ that it became."""
    made_at: str = ""
    """ISO 8601, UTC; given by the store, like `id`."""
    id: int = 0


class DraftStore(Protocol):
    """Each method is one transaction."""

    async def open(self, draft: FaqDraft) -> tuple[FaqDraft, bool]:
        """The ticket's draft that nothing has been decided on, and whether it is a new one."""
        ...

    async def draft(self, id: int) -> FaqDraft | None: ...

    async def waiting(self) -> tuple[FaqDraft, ...]:
        """Those that nothing has been decided on, oldest first."""
        ...

    async def of_ticket(self, ticket: int) -> FaqDraft | None:
        """The latest one."""
        ...

    async def rewrite(
        self, id: int, questions: Sequence[str], answer: str, near: Sequence[NearEntry]
    ) -> FaqDraft | None:
        """None when it has been decided on."""
        ...

    async def approve(self, id: int, version: int, edit: FaqEdit, state: DraftState) -> FaqEdit | None:
        """Decide on a draft and make the edit, or neither: None when others did, or changed its texts."""
        ...

    async def reject(self, id: int, by: str) -> bool:
        """False when it has been decided on."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqFlag:
    """An asker said that the entry's answer did not help."""

    entry: str
    version: str
    """The entry's, as it was then."""
    question_id: str
    flagged_at: str
    """ISO 8601, UTC."""
    reason: str = ""


class FlagStore(Protocol):
    async def standing(self) -> tuple[FaqFlag, ...]:
        """Those that nobody has cleared, oldest first. An edit of the entry clears its flags."""
        ...

    async def clear(self, entry: str, by: str) -> int:
        """How many there were."""
        ...
