"""Tickets and their relays on the state database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, case, delete, select, update

from engine.providers.state.database import Database
from engine.providers.state.tables import desk_leases, relay_files, relays, ticket_anchors, tickets
from engine.tickets import Closing, Lease, Relay, Ticket

_TICKET = tuple(field.name for field in fields(Ticket))
_RELAY = tuple(field.name for field in fields(Relay))


class SqlTickets:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def open(self, ticket: Ticket) -> tuple[Ticket, bool]:
        values = {name: getattr(ticket, name) for name in _TICKET if name != "id"}
        values |= {"place": dict(ticket.place), "tried": dict(ticket.tried), "opened_at": _now()}
        values |= {"state": "open", "closing": None, "open_key": ticket.conversation}
        async with self._database.writing() as connection:
            id = await self._database.insert_new(connection, tickets, values)
            found = tickets.c.open_key == ticket.conversation if id is None else tickets.c.id == id
            return _ticket((await connection.execute(select(tickets).where(found))).one()), id is not None

    async def ticket(self, id: int) -> Ticket | None:
        return await self._one(tickets.c.id == id)

    async def latest(self, conversation: str) -> Ticket | None:
        return await self._one(tickets.c.conversation == conversation)

    async def take(self, ticket: int, by: str) -> bool:
        free = (tickets.c.state == "open") | ((tickets.c.state == "taken") & (tickets.c.taken_by == by))
        return await self._change((tickets.c.id == ticket) & free, state="taken", taken_by=by)

    async def give_back(self, ticket: int) -> bool:
        return await self._change((tickets.c.id == ticket) & (tickets.c.state == "taken"), state="open", taken_by="")

    async def close(self, ticket: int, closing: Closing) -> bool:
        ended = {"state": "closed", "closing": closing, "open_key": None, "closed_at": _now()}
        return await self._change((tickets.c.id == ticket) & (tickets.c.state != "closed"), **ended)

    async def house(self, ticket: int, home: Mapping[str, Any]) -> None:
        await self._change(tickets.c.id == ticket, home=dict(home))

    async def anchor(self, desk: str, key: str, ticket: int) -> None:
        async with self._database.writing() as connection:
            row = {"desk": desk, "key": key, "ticket": ticket}
            await self._database.upsert(connection, ticket_anchors, row)

    async def anchored(self, desk: str, keys: Sequence[str]) -> Ticket | None:
        anchors = ticket_anchors
        query = select(anchors.c.key, anchors.c.ticket).where(anchors.c.desk == desk, anchors.c.key.in_(keys))
        async with self._database.reading() as connection:
            found = {row.key: row.ticket for row in (await connection.execute(query)).all()}
        first = next((found[key] for key in keys if key in found), None)
        return None if first is None else await self.ticket(first)

    async def say(self, relay: Relay) -> bool:
        values = {name: getattr(relay, name) for name in _RELAY if name != "id"} | {"content": dict(relay.content)}
        async with self._database.writing() as connection:
            return await self._database.insert_new(connection, relays, values) is not None

    async def amend(self, key: str, content: Mapping[str, Any]) -> bool:
        async with self._database.writing() as connection:
            query = select(relays).where(relays.c.key == key).with_for_update()
            found = (await connection.execute(query)).one_or_none()
            if found is None or found.content == dict(content):
                return False
            values = {"content": dict(content), "version": found.version + 1, "failure": ""}
            await connection.execute(update(relays).where(relays.c.id == found.id).values(values))
        return True

    async def due(self, to: str) -> tuple[Relay, ...]:
        open_ones = (relays.c.to == to) & (relays.c.done < relays.c.version) & (relays.c.failure == "")
        return await self._relays(open_ones)

    async def note(self, relay: int, target: str | None, mark: str | None) -> None:
        await self._set(relay, target=target, mark=mark)

    async def done(self, relay: int, version: int) -> None:
        await self._end(relay, done=version)

    async def fail(self, relay: int, version: int, why: str) -> None:
        await self._end(relay, failure=case((relays.c.version == version, why), else_=relays.c.failure))

    async def relay(self, key: str) -> Relay | None:
        return next(iter(await self._relays(relays.c.key == key)), None)

    async def keep_file(self, key: str, body: bytes) -> None:
        due = (relays.c.key == key) & (relays.c.done < relays.c.version) & (relays.c.failure == "")
        async with self._database.writing() as connection:
            if (await connection.execute(select(relays.c.id).where(due).with_for_update())).first() is not None:
                await self._database.upsert(connection, relay_files, {"key": key, "body": body})

    async def file(self, key: str) -> bytes | None:
        query = select(relay_files.c.body).where(relay_files.c.key == key)
        async with self._database.reading() as connection:
            return (await connection.execute(query)).scalar_one_or_none()

    async def lease(self, desk: str, holder: str, stale: Lease | None = None) -> Lease:
        async with self._database.writing() as connection:
            first = {"desk": desk, "holder": holder, "beat": 1}
            if await self._database.insert_new(connection, desk_leases, first) is not None:
                return Lease(holder=holder, beat=1)
            query = select(desk_leases).where(desk_leases.c.desk == desk).with_for_update()
            found = (await connection.execute(query)).one()
            held = Lease(holder=found.holder, beat=found.beat)
            if held.holder != holder and held != stale:
                return held
            taken = Lease(holder=holder, beat=held.beat + 1)
            changed = {"holder": holder, "beat": taken.beat}
            await connection.execute(update(desk_leases).where(desk_leases.c.desk == desk).values(changed))
            return taken

    async def release(self, desk: str, holder: str) -> None:
        theirs = (desk_leases.c.desk == desk) & (desk_leases.c.holder == holder)
        async with self._database.writing() as connection:
            await connection.execute(delete(desk_leases).where(theirs))

    async def sent(self, to: str, limit: int) -> tuple[Relay, ...]:
        which = (relays.c.to == to) & relays.c.target.is_not(None)
        query = select(relays).where(which).order_by(relays.c.id.desc()).limit(limit)
        async with self._database.reading() as connection:
            return tuple(map(_relay, (await connection.execute(query)).all()))

    async def relays(self, ticket: int) -> tuple[Relay, ...]:
        return await self._relays(relays.c.ticket == ticket)

    async def _one(self, which: ColumnElement[bool]) -> Ticket | None:
        query = select(tickets).where(which).order_by(tickets.c.id.desc()).limit(1)
        async with self._database.reading() as connection:
            found = (await connection.execute(query)).one_or_none()
        return None if found is None else _ticket(found)

    async def _relays(self, which: ColumnElement[bool]) -> tuple[Relay, ...]:
        async with self._database.reading() as connection:
            rows = (await connection.execute(select(relays).where(which).order_by(relays.c.id))).all()
        return tuple(map(_relay, rows))

    async def _change(self, which: ColumnElement[bool], **values: Any) -> bool:
        async with self._database.writing() as connection:
            statement = update(tickets).where(which).values(values).returning(tickets.c.id)
            return (await connection.execute(statement)).first() is not None

    async def _end(self, relay: int, **values: Any) -> None:
        """A file that went along is no longer needed."""
        async with self._database.writing() as connection:
            key = select(relays.c.key).where(relays.c.id == relay).scalar_subquery()
            await connection.execute(update(relays).where(relays.c.id == relay).values(values))
            await connection.execute(delete(relay_files).where(relay_files.c.key == key))

    async def _set(self, relay: int, **values: Any) -> None:
        async with self._database.writing() as connection:
            await connection.execute(update(relays).where(relays.c.id == relay).values(values))


def _ticket(row: Row[Any]) -> Ticket:
    return Ticket(**{name: row._mapping[name] for name in _TICKET})


def _relay(row: Row[Any]) -> Relay:
    return Relay(**{name: row._mapping[name] for name in _RELAY})


def _now() -> str:
    return _iso(datetime.now(UTC))


def _iso(moment: datetime) -> str:
    """Fixed width, so that the order of texts is the order of time."""
    return moment.isoformat(timespec="microseconds")
