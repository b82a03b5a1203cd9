"""Brings a database to the newest schema, once, whoever else is opening it at the same time."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from engine.errors import StoreMismatch
from engine.providers.state.addresses import Address
from engine.providers.state.connections import migration_engine

_MIGRATIONS = Path(__file__).parent / "migrations"
_LOCK_KEY = 0x7265_6664_6573_6B  # "refdesk"
_alembic = threading.Lock()
"""Alembic keeps the migration under way in module globals."""


def upgrade(address: Address) -> None:
    """Blocks: reads files, compiles them and may wait for another process. For a worker thread."""
    with _alembic:
        asyncio.run(_upgrade(address))


def configuration(connection: Connection) -> Config:
    config = Config()
    # The file format behind it interpolates percent signs.
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


async def _upgrade(address: Address) -> None:
    engine = migration_engine(address)
    try:
        # One transaction holds it all. It is the lock, too: on SQLite because it begins as a writer's.
        async with engine.begin() as connection:
            if address.kind == "postgresql":
                await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK_KEY})
            await connection.run_sync(_upgrade_within, address)
    finally:
        await engine.dispose()


def _upgrade_within(connection: Connection, address: Address) -> None:
    config = configuration(connection)
    script = ScriptDirectory.from_config(config)
    found = MigrationContext.configure(connection).get_current_revision()
    if found is not None and found not in {revision.revision for revision in script.walk_revisions()}:
        raise StoreMismatch(
            f"The state database {address.name} was made by a newer Refdesk (schema {found}, this one knows up to "
            f"{script.get_current_head()}): update Refdesk, or use another database"
        )
    command.upgrade(config, "head")
    if address.kind == "sqlite":
        _check_foreign_keys(connection, address)


def _check_foreign_keys(connection: Connection, address: Address) -> None:
    """They were off while tables were rebuilt; what does not fit is undone with the transaction."""
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    if broken is not None:
        raise StoreMismatch(
            f"The state database {address.name} cannot be brought up to date: {tuple(broken)} is orphaned"
        )
