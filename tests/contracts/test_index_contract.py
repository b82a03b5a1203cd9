"""What every chunk index does: the fake, Qdrant's client in memory, the embedded engine, a real server if there is one.

The fake is the oracle for scores.
"""

from __future__ import annotations

import os
import uuid
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from qdrant_client import AsyncQdrantClient

from engine.errors import StoreMismatch
from engine.ports import ChunkIndex, Hit, Hits, IndexPoint, Probe, Scope, SparseVector
from engine.providers.edge_index import EdgeIndex
from engine.providers.qdrant_index import QdrantIndex
from engine.types import Chunk
from tests.fake_index import InMemoryIndex

DIMENSIONS = 16
EVERYONE = Scope(audience=frozenset({"public"}))
NO_WORDS = SparseVector((), ())
SERVER_URL = os.environ.get("REFDESK_TEST_QDRANT_URL")
"""A server that may be written to. Without it that implementation is left out; tests/conftest.py says so."""


# --- the implementations --------------------------------------------------------------------------------------------


@asynccontextmanager
async def in_memory_client() -> AsyncIterator[QdrantIndex]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Payload indexes have no effect in the local Qdrant")
        async with QdrantIndex.open(AsyncQdrantClient(":memory:"), DIMENSIONS) as index:
            yield index


@asynccontextmanager
async def on_server(url: str) -> AsyncIterator[QdrantIndex]:
    collection = f"refdesk-test-{uuid.uuid4()}"
    client = AsyncQdrantClient(url=url, check_compatibility=False)
    async with QdrantIndex.open(client, DIMENSIONS, collection=collection) as index:
        try:
            yield index
        finally:
            await client.delete_collection(collection)


@pytest.fixture(
    params=[
        "fake",
        "client in memory",
        "embedded",
        *(["server"] if SERVER_URL else []),
    ]
)
async def index(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ChunkIndex]:
    if request.param == "fake":
        yield InMemoryIndex(DIMENSIONS)
    elif request.param == "client in memory":
        async with in_memory_client() as local:
            yield local
    elif request.param == "embedded":
        async with EdgeIndex.open(tmp_path / "index", DIMENSIONS) as embedded:
            yield embedded
    else:
        assert SERVER_URL is not None
        async with on_server(SERVER_URL) as remote:
            yield remote


# --- what is stored -------------------------------------------------------------------------------------------------


def chunk_id(number: int) -> str:
    return str(uuid.UUID(int=number))


def make_chunk(number: int, **fields: object) -> Chunk:
    plain = Chunk(
        id=chunk_id(number),
        document="rules.md",
        revision="r1",
        ordinal=number,
        domain="housing",
        collection="contracts",
        document_title="Rules",
        section="1",
        section_title="Start",
        section_index=1,
        text=f"text {number}",
        header="housing > contracts > Rules > Start",
        language="en",
    )
    return replace(plain, **fields)  # type: ignore[arg-type]


def unit(*values: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    vector = np.zeros(DIMENSIONS, dtype=np.float32)
    vector[: len(values)] = values
    return vector / np.float32(np.linalg.norm(vector))


def make_point(
    number: int, *, lex: SparseVector = NO_WORDS, tri: SparseVector = NO_WORDS, **fields: object
) -> IndexPoint:
    return IndexPoint(chunk=make_chunk(number, **fields), dense=unit(1, number), lex=lex, tri=tri)


def random_sparse(random: np.random.Generator, vocabulary: int, size: int) -> SparseVector:
    # Spread over all 32 bits, as hashed words are.
    indices = random.choice(vocabulary, size=size, replace=False) * (2**32 // vocabulary)
    return SparseVector(tuple(indices.tolist()), tuple(random.uniform(0.1, 2.0, size).tolist()))


def random_points(count: int) -> list[IndexPoint]:
    random = np.random.default_rng(7)
    return [
        IndexPoint(
            chunk=make_chunk(
                number,
                document=f"документ {number % 9}.md",
                domain=("housing", "insurance")[number % 2],
                collection=f"c{number % 3}",
                audience=(frozenset({"public"}), frozenset({"staff"}), frozenset({"public", "staff"}))[number % 3],
            ),
            dense=unit(*random.normal(size=DIMENSIONS)),
            # Every eighth chunk has no words, every ninth no trigrams.
            lex=random_sparse(random, 60, 12 if number % 8 else 0),
            tri=random_sparse(random, 200, 40 if number % 9 else 0),
        )
        for number in range(count)
    ]


def ids(hits: tuple[Hit, ...]) -> list[str]:
    return [hit.chunk_id for hit in hits]


async def found_by_dense(index: ChunkIndex, scope: Scope = EVERYONE) -> set[str]:
    hits = await index.search(Probe(dense=unit(1)), scope, 100)
    return set(ids(hits.dense))


# --- chunks ---------------------------------------------------------------------------------------------------------


async def test_a_chunk_comes_back_with_every_field(index: ChunkIndex) -> None:
    full = make_chunk(
        1,
        document="жильё/правила — «дом» 🏠.md",
        revision="r-ё",
        section="IV.2(b)",
        section_title='Кавычки "и" \\ обратная',
        section_index=12,
        text="Первая строка\n\nвторая\t\u00a0строка 𝔘\u0301",
        header="Жильё > Договоры > Правила > IV.2(b)",
        language="ru",
        audience=frozenset({"staff", "жильцы"}),
        page=12,
        anchor="iv-2-b",
    )
    sparse = make_chunk(2, section="", page=None, anchor=None)
    points = [IndexPoint(chunk=chunk, dense=unit(1), lex=NO_WORDS, tri=NO_WORDS) for chunk in (full, sparse)]
    await index.upsert(points)
    assert await index.fetch([full.id, sparse.id]) == (full, sparse)


async def test_fetch_keeps_the_order_and_leaves_out_what_is_not_there(index: ChunkIndex) -> None:
    await index.upsert([make_point(number) for number in range(4)])
    found = await index.fetch([chunk_id(3), chunk_id(99), chunk_id(0), chunk_id(2)])
    assert [chunk.id for chunk in found] == [chunk_id(3), chunk_id(0), chunk_id(2)]
    assert await index.fetch([]) == ()


async def test_more_points_than_one_batch_and_none_at_all(index: ChunkIndex) -> None:
    await index.upsert([])
    await index.upsert([make_point(number) for number in range(150)])
    assert len(await index.fetch([chunk_id(number) for number in range(150)])) == 150


async def test_the_same_chunk_again_replaces_the_first(index: ChunkIndex) -> None:
    words = SparseVector((5,), (1.0,))
    await index.upsert([make_point(1, lex=words)])
    await index.upsert([make_point(1, text="new")])
    assert [chunk.text for chunk in await index.fetch([chunk_id(1)])] == ["new"]
    assert (await index.search(Probe(lex=words), EVERYONE, 5)).lex == ()


async def test_an_empty_index(index: ChunkIndex) -> None:
    probe = Probe(dense=unit(1), lex=SparseVector((1,), (1.0,)), tri=SparseVector((1,), (1.0,)))
    assert await index.search(probe, EVERYONE, 5) == Hits()
    assert await index.fetch([chunk_id(1)]) == ()
    assert await index.documents() == {}
    await index.remove("nothing.md")
    await index.flush()
    await index.optimise()


async def test_vectors_of_another_length_are_refused(index: ChunkIndex) -> None:
    short = replace(make_point(1), dense=np.ones(DIMENSIONS - 1, dtype=np.float32))
    with pytest.raises(StoreMismatch):
        await index.upsert([short])
    with pytest.raises(StoreMismatch):
        await index.search(Probe(dense=short.dense), EVERYONE, 5)


# --- search ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("optimised", [False, True])
async def test_scores_of_all_legs_are_those_of_the_fake(index: ChunkIndex, optimised: bool) -> None:
    points = random_points(60)
    oracle = InMemoryIndex(DIMENSIONS)
    await oracle.upsert(points)
    await index.upsert(points)
    if optimised:
        await index.optimise()
    random = np.random.default_rng(8)
    scopes = [EVERYONE, Scope(audience=frozenset({"staff"})), replace(EVERYONE, domain="insurance", collection="c2")]
    for scope in scopes:
        probe = Probe(
            dense=unit(*random.normal(size=DIMENSIONS)),
            lex=random_sparse(random, 60, 6),
            tri=random_sparse(random, 200, 25),
        )
        expected = await oracle.search(probe, scope, 60)
        found = await index.search(probe, scope, 60)
        for leg in ("dense", "lex", "tri"):
            assert_same_hits(getattr(found, leg), getattr(expected, leg))


def assert_same_hits(found: tuple[Hit, ...], expected: tuple[Hit, ...]) -> None:
    assert len(expected) > 3, "the test should not pass for want of hits"
    assert {hit.chunk_id: hit.score for hit in found} == pytest.approx(
        {hit.chunk_id: hit.score for hit in expected}, abs=1e-3
    )
    scores = [hit.score for hit in found]
    assert scores == sorted(scores, reverse=True)
    named = {hit.chunk_id: (hit.document, hit.revision) for hit in expected}
    assert all((hit.document, hit.revision) == named[hit.chunk_id] for hit in found)


async def test_the_best_come_first_and_no_more_than_asked_for(index: ChunkIndex) -> None:
    await index.upsert([make_point(number) for number in range(20)])
    hits = await index.search(Probe(dense=unit(1)), EVERYONE, 3)
    assert ids(hits.dense) == [chunk_id(0), chunk_id(1), chunk_id(2)]
    assert await index.search(Probe(dense=unit(1)), EVERYONE, 0) == Hits()


@pytest.mark.parametrize("limit", [1, 5, 40])
async def test_ties_are_in_order_of_chunk_id_also_across_the_limit(index: ChunkIndex, limit: int) -> None:
    words = SparseVector((7, 8), (1.0, 0.5))
    order = np.random.default_rng(3).permutation(120).tolist()
    points = [replace(make_point(number, lex=words, tri=words), dense=unit(1)) for number in order]
    await index.upsert(points)
    hits = await index.search(Probe(dense=unit(1, 1), lex=words, tri=words), EVERYONE, limit)
    smallest = [chunk_id(number) for number in range(limit)]
    assert (ids(hits.dense), ids(hits.lex), ids(hits.tri)) == (smallest, smallest, smallest)


async def test_a_leg_without_a_vector_is_not_searched(index: ChunkIndex) -> None:
    words = SparseVector((7,), (1.0,))
    await index.upsert([make_point(1, lex=words, tri=words)])
    assert await index.search(Probe(), EVERYONE, 5) == Hits()
    assert await index.search(Probe(lex=NO_WORDS, tri=NO_WORDS), EVERYONE, 5) == Hits()
    only_tri = await index.search(Probe(lex=NO_WORDS, tri=words), EVERYONE, 5)
    assert (ids(only_tri.dense), ids(only_tri.lex), ids(only_tri.tri)) == ([], [], [chunk_id(1)])


async def test_sparse_legs_find_only_what_shares_a_word(index: ChunkIndex) -> None:
    largest = 2**32 - 1
    await index.upsert(
        [
            make_point(1, lex=SparseVector((0, largest), (1.0, 1.0))),
            make_point(2, lex=SparseVector((5,), (1.0,))),
            make_point(3),
        ]
    )
    hits = await index.search(Probe(lex=SparseVector((largest, 77), (1.0, 1.0))), EVERYONE, 5)
    assert ids(hits.lex) == [chunk_id(1)]


# --- scopes ---------------------------------------------------------------------------------------------------------


async def test_only_the_audience_finds_a_chunk(index: ChunkIndex) -> None:
    await index.upsert(
        [
            make_point(1),
            make_point(2, audience=frozenset({"staff", "board"})),
            make_point(3, audience=frozenset({"board"})),
            make_point(4, audience=frozenset()),
        ]
    )
    assert await found_by_dense(index) == {chunk_id(1)}
    assert await found_by_dense(index, Scope(audience=frozenset({"public", "staff"}))) == {chunk_id(1), chunk_id(2)}
    assert await found_by_dense(index, Scope(audience=frozenset({"board"}))) == {chunk_id(2), chunk_id(3)}
    assert await found_by_dense(index, Scope(audience=frozenset({"nobody"}))) == set()
    assert await found_by_dense(index, Scope(audience=frozenset())) == set()


async def test_a_scope_limits_to_domain_collection_and_documents(index: ChunkIndex) -> None:
    await index.upsert(
        [
            make_point(1, domain="жильё", collection="a", document="жильё/а б.md"),
            make_point(2, domain="жильё", collection="b", document="x.md"),
            make_point(3, domain="connect", collection="a", document="y.md"),
        ]
    )

    async def found(**limits: object) -> set[str]:
        return await found_by_dense(index, replace(EVERYONE, **limits))  # type: ignore[arg-type]

    assert await found(domain="жильё") == {chunk_id(1), chunk_id(2)}
    assert await found(collection="a") == {chunk_id(1), chunk_id(3)}
    assert await found(domain="жильё", collection="a") == {chunk_id(1)}
    assert await found(documents=("жильё/а б.md", "y.md", "gone.md")) == {chunk_id(1), chunk_id(3)}
    assert await found(domain="connect", documents=("x.md",)) == set()


# --- documents and revisions ----------------------------------------------------------------------------------------


async def test_a_new_revision_leaves_no_tails(index: ChunkIndex) -> None:
    words = SparseVector((7,), (1.0,))
    await index.upsert([make_point(number, lex=words) for number in range(5)] + [make_point(50, document="other.md")])
    await index.upsert([make_point(number, lex=words, revision="r2") for number in range(10, 12)])
    assert await index.documents() == {"rules.md": {"r1", "r2"}, "other.md": {"r1"}}

    await index.remove("rules.md", keep_revision="r2")

    assert await index.documents() == {"rules.md": {"r2"}, "other.md": {"r1"}}
    assert await found_by_dense(index) == {chunk_id(10), chunk_id(11), chunk_id(50)}
    assert ids((await index.search(Probe(lex=words), EVERYONE, 20)).lex) == [chunk_id(10), chunk_id(11)]
    assert await index.fetch([chunk_id(number) for number in range(5)]) == ()


async def test_remove_takes_all_of_one_document_only(index: ChunkIndex) -> None:
    await index.upsert([make_point(1), make_point(2, revision="r2"), make_point(3, document="rules.md.bak")])
    await index.remove("rules.md")
    assert await index.documents() == {"rules.md.bak": {"r1"}}
    await index.optimise()
    assert await found_by_dense(index) == {chunk_id(3)}


async def test_documents_beyond_one_page(index: ChunkIndex) -> None:
    await index.upsert(
        [make_point(number, document=f"{number % 7}.md", revision=f"{number % 2}") for number in range(2100)]
    )
    assert await index.documents() == {f"{number}.md": {"0", "1"} for number in range(7)}


# --- what lasts -----------------------------------------------------------------------------------------------------


async def test_the_embedded_index_holds_its_chunks_when_opened_again(tmp_path: Path) -> None:
    points = random_points(30)
    probe = Probe(dense=points[0].dense, lex=points[1].lex, tri=points[1].tri)
    async with EdgeIndex.open(tmp_path, DIMENSIONS) as index:
        await index.upsert(points)
        before = await index.search(probe, EVERYONE, 10)
    async with EdgeIndex.open(tmp_path, DIMENSIONS) as index:
        assert await index.search(probe, EVERYONE, 10) == before
        assert await index.fetch([points[4].chunk.id]) == (points[4].chunk,)
        await index.remove(points[4].chunk.document)
    async with EdgeIndex.open(tmp_path, DIMENSIONS) as index:
        assert await index.fetch([points[4].chunk.id]) == ()
