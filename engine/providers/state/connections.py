"""Engines of SQLAlchemy for the two databases, set so that nothing is lost and nobody sees a locked database."""

from __future__ import annotations

import sqlite3
from typing import Any

from sqlalchemy import URL, Connection, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from engine.errors import ConfigurationError
from engine.providers.state.addresses import Address

BUSY_SECONDS = 5.0
"""How long a SQLite statement waits for another process."""
_SQLITE_READERS = 4
CONNECT_SECONDS = 10.0
_STATEMENT_SECONDS = 60.0
_POOL_SECONDS = 30.0


class _RollingBack(sqlite3.Connection):
    """A connection whose task was cancelled is closed, but lives on until the garbage collector finds its cursors.

    Without this it would keep the database locked until then.
    """

    def close(self) -> None:
        if self.in_transaction:
            self.rollback()
        super().close()


_SQLITE_ARGUMENTS = {
    # The driver's own BEGIN is deferred: it would fail on the first write behind another writer.
    "isolation_level": None,
    "factory": _RollingBack,
}


def sqlite_reader(address: Address) -> AsyncEngine:
    """Never begins a transaction by itself: a statement sees what is committed, and holds nothing afterwards."""
    engine = create_async_engine(
        _sqlite_url(address),
        connect_args=_SQLITE_ARGUMENTS,
        pool_size=_SQLITE_READERS,
        max_overflow=0,
        pool_timeout=_POOL_SECONDS,
    )
    _set_pragmas(engine, query_only=True)
    return engine


def sqlite_writer(address: Address) -> AsyncEngine:
    """One connection, so that the tasks of a process queue up in order; BEGIN IMMEDIATE queues up processes."""
    engine = create_async_engine(
        _sqlite_url(address),
        connect_args=_SQLITE_ARGUMENTS,
        pool_size=1,
        max_overflow=0,
        pool_timeout=_POOL_SECONDS,
    )
    _set_pragmas(engine)
    event.listen(engine.sync_engine, "begin", _begin_immediate)
    return engine


def postgres_engine(address: Address) -> AsyncEngine:
    asyncpg = _import_asyncpg()

    async def connect() -> Any:
        # The driver reads the address itself: it knows what libpq knows (sslmode, sockets, several hosts ...).
        try:
            return await asyncpg.connect(address.target, timeout=CONNECT_SECONDS, command_timeout=_STATEMENT_SECONDS)
        except asyncpg.exceptions.ClientConfigurationError as error:
            reason = address.redact(str(error))
            raise ConfigurationError(f"The PostgreSQL URL is not understood: {reason}") from None
        except ValueError:
            raise ConfigurationError("The PostgreSQL URL is not understood: look at its host and port") from None

    return create_async_engine(
        "postgresql+asyncpg://", async_creator=connect, pool_pre_ping=True, pool_timeout=_POOL_SECONDS
    )


def migration_engine(address: Address) -> AsyncEngine:
    """For one connection that rebuilds tables: with foreign keys on, SQLite would empty those that refer to them."""
    if address.kind == "postgresql":
        return postgres_engine(address)
    engine = create_async_engine(_sqlite_url(address), connect_args=_SQLITE_ARGUMENTS, poolclass=NullPool)
    _set_pragmas(engine, foreign_keys=False)
    event.listen(engine.sync_engine, "begin", _begin_immediate)
    return engine


def _sqlite_url(address: Address) -> URL:
    return URL.create("sqlite+aiosqlite", database=address.target)


def _set_pragmas(engine: AsyncEngine, *, foreign_keys: bool = True, query_only: bool = False) -> None:
    pragmas = (
        f"busy_timeout = {int(BUSY_SECONDS * 1000)}",  # first: those below may already have to wait
        "synchronous = NORMAL",
        f"foreign_keys = {'ON' if foreign_keys else 'OFF'}",
        f"query_only = {'ON' if query_only else 'OFF'}",
    )

    def on_connect(connection: DBAPIConnection, _record: object) -> None:
        cursor = connection.cursor()
        for pragma in pragmas:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    event.listen(engine.sync_engine, "connect", on_connect)


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _import_asyncpg() -> Any:
    try:
        import asyncpg
    except ModuleNotFoundError as error:
        if error.name != "asyncpg":
            raise
        raise ConfigurationError(
            "PostgreSQL needs a driver that is not installed: pip install 'refdesk[postgres]'"
        ) from error
    return asyncpg
