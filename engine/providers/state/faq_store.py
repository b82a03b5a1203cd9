"""The FAQ on the state database. What did not change is neither written nor read again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sqlalchemy import Row, Table, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.ports import Matrix, StoredFaq
from engine.providers.state import tables
from engine.providers.state.database import Database
from engine.types import FaqEntry

_FAQ_VERSION = "store:faq_version"
"""Its key among the facts of `MetaStore`."""
_STORED_FLOAT = np.dtype("<f4")
_AT_ONCE = 500


class SqlFaqStore:
    """Holds on to the FAQ that it read or wrote last."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._held: StoredFaq | None = None

    async def replace(self, faq: StoredFaq) -> None:
        """Raises ValueError when not every wording has its vector."""
        if len(faq.wordings) != len(faq.vectors):
            raise ValueError(f"{len(faq.wordings)} wordings with {len(faq.vectors)} vectors")
        async with self._database.writing() as connection:
            # The version's row first: on PostgreSQL its lock lets one writer at a time past here.
            before = self._known(await _version(connection, locked=True))
            await self._database.upsert(connection, tables.meta, {"key": _FAQ_VERSION, "value": faq.version})
            if before is None:
                await connection.execute(delete(tables.faq_wordings))
                await connection.execute(delete(tables.faq_entries))
            await self._put_entries(connection, before or StoredFaq(version=""), faq)
            await _put_wordings(connection, before or StoredFaq(version=""), faq)
        vectors = faq.vectors.astype(np.float32)
        vectors.flags.writeable = False
        self._held = replace(faq, vectors=vectors)

    async def load(self) -> StoredFaq:
        async with self._database.snapshot() as connection:
            version = await _version(connection)
            held = self._known(version)
            if held is not None:
                return held
            entries = (await connection.execute(select(tables.faq_entries).order_by("position"))).all()
            wordings = (await connection.execute(select(tables.faq_wordings).order_by("position"))).all()
        self._held = StoredFaq(
            version=version or "",
            entries=tuple(map(_faq_entry, entries)),
            wordings=tuple((row.entry, row.wording) for row in wordings),
            vectors=_matrix([row.vector for row in wordings]),
        )
        return self._held

    async def version(self) -> str:
        async with self._database.reading() as connection:
            return await _version(connection) or ""

    def _known(self, version: str | None) -> StoredFaq | None:
        return self._held if self._held is not None and self._held.version == version else None

    async def _put_entries(self, connection: AsyncConnection, before: StoredFaq, faq: StoredFaq) -> None:
        places = {entry.id: (place, entry) for place, entry in enumerate(before.entries)}
        entries = tables.faq_entries
        gone = list(places.keys() - {entry.id for entry in faq.entries})
        for start in range(0, len(gone), _AT_ONCE):
            # Their wordings go with them, by the foreign key.
            await connection.execute(delete(entries).where(entries.c.id.in_(gone[start : start + _AT_ONCE])))
        new: list[dict[str, Any]] = []
        for place, entry in enumerate(faq.entries):
            known = places.get(entry.id)
            if known is None:
                new.append(_entry_values(place, entry))
            elif known != (place, entry):
                await self._database.upsert(connection, entries, _entry_values(place, entry))
        await _insert_all(connection, entries, new)


async def _put_wordings(connection: AsyncConnection, before: StoredFaq, faq: StoredFaq) -> None:
    """Those between what both begin with and, if there are as many, what both end with."""
    table = tables.faq_wordings
    start, end = _changed(before, faq)
    await connection.execute(delete(table).where(table.c.position >= start, table.c.position < end[0]))
    vectors = np.ascontiguousarray(faq.vectors, dtype=_STORED_FLOAT)
    rows = [
        {"position": place, "entry": entry, "wording": wording, "vector": vectors[place].tobytes()}
        for place, (entry, wording) in enumerate(faq.wordings[start : end[1]], start=start)
    ]
    await _insert_all(connection, table, rows)


def _changed(before: StoredFaq, faq: StoredFaq) -> tuple[int, tuple[int, int]]:
    """From where on they differ, and up to where in the old one and in the new one."""
    shorter = min(len(before.wordings), len(faq.wordings))
    if before.vectors.shape[1:] != faq.vectors.shape[1:]:
        return 0, (len(before.wordings), len(faq.wordings))
    same = np.fromiter(
        (one == other for one, other in zip(before.wordings, faq.wordings, strict=False)), np.bool_, shorter
    )
    same &= (before.vectors[:shorter] == faq.vectors[:shorter]).all(axis=1)
    differing = np.flatnonzero(~same)
    start = int(differing[0]) if len(differing) else shorter
    if len(before.wordings) == len(faq.wordings):
        end = int(differing[-1]) + 1 if len(differing) else shorter
        return start, (end, end)
    return start, (len(before.wordings), len(faq.wordings))


async def _version(connection: AsyncConnection, *, locked: bool = False) -> str | None:
    query = select(tables.meta.c.value).where(tables.meta.c.key == _FAQ_VERSION)
    value: str | None = (await connection.execute(query.with_for_update() if locked else query)).scalar_one_or_none()
    return value


async def _insert_all(connection: AsyncConnection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:  # without parameters SQLAlchemy would insert one row of defaults
        await connection.execute(insert(table), rows)


def _matrix(vectors: Sequence[bytes]) -> Matrix:
    if not vectors:
        return np.zeros((0, 0), dtype=np.float32)
    return np.frombuffer(b"".join(vectors), dtype=_STORED_FLOAT).reshape(len(vectors), -1).astype(np.float32)


def _entry_values(position: int, entry: FaqEntry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "position": position,
        "questions": entry.questions,
        "answer": entry.answer,
        "language": entry.language,
        "audience": sorted(entry.audience),
        "domain": entry.domain,
        "tags": entry.tags,
        "valid_from": entry.valid_from,
        "valid_until": entry.valid_until,
        "source": entry.source,
        "chats": entry.chats,
        "languages": entry.languages,
    }


def _faq_entry(row: Row[Any]) -> FaqEntry:
    return FaqEntry(
        id=row.id,
        questions=tuple(row.questions),
        answer=row.answer,
        language=row.language,
        audience=frozenset(row.audience),
        domain=row.domain,
        tags=tuple(row.tags),
        valid_from=row.valid_from,
        valid_until=row.valid_until,
        source=row.source,
        chats=tuple(row.chats or ()),
        languages=tuple(row.languages or ()),
    )
