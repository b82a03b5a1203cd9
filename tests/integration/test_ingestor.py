"""Ingestion over in-memory stores: what changes in the folder changes in the stores, and nothing else does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.ports import IndexPoint, SparseVector
from engine.types import Chunk
from tests.fake_embedder import DIMENSIONS
from tests.fake_index import InMemoryIndex
from tests.fakes import chunk
from tests.ingest_desk import FAQ, LEASE, PARKING, Desk, small_desk

LEASE_PATH = "housing/contracts/lease.md"
PARKING_PATH = "housing/rules/parking.md"
RESTRICTED = """domains:
  - id: housing
    collections:
      - {id: contracts, audience: [staff]}
      - {id: rules}
"""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return small_desk(tmp_path / "knowledge")


async def fresh_state_of(desk: Desk) -> dict[str, object]:
    """What a first ingestion of the same folder leaves."""
    other = Desk(desk.root)
    await other.ingest()
    return await other.state()


async def chunks_of(desk: Desk, path: str) -> tuple[Chunk, ...]:
    ids = [chunk_id for entry in await desk.documents.toc(path) for chunk_id in entry.chunk_ids]
    return await desk.index.fetch(ids)


async def test_a_first_ingestion_fills_every_store(desk: Desk) -> None:
    report = await desk.ingest()
    assert report.added == [LEASE_PATH, PARKING_PATH]
    assert (report.documents, report.faq_entries, report.faq_wordings) == (2, 2, 3)
    assert report.chunks == report.chunks_written == sum(one.chunks for one in await desk.documents.documents())
    assert [entry.number for entry in await desk.documents.toc(LEASE_PATH) if entry.number] == ["1", "2"]
    assert [(entry.kind, entry.label) for entry in await desk.documents.objects(LEASE_PATH)] == [("table", "1")]
    assert {chunk.collection for chunk in await chunks_of(desk, PARKING_PATH)} == {"rules"}
    assert any("housing" in stage for stage in desk.stages)


async def test_nothing_is_embedded_again_when_nothing_has_changed(desk: Desk) -> None:
    await desk.ingest()
    before, embedded = await desk.state(), (desk.index_embedder.embedded, desk.gate_embedder.embedded)
    report = await desk.ingest()
    assert (report.unchanged, report.added, report.changed, report.chunks_written) == (2, [], [], 0)
    assert (desk.index_embedder.embedded, desk.gate_embedder.embedded) == embedded
    assert await desk.state() == before


async def test_only_the_changed_file_is_embedded_again(desk: Desk) -> None:
    await desk.ingest()
    desk.write(PARKING_PATH, PARKING + "\n## Motorcycles\n\nMotorcycles stand beside the gate.\n")
    await desk.ingest()  # also embeds the descriptions of the places
    described = len((await desk.state())["described"])
    embedded = desk.index_embedder.embedded
    desk.write(PARKING_PATH, PARKING + "\n## Motorcycles\n\nMotorcycles stand before the gate.\n")
    report = await desk.ingest()
    assert report.changed == [PARKING_PATH]
    assert desk.index_embedder.embedded - embedded <= report.chunks_written + 2 * described
    assert "before the gate" in " ".join(chunk.text for chunk in await chunks_of(desk, PARKING_PATH))
    assert await desk.state() == await fresh_state_of(desk)


async def test_text_that_a_document_repeats_is_embedded_once(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    form = "\n\n".join("Name, address, date and signature of the tenant, in block letters." for _ in range(300))
    desk.write("housing/forms/form.md", form)
    report = await desk.ingest()
    assert report.chunks > 5
    assert desk.index_embedder.embedded < report.chunks


async def test_a_deleted_file_leaves_no_tails(desk: Desk) -> None:
    await desk.ingest()
    chunks = [chunk.id for chunk in await chunks_of(desk, LEASE_PATH)]
    (desk.root / LEASE_PATH).unlink()
    report = await desk.ingest()
    assert report.removed == [LEASE_PATH]
    assert await desk.index.fetch(chunks) == ()
    assert await desk.documents.toc(LEASE_PATH) == ()
    assert await desk.documents.objects(LEASE_PATH) == ()
    assert await desk.state() == await fresh_state_of(desk)


async def test_an_empty_folder_empties_the_stores(desk: Desk) -> None:
    await desk.ingest()
    for path in (LEASE_PATH, PARKING_PATH, "faq/en.yaml"):
        (desk.root / path).unlink()
    report = await desk.ingest()
    assert (report.documents, report.chunks, report.faq_entries, report.faq_wordings) == (0, 0, 0, 0)
    assert await desk.index.documents() == {}
    faq = await desk.faq.load()
    assert (faq.entries, faq.wordings, len(faq.vectors)) == ((), (), 0)


@pytest.mark.parametrize("moved_to", ["housing/contracts/tenancy.md", "housing/rules/lease.md", "places/park/lease.md"])
async def test_a_renamed_or_moved_file_is_served_from_its_new_place_only(desk: Desk, moved_to: str) -> None:
    await desk.ingest()
    (desk.root / moved_to).parent.mkdir(parents=True, exist_ok=True)
    (desk.root / LEASE_PATH).rename(desk.root / moved_to)
    report = await desk.ingest()
    assert (report.added, report.removed) == ([moved_to], [LEASE_PATH])
    domain, collection, _ = moved_to.split("/")
    assert {(chunk.domain, chunk.collection) for chunk in await chunks_of(desk, moved_to)} == {(domain, collection)}
    assert await desk.state() == await fresh_state_of(desk)


async def test_a_changed_audience_reaches_the_chunks(desk: Desk) -> None:
    await desk.ingest()
    desk.write("knowledge.yaml", RESTRICTED)
    report = await desk.ingest()
    assert report.changed == [LEASE_PATH]
    assert {chunk.audience for chunk in await chunks_of(desk, LEASE_PATH)} == {frozenset({"staff"})}
    assert await desk.state() == await fresh_state_of(desk)


@pytest.mark.parametrize("broken", [b"", b"\n \n", b"%PDF-1.7 \x00\x01", bytes(range(256)) * 8])
async def test_a_file_that_breaks_is_reported_and_its_last_good_version_stays(desk: Desk, broken: bytes) -> None:
    await desk.ingest()
    before = await desk.state()
    desk.write(LEASE_PATH, broken)
    report = await desk.ingest()
    ((path, reason),) = report.failed
    assert path == LEASE_PATH
    assert "\n" not in reason
    assert reason.endswith("the version indexed before is still served")
    assert await desk.state() == before


async def test_a_broken_file_is_not_served_to_an_audience_that_lost_it(desk: Desk) -> None:
    await desk.ingest()
    desk.write(LEASE_PATH, b"")
    desk.write("knowledge.yaml", RESTRICTED)
    report = await desk.ingest()
    assert [path for path, _ in report.failed] == [LEASE_PATH]
    assert [record.path for record in await desk.documents.documents()] == [PARKING_PATH]
    assert set(await desk.index.documents()) == {PARKING_PATH}


async def test_an_empty_file_is_reported_and_the_rest_is_indexed(desk: Desk) -> None:
    desk.write(LEASE_PATH, b"")
    report = await desk.ingest()
    assert report.failed == [(LEASE_PATH, "empty file")]
    assert report.added == [PARKING_PATH]


async def test_a_few_broken_bytes_do_not_lose_a_document(desk: Desk) -> None:
    desk.write(LEASE_PATH, LEASE.encode().replace(b"ten days", b"t\xffn days") + "Залог возвращается.\n".encode())
    report = await desk.ingest()
    assert report.failed == []
    assert "Залог возвращается" in " ".join(chunk.text for chunk in await chunks_of(desk, LEASE_PATH))


async def test_a_format_that_is_not_read_is_skipped(desk: Desk) -> None:
    desk.write("housing/contracts/plan.xyz", "not a document")
    report = await desk.ingest()
    assert report.skipped == [("housing/contracts/plan.xyz", "unknown format .xyz")]
    assert report.documents == 2


async def test_chunks_of_an_interrupted_run_are_swept(desk: Desk) -> None:
    await desk.ingest()
    before = await desk.state()
    await desk.index.upsert([stray("housing/contracts/gone.md", "1"), stray(LEASE_PATH, "2")])
    await desk.ingest()
    assert await desk.state() == before


async def test_a_document_whose_chunks_are_gone_from_the_index_is_made_again(desk: Desk) -> None:
    await desk.ingest()
    before = await desk.state()
    desk.index = InMemoryIndex(desk.index_embedder.dimensions)
    report = await desk.ingest()
    assert report.changed == [LEASE_PATH, PARKING_PATH]
    assert await desk.state() == before


MANY = 1_000_000


class _Stopped(Exception):
    pass


class _StopsAfter(InMemoryIndex):
    """Stands for a process that is killed between two writes."""

    def __init__(self, dimensions: int, writes: int) -> None:
        super().__init__(dimensions)
        self.left = writes

    async def upsert(self, points: Sequence[IndexPoint]) -> None:
        self._step()
        await super().upsert(points)

    async def remove(self, document: str, *, keep_revision: str | None = None) -> None:
        self._step()
        await super().remove(document, keep_revision=keep_revision)

    async def flush(self) -> None:
        self._step()

    def _step(self) -> None:
        if self.left == 0:
            raise _Stopped
        self.left -= 1


@pytest.mark.parametrize("writes", range(7))
async def test_an_ingestion_that_stopped_anywhere_is_completed_by_the_next(desk: Desk, writes: int) -> None:
    await desk.ingest()
    stopping = _StopsAfter(desk.index_embedder.dimensions, MANY)
    desk.index = stopping
    await desk.ingest()
    desk.write(LEASE_PATH, LEASE.replace("ten days", "twenty days"))
    desk.write("housing/rules/new.md", "# New\n\nPets are welcome in the garden.\n")
    (desk.root / PARKING_PATH).unlink()
    stopping.left = writes
    with pytest.raises(_Stopped):
        await desk.ingest()
    served = {record.path: record.revision for record in await desk.documents.documents()}
    held = await desk.index.documents()
    assert all(revision in held.get(path, ()) for path, revision in served.items()), "a reader sees no half document"
    stopping.left = MANY
    await desk.ingest()
    assert await desk.state() == await fresh_state_of(desk)


async def test_the_registry_version_changes_with_the_documents_and_with_the_registry(desk: Desk) -> None:
    await desk.ingest()
    versions = [await desk.version()]
    desk.write(PARKING_PATH, PARKING + "\nNo trailers.\n")
    await desk.ingest()
    versions.append(await desk.version())
    (desk.root / PARKING_PATH).unlink()
    await desk.ingest()
    versions.append(await desk.version())
    desk.write("knowledge.yaml", "domains: [{id: housing, description: Flats and houses}]")
    await desk.ingest()
    versions.append(await desk.version())
    assert len(set(versions)) == len(versions)
    await desk.ingest()
    assert await desk.version() == versions[-1]


async def test_readers_are_told_to_look_again_only_when_something_changed(desk: Desk) -> None:
    await desk.ingest()
    first = await desk.meta.get("library_stamp")
    await desk.ingest()
    assert await desk.meta.get("library_stamp") == first
    desk.write(PARKING_PATH, PARKING + "\nNo trailers.\n")
    await desk.ingest()
    assert await desk.meta.get("library_stamp") not in (None, first)


async def test_faq_answers_arrive_byte_for_byte(desk: Desk) -> None:
    desk.write(
        "faq/bytes.yaml", '- id: exact\n  questions: ["Exact?"]\n  answer: "  two  spaces\\t\\r\\n**x**\\u00a0 \\n"\n'
    )
    await desk.ingest()
    answers = {entry.id: entry.answer for entry in (await desk.faq.load()).entries}
    assert answers["exact"] == "  two  spaces\t\r\n**x**\u00a0 \n"
    assert answers["cancel"] == "Call us.\n"


async def test_a_broken_faq_file_keeps_the_entries_it_had(desk: Desk) -> None:
    await desk.ingest()
    before = await desk.faq.load()
    desk.write("faq/en.yaml", FAQ + "- id: [")
    report = await desk.ingest()
    ((path, reason),) = report.failed
    assert path == "faq/en.yaml"
    assert reason.startswith("line ")
    after = await desk.faq.load()
    assert (after.entries, after.wordings) == (before.entries, before.wordings)


async def test_only_new_wordings_of_the_faq_are_embedded(desk: Desk) -> None:
    await desk.ingest()
    assert desk.gate_embedder.embedded == 3
    desk.write("faq/en.yaml", FAQ.replace("When are you open?", "Until when are you open?"))
    await desk.ingest()
    assert desk.gate_embedder.embedded == 4
    assert ("hours", "When are you open?") not in (await desk.faq.load()).wordings
    desk.write("faq/en.yaml", FAQ.replace("Call us.", "Write to us."))
    await desk.ingest()
    assert {entry.answer for entry in (await desk.faq.load()).entries} == {"Write to us.\n", "From nine to five."}


def stray(path: str, chunk_id: str) -> IndexPoint:
    """A point that an interrupted run wrote and never published."""
    vector = np.zeros(DIMENSIONS, dtype=np.float32)
    vector[0] = 1
    left = replace(chunk(chunk_id), document=path, revision="unpublished")
    return IndexPoint(chunk=left, dense=vector, lex=SparseVector((), ()), tri=SparseVector((), ()))
