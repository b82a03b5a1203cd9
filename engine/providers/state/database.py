"""The state database, open: the one place that hands out connections."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, inspect, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from engine.providers.state import connections
from engine.providers.state.addresses import Address, parse_address
from engine.providers.state.failures import is_busy, translated
from engine.providers.state.tables import HEAD
from engine.providers.state.turns import Turns


class Database:
    """Connections for three ways of working. What fails inside leaves them as an error of Refdesk's tree."""

    def __init__(self, address: Address, *, reader: AsyncEngine, snapshots: AsyncEngine, writer: AsyncEngine) -> None:
        self._address = address
        self._reader = reader
        self._snapshots = snapshots
        self._writer = writer
        self._turns = Turns()

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str) -> AsyncIterator[Database]:
        """Open `sqlite:///path` or `postgresql://...`, made or brought up to date where needed.

        Raises ConfigurationError, StoreMismatch, StoreBusy, KnowledgeError or ProviderError.
        """
        address = parse_address(url)
        async with AsyncExitStack() as stack:
            database = cls._postgresql(address, stack) if address.kind == "postgresql" else cls._sqlite(address, stack)
            with translated(address):
                await database._prepare()
            yield database

    @classmethod
    def _sqlite(cls, address: Address, stack: AsyncExitStack) -> Database:
        reader, writer = connections.sqlite_reader(address), connections.sqlite_writer(address)
        stack.push_async_callback(reader.dispose)
        stack.push_async_callback(writer.dispose)
        return cls(address, reader=reader, snapshots=reader, writer=writer)

    @classmethod
    def _postgresql(cls, address: Address, stack: AsyncExitStack) -> Database:
        engine = connections.postgres_engine(address)
        stack.push_async_callback(engine.dispose)
        return cls(
            address,
            reader=engine.execution_options(isolation_level="AUTOCOMMIT"),
            snapshots=engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True),
            writer=engine,
        )

    @property
    def file(self) -> Path | None:
        """Of SQLite, which all processes of one machine share."""
        return Path(self._address.target) if self._address.kind == "sqlite" else None

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """Single statements, each of which sees what is committed when it starts."""
        with translated(self._address):
            async with self._reader.connect() as connection:
                yield connection

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[AsyncConnection]:
        """Several statements that see one state, whatever is written meanwhile."""
        with translated(self._address):
            async with self._snapshots.connect() as connection:
                if self._address.kind == "sqlite":
                    await connection.exec_driver_sql("BEGIN")
                yield connection

    @asynccontextmanager
    async def writing(self, *, urgent: bool = False) -> AsyncIterator[AsyncConnection]:
        """A transaction, kept when the block ends well. On SQLite there is one at a time: await nothing else inside.

        Urgent is what somebody waits for who waits for seconds only: it goes before what the process does by itself.
        """
        with translated(self._address):
            async with AsyncExitStack() as stack:
                if self._address.kind == "sqlite":
                    await stack.enter_async_context(self._turns.taken(urgent=urgent))
                yield await stack.enter_async_context(self._writer.begin())

    async def upsert(self, connection: AsyncConnection, table: Table, values: Mapping[str, Any]) -> None:
        """Insert a row, or overwrite the one with the same primary key. On PostgreSQL the row stays locked."""
        insert = postgresql.insert(table) if self._address.kind == "postgresql" else sqlite.insert(table)
        keys = [column.name for column in table.primary_key]
        overwritten = {name: insert.excluded[name] for name in values if name not in keys}
        await connection.execute(insert.on_conflict_do_update(index_elements=keys, set_=overwritten), [values])

    async def insert_new(self, connection: AsyncConnection, table: Table, values: Mapping[str, Any]) -> int | None:
        """Insert a row and return its `id`, or None when a unique key says that it is there already."""
        insert = postgresql.insert(table) if self._address.kind == "postgresql" else sqlite.insert(table)
        statement = insert.values(values).on_conflict_do_nothing().returning(table.c.id)
        found: int | None = (await connection.execute(statement)).scalar_one_or_none()
        return found

    async def _prepare(self) -> None:
        if self._address.kind == "sqlite":
            await asyncio.to_thread(Path(self._address.target).parent.mkdir, parents=True, exist_ok=True)
            await self._switch_to_wal()
        async with self._reader.connect() as connection:
            found = await connection.run_sync(_schema_version)
        if found != HEAD:
            # Here and not above: Alembic takes longer to load than the database to open.
            from engine.providers.state.schema import upgrade

            await asyncio.to_thread(upgrade, self._address)

    async def _switch_to_wal(self) -> None:
        """Readers then never wait for a writer. It is kept in the file; the switch itself does not wait for others."""
        deadline = asyncio.get_running_loop().time() + connections.BUSY_SECONDS
        while True:
            try:
                async with self._reader.connect() as connection:
                    await connection.exec_driver_sql("PRAGMA journal_mode = WAL")
            except DBAPIError as error:
                if not is_busy(error) or asyncio.get_running_loop().time() > deadline:
                    raise
                await asyncio.sleep(0.02)
            else:
                return


def _schema_version(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    version = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()
    return None if version is None else str(version)
