"""Hybrid retrieval on a little base, and the fusion of its legs for any hits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.policy import Policy, RetrievalPolicy
from engine.ports import Hit, Hits
from engine.stages.retrieval import fitness, fuse
from engine.types import PUBLIC, Evidence, Question, Route
from tests.fake_embedder import FakeEmbedder
from tests.fake_index import InMemoryIndex
from tests.fakes import chunk
from tests.small_base import FILES, STAFF, SmallBase, small_base

WHOLE_BASE = Route(domain=None, collection=None, documents=(), levels=())
SUITCASE = "How much may a suitcase weigh?"


@pytest.fixture
async def base(tmp_path: Path) -> SmallBase:
    return await small_base(tmp_path)


async def retrieved(
    base: SmallBase, text: str, route: Route = WHOLE_BASE, audience: frozenset[str] = PUBLIC
) -> Evidence:
    evidence, usage = await base.retriever().retrieve(Question(text=text, audience=audience), route)
    assert usage.embeddings == 1
    return evidence


def documents(evidence: Evidence) -> list[str]:
    return [scored.chunk.document for scored in evidence.chunks]


@pytest.mark.parametrize(
    ("text", "document", "section"),
    [
        ("Когда возвращается депозит?", "housing/contracts/lease.md", "7.2"),
        ("Сколько вычитают за разбитое окно?", "housing/contracts/lease.md", "8"),
        ("Can the name on a ticket be corrected?", "travel/tickets/rules.md", "3.2"),
        ("What does a bicycle reservation cost?", "travel/baggage/bicycles.md", ""),
    ],
)
async def test_the_best_chunk_of_a_plain_question_holds_its_answer(
    base: SmallBase, text: str, document: str, section: str
) -> None:
    evidence = await retrieved(base, text)
    assert evidence.sufficient
    best = evidence.chunks[0].chunk
    assert (best.document, best.section) == (document, section)


async def test_chunks_come_best_first_without_repeats_and_no_more_than_are_kept(base: SmallBase) -> None:
    evidence = await retrieved(base, "refund of a ticket")
    scores = [scored.score for scored in evidence.chunks]
    ids = [scored.chunk.id for scored in evidence.chunks]
    assert scores == sorted(scores, reverse=True)
    assert len(set(ids)) == len(ids) <= base.policy.retrieval.kept
    assert all(0 <= score <= 1 for score in scores)


@pytest.mark.parametrize(
    ("route", "prefix"),
    [
        (replace(WHOLE_BASE, domain="housing"), "housing/"),
        (replace(WHOLE_BASE, domain="travel", collection="baggage"), "travel/baggage/"),
        (
            replace(WHOLE_BASE, domain="travel", collection="baggage", documents=("travel/baggage/winter.md",)),
            "travel/baggage/winter.md",
        ),
    ],
)
async def test_nothing_comes_from_outside_the_route(base: SmallBase, route: Route, prefix: str) -> None:
    evidence = await retrieved(base, "How much does a ticket, a suitcase or a deposit cost? депозит", route)
    assert evidence.chunks
    assert all(document.startswith(prefix) for document in documents(evidence))


async def test_what_is_for_staff_is_found_by_staff_only(base: SmallBase) -> None:
    text = "What is the uniform allowance of the crew?"
    assert documents(await retrieved(base, text, audience=STAFF))[0] == "travel/crew/crew.md"
    for route in (WHOLE_BASE, replace(WHOLE_BASE, domain="travel", collection="crew")):
        assert "travel/crew/crew.md" not in documents(await retrieved(base, text, route))


class NeverRemoves(InMemoryIndex):
    """As if each ingestion had been killed before its last step."""

    async def remove(self, document: str, *, keep_revision: str | None = None) -> None:
        pass


async def test_a_superseded_revision_never_comes_back(tmp_path: Path) -> None:
    path = "travel/baggage/bicycles.md"
    base = await small_base(tmp_path, {})
    base.index = NeverRemoves(base.embedder.dimensions)
    base.write(path, FILES[path])
    await base.ingest()
    base.write(path, FILES[path].replace("6 euros", "8 euros"))
    await base.ingest()
    assert len((await base.index.documents())[path]) == 2
    evidence = await retrieved(base, "What does a bicycle reservation cost?")
    texts = [scored.chunk.text for scored in evidence.chunks]
    assert "8 euros" in texts[0]
    assert not any("6 euros" in text for text in texts)


async def test_a_withdrawn_document_never_comes_back(base: SmallBase) -> None:
    await base.documents.withdraw("travel/baggage/bicycles.md")
    evidence = await retrieved(base, "What does a bicycle reservation cost?")
    assert "travel/baggage/bicycles.md" not in documents(evidence)


async def test_near_duplicates_come_once_but_those_that_differ_in_a_number_stay(base: SmallBase) -> None:
    found = documents(await retrieved(base, SUITCASE))
    assert len({"travel/baggage/luggage.md", "travel/baggage/leaflet.md"} & set(found)) == 1
    assert "travel/baggage/winter.md" in found


async def test_the_same_question_gives_the_same_chunks_whatever_the_order_of_indexing(tmp_path: Path) -> None:
    first = await small_base(tmp_path / "first")
    second = await small_base(tmp_path / "second")
    for path in reversed(FILES):
        second.write(path, FILES[path] + "\n")
        await second.ingest()
        second.write(path, FILES[path])
        await second.ingest()
    for text in (SUITCASE, "refund", "депозит и парковка"):
        assert await retrieved(first, text) == await retrieved(second, text)


async def test_a_question_about_something_else_is_not_sufficient(base: SmallBase) -> None:
    for text in ("Who won the chess championship?", "Как сварить борщ?", "xyzzy plugh", "???"):
        assert not (await retrieved(base, text)).sufficient, text


async def test_sufficiency_is_the_threshold_of_the_policy(tmp_path: Path) -> None:
    text = "What does a bicycle reservation cost?"
    strict = Policy(retrieval=RetrievalPolicy(sufficient=1.01))
    lenient = Policy(retrieval=RetrievalPolicy(sufficient=0.0))
    assert not (await retrieved(await small_base(tmp_path / "strict", policy=strict), text)).sufficient
    assert (await retrieved(await small_base(tmp_path / "lenient", policy=lenient), "xyzzy")).sufficient


async def test_an_empty_base_has_no_evidence(tmp_path: Path) -> None:
    assert await retrieved(await small_base(tmp_path, {}), SUITCASE) == Evidence(chunks=(), sufficient=False)


# --- fusion ---------------------------------------------------------------------------------------------------------

ids = st.sampled_from([f"c{number}" for number in range(8)])


def legs(lowest: float, highest: float) -> st.SearchStrategy[tuple[Hit, ...]]:
    scores = st.floats(lowest, highest, allow_nan=False).map(lambda score: round(score, 6))
    hits = st.builds(lambda chunk_id, score: Hit(chunk_id, score, "a/b/c.md", "r1"), ids, scores)
    return st.lists(hits, max_size=8, unique_by=lambda hit: hit.chunk_id).map(tuple)


all_legs = st.builds(lambda dense, lex, tri: Hits(dense=dense, lex=lex, tri=tri), legs(-1, 1), legs(0, 50), legs(0, 90))


@given(hits=all_legs, random=st.randoms(use_true_random=False))
def test_fusion_does_not_depend_on_the_order_of_hits(hits: Hits, random: Random) -> None:
    def shuffled(leg: tuple[Hit, ...]) -> tuple[Hit, ...]:
        return tuple(random.sample(leg, len(leg)))

    mixed = Hits(dense=shuffled(hits.dense), lex=shuffled(hits.lex), tri=shuffled(hits.tri))
    assert fuse(mixed, FakeEmbedder(), RetrievalPolicy()) == fuse(hits, FakeEmbedder(), RetrievalPolicy())


@given(hits=all_legs)
def test_each_chunk_that_a_leg_found_is_fused_once_best_first(hits: Hits) -> None:
    fused = fuse(hits, FakeEmbedder(), RetrievalPolicy())
    found = {hit.chunk_id for leg in (hits.dense, hits.lex, hits.tri) for hit in leg}
    names = [chunk_id for chunk_id, _ in fused]
    assert len(names) == len(set(names))
    # A text leg's hit without any weight says nothing.
    assert {hit.chunk_id for hit in hits.dense} <= set(names) <= found
    assert fused == sorted(fused, key=lambda item: (-item[1], item[0]))
    assert all(0 <= score <= 1 + 1e-9 for _, score in fused)


@given(dense=legs(-1, 1), lex=legs(0, 50))
def test_a_text_leg_that_found_nothing_keeps_the_order_of_the_others(
    dense: tuple[Hit, ...], lex: tuple[Hit, ...]
) -> None:
    silent = tuple(Hit(hit.chunk_id, 0.0, hit.document, hit.revision) for hit in lex)
    without = fuse(Hits(dense=dense), FakeEmbedder(), RetrievalPolicy())
    assert fuse(Hits(dense=dense, lex=silent, tri=silent), FakeEmbedder(), RetrievalPolicy()) == without


@given(dense=legs(-1, 1).filter(bool))
def test_a_question_in_another_language_is_not_punished_for_the_silent_text_legs(dense: tuple[Hit, ...]) -> None:
    policy = RetrievalPolicy()
    alone = dict(fuse(Hits(dense=dense), FakeEmbedder(), policy))
    helped = dict(fuse(Hits(dense=dense, lex=(Hit("other", 1.0, "a/b/d.md", "r1"),)), FakeEmbedder(), policy))
    assert all(alone[hit.chunk_id] >= helped[hit.chunk_id] for hit in dense)


def test_no_hits_fuse_to_nothing() -> None:
    assert fuse(Hits(), FakeEmbedder(), RetrievalPolicy()) == []


@pytest.mark.parametrize(
    ("question", "elsewhere", "there"),
    [
        ("Сколько стоит ипотека?", "Уборка студии стоит 1 900 рублей.", "Ипотека: 9 процентов."),
        ("How much does a mortgage cost?", "Cleaning costs 1,900 roubles.", "A mortgage is at 9 percent."),
    ],
)
def test_the_price_of_something_else_is_no_evidence(question: str, elsewhere: str, there: str) -> None:
    chunks = [chunk("other", elsewhere), chunk("same", there)]
    fits = fitness(question, chunks, {"other": 0.2, "same": 0.2}, Policy().retrieval)
    assert fits["other"][0] == 0.2
    assert fits["same"][0] > 0.2
