"""A state database that cannot be used: one line that a person understands, of the error tree, without the password."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import struct
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import pytest

from engine.errors import (
    ConfigurationError,
    KnowledgeError,
    ProviderError,
    ProviderTimeout,
    RefdeskError,
)
from engine.providers.state import connections
from engine.providers.state.database import Database
from engine.providers.state.stores import SqlDocumentStore, SqlMetaStore
from tests import state_worker
from tests.postgres import run_sql

NOBODY = 65534


async def failure_to_open(url: str) -> RefdeskError:
    with pytest.raises(RefdeskError) as caught:
        async with Database.open(url) as database:
            await SqlMetaStore(database).put("key", "value")
    assert "\n" not in str(caught.value)
    assert "sqlalche.me" not in str(caught.value)
    return caught.value


# --- SQLite ---------------------------------------------------------------------------------------------------------


async def test_file_of_something_else(tmp_path: Path) -> None:
    (tmp_path / "state.db").write_bytes(b"This is a shopping list. " * 400)
    error = await failure_to_open(f"sqlite:///{tmp_path}/state.db")
    assert isinstance(error, KnowledgeError)
    assert f"{tmp_path}/state.db is no SQLite database, or is damaged" in str(error)


async def test_database_of_something_else(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "state.db")) as connection:
        connection.execute("CREATE TABLE documents (x)")
    error = await failure_to_open(f"sqlite:///{tmp_path}/state.db")
    assert isinstance(error, KnowledgeError)
    assert "table documents already exists" in str(error)
    with closing(sqlite3.connect(tmp_path / "state.db")) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("documents",)]


async def test_damaged_file(tmp_path: Path) -> None:
    file = tmp_path / "state.db"
    async with Database.open(f"sqlite:///{file}") as database:
        documents = SqlDocumentStore(database)
        await documents.publish(state_worker.record("d", "1"), state_worker.toc("d", "1", 2_000), ())
    healthy = file.read_bytes()
    file.write_bytes(healthy[:8192] + b"\xa5" * (len(healthy) - 8192))
    with pytest.raises(KnowledgeError, match=r"state\.db is damaged"):
        async with Database.open(f"sqlite:///{file}") as database:
            await SqlDocumentStore(database).toc("d")


async def test_folder_in_place_of_the_file(tmp_path: Path) -> None:
    error = await failure_to_open(f"sqlite:///{tmp_path}")
    assert isinstance(error, KnowledgeError)
    assert f"{tmp_path} cannot be opened" in str(error)


async def test_file_in_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("", encoding="utf-8")
    error = await failure_to_open(f"sqlite:///{tmp_path}/data/state.db")
    assert isinstance(error, KnowledgeError)
    assert "its folder cannot" in str(error)


@contextmanager
def powerless() -> Iterator[None]:
    """Root may write everywhere; a test of permissions must not be run as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture(params=["file", "folder", "file and folder"])
async def protected_file(request: pytest.FixtureRequest) -> AsyncIterator[Path]:
    """A state database that was used before, and may no longer be written."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "state.db"
        async with Database.open(f"sqlite:///{file}"):
            pass
        file.chmod(0o444 if "file" in request.param else 0o666)
        file.parent.chmod(0o555 if "folder" in request.param else 0o777)
        yield file
        file.parent.chmod(0o755)


@pytest.mark.skipif(sys.platform == "win32", reason="Permissions of Unix")
async def test_not_allowed_to_write(protected_file: Path) -> None:
    with powerless():
        error = await failure_to_open(f"sqlite:///{protected_file}")
    assert isinstance(error, KnowledgeError)
    assert "let this user" in str(error)


# --- PostgreSQL -----------------------------------------------------------------------------------------------------


def assert_password_is_nowhere(error: BaseException, password: str) -> None:
    while True:
        assert password not in str(error)
        cause = error.__cause__ or error.__context__
        if cause is None:
            return
        error = cause


@asynccontextmanager
async def server_that_answers(message: bytes | None) -> AsyncIterator[int]:
    """The port of something that listens like PostgreSQL; it never answers when there is no message."""

    conversations: set[asyncio.Task[None] | None] = set()

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        conversations.add(asyncio.current_task())
        if message is not None:
            await reader.readexactly(8)
            writer.write(b"N")  # no encryption
            await reader.read(1_000)
            writer.write(message)
        await reader.read()
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(converse, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]
    await asyncio.gather(*filter(None, conversations))


def refusal(state: str, text: str) -> bytes:
    fields = b"".join(kind + value.encode() + b"\0" for kind, value in ((b"S", "FATAL"), (b"C", state), (b"M", text)))
    return b"E" + struct.pack("!I", len(fields) + 5) + fields + b"\0"


async def test_nobody_listens() -> None:
    error = await failure_to_open("postgresql://bot:secret@127.0.0.1:1/refdesk")
    assert isinstance(error, ProviderError)
    assert "PostgreSQL: refdesk on 127.0.0.1:1 cannot be reached" in str(error)
    assert error.retryable
    assert_password_is_nowhere(error, "secret")


async def test_host_that_does_not_exist() -> None:
    error = await failure_to_open("postgresql://bot:secret@no-such-host.invalid/refdesk")
    assert isinstance(error, ProviderError)
    assert "no-such-host.invalid cannot be reached" in str(error)
    assert_password_is_nowhere(error, "secret")


async def test_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "CONNECT_SECONDS", 0.2)
    async with server_that_answers(None) as port:
        error = await failure_to_open(f"postgresql://bot:secret@127.0.0.1:{port}/refdesk")
    assert isinstance(error, ProviderTimeout)
    assert_password_is_nowhere(error, "secret")


async def test_wrong_password() -> None:
    message = refusal("28P01", 'password authentication failed for user "bot" (you said s@crt)')
    async with server_that_answers(message) as port:
        error = await failure_to_open(f"postgresql://bot:s%40crt@127.0.0.1:{port}/refdesk")
    assert isinstance(error, ProviderError)
    assert "refused the user or the password" in str(error)
    assert "s@crt" not in str(error)


async def test_url_the_driver_does_not_understand() -> None:
    error = await failure_to_open("postgresql://bot:secret@127.0.0.1:port/refdesk")
    assert isinstance(error, ConfigurationError)
    error = await failure_to_open("postgresql://bot:secret@127.0.0.1/refdesk?sslmode=perhaps")
    assert isinstance(error, ConfigurationError)
    assert "sslmode" in str(error)
    assert_password_is_nowhere(error, "secret")


async def test_driver_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    error = await failure_to_open("postgresql://bot:secret@127.0.0.1/refdesk")
    assert isinstance(error, ConfigurationError)
    assert "refdesk[postgres]" in str(error)


async def test_database_that_does_not_exist(postgres_server: str) -> None:
    error = await failure_to_open(urlsplit(postgres_server)._replace(path="/nowhere").geturl())
    assert isinstance(error, ProviderError)
    assert "nowhere on" in str(error)
    assert "create it" in str(error)


async def test_postgres_user_who_may_not_create_tables(postgres_url: str) -> None:
    await run_sql(postgres_url, "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    await run_sql(postgres_url, "DROP ROLE IF EXISTS refdesk_test_reader")
    await run_sql(postgres_url, "CREATE ROLE refdesk_test_reader LOGIN")
    try:
        parts = urlsplit(postgres_url)
        netloc = f"refdesk_test_reader@{parts.netloc.rpartition('@')[2]}"
        error = await failure_to_open(parts._replace(netloc=netloc).geturl())
    finally:
        await run_sql(postgres_url, "DROP ROLE refdesk_test_reader")
    assert isinstance(error, ProviderError)
    assert "let it create tables" in str(error)


async def test_postgres_that_is_read_only(postgres_url: str) -> None:
    async with Database.open(postgres_url):
        pass
    name = urlsplit(postgres_url).path.removeprefix("/")
    await run_sql(postgres_url, f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    error = await failure_to_open(postgres_url)
    assert isinstance(error, ProviderError)
    assert "is read-only" in str(error)
