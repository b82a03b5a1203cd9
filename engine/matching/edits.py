"""Edits of the FAQ made while it runs: kept beside the files, laid over them, taken back by a further edit.

An edit is never changed or deleted, so the list says who did what and when, and laying it over again changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from engine.types import FaqEntry

EDITED = "desk"
"""The source of entries that come from no file."""
EditKind = Literal["put", "retire", "restore"]
"""Set an entry, take one out, or let the files have it again as it was `before`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqEdit:
    kind: EditKind
    entry: str
    editor: str
    body: FaqEntry | None = None
    before: FaqEntry | None = None
    """The entry as it was served until then."""
    undoes: int | None = None
    made_at: str = ""
    """ISO 8601, UTC; given by the store, like `id`."""
    id: int = 0


class FaqEditStore(Protocol):
    async def add(self, edit: FaqEdit) -> FaqEdit: ...

    async def all(self) -> tuple[FaqEdit, ...]:
        """In the order in which they were made."""
        ...


def laid_over(files: Sequence[FaqEntry], edits: Sequence[FaqEdit]) -> tuple[FaqEntry, ...]:
    """The entries of the files with the edits on top: changed ones in their place, new ones at the end."""
    latest = {edit.entry: edit for edit in edits}
    kept = []
    for entry in files:
        edit = latest.pop(entry.id, None)
        if edit is None or edit.kind == "restore":
            kept.append(entry)
        elif edit.kind == "put" and edit.body is not None:
            kept.append(edit.body)
    added = [edit.body for edit in latest.values() if edit.kind == "put" and edit.body is not None]
    return (*kept, *added)


def served_after(entries: Sequence[FaqEntry], edits: Sequence[FaqEdit]) -> tuple[FaqEntry, ...]:
    """The same for what is served now, where the files are not at hand: what they had before is in the edits."""
    return laid_over(
        entries, [replace(edit, kind="put") if edit.kind == "restore" and edit.body else edit for edit in edits]
    )


def undoing(edit: FaqEdit, editor: str) -> FaqEdit:
    """The edit that takes another one back."""
    if edit.before is None:
        return FaqEdit(kind="retire", entry=edit.entry, editor=editor, before=edit.body, undoes=edit.id)
    from_file = edit.before.source != EDITED
    kind: EditKind = "restore" if from_file else "put"
    return FaqEdit(kind=kind, entry=edit.entry, editor=editor, body=edit.before, before=edit.body, undoes=edit.id)
