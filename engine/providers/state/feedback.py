"""How an answer was rated, kept with all that led to it; a stored answer that did not help is flagged."""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import Row, Text, cast, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.providers.state.database import Database
from engine.providers.state.faq_edits import now
from engine.providers.state.tables import answers, exchanges, faq_flags
from engine.types import Rating

_EXCHANGE = re.compile(r"[1-9][0-9]{0,8}")


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


async def rating_before(connection: AsyncConnection, question_id: str) -> tuple[Rating, str] | None:
    """The rating, with its reason, of an exchange whose answer is only logged now: whoever rates may be faster.

    The exchange is held until then, so that the rating finds the answer otherwise.
    """
    if not _EXCHANGE.fullmatch(question_id):
        return None
    of_this = exchanges.c.id == int(question_id)
    query = select(exchanges.c.rating, exchanges.c.reason).where(of_this).with_for_update()
    row = (await connection.execute(query)).one_or_none()
    if row is None or row.rating is None:
        return None
    told = select(answers.c.id).where(answers.c.question_id == question_id, answers.c.rating.is_not(None)).limit(1)
    known = (await connection.execute(told)).first() is not None
    return None if known else (row.rating, row.reason or "")


async def _answer(connection: AsyncConnection, exchange: int, *, rated_before: bool) -> Row[Any] | None:
    # Questions that were asked on the command line have ids of their own choosing, perhaps the same.
    since = select(exchanges.c.opened_at).where(exchanges.c.id == exchange).scalar_subquery()
    id = select(cast(exchanges.c.id, Text)).where(exchanges.c.id == exchange).scalar_subquery()
    query = select(answers).where(answers.c.question_id == id, answers.c.asked_at >= since)
    rows = (await connection.execute(query.order_by(answers.c.id.desc()))).all()
    known = [row for row in rows if row.rating is not None] if rated_before else []
    return next(iter([*known, *rows]), None)


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
