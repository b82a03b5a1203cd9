"""The stores of `engine.ports` on the state database. Each method is one statement or one transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Column, Row, Table, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.conversations import tried
from engine.providers.state import tables
from engine.providers.state.database import Database
from engine.providers.state.routes import route_from_json, route_to_json
from engine.types import DocumentRecord, Miss, ObjectEntry, Outcome, Question, Route, TocEntry


class SqlDocumentStore:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def publish(self, record: DocumentRecord, toc: Sequence[TocEntry], objects: Sequence[ObjectEntry]) -> None:
        async with self._database.writing() as connection:
            # The document's row first: on PostgreSQL its lock lets one writer at a time past here.
            await self._database.upsert(connection, tables.documents, _document_values(record))
            for table in (tables.toc, tables.object_registry):
                await connection.execute(delete(table).where(table.c.document == record.path))
            await _insert_all(connection, tables.toc, [_toc_values(entry) for entry in toc])
            rows = [_object_values(position, entry) for position, entry in enumerate(objects)]
            await _insert_all(connection, tables.object_registry, rows)

    async def withdraw(self, path: str) -> None:
        async with self._database.writing() as connection:
            # Its tables go with it, by the foreign keys.
            await connection.execute(delete(tables.documents).where(tables.documents.c.path == path))

    async def documents(self) -> tuple[DocumentRecord, ...]:
        async with self._database.reading() as connection:
            rows = (await connection.execute(select(tables.documents))).all()
        # Sorted here: PostgreSQL would sort by the rules of its locale.
        return tuple(sorted(map(_document, rows), key=lambda record: record.path))

    async def toc(self, document: str) -> tuple[TocEntry, ...]:
        return tuple(map(_toc_entry, await self._rows_of(tables.toc, document)))

    async def objects(self, document: str) -> tuple[ObjectEntry, ...]:
        return tuple(map(_object_entry, await self._rows_of(tables.object_registry, document)))

    async def sections_numbered(self, numbers: Sequence[str]) -> tuple[TocEntry, ...]:
        return tuple(map(_toc_entry, await self._rows_like(tables.toc, tables.toc.c.number, numbers)))

    async def objects_labelled(self, labels: Sequence[str]) -> tuple[ObjectEntry, ...]:
        objects = tables.object_registry
        return tuple(map(_object_entry, await self._rows_like(objects, objects.c.label, labels)))

    async def _rows_like(self, table: Table, column: Column[str], values: Sequence[str]) -> Sequence[Row[Any]]:
        if not values:
            return ()
        async with self._database.reading() as connection:
            rows = (await connection.execute(select(table).where(column.in_(values)))).all()
        return sorted(rows, key=lambda row: (row.document, row.position))

    async def _rows_of(self, table: Table, document: str) -> Sequence[Row[Any]]:
        query = select(table).where(table.c.document == document).order_by(table.c.position)
        async with self._database.reading() as connection:
            return (await connection.execute(query)).all()


class SqlMissStore:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, question: Question, outcome: Outcome) -> None:
        values = {
            "asked_at": _now(),
            "question": question.text,
            "language": outcome.language,
            "conversation": question.conversation,
            "best_score": 0.0 if outcome.faq is None else float(outcome.faq.score),
            "reason": outcome.miss_reason or "nothing_found",
            "route": None if outcome.route is None else route_to_json(outcome.route),
            "question_id": outcome.id,
            "tried": _led_to(outcome),
        }
        async with self._database.writing() as connection:
            await connection.execute(insert(tables.misses).values(values))

    async def list(self, limit: int) -> tuple[Miss, ...]:
        told = tables.misses.c.question != ""  # else its text was removed, and it only counts
        query = select(tables.misses).where(told).order_by(tables.misses.c.id.desc()).limit(limit)
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        return tuple(map(miss_of, rows))


class SqlRouteCache:
    """Holds `limit` routes, and up to `slack` more until it is next trimmed."""

    def __init__(self, database: Database, *, limit: int = 10_000, slack: int = 250) -> None:
        self._database = database
        self._limit = limit
        self._slack = slack
        self._until_trimmed = 0  # so that processes that live for a few questions trim, too

    async def get(self, key: str, version: str) -> Route | None:
        cache = tables.route_cache
        query = select(cache.c.route).where(cache.c.key == _digest(key), cache.c.version == version)
        async with self._database.reading() as connection:
            found = (await connection.execute(query)).scalar_one_or_none()
        return None if found is None else route_from_json(found)

    async def put(self, key: str, version: str, route: Route) -> None:
        values = {"key": _digest(key), "version": version, "route": route_to_json(route), "stored_at": _now()}
        async with self._database.writing() as connection:
            await self._database.upsert(connection, tables.route_cache, values)
        if self._until_trimmed == 0:
            self._until_trimmed = self._slack
            await self._trim()
        else:
            self._until_trimmed -= 1

    async def _trim(self) -> None:
        cache = tables.route_cache
        newest_too_many = select(cache.c.stored_at).order_by(cache.c.stored_at.desc()).offset(self._limit).limit(1)
        async with self._database.writing() as connection:
            await connection.execute(delete(cache).where(cache.c.stored_at <= newest_too_many.scalar_subquery()))


class SqlMetaStore:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, key: str) -> str | None:
        async with self._database.reading() as connection:
            return await _meta_value(connection, key)

    async def put(self, key: str, value: str) -> None:
        async with self._database.writing() as connection:
            await self._database.upsert(connection, tables.meta, {"key": key, "value": value})


# --- values to rows and back ----------------------------------------------------------------------------------------


async def _insert_all(connection: AsyncConnection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:  # without parameters SQLAlchemy would insert one row of defaults
        await connection.execute(insert(table), rows)


async def _meta_value(connection: AsyncConnection, key: str) -> str | None:
    query = select(tables.meta.c.value).where(tables.meta.c.key == key)
    value: str | None = (await connection.execute(query)).scalar_one_or_none()
    return value


def _now() -> str:
    """Fixed width, so that the order of texts is the order of time."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def _digest(key: str) -> str:
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _document_values(record: DocumentRecord) -> dict[str, Any]:
    return {
        "path": record.path,
        "revision": record.revision,
        "content_hash": record.content_hash,
        "domain": record.domain,
        "collection": record.collection,
        "title": record.title,
        "language": record.language,
        "audience": sorted(record.audience),
        "chunks": record.chunks,
        "centroid": record.centroid,
    }


def _document(row: Row[Any]) -> DocumentRecord:
    return DocumentRecord(
        path=row.path,
        revision=row.revision,
        content_hash=row.content_hash,
        domain=row.domain,
        collection=row.collection,
        title=row.title,
        language=row.language,
        audience=frozenset(row.audience),
        chunks=row.chunks,
        centroid=row.centroid,
    )


def _toc_values(entry: TocEntry) -> dict[str, Any]:
    return {
        "document": entry.document,
        "position": entry.index,
        "number": entry.number,
        "title": entry.title,
        "level": entry.level,
        "parent": entry.parent,
        "page": entry.page,
        "anchor": entry.anchor,
        "chunk_ids": entry.chunk_ids,
    }


def _toc_entry(row: Row[Any]) -> TocEntry:
    return TocEntry(
        document=row.document,
        index=row.position,
        number=row.number,
        title=row.title,
        level=row.level,
        parent=row.parent,
        page=row.page,
        anchor=row.anchor,
        chunk_ids=tuple(row.chunk_ids),
    )


def _object_values(position: int, entry: ObjectEntry) -> dict[str, Any]:
    return {
        "document": entry.document,
        "position": position,
        "kind": entry.kind,
        "label": entry.label,
        "title": entry.title,
        "section_index": entry.section_index,
        "page": entry.page,
        "chunk_ids": entry.chunk_ids,
    }


def _object_entry(row: Row[Any]) -> ObjectEntry:
    return ObjectEntry(
        document=row.document,
        kind=row.kind,
        label=row.label,
        title=row.title,
        section_index=row.section_index,
        page=row.page,
        chunk_ids=tuple(row.chunk_ids),
    )


def _led_to(outcome: Outcome) -> dict[str, Any]:
    """What was near, without the answers: they stand in the FAQ."""
    found = tried(outcome)
    nearest = [{name: one[name] for name in ("entry", "question", "score")} for one in found.get("nearest", ())]
    return {"passages": found.get("passages", []), "nearest": nearest}


def miss_of(row: Row[Any]) -> Miss:
    return Miss(
        id=row.id,
        asked_at=row.asked_at,
        question=row.question,
        language=row.language,
        conversation=row.conversation,
        best_score=row.best_score,
        reason=row.reason,
        route=None if row.route is None else route_from_json(row.route),
        tried=row.tried or {},
    )
