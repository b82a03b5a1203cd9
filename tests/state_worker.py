"""A second process for tests of the state database: `python -m tests.state_worker COMMAND URL ...`.

It waits for a line on standard input before it starts, so that several start at once.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine

from engine.providers.state.database import Database
from engine.providers.state.stores import SqlDocumentStore, SqlMetaStore, SqlMissStore, SqlRouteCache
from engine.types import DocumentRecord, ObjectEntry, Outcome, Question, Route, TocEntry

KILLED_DOCUMENT = "killed.md"
KILLED_SECTIONS = 3_000


def record(path: str, revision: str) -> DocumentRecord:
    return DocumentRecord(
        path=path,
        revision=revision,
        content_hash=revision,
        domain="d",
        collection="c",
        title=revision,
        language="en",
        audience=frozenset({"public"}),
        chunks=1,
        centroid=b"\0\0\0\0",
    )


def toc(path: str, revision: str, sections: int) -> list[TocEntry]:
    return [
        TocEntry(
            document=path,
            index=index,
            number=str(index),
            title=revision,
            level=1,
            parent=None,
            page=None,
            anchor=None,
            chunk_ids=("c",),
        )
        for index in range(sections)
    ]


def objects(path: str, revision: str, count: int) -> list[ObjectEntry]:
    return [
        ObjectEntry(
            document=path,
            kind="table",
            label=str(index),
            title=revision,
            section_index=index,
            page=None,
            chunk_ids=("c",),
        )
        for index in range(count)
    ]


def route(name: str) -> Route:
    return Route(domain=name, collection=None, documents=(), levels=())


async def write_everything(database: Database, name: str, rounds: int) -> None:
    """All kinds of writes and reads in turn; `name` keeps those of one task apart."""
    documents, misses = SqlDocumentStore(database), SqlMissStore(database)
    routes, meta = SqlRouteCache(database, slack=10), SqlMetaStore(database)
    outcome = Outcome(id="o", kind="missed", text="", language="en", miss_reason="nothing_found")
    path = f"{name}.md"
    for number in range(rounds):
        await misses.add(Question(text=f"{name} {number}"), outcome)
        await routes.put(f"{name} {number}", "v1", route(name))
        await routes.put("contested", "v1", route(name))
        await documents.publish(record(path, str(number)), toc(path, str(number), 5), objects(path, str(number), 3))
        await documents.publish(record("contested.md", name), toc("contested.md", name, 5), ())
        await meta.put("contested", name)
        assert {entry.title for entry in await documents.toc(path)} == {str(number)}


async def open_only(url: str) -> None:
    async with Database.open(url) as database:
        await SqlMetaStore(database).put("opened", "yes")


async def write(url: str, name: str, tasks: str, rounds: str) -> None:
    async with Database.open(url) as database, asyncio.TaskGroup() as group:
        for task in range(int(tasks)):
            group.create_task(write_everything(database, f"{name}-{task}", int(rounds)))


async def publish_for_ever(url: str) -> None:
    async with Database.open(url) as database:
        documents = SqlDocumentStore(database)
        revision = 0
        while True:
            revision += 1
            name = str(revision)
            await documents.publish(
                record(KILLED_DOCUMENT, name),
                toc(KILLED_DOCUMENT, name, KILLED_SECTIONS),
                objects(KILLED_DOCUMENT, name, KILLED_SECTIONS),
            )
            sys.stdout.write(f"{revision}\n")
            sys.stdout.flush()


COMMANDS: dict[str, Callable[..., Coroutine[None, None, None]]] = {
    "open": open_only,
    "write": write,
    "publish": publish_for_ever,
}


def main() -> None:
    command, *arguments = sys.argv[1:]
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    asyncio.run(COMMANDS[command](*arguments))


if __name__ == "__main__":
    main()
