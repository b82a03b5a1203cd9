"""The state database under its schema's history, many writers at once, broken connections and killed processes."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from engine.errors import ProviderError, RefdeskError, StoreBusy, StoreMismatch
from engine.ports import StoredFaq
from engine.providers.state import connections, schema
from engine.providers.state.addresses import parse_address
from engine.providers.state.database import Database
from engine.providers.state.faq_store import SqlFaqStore
from engine.providers.state.stores import (
    SqlDocumentStore,
    SqlMetaStore,
    SqlMissStore,
    SqlRouteCache,
)
from engine.providers.state.tables import HEAD, metadata
from engine.types import FaqEntry
from tests import state_worker
from tests.postgres import run_sql

ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def worker(*arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Another process that waits for `start`."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.state_worker",
        *arguments,
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"ready\n"
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        # Reads to the end, which closes the pipes.
        await process.communicate()


async def start(*workers: asyncio.subprocess.Process) -> None:
    for process in workers:
        assert process.stdin is not None
        process.stdin.write(b"go\n")
        await process.stdin.drain()


_COUNTED = (
    "misses", "vetoes", "answers", "inbox", "exchanges", "tickets", "relays", "faq_edits", "faq_drafts", "faq_flags"
)  # fmt: skip

# --- schema ---------------------------------------------------------------------------------------------------------


async def test_migrations_lead_to_the_tables_of_the_code(state_url: str) -> None:
    def differences(connection: Connection) -> list[object]:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        return list(compare_metadata(context, metadata))

    async with Database.open(state_url) as database, database.snapshot() as connection:
        assert await connection.run_sync(differences) == []


async def test_constraints_have_their_names_on_both(state_url: str) -> None:
    def names(connection: Connection) -> set[str | None]:
        found = inspect(connection)
        keys = {found.get_pk_constraint(table)["name"] for table in metadata.tables}
        return keys | {key["name"] for table in metadata.tables for key in found.get_foreign_keys(table)}

    async with Database.open(state_url) as database, database.reading() as connection:
        found = await connection.run_sync(names)
    expected = {f"pk_{table}" for table in metadata.tables} | {
        "fk_toc_document_documents",
        "fk_object_registry_document_documents",
        "fk_faq_wordings_entry_faq_entries",
    }
    # SQLite has no name for keys that count by themselves.
    assert expected - found <= {f"pk_{table}" for table in _COUNTED}


async def test_first_migration_can_be_taken_back(state_url: str) -> None:
    def downgrade(connection: Connection) -> list[str]:
        command.downgrade(schema.configuration(connection), "base")
        return inspect(connection).get_table_names()

    async with Database.open(state_url) as database, database.writing() as connection:
        assert await connection.run_sync(downgrade) == ["alembic_version"]


def test_newest_migration_is_the_one_the_code_names(tmp_path: Path) -> None:
    script = ScriptDirectory(str(Path(schema.__file__).parent / "migrations"))
    assert script.get_heads() == [HEAD], "tables.HEAD must name the newest migration"


async def test_database_of_a_newer_version_is_refused(state_url: str) -> None:
    async with Database.open(state_url) as database, database.writing() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreMismatch, match="newer Refdesk.*9999"):
        async with Database.open(state_url):
            pass


async def test_what_is_stored_outlives_reopening(state_url: str) -> None:
    async with Database.open(state_url) as database:
        await SqlMetaStore(database).put("format", "1")
    async with Database.open(state_url) as database:
        assert await SqlMetaStore(database).get("format") == "1"


async def test_tasks_open_a_fresh_database_at_once(state_url: str) -> None:
    async with asyncio.TaskGroup() as group:
        for _ in range(4):
            group.create_task(state_worker.open_only(state_url))


async def test_processes_open_a_fresh_database_at_once(state_url: str) -> None:
    async with AsyncExitStack() as stack:
        workers = [await stack.enter_async_context(worker("open", state_url)) for _ in range(3)]
        await start(*workers)
        assert [await process.wait() for process in workers] == [0, 0, 0]


async def test_sqlite_is_set_as_it_should_be(tmp_path: Path) -> None:
    async with Database.open(f"sqlite:///{tmp_path}/new/folder/state.db") as database:
        for handed_out in (database.reading, database.writing):
            async with handed_out() as connection:
                names = ("journal_mode", "synchronous", "busy_timeout", "foreign_keys")
                found = [(await connection.exec_driver_sql(f"PRAGMA {name}")).scalar_one() for name in names]
                assert found == ["wal", 1, 5000, 1]


async def test_sqlite_is_opened_when_another_process_lets_go_of_it(tmp_path: Path) -> None:
    """A switch to WAL does not wait by itself while another process writes."""
    with closing(sqlite3.connect(tmp_path / "state.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        asyncio.get_running_loop().call_later(0.3, other.execute, "COMMIT")
        async with Database.open(f"sqlite:///{tmp_path}/state.db") as database:
            await SqlMetaStore(database).put("key", "value")


async def test_migrations_do_not_empty_tables_by_their_foreign_keys(tmp_path: Path) -> None:
    engine = connections.migration_engine(parse_address(f"sqlite:///{tmp_path}/state.db"))
    async with engine.begin() as connection:
        assert (await connection.exec_driver_sql("PRAGMA foreign_keys")).scalar_one() == 0
    await engine.dispose()


# --- many at once ---------------------------------------------------------------------------------------------------


async def test_processes_and_tasks_write_at_once_and_lose_nothing(state_url: str) -> None:
    processes, tasks, rounds = 2, 4, 25
    async with AsyncExitStack() as stack:
        arguments = [("write", state_url, f"p{number}", str(tasks), str(rounds)) for number in range(processes)]
        workers = [await stack.enter_async_context(worker(*each)) for each in arguments]
        await start(*workers)
        assert [await process.wait() for process in workers] == [0] * processes
    names = {f"p{process}-{task}" for process in range(processes) for task in range(tasks)}
    async with Database.open(state_url) as database:
        await _assert_all_written(database, names, rounds)


async def _assert_all_written(database: Database, names: set[str], rounds: int) -> None:
    documents, routes = SqlDocumentStore(database), SqlRouteCache(database)
    misses = Counter(miss.question for miss in await SqlMissStore(database).list(10_000))
    assert misses == Counter(f"{name} {number}" for name in names for number in range(rounds))
    revisions = {record.path: record.revision for record in await documents.documents()}
    last_writer = revisions.pop("contested.md")
    assert revisions == {f"{name}.md": str(rounds - 1) for name in names}
    assert [entry.title for entry in await documents.toc("contested.md")] == [last_writer] * 5
    for name in names:
        assert len(await documents.objects(f"{name}.md")) == 3
        assert await routes.get(f"{name} {rounds - 1}", "v1") == state_worker.route(name)


async def test_faq_is_never_seen_half_replaced(state_url: str) -> None:
    def faq(size: int) -> StoredFaq:
        entries = tuple(FaqEntry(id=f"e{n}", questions=("q",), answer=f"{size}", language="en") for n in range(size))
        wordings = tuple((entry.id, "q") for entry in entries)
        vectors = np.full((size, 2), size, dtype=np.float32)
        return StoredFaq(version=str(size), entries=entries, wordings=wordings, vectors=vectors)

    async def replace_often(store: SqlFaqStore) -> None:
        for _ in range(15):
            await store.replace(faq(random.randint(1, 60)))

    async with Database.open(state_url) as database:
        store = SqlFaqStore(database)
        await store.replace(faq(3))
        async with asyncio.TaskGroup() as group:
            writers = [group.create_task(replace_often(store)) for _ in range(2)]
            while not all(task.done() for task in writers):
                loaded = await store.load()
                size = int(loaded.version)
                assert [entry.answer for entry in loaded.entries] == [loaded.version] * size
                assert len(loaded.wordings) == size
                np.testing.assert_array_equal(loaded.vectors, faq(size).vectors)


async def test_only_what_changed_is_written_and_all_of_it_is_read(state_url: str) -> None:
    chance = random.Random(5)

    def faq(version: int) -> StoredFaq:
        ids = chance.sample(range(8), chance.randint(0, 8))
        entries = tuple(
            FaqEntry(id=f"e{n}", questions=("q",), answer=f"{chance.randint(0, 1)}", language="en") for n in sorted(ids)
        )
        wordings = tuple((entry.id, f"q{n}") for entry in entries for n in range(chance.randint(1, 3)))
        vectors = np.array([[chance.randint(0, 1)] * 2 for _ in wordings], dtype=np.float32).reshape(-1, 2)
        return StoredFaq(version=str(version), entries=entries, wordings=wordings, vectors=vectors)

    async with Database.open(state_url) as database:
        writers = [SqlFaqStore(database), SqlFaqStore(database)]
        for version in range(40):
            wanted = faq(version)
            await chance.choice(writers).replace(wanted)
            for reader in (SqlFaqStore(database), chance.choice(writers)):
                loaded = await reader.load()
                assert (loaded.version, loaded.entries, loaded.wordings) == (
                    wanted.version,
                    wanted.entries,
                    wanted.wordings,
                )
                np.testing.assert_array_equal(loaded.vectors.reshape(-1, 2), wanted.vectors)


async def test_cancelled_work_leaves_no_lock_and_no_half(state_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "BUSY_SECONDS", 20.0)
    path, sections = "cancelled.md", 200
    randomly = random.Random(7)
    async with Database.open(state_url) as database:
        documents = SqlDocumentStore(database)
        for number in range(40):
            revision = str(number)
            publishing = asyncio.create_task(
                documents.publish(state_worker.record(path, revision), state_worker.toc(path, revision, sections), ())
            )
            await asyncio.sleep(randomly.random() * 0.02)
            publishing.cancel()
            await asyncio.wait([publishing])
            assert publishing.cancelled() or publishing.exception() is None
            # Fails when the cancelled one still holds a lock.
            await SqlMetaStore(database).put("key", revision)
        for record in await documents.documents():
            assert [entry.title for entry in await documents.toc(path)] == [record.revision] * sections
        await documents.publish(state_worker.record(path, "last"), state_worker.toc(path, "last", 1), ())
        assert [entry.title for entry in await documents.toc(path)] == ["last"]


# --- what breaks ----------------------------------------------------------------------------------------------------


async def test_killed_in_the_middle_of_publishing_leaves_one_revision_whole(state_url: str) -> None:
    randomly = random.Random(11)
    for _ in range(5):
        async with worker("publish", state_url) as process:
            await start(process)
            assert process.stdout is not None
            acknowledged = int(await process.stdout.readline())
            await asyncio.sleep(randomly.random() * 0.2)
            process.kill()
            rest, _ = await process.communicate()
            acknowledged = max([acknowledged, *map(int, rest.split())])
        await _assert_one_whole_revision(state_url, acknowledged)


async def _assert_one_whole_revision(state_url: str, acknowledged: int) -> None:
    async with Database.open(state_url) as database:
        documents = SqlDocumentStore(database)
        (record,) = await documents.documents()
        # The next one may have been kept before it was acknowledged.
        assert int(record.revision) in (acknowledged, acknowledged + 1)
        whole = [record.revision] * state_worker.KILLED_SECTIONS
        assert [entry.title for entry in await documents.toc(record.path)] == whole
        assert [entry.title for entry in await documents.objects(record.path)] == whole


async def test_failed_transaction_changes_nothing(state_url: str) -> None:
    path = "d.md"
    async with Database.open(state_url) as database:
        documents = SqlDocumentStore(database)
        await documents.publish(state_worker.record(path, "1"), state_worker.toc(path, "1", 2), ())
        twice = [*state_worker.toc(path, "2", 2), *state_worker.toc(path, "2", 1)]
        with pytest.raises(RefdeskError):
            await documents.publish(state_worker.record(path, "2"), twice, ())
        assert [record.revision for record in await documents.documents()] == ["1"]
        assert [entry.title for entry in await documents.toc(path)] == ["1", "1"]


async def test_sqlite_held_by_another_process_is_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{tmp_path}/state.db"
    monkeypatch.setattr(connections, "BUSY_SECONDS", 0.2)
    async with Database.open(url) as holder, Database.open(url) as other:
        async with holder.writing():
            with pytest.raises(StoreBusy, match=r"state\.db is held by another process"):
                await SqlMetaStore(other).put("key", "value")
            assert await SqlMetaStore(other).get("key") is None
        await SqlMetaStore(other).put("key", "value")
        assert await SqlMetaStore(holder).get("key") == "value"


async def test_postgres_that_drops_its_connections_is_connected_again(postgres_url: str, postgres_server: str) -> None:
    async with Database.open(postgres_url) as database:
        meta = SqlMetaStore(database)
        await meta.put("key", "value")
        await drop_connections(postgres_server, postgres_url)
        assert await meta.get("key") == "value"


async def test_postgres_connection_lost_in_a_transaction_is_a_providers_error(
    postgres_url: str, postgres_server: str
) -> None:
    async def write_while_dropped(database: Database) -> None:
        async with database.writing() as connection:
            await connection.execute(text("SELECT 1"))
            await drop_connections(postgres_server, postgres_url)
            await connection.execute(text("SELECT 1"))

    async with Database.open(postgres_url) as database:
        with pytest.raises(ProviderError) as caught:
            await write_while_dropped(database)
        assert caught.value.retryable
        assert await SqlMetaStore(database).get("key") is None


async def drop_connections(server: str, url: str) -> None:
    name = urlsplit(url).path.removeprefix("/")
    await run_sql(server, f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
