"""Which messages a desk is known to have sent to a place: in exchanges, and in tickets."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Column, ColumnElement, cast, select
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.providers.state.tables import exchanges, relays, tickets

_TO_ASKERS = ("people", "word")


async def posted_at(connection: AsyncConnection, desk: str, name: str, value: int) -> frozenset[str]:
    """What belongs to no ticket may have been sent anywhere."""

    def there(place: Column[JSON]) -> ColumnElement[bool]:
        return cast(place[name].as_string(), BigInteger) == value

    answers = select(exchanges.c.posted).where(exchanges.c.desk == desk, there(exchanges.c.place))
    ids = {id for row in (await connection.execute(answers)).all() for id in row.posted}
    to_asker = relays.c.kind.in_(_TO_ASKERS)
    carried = (
        select(relays.c.target)
        .outerjoin(tickets, tickets.c.id == relays.c.ticket)
        .where(relays.c.to == desk, relays.c.target.is_not(None))
        .where(
            tickets.c.id.is_(None)
            | (to_asker & there(tickets.c.place))
            | (~to_asker & (tickets.c.home.is_(None) | there(tickets.c.home)))
        )
    )
    return frozenset(ids | set((await connection.execute(carried)).scalars().all()))
