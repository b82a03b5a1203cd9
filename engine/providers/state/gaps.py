"""Misses and what editors make of them, on the state database; a `GapStore`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, select, true

from engine.matching.gaps import Asked, GapMark
from engine.providers.state import tables
from engine.providers.state.database import Database
from engine.providers.state.stores import miss_of
from engine.providers.state.tables import exchanges, miss_states
from engine.text.normal import detect_language
from engine.types import GapState, Miss


class SqlGaps:
    def __init__(self, database: Database, desk: str | None = None) -> None:
        """Of one desk only, such as `slack:T0123:U0123`, when it is given."""
        self._database = database
        self._missed_there: ColumnElement[bool] = true()
        self._asked_there: ColumnElement[bool] = true()
        if desk is not None:
            self._missed_there = tables.misses.c.conversation.startswith(f"{desk}:", autoescape=True)
            self._asked_there = exchanges.c.desk == desk

    async def misses(self, since: str, limit: int) -> tuple[Miss, ...]:
        misses = tables.misses
        marked = misses.c.id.in_(select(miss_states.c.miss))
        asking = (misses.c.question != "") & (misses.c.reason != "not_a_question")
        query = select(misses).where(asking, (misses.c.asked_at >= since) | marked, self._missed_there)
        async with self._database.reading() as connection:
            rows = (await connection.execute(query.order_by(misses.c.id.desc()).limit(limit))).all()
        return tuple(miss_of(row) for row in reversed(rows))

    async def answered(self, since: str, limit: int) -> tuple[Asked, ...]:
        columns = (exchanges.c.text, exchanges.c.opened_at, exchanges.c.answer)
        query = select(*columns).where(exchanges.c.opened_at >= since, exchanges.c.text != "", self._asked_there)
        async with self._database.reading() as connection:
            rows = (await connection.execute(query.order_by(exchanges.c.id.desc()).limit(limit))).all()
        return tuple(
            Asked(question=row.text, asked_at=row.opened_at, language=detect_language(row.text))
            for row in reversed(rows)
            if row.answer and row.answer["kind"] == "answered"
        )

    async def marks(self) -> Mapping[int, GapMark]:
        async with self._database.reading() as connection:
            rows = (await connection.execute(select(miss_states))).all()
        return {
            row.miss: GapMark(state=row.state, changed_at=row.changed_at, changed_by=row.changed_by or "")
            for row in rows
        }

    async def questions(self, misses: Sequence[int]) -> Mapping[int, str]:
        asked = tables.misses
        query = select(asked.c.id, asked.c.question).where(asked.c.id.in_(misses), asked.c.question != "")
        async with self._database.reading() as connection:
            return {row.id: row.question for row in (await connection.execute(query)).all()}

    async def mark(self, misses: Sequence[int], state: GapState, by: str) -> None:
        now = datetime.now(UTC).isoformat(timespec="microseconds")
        async with self._database.writing() as connection:
            for miss in misses:
                row = {"miss": miss, "state": state, "changed_at": now, "changed_by": by}
                await self._database.upsert(connection, miss_states, row)
