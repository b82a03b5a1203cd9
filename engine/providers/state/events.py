"""When tickets were opened, without their texts, for reports."""

from __future__ import annotations

from sqlalchemy import select

from engine.providers.state.database import Database
from engine.providers.state.tables import tickets
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
