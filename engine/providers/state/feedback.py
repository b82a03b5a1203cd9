"""How an answer was rated, kept with all that led to it; a stored answer that did not help is flagged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, Text, cast, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.providers.state.database import Database
from engine.providers.state.faq_edits import now
from engine.providers.state.tables import answers, exchanges, faq_flags
from engine.types import Rating


async def rated(database: Database, connection: AsyncConnection, exchange: int, rating: Rating, reason: str) -> None:
    """The rating goes to the latest answer of the exchange; a reason to the one that was rated before it."""
    values = {"rating": rating, "reason": reason}
    await connection.execute(update(exchanges).where(exchanges.c.id == exchange).values(values))
    answer = await _answer(connection, exchange, rated_before=bool(reason))
    if answer is None:
        return
    await connection.execute(update(answers).where(answers.c.id == answer.id).values(values))
    if answer.kind == "faq_direct" and answer.faq_entry is not None:
        await _flag(database, connection, answer, rating, reason)


async def rated_already(database: Database, connection: AsyncConnection, question_id: str) -> None:
    """An answer is before the asker's eyes before it is kept: a rating that was quicker goes to it now.

    That is the first answer of an exchange; the one after a rating has not been rated.
    """
    exchange = exchanges.c
    query = select(exchange.id, exchange.rating, exchange.reason)
    of_this = (cast(exchange.id, Text) == question_id) & exchange.rating.is_not(None)
    row = (await connection.execute(query.where(of_this))).one_or_none()
    if row is not None and len(await _answers(connection, row.id)) == 1:
        await rated(database, connection, row.id, row.rating, row.reason or "")


async def _answer(connection: AsyncConnection, exchange: int, *, rated_before: bool) -> Row[Any] | None:
    rows = await _answers(connection, exchange)
    known = [row for row in rows if row.rating is not None] if rated_before else []
    return next(iter([*known, *rows]), None)


async def _answers(connection: AsyncConnection, exchange: int) -> Sequence[Row[Any]]:
    """The latest first."""
    # Questions that were asked on the command line have ids of their own choosing, perhaps the same.
    since = select(exchanges.c.opened_at).where(exchanges.c.id == exchange).scalar_subquery()
    id = select(cast(exchanges.c.id, Text)).where(exchanges.c.id == exchange).scalar_subquery()
    query = select(answers).where(answers.c.question_id == id, answers.c.asked_at >= since)
    return (await connection.execute(query.order_by(answers.c.id.desc()))).all()


async def _flag(database: Database, connection: AsyncConnection, answer: Row[Any], rating: Rating, reason: str) -> None:
    of_this = (faq_flags.c.entry == answer.faq_entry) & (faq_flags.c.question_id == answer.question_id)
    if rating == "helpful":  # after all
        await connection.execute(delete(faq_flags).where(of_this, faq_flags.c.cleared_at.is_(None)))
        return
    row = {
        "entry": answer.faq_entry,
        "version": answer.faq_version or "",
        "question_id": answer.question_id,
        "flagged_at": now(),
        "reason": reason,
    }
    if await database.insert_new(connection, faq_flags, row) is None:
        await connection.execute(update(faq_flags).where(of_this).values(reason=reason))
