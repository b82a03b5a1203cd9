"""Where people's texts are, and how they are removed: those of one person, or all that are old. What happened stays.

The one list of all columns. A test holds every table of the schema to it: a column with texts is either cleared here,
or named as one that holds no texts of people.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Table, Text, cast, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.providers.state.database import Database
from engine.providers.state.farewell import close_tickets, overwrite_relays
from engine.providers.state.tables import exchanges, faq_drafts, inbox, misses, relay_files, relays, tickets, vetoes
from engine.tickets import Farewell, Forgotten

_closed = select(tickets.c.id).where(tickets.c.state == "closed")
_said = relays.c.done >= relays.c.version
_open_exchanges = select(exchanges.c.id).where(exchanges.c.ending == "open")


Rows = ColumnElement[bool]
Whose = Callable[[Table], Rows]
"""Somebody's rows in a table with `desk` and `asker`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """Texts of one table."""

    table: Table
    cleared: Mapping[str, Any]
    """What each column is set to."""
    full: Rows
    """Rows that have texts."""
    since: Callable[[str], Rows]
    """Which rows are older than a moment."""
    of: Callable[[Whose], Rows]
    free: Rows | None = None
    """Rows that nothing is to be done with any longer; others keep their texts until then."""
    named: bool = False
    """Its `place` may tell the asker's name."""


def _of_tickets(column: ColumnElement[Any]) -> Callable[[Whose], Rows]:
    return lambda whose: column.in_(select(tickets.c.id).where(whose(tickets)))


def _old_ticket(column: ColumnElement[Any]) -> Callable[[str], Rows]:
    return lambda moment: column.in_(select(tickets.c.id).where(tickets.c.closed_at < moment))


COVERED: tuple[Covered, ...] = (
    Covered(
        table=inbox,
        cleared={"text": ""},
        full=inbox.c.text != "",
        since=lambda moment: inbox.c.received_at < moment,
        of=lambda whose: whose(inbox),
        free=inbox.c.exchange.is_not(None) & inbox.c.exchange.not_in(_open_exchanges),
        named=True,
    ),
    Covered(
        table=misses,
        cleared={"question": ""},
        full=misses.c.question != "",
        since=lambda moment: misses.c.asked_at < moment,
        of=lambda whose: _asked(misses, whose(exchanges)),
    ),
    Covered(
        table=vetoes,
        cleared={"question": ""},
        full=vetoes.c.question != "",
        since=lambda moment: vetoes.c.asked_at < moment,
        of=lambda whose: _asked(vetoes, whose(exchanges)),
    ),
    Covered(
        table=exchanges,
        cleared={"text": "", "answer": None},
        full=(exchanges.c.text != "") | exchanges.c.answer.is_not(None),
        since=lambda moment: exchanges.c.opened_at < moment,
        of=lambda whose: whose(exchanges),
        free=exchanges.c.ending != "open",
        named=True,
    ),
    Covered(
        table=faq_drafts,
        cleared={"questions": [], "answer": "", "near": []},
        full=faq_drafts.c.answer != "",
        since=lambda moment: faq_drafts.c.made_at < moment,
        of=_of_tickets(faq_drafts.c.ticket),
    ),
    Covered(
        table=relays,
        cleared={"content": {}},
        full=cast(relays.c.content, Text) != "{}",
        since=_old_ticket(relays.c.ticket),
        of=_of_tickets(relays.c.ticket),
        free=relays.c.ticket.in_(_closed) & (_said | (relays.c.failure != "")),
    ),
    Covered(
        table=tickets,
        cleared={"question": "", "name": "", "tried": {}},
        full=(tickets.c.question != "") | (tickets.c.name != "") | (cast(tickets.c.tried, Text) != "{}"),
        since=lambda moment: tickets.c.closed_at < moment,
        of=lambda whose: whose(tickets),
        free=tickets.c.state == "closed",
        named=True,
    ),
)
FILES: Mapping[str, frozenset[str]] = {"relay_files": frozenset({"body"})}
"""Removed with their rows, when the relay that needs them has gone."""


class SqlTextsOfPeople:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def sweep(self, older_than: timedelta) -> None:
        """Remove what is older and not needed any more."""
        moment = (datetime.now(UTC) - older_than).isoformat(timespec="microseconds")
        for covered in COVERED:
            async with self._database.writing() as connection:
                await _clear(connection, covered, covered.since(moment))
        async with self._database.writing() as connection:
            await _remove_files(connection, _old_ticket(relays.c.ticket)(moment))

    async def forget(self, platform: str, asker: str, farewell: Farewell) -> Forgotten:
        """All that somebody has written on a platform, such as `telegram`, to whichever bot of it."""
        async with self._database.writing() as connection:
            return await forget(self._database, connection, _on(platform, asker), farewell)


async def forget(database: Database, connection: AsyncConnection, whose: Whose, farewell: Farewell) -> Forgotten:
    """All texts of somebody. What was passed on to people is taken away where they see it."""
    closed = await close_tickets(database, connection, whose(tickets), farewell)
    await overwrite_relays(connection, whose(tickets), farewell)
    await _remove_files(connection, _of_tickets(relays.c.ticket)(whose))
    count = select(func.count()).select_from(exchanges).where(whose(exchanges))
    questions: int = (await connection.execute(count)).scalar_one()
    for covered in COVERED:
        await _clear(connection, covered, covered.of(whose))
    return Forgotten(questions=questions, tickets_closed=closed)


async def _clear(connection: AsyncConnection, covered: Covered, which: Rows) -> None:
    if covered.free is not None:
        which &= covered.free
    table = covered.table
    if covered.named:
        await _unname(connection, table, which)
    if table is faq_drafts:
        waiting = {"state": "expired", "open_key": None}
        await connection.execute(update(table).where(which, table.c.state == "open").values(waiting))
    await connection.execute(update(table).where(which, covered.full).values(dict(covered.cleared)))


async def _unname(connection: AsyncConnection, table: Table, which: Rows) -> None:
    named = cast(table.c.place, Text).like('%"name"%')
    rows = (await connection.execute(select(table.c.id, table.c.place).where(which, named))).all()
    for row in rows:
        place = {key: value for key, value in row.place.items() if key != "name"}
        await connection.execute(update(table).where(table.c.id == row.id).values(place=place))


async def _remove_files(connection: AsyncConnection, which: Rows) -> None:
    keys = select(relays.c.key).where(which)
    await connection.execute(delete(relay_files).where(relay_files.c.key.in_(keys)))


def _asked(table: Table, asked: Rows) -> Rows:
    """Questions from the command line may have the same ids, but belong to no conversation."""
    return (
        select(exchanges.c.id)
        .where(
            asked,
            cast(exchanges.c.id, Text) == table.c.question_id,
            exchanges.c.conversation == table.c.conversation,
        )
        .exists()
    )


def _on(platform: str, asker: str) -> Whose:
    return lambda table: (
        (table.c.asker == asker)
        & ((table.c.desk == platform) | table.c.desk.startswith(f"{platform}:", autoescape=True))
    )


KNOWLEDGE = frozenset(
    {"documents", "toc", "object_registry", "faq_entries", "faq_wordings", "faq_edits", "route_cache", "meta"}
)
"""Tables that hold what the owner knows, or approved."""
OTHER: Mapping[str, frozenset[str]] = {
    "misses": frozenset({"asked_at", "language", "conversation", "reason", "route", "tried", "question_id"}),
    "vetoes": frozenset({"asked_at", "conversation", "question_id", "entry", "wording", "vetoed_by"}),
    "answers": frozenset(
        {
            "question_id", "asked_at", "kind", "language", "domain", "collection", "faq_entry", "cited", "references",
            "usage", "timings_ms", "faq_version", "chunks", "made_with", "rating", "reason",
        }
    ),
    "inbox": frozenset(
        {
            "desk", "key", "received_at", "conversation", "asker", "place", "command", "unread", "language", "amends",
        }
    ),
    "exchanges": frozenset(
        {
            "desk", "opened_at", "conversation", "asker", "place", "command", "unread", "language", "ending", "posted",
            "sending", "rating", "reason",
        }
    ),
    "conversations": frozenset({"id", "owner", "owned_until", "language"}),
    "tickets": frozenset(
        {
            "open_key", "desk", "conversation", "asker", "language", "reason", "detail", "place", "state", "taken_by",
            "closing", "home", "opened_at", "closed_at",
        }
    ),
    "ticket_anchors": frozenset({"desk", "key"}),
    "relays": frozenset({"to", "key", "kind", "target", "mark", "failure"}),
    "relay_files": frozenset({"key"}),
    "desk_leases": frozenset({"desk", "holder"}),
    "replicas": frozenset({"desk", "holder"}),
    "claims": frozenset({"desk", "key", "holder"}),
    "installations": frozenset({"app", "workspace", "content"}),
    "install_states": frozenset({"state", "issued_at"}),
    "faq_drafts": frozenset({"made_at", "maker", "language", "state", "decided_by", "decided_at"}),
    "faq_flags": frozenset({"entry", "version", "question_id", "flagged_at", "reason", "cleared_at", "cleared_by"}),
    "miss_states": frozenset({"state", "changed_at", "changed_by"}),
}  # fmt: skip
"""Columns of ids, choices and times, and of what the owner knows: `misses.tried` names passages and entries."""
