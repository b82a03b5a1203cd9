"""Vetoed questions on the state database, among the small facts of `MetaStore`; the oldest give way to new ones."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime

from pydantic import TypeAdapter
from sqlalchemy import delete, select

from engine.matching.vetoes import Vetoed
from engine.providers.state.database import Database
from engine.providers.state.tables import meta
from engine.text.normal import question_form

_PREFIX = "veto:"
_ADAPTER = TypeAdapter(Vetoed)


class SqlVetoes:
    """Holds `limit` of them, and up to `slack` more until it is next trimmed."""

    def __init__(self, database: Database, *, limit: int = 1000, slack: int = 50) -> None:
        self._database = database
        self._limit = limit
        self._slack = slack
        self._until_trimmed = 0

    async def add(self, vetoed: Vetoed) -> None:
        told = "\n".join([vetoed.entry, vetoed.vetoed_by, question_form(vetoed.question)])
        key = _PREFIX + hashlib.sha256(told.encode()).hexdigest()[:20]
        async with self._database.writing() as connection:
            query = select(meta.c.value).where(meta.c.key == key).with_for_update()
            before: str | None = (await connection.execute(query)).scalar_one_or_none()
            times = 1 if before is None else _ADAPTER.validate_json(before).times + 1
            kept = replace(vetoed, times=times, last_at=datetime.now(UTC).isoformat(timespec="microseconds"))
            await self._database.upsert(connection, meta, {"key": key, "value": _ADAPTER.dump_json(kept).decode()})
        self._until_trimmed -= 1
        if self._until_trimmed < 0:
            self._until_trimmed = self._slack
            await self._trim()

    async def newest(self, limit: int) -> tuple[Vetoed, ...]:
        return tuple(vetoed for _, vetoed in (await self._all())[:limit])

    async def _all(self) -> list[tuple[str, Vetoed]]:
        query = select(meta.c.key, meta.c.value).where(meta.c.key.startswith(_PREFIX, autoescape=True))
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        kept = [(row.key, _ADAPTER.validate_json(row.value)) for row in rows]
        return sorted(kept, key=lambda one: one[1].last_at, reverse=True)

    async def _trim(self) -> None:
        oldest = [key for key, _ in (await self._all())[self._limit :]]
        if oldest:
            async with self._database.writing() as connection:
                await connection.execute(delete(meta).where(meta.c.key.in_(oldest)))
