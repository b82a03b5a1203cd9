"""Collections that were made for other vectors, or by somebody else."""

from __future__ import annotations

from pathlib import Path

import pytest
from qdrant_client import AsyncQdrantClient, models

from engine.errors import StoreMismatch
from engine.providers.qdrant_index import QdrantIndex
from tests.contracts.test_index_contract import DIMENSIONS, chunk_id, make_point


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant")
async def test_a_qdrant_collection_of_other_vectors_is_refused(tmp_path: Path) -> None:
    async with QdrantIndex.open(AsyncQdrantClient(path=str(tmp_path)), DIMENSIONS) as index:
        await index.upsert([make_point(1)])
    with pytest.raises(StoreMismatch, match="16 dimensions.*--rebuild"):
        async with QdrantIndex.open(AsyncQdrantClient(path=str(tmp_path)), DIMENSIONS + 1):
            pass
    async with QdrantIndex.open(AsyncQdrantClient(path=str(tmp_path)), DIMENSIONS, rebuild=True) as index:
        assert len(await index.fetch([chunk_id(1)])) == 1, "nothing is thrown away that can be used"


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant")
async def test_a_qdrant_collection_of_other_vectors_is_made_anew_for_a_rebuild(tmp_path: Path) -> None:
    async with QdrantIndex.open(AsyncQdrantClient(path=str(tmp_path)), DIMENSIONS + 1):
        pass
    async with QdrantIndex.open(AsyncQdrantClient(path=str(tmp_path)), DIMENSIONS, rebuild=True) as index:
        assert await index.documents() == {}
        await index.upsert([make_point(1)])
        assert len(await index.fetch([chunk_id(1)])) == 1
    async with QdrantIndex.open(AsyncQdrantClient(path=str(tmp_path)), DIMENSIONS) as index:
        assert await index.documents() == {"rules.md": {"r1"}}


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant")
async def test_a_qdrant_collection_of_somebody_else_is_refused(tmp_path: Path) -> None:
    client = AsyncQdrantClient(path=str(tmp_path))
    await client.create_collection(
        "refdesk", vectors_config=models.VectorParams(size=DIMENSIONS, distance=models.Distance.COSINE)
    )
    with pytest.raises(StoreMismatch, match="not made by Refdesk"):
        async with QdrantIndex.open(client, DIMENSIONS, rebuild=True):
            pass
