"""Edits of the FAQ on the state database."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.matching.edits import FaqEdit
from engine.providers.state.database import Database
from engine.providers.state.tables import faq_edits, faq_flags
from engine.types import FaqEntry

_ENTRY = TypeAdapter(FaqEntry)


class SqlFaqEdits:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, edit: FaqEdit) -> FaqEdit:
        async with self._database.writing() as connection:
            return await insert_edit(self._database, connection, edit)

    async def all(self) -> tuple[FaqEdit, ...]:
        async with self._database.reading() as connection:
            rows = (await connection.execute(select(faq_edits).order_by(faq_edits.c.id))).all()
        return tuple(
            FaqEdit(
                id=row.id,
                made_at=row.made_at,
                editor=row.editor,
                kind=row.kind,
                entry=row.entry,
                body=None if row.body is None else _ENTRY.validate_python(row.body),
                before=None if row.before is None else _ENTRY.validate_python(row.before),
                undoes=row.undoes,
            )
            for row in rows
        )


async def insert_edit(database: Database, connection: AsyncConnection, edit: FaqEdit) -> FaqEdit:
    """Keep an edit; whatever was flagged about the entry has been looked at then."""
    made_at = now()
    values = {
        "made_at": made_at,
        "editor": edit.editor,
        "kind": edit.kind,
        "entry": edit.entry,
        "body": _stored(edit.body),
        "before": _stored(edit.before),
        "undoes": edit.undoes,
    }
    id = await database.insert_new(connection, faq_edits, values)
    await clear_flags(connection, edit.entry, edit.editor)
    return replace(edit, id=id or 0, made_at=made_at)


async def clear_flags(connection: AsyncConnection, entry: str, by: str) -> int:
    """How many there were."""
    flagged = (faq_flags.c.entry == entry) & faq_flags.c.cleared_at.is_(None)
    values = {"cleared_at": now(), "cleared_by": by}
    return (await connection.execute(update(faq_flags).where(flagged).values(values))).rowcount


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


def _stored(entry: FaqEntry | None) -> Any:
    return None if entry is None else _ENTRY.dump_python(entry, mode="json")
