"""What is done in tickets for an asker who wants to be forgotten: closed, and taken away where people see them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.providers.state.database import Database
from engine.providers.state.tables import conversations, relays, tickets
from engine.tickets import Farewell


async def close_tickets(
    database: Database, connection: AsyncConnection, theirs: ColumnElement[bool], farewell: Farewell
) -> int:
    """Close their open tickets, with a note; the bot has the conversations again. Returns how many there were."""
    query = select(tickets.c.id, tickets.c.conversation).where(theirs, tickets.c.state != "closed")
    rows = (await connection.execute(query)).all()
    for row in rows:
        now = datetime.now(UTC).isoformat(timespec="microseconds")
        closed = {"state": "closed", "closing": "forgotten", "open_key": None, "closed_at": now}
        await connection.execute(update(tickets).where(tickets.c.id == row.id).values(closed))
        given_back = {"owner": "bot", "owned_until": None}
        await connection.execute(update(conversations).where(conversations.c.id == row.conversation).values(given_back))
        key = f"head:{row.id}"
        head = (await connection.execute(select(relays).where(relays.c.key == key))).one_or_none()
        if head is None:
            continue
        shown = {"state": "closed", "closing": "forgotten", "by": ""}
        await connection.execute(update(relays).where(relays.c.key == key).values(content=shown))
        note = {
            "ticket": row.id,
            "to": head.to,
            "key": f"forgotten:{row.id}",
            "kind": "note",
            "content": {"text": farewell.note, "buttons": []},
            "version": 1,
            "done": 0,
            "failure": "",
        }
        await database.insert_new(connection, relays, note)
    return len(rows)


async def overwrite_relays(connection: AsyncConnection, theirs: ColumnElement[bool], farewell: Farewell) -> None:
    """What people see of it is taken away there, what they do not see yet is not sent. People's own words still are."""
    of_them = relays.c.ticket.in_(select(tickets.c.id).where(theirs))
    for row in (await connection.execute(select(relays).where(of_them).with_for_update())).all():
        content = _overwritten(row, farewell)
        if content is None:
            continue
        version = row.version + 1
        changed = {"content": content, "version": version, "done": row.done if content else version, "failure": ""}
        await connection.execute(update(relays).where(relays.c.id == row.id).values(changed))


def _overwritten(row: Row[Any], farewell: Farewell) -> dict[str, Any] | None:
    """The content to be carried out instead; {} for nothing any more, None where nothing is to be done."""
    shown = row.target is not None
    # Something may be out there whose id is not known yet.
    over = not shown and row.mark is None and (row.done >= row.version or row.failure != "")
    gone = {} if over else {"gone": farewell.removed}
    if row.kind == "head":  # drawn from the ticket, which has no texts any longer
        return dict(row.content) if shown else None
    if row.kind == "note" and row.key.startswith("draft:"):
        return {"text": farewell.removed, "buttons": []} if shown else gone
    return gone if row.kind in ("asker", "file") else None
