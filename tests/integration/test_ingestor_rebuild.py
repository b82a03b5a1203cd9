"""Vectors of different embedders never mix: what was stored by another one is refused, and rebuilt on demand."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import StoreMismatch
from tests.fake_embedder import FakeEmbedder
from tests.ingest_desk import Desk, small_desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return small_desk(tmp_path / "knowledge")


async def test_documents_of_another_embedder_are_refused_and_left_alone(desk: Desk) -> None:
    await desk.ingest()
    before = await desk.state()
    desk.index_embedder = FakeEmbedder("index/2")
    with pytest.raises(StoreMismatch, match=r"documents were embedded by index/1.*index/2.*--rebuild") as refused:
        await desk.ingest()
    assert "REFDESK_INDEX_EMBEDDER" in str(refused.value)
    assert desk.index_embedder.embedded == 0
    assert await desk.state() == before


async def test_an_faq_of_another_embedder_is_refused_and_left_alone(desk: Desk) -> None:
    await desk.ingest()
    before = await desk.state()
    desk.gate_embedder = FakeEmbedder("gate/2")
    with pytest.raises(StoreMismatch, match=r"FAQ were embedded by gate/1.*gate/2.*--rebuild"):
        await desk.ingest()
    with pytest.raises(StoreMismatch):
        await desk.ingestor().check_fingerprints()
    assert await desk.state() == before


async def test_a_rebuild_embeds_everything_with_the_new_embedders(desk: Desk) -> None:
    await desk.ingest()
    desk.index_embedder, desk.gate_embedder = FakeEmbedder("index/2"), FakeEmbedder("gate/2")
    report = await desk.ingest(rebuild=True)
    assert (report.added, report.unchanged) == (["housing/contracts/lease.md", "housing/rules/parking.md"], 0)
    assert desk.gate_embedder.embedded == report.faq_wordings
    assert desk.index_embedder.embedded >= report.chunks
    await desk.ingestor().check_fingerprints()
    assert (await desk.ingest()).unchanged == 2


async def test_a_rebuild_leaves_what_a_first_ingestion_leaves(desk: Desk) -> None:
    await desk.ingest()
    await desk.ingest(rebuild=True)
    fresh = Desk(desk.root)
    await fresh.ingest()
    assert await desk.state() == await fresh.state()


class _Stopped(Exception):
    pass


class _Failing(FakeEmbedder):
    def _embed(self, texts: object) -> object:  # type: ignore[override]
        raise _Stopped


async def test_a_rebuild_that_stopped_never_passes_old_vectors_for_new_ones(desk: Desk) -> None:
    await desk.ingest()
    desk.gate_embedder = _Failing("gate/2")
    with pytest.raises(_Stopped):
        await desk.ingest(rebuild=True)
    desk.gate_embedder = FakeEmbedder("gate/2")
    report = await desk.ingest()
    assert desk.gate_embedder.embedded == report.faq_wordings
    assert report.documents == 2
