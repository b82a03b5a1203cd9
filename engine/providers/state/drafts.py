"""Drafts of FAQ entries, and flags on entries, on the state database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import ColumnElement, Row, select, update

from engine.matching.drafts import DraftState, FaqDraft, FaqFlag, NearEntry
from engine.matching.edits import FaqEdit
from engine.providers.state.database import Database
from engine.providers.state.faq_edits import clear_flags, insert_edit, now
from engine.providers.state.tables import faq_drafts, faq_flags

_drafts = faq_drafts.c
_OPEN = _drafts.state == "open"


class SqlDrafts:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def open(self, draft: FaqDraft) -> tuple[FaqDraft, bool]:
        values = {
            "open_key": draft.ticket,
            "ticket": draft.ticket,
            "made_at": now(),
            "maker": draft.maker,
            "language": draft.language,
            "version": 1,
            "state": "open",
            "decided_by": "",
            **_texts(draft.questions, draft.answer, draft.near),
        }
        async with self._database.writing() as connection:
            id = await self._database.insert_new(connection, faq_drafts, values)
            found = _drafts.open_key == draft.ticket if id is None else _drafts.id == id
            return _draft((await connection.execute(select(faq_drafts).where(found))).one()), id is not None

    async def draft(self, id: int) -> FaqDraft | None:
        return next(iter(await self._read(_drafts.id == id)), None)

    async def waiting(self) -> tuple[FaqDraft, ...]:
        return await self._read(_OPEN)

    async def of_ticket(self, ticket: int) -> FaqDraft | None:
        return next(iter(reversed(await self._read(_drafts.ticket == ticket))), None)

    async def rewrite(
        self, id: int, questions: Sequence[str], answer: str, near: Sequence[NearEntry]
    ) -> FaqDraft | None:
        values = _texts(questions, answer, near) | {"version": _drafts.version + 1}
        statement = update(faq_drafts).where(_drafts.id == id, _OPEN).values(values).returning(faq_drafts)
        async with self._database.writing() as connection:
            found = (await connection.execute(statement)).one_or_none()
        return None if found is None else _draft(found)

    async def approve(self, id: int, version: int, edit: FaqEdit, state: DraftState) -> FaqEdit | None:
        which = (_drafts.id == id) & (_drafts.version == version)
        async with self._database.writing() as connection:
            values = _decided(state, edit.editor)
            statement = update(faq_drafts).where(which, _OPEN).values(values).returning(_drafts.id)
            if (await connection.execute(statement)).first() is None:
                return None
            made = await insert_edit(self._database, connection, edit)
            await connection.execute(update(faq_drafts).where(_drafts.id == id).values(edit=made.id))
        return made

    async def reject(self, id: int, by: str) -> bool:
        statement = update(faq_drafts).where(_drafts.id == id, _OPEN).values(_decided("rejected", by))
        async with self._database.writing() as connection:
            return (await connection.execute(statement.returning(_drafts.id))).first() is not None

    async def _read(self, which: ColumnElement[bool]) -> tuple[FaqDraft, ...]:
        async with self._database.reading() as connection:
            rows = (await connection.execute(select(faq_drafts).where(which).order_by(_drafts.id))).all()
        return tuple(map(_draft, rows))


class SqlFlags:
    """Flags are set by `feedback.rated` and cleared by edits, or here."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def standing(self) -> tuple[FaqFlag, ...]:
        query = select(faq_flags).where(faq_flags.c.cleared_at.is_(None)).order_by(faq_flags.c.id)
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        return tuple(
            FaqFlag(
                entry=row.entry,
                version=row.version,
                question_id=row.question_id,
                flagged_at=row.flagged_at,
                reason=row.reason,
            )
            for row in rows
        )

    async def clear(self, entry: str, by: str) -> int:
        async with self._database.writing() as connection:
            return await clear_flags(connection, entry, by)


def _texts(questions: Sequence[str], answer: str, near: Sequence[NearEntry]) -> dict[str, Any]:
    return {"questions": list(questions), "answer": answer, "near": [asdict(one) for one in near]}


def _decided(state: DraftState, by: str) -> dict[str, Any]:
    return {"state": state, "decided_by": by, "decided_at": now(), "open_key": None}


def _draft(row: Row[Any]) -> FaqDraft:
    return FaqDraft(
        id=row.id,
        ticket=row.ticket,
        made_at=row.made_at,
        maker=row.maker,
        questions=tuple(row.questions),
        answer=row.answer,
        language=row.language,
        near=tuple(NearEntry(**one) for one in row.near),
        version=row.version,
        state=row.state,
        decided_by=row.decided_by,
        edit=row.edit,
    )
