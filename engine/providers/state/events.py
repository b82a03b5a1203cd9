"""What happened in chats, without its texts, for reports: tickets opened, answers rated."""

from __future__ import annotations

from sqlalchemy import select

from engine.conversations import RatedAnswer
from engine.providers.state.database import Database
from engine.providers.state.tables import exchanges, tickets
from engine.tickets import OpenedTicket


class SqlEvents:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def tickets(self, since: str) -> tuple[OpenedTicket, ...]:
        """Those opened at this moment (ISO 8601, UTC) or later, oldest first."""
        query = select(tickets.c.opened_at, tickets.c.reason).where(tickets.c.opened_at >= since)
        async with self._database.reading() as connection:
            rows = (await connection.execute(query.order_by(tickets.c.id))).all()
        return tuple(OpenedTicket(opened_at=row.opened_at, reason=row.reason) for row in rows)

    async def ratings(self, since: str) -> tuple[RatedAnswer, ...]:
        """Of what was asked at this moment or later, oldest first; of which the answer is kept still."""
        columns = (exchanges.c.opened_at, exchanges.c.answer, exchanges.c.rating)
        query = select(*columns).where(exchanges.c.opened_at >= since, exchanges.c.rating.is_not(None))
        async with self._database.reading() as connection:
            rows = (await connection.execute(query.order_by(exchanges.c.id))).all()
        return tuple(
            RatedAnswer(asked_at=row.opened_at, kind=row.answer["kind"], rating=row.rating)
            for row in rows
            if row.answer
        )
