"""Vetoed questions on the state database; the oldest give way to new ones."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, delete, func, insert, select

from engine.matching.vetoes import Vetoed
from engine.providers.state.database import Database
from engine.providers.state.tables import vetoes
from engine.text.normal import question_form


class SqlVetoes:
    """Holds the last `limit` of them, and up to `slack` more until it is next trimmed."""

    def __init__(self, database: Database, *, limit: int = 2000, slack: int = 100) -> None:
        self._database = database
        self._limit = limit
        self._slack = slack
        self._until_trimmed = 0

    async def add(self, vetoed: Vetoed) -> None:
        values = {
            "asked_at": datetime.now(UTC).isoformat(timespec="microseconds"),
            "question": vetoed.question,
            "conversation": vetoed.conversation,
            "question_id": vetoed.question_id,
            "entry": vetoed.entry,
            "wording": vetoed.wording,
            "vetoed_by": vetoed.vetoed_by,
            "score": float(vetoed.score),
        }
        async with self._database.writing() as connection:
            await connection.execute(insert(vetoes).values(values))
            self._until_trimmed -= 1
            if self._until_trimmed < 0:
                self._until_trimmed = self._slack
                newest = (await connection.execute(select(func.max(vetoes.c.id)))).scalar_one()
                await connection.execute(delete(vetoes).where(vetoes.c.id <= newest - self._limit))

    async def newest(self, limit: int) -> tuple[Vetoed, ...]:
        told = vetoes.c.question != ""  # else its text was removed
        query = select(vetoes).where(told).order_by(vetoes.c.id.desc()).limit(self._limit)
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        found: dict[tuple[str, str, str], Vetoed] = {}
        for row in rows:
            one = _vetoed(row)
            key = (one.entry, one.vetoed_by, question_form(one.question))
            before = found.get(key)
            found[key] = one if before is None else replace(before, times=before.times + 1)
        return tuple(found.values())[:limit]


def _vetoed(row: Row[Any]) -> Vetoed:
    return Vetoed(
        question=row.question,
        conversation=row.conversation,
        question_id=row.question_id,
        entry=row.entry,
        wording=row.wording,
        vetoed_by=row.vetoed_by,
        score=row.score,
        last_at=row.asked_at,
    )
