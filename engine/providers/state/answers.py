"""The log of answers on the state database."""

from __future__ import annotations

import dataclasses
from typing import Any

from sqlalchemy import ColumnElement, Row, Text, cast, insert, select, true

from engine.logged import LoggedAnswer, LoggedReference
from engine.providers.state import tables
from engine.providers.state.database import Database
from engine.providers.state.feedback import rated, rating_before
from engine.types import Usage


class SqlAnswerStore:
    def __init__(self, database: Database, desk: str | None = None) -> None:
        """When a desk is given, such as `slack:T0123:U0123`, those to its exchanges only."""
        self._database = database
        self._there: ColumnElement[bool] = true()
        if desk is not None:
            of_desk = tables.exchanges.c.desk == desk
            self._there = tables.answers.c.question_id.in_(select(cast(tables.exchanges.c.id, Text)).where(of_desk))

    async def add(self, answer: LoggedAnswer) -> None:
        async with self._database.writing() as connection:
            before = await rating_before(connection, answer.question_id)
            await connection.execute(insert(tables.answers).values(_values(answer)))
            if before is not None:
                await rated(self._database, connection, int(answer.question_id), *before)

    async def since(self, moment: str) -> tuple[LoggedAnswer, ...]:
        answers = tables.answers
        query = (
            select(answers).where(answers.c.asked_at >= moment, self._there).order_by(answers.c.asked_at, answers.c.id)
        )
        async with self._database.reading() as connection:
            return tuple(map(_answer, (await connection.execute(query)).all()))


def _values(answer: LoggedAnswer) -> dict[str, Any]:
    plain = {field.name: getattr(answer, field.name) for field in dataclasses.fields(answer)}
    return plain | {
        "references": [dataclasses.asdict(reference) for reference in answer.references],
        "usage": dataclasses.asdict(answer.usage),
        "timings_ms": dict(answer.timings_ms),
        "chunks": [list(chunk) for chunk in answer.chunks],
        "made_with": dict(answer.made_with),
    }


def _answer(row: Row[Any]) -> LoggedAnswer:
    return LoggedAnswer(
        question_id=row.question_id,
        asked_at=row.asked_at,
        kind=row.kind,
        language=row.language,
        domain=row.domain,
        collection=row.collection,
        faq_entry=row.faq_entry,
        faq_score=row.faq_score,
        passes=row.passes,
        cited=tuple(row.cited),
        references=tuple(LoggedReference(**reference) for reference in row.references),
        usage=Usage(**row.usage),
        timings_ms=row.timings_ms,
        faq_version=row.faq_version,
        chunks=tuple((id, score) for id, score in row.chunks or ()),
        made_with=row.made_with or {},
        rating=row.rating,
        reason=row.reason or "",
    )
