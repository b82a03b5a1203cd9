"""What is done in tickets for an asker who wants to be forgotten: closed, and overwritten where people see them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, select, update
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
    """What people see of it is changed there, what they do not see yet is not sent. People's own words still are."""
    of_them = relays.c.ticket.in_(select(tickets.c.id).where(theirs))
    for row in (await connection.execute(select(relays).where(of_them).with_for_update())).all():
        values = _overwritten(row.kind, row.key, row.content, shown=row.target is not None, farewell=farewell)
        if values is None:
            continue
        version = row.version + 1
        done = row.done if values else version
        changed = {"content": values or {}, "version": version, "done": done}
        await connection.execute(update(relays).where(relays.c.id == row.id).values(changed))


def _overwritten(
    kind: str, key: str, content: Mapping[str, Any], *, shown: bool, farewell: Farewell
) -> dict[str, Any] | None:
    """The content to be shown instead; {} for nothing any more, None where nothing is to be done."""
    if kind == "head":  # drawn from the ticket, which has no texts any longer
        return dict(content) if shown else None
    if kind == "note" and key.startswith("draft:"):
        return {"text": farewell.removed, "buttons": []} if shown else {}
    if kind == "file":
        return {}
    if kind != "asker":
        return None
    if not shown:
        return {}
    native = content.get("native")
    if native is None:
        return {"text": farewell.removed} if "text" in content else {}
    # A picture without words has none to be taken away.
    return {"native": {**native, "text": farewell.removed, "entities": []}} if native.get("text") else {}
