"""Hybrid retrieval inside a route: dense and full text side by side, fused, near duplicates removed, reranked."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

import numpy as np

from engine.policy import RetrievalPolicy
from engine.ports import ChunkIndex, Embedder, Hit, Hits, Probe, Scope, SparseVector
from engine.stages.library import Library, Shelf
from engine.text.answer_types import asked_for, labels_of, without_measure
from engine.text.focus import without_name
from engine.text.overlap import coverage, document_frequencies, same_content, weights
from engine.text.sparse import TermWeights, lex_question, tri_question
from engine.text.statements import Anatomy, Statement, anatomy
from engine.text.stems import content_stems
from engine.types import Chunk, Evidence, Question, Route, ScoredChunk, Usage

_LABELLED = 0.25
"""For a statement that has a word by which the kind of thing asked for is called."""


class HybridRetriever:
    """Raises ProviderError when the embedder or the index fails."""

    def __init__(self, library: Library, index: ChunkIndex, embedder: Embedder, policy: RetrievalPolicy) -> None:
        self._library = library
        self._index = index
        self._embedder = embedder
        self._policy = policy

    async def retrieve(self, question: Question, route: Route) -> tuple[Evidence, Usage]:
        branches = (route, *route.also)
        text = within(question.text, await self._library.shelf(), [one.domain for one in branches if one.domain])
        found = [await self._in_branch(question, branch, text) for branch in branches]
        kept = found[0] if len(found) == 1 else self._in_turn(found)
        sufficient = bool(kept) and max(scored.score for scored in kept) >= self._policy.sufficient
        return Evidence(chunks=kept, sufficient=sufficient), Usage(embeddings=1)

    async def _in_branch(self, question: Question, branch: Route, text: str) -> tuple[ScoredChunk, ...]:
        shelf = await self._library.shelf()
        probe = await probe_of(text, self._embedder)
        scope = Scope(
            audience=question.audience, domain=branch.domain, collection=branch.collection, documents=branch.documents
        )
        hits = _readable(await self._index.search(probe, scope, self._policy.candidates), shelf, question.audience)
        fused = fuse(hits, self._embedder, self._policy)
        chunks = await self._index.fetch([chunk_id for chunk_id, _ in fused[: self._policy.reranked]])
        ranked = await asyncio.to_thread(rerank, text, chunks, dict(fused), self._policy)
        kept = self._distinct(ranked)
        if text == question.text:
            return kept
        # The name was not looked for; that all of this is of the place it names speaks for it all the same.
        return tuple(replace(one, score=round(one.score + self._policy.named_weight, 4)) for one in kept)

    def _in_turn(self, branches: Sequence[Sequence[ScoredChunk]]) -> tuple[ScoredChunk, ...]:
        """The best of each branch, then the second best of each: what compares two things needs both. Best first."""
        dealt = {scored.chunk.id: scored for row in zip_longest(*branches) for scored in row if scored is not None}
        kept = list(dealt.values())[: self._policy.kept]
        return tuple(sorted(kept, key=lambda scored: (-scored.score, scored.chunk.id)))

    def _distinct(self, ranked: Sequence[ScoredChunk]) -> tuple[ScoredChunk, ...]:
        kept: list[ScoredChunk] = []
        for candidate in ranked:
            if len(kept) == self._policy.kept:
                break
            text = candidate.chunk.text
            if not any(same_content(text, other.chunk.text, self._policy.duplicate_overlap) for other in kept):
                kept.append(candidate)
        return tuple(kept)


async def probe_of(text: str, embedder: Embedder) -> Probe:
    """A question as vectors. Raises ProviderError when the embedder fails."""
    dense = (await embedder.embed_questions([text]))[0]
    return Probe(dense=dense, lex=_sparse(lex_question(text)), tri=_sparse(tri_question(text)))


def within(text: str, shelf: Shelf, domains: Collection[str]) -> str:
    """What a question asks inside these domains: all but their own names."""
    for domain in shelf.registry.domains:
        if domain.id in domains:
            text = without_name(text, domain.title)
    return text


def fuse(hits: Hits, embedder: Embedder, policy: RetrievalPolicy) -> list[tuple[str, float]]:
    """(chunk id, score) of all legs together, best first, ties in order of id.

    The dense leg counts by the embedder's own strength, the two text legs by distribution-based score fusion
    (M. Mazzeo, "Distribution-Based Score Fusion", 2023). A text leg that found nothing gives its weight to the dense
    one, so that a question in another language than the documents is not punished for it.
    """
    xs, ys = np.array(embedder.calibration.passage, dtype=np.float64).T
    dense = {hit.chunk_id: float(np.interp(hit.score, xs, ys)) for hit in hits.dense}
    lex, tri = _spread(hits.lex), _spread(hits.tri)
    dense_weight = policy.dense_weight + (0.0 if lex else policy.lex_weight + policy.coverage_weight)
    dense_weight += 0.0 if tri else policy.tri_weight
    scores = {
        chunk_id: dense_weight * dense.get(chunk_id, 0.0)
        + policy.lex_weight * lex.get(chunk_id, 0.0)
        + policy.tri_weight * tri.get(chunk_id, 0.0)
        for chunk_id in dense.keys() | lex.keys() | tri.keys()
    }
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def rerank(
    text: str, chunks: Sequence[Chunk], fused: Mapping[str, float], policy: RetrievalPolicy
) -> list[ScoredChunk]:
    """Add how much of the question's telling words each candidate holds. Ties in order of chunk id."""
    fits = fitness(text, chunks, fused, policy)
    ranked = sorted(fits, key=lambda one: (-fits[one][1], one))
    by_id = {chunk.id: chunk for chunk in chunks}
    return [ScoredChunk(chunk=by_id[one], score=fits[one][0]) for one in ranked]


def fitness(
    text: str, chunks: Sequence[Chunk], fused: Mapping[str, float], policy: RetrievalPolicy
) -> dict[str, tuple[float, float]]:
    """For each candidate by its id: how strong an evidence it is, and its place in the order.

    Whether a chunk has the kind of thing asked for, sets values forth, and has one statement that tells much of
    what is asked counts for the order alone: it makes weak evidence no stronger.
    """
    read = {chunk.id: anatomy(chunk.header, chunk.text) for chunk in chunks}
    frequencies = document_frequencies(one.stems for one in read.values())
    asked = weights(frozenset(content_stems(without_measure(text))), frequencies, len(chunks))
    kinds, called = asked_for(text), labels_of(text)

    def tells(statement: Statement) -> float:
        """How much of what is asked one statement has, less where it lacks the kind of thing asked for or hedges."""
        lacks = bool(kinds) and kinds.isdisjoint(statement.kinds)
        told = coverage(asked, statement.stems) + (_LABELLED if not called.isdisjoint(statement.stems) else 0.0)
        return told * (0.5 if lacks else 1.0) * (1.0 if statement.plain else 0.6)

    def fits(found: Anatomy) -> float:
        return (
            policy.answer_type_weight * (not kinds.isdisjoint(found.kinds))
            + policy.set_forth_weight * found.sets_forth
            + policy.statement_weight * max(map(tells, found.statements), default=0.0)
        )

    strengths = {
        one: round(fused[one] + policy.coverage_weight * coverage(asked, found.stems), 4) for one, found in read.items()
    }
    return {one: (strengths[one], strengths[one] + fits(found)) for one, found in read.items()}


def _spread(hits: Sequence[Hit]) -> dict[str, float]:
    """Scores mapped to 0..1 by mean and three standard deviations."""
    scores = [hit.score for hit in hits if hit.score > 0]
    if not scores:
        return {}
    middle, reach = statistics.fmean(scores), 3 * statistics.pstdev(scores)
    if reach == 0:
        return {hit.chunk_id: 0.5 for hit in hits if hit.score > 0}
    return {
        hit.chunk_id: min(1.0, max(0.0, (hit.score - middle + reach) / (2 * reach))) for hit in hits if hit.score > 0
    }


def _readable(hits: Hits, shelf: Shelf, audience: frozenset[str]) -> Hits:
    def keep(leg: Sequence[Hit]) -> tuple[Hit, ...]:
        return tuple(hit for hit in leg if shelf.readable(hit.document, hit.revision, audience))

    return Hits(dense=keep(hits.dense), lex=keep(hits.lex), tri=keep(hits.tri))


def _sparse(terms: TermWeights) -> SparseVector | None:
    return SparseVector(terms.indices, terms.values) if terms.indices else None
