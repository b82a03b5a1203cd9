"""How long one reference takes to resolve in a base of 1,000 documents, each kind by itself. No model is called.

    .venv/bin/python -m benchmarks.bench_resolution

The baseline of the ratios is reading a document's two tables from the database once, which every resolution needs.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from engine.providers.state.database import Database
from engine.providers.state.stores import SqlDocumentStore
from engine.stages.document_names import DocumentNames
from engine.stages.library import Shelf
from engine.stages.resolution import Resolver
from engine.text.references import find_mentions
from engine.types import PUBLIC, Chunk, DocumentRecord, ObjectEntry, Registry, TocEntry
from tests.fake_index import InMemoryIndex

DOCUMENTS = 1000
SECTIONS = 40
ROUNDS = 200
BUDGET_MS = 5.0

TEXTS = {
    "same document": "as set out in section 3.7",
    "same collection": "see section 900.1 for more",
    "whole base": "see section 901.1 for more",
    "nowhere": "see section 77.7 for more",
    "table": "the fees of Table 2 apply",
    "other document by number": "see Section 3.2 of RFC 9050",
    "other document by title": "see section 3.2 of the Parking Regulation 70",
    "preceding section": "as the preceding section says",
}


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with Database.open(f"sqlite:///{Path(folder) / 'state.db'}") as database:
            store = SqlDocumentStore(database)
            records = [await _publish(store, number) for number in range(DOCUMENTS)]
            shelf = Shelf.arrange(Registry(domains=(), version="v"), {}, records)
            began = time.perf_counter()
            names = DocumentNames(records)
            print(f"names of {DOCUMENTS} documents gathered in {(time.perf_counter() - began) * 1000:.0f} ms, once")
            source = _chunk(records[5], 3)

            async def tables() -> None:
                await store.toc(source.document)
                await store.objects(source.document)

            baseline = await _timed(tables)
            print(f"{'two tables of one document':<28} median {baseline[0]:.2f} ms  p99 {baseline[1]:.2f} ms")
            for name, text in TEXTS.items():
                (mention,) = find_mentions(text)

                async def resolve() -> None:
                    resolver = Resolver(shelf, names, store, InMemoryIndex(1), PUBLIC, everywhere=True)
                    await resolver.resolve(mention, source, "question")  # noqa: B023

                median, p99 = await _timed(resolve)
                verdict = "within" if median < BUDGET_MS else "OVER"
                print(
                    f"{name:<28} median {median:.2f} ms  p99 {p99:.2f} ms  ratio {median / baseline[0]:.1f}"
                    f"  {verdict} {BUDGET_MS:g} ms"
                )


async def _timed(act: Callable[[], Awaitable[None]]) -> tuple[float, float]:
    times: list[float] = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        await act()
        times.append((time.perf_counter() - began) * 1000)
    times.sort()
    return statistics.median(times), times[int(0.99 * len(times))]


async def _publish(store: SqlDocumentStore, number: int) -> DocumentRecord:
    path = f"d{number // 100}/c{number // 10}/doc{number}.md"
    title = f"RFC {9000 + number} Rules" if number % 2 == 0 else f"Parking Regulation {number}"
    record = DocumentRecord(
        path=path,
        revision="r",
        content_hash="h",
        domain=f"d{number // 100}",
        collection=f"c{number // 10}",
        title=title,
        language="en",
        audience=PUBLIC,
        chunks=SECTIONS,
        centroid=b"",
    )
    numbers = [f"{1 + place // 10}.{place % 10}" for place in range(SECTIONS)]
    if number == 7:
        numbers[-1] = "900.1"
    if number == 700:
        numbers[-1] = "901.1"
    toc = [_row(path, place, label) for place, label in enumerate(numbers)]
    objects = [
        ObjectEntry(
            document=path,
            kind="table",
            label=str(label),
            title="Fees",
            section_index=label,
            page=None,
            chunk_ids=(f"{path}-{label}",),
        )
        for label in range(1, 6)
    ]
    await store.publish(record, toc, objects)
    return record


def _row(path: str, place: int, number: str) -> TocEntry:
    return TocEntry(
        document=path,
        index=place,
        number=number,
        title=f"Section {number}",
        level=1,
        parent=None,
        page=None,
        anchor=None,
        chunk_ids=(f"{path}-{place}",),
    )


def _chunk(record: DocumentRecord, place: int) -> Chunk:
    return Chunk(
        id=f"{record.path}-{place}",
        document=record.path,
        revision="r",
        ordinal=place,
        domain=record.domain,
        collection=record.collection,
        document_title=record.title,
        section=str(place),
        section_title="",
        section_index=place,
        text="",
        header="",
        language="en",
    )


if __name__ == "__main__":
    asyncio.run(main())
