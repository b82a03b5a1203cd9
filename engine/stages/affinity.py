"""How close a question is to each domain, collection and document, by embeddings and words; no model call.

Three kinds of evidence are put together: what the registry says of a place (likeness of meaning, shared words and
names), the centroids of its documents, and the chunks nearest to the question in the whole base.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from engine.policy import RetrievalPolicy
from engine.ports import ChunkIndex, Embedder, Hits, Probe, Scope
from engine.stages.complements import complement, joins
from engine.stages.library import Shelf
from engine.stages.retrieval import fitness, fuse, probe_of, within
from engine.text.focus import names
from engine.text.normal import words
from engine.text.overlap import coverage, document_frequencies, weights
from engine.text.spoken import spoken
from engine.text.statements import anatomy
from engine.text.stems import content_stems, stems
from engine.types import Chunk, Domain, Question, Route

_CHUNKS = 60
_TEMPERATURE = 0.06
_CENTROID_SHARE = 0.5
_MOST_NAMED = 8
"""Domains that one question may name; further ones are left out."""
_CLEAR = 0.6
"""From this share on, a domain's documents are told apart by reading their chunks."""
_AS_GOOD = 0.8
"""A domain that the conversation is about is meant by a question without a name while it fits nearly as well as the
best one: among near-identical domains it does, elsewhere a change of subject shows."""
_REMEMBERED = 3
"""Earlier questions that are looked at for a name."""
_NAMED = 0.8
"""The share of the weight that lies on a domain that is called by its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Affinity:
    """Probabilities that sum to 1 over the domains, and over the collections of each domain; plain document scores."""

    domains: Mapping[str, float]
    collections: Mapping[tuple[str, str], float]
    documents: Mapping[str, float]
    named: tuple[str, ...] = ()
    """The domains that the question calls by their names."""
    beside: Mapping[str, str] = field(default_factory=dict[str, str])
    """In the first of them: what collection is needed beside another one, since the question joins two things."""

    def collections_of(self, domain: str) -> dict[str, float]:
        return {collection: score for (owner, collection), score in self.collections.items() if owner == domain}

    def leaning(self, route: Route, weight: float) -> Affinity:
        """The same with that share of the weight given to where `route` leads, or taken from there if negative."""
        if route.domain is None or route.domain not in self.domains:
            return self
        collections = dict(self.collections)
        own = {key: share for key, share in self.collections.items() if key[0] == route.domain}
        if (route.domain, route.collection) in own:
            collections |= _leaning(own, (route.domain, route.collection or ""), weight)
        return replace(self, domains=_leaning(self.domains, route.domain, weight), collections=collections)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked in one domain, or in the whole base, and the chunks that a first look finds there."""

    text: str
    probe: Probe
    hits: Hits
    domain: str | None


async def measure(question: Question, shelf: Shelf, index: ChunkIndex, embedder: Embedder) -> Affinity:
    named = _named(question.text, question.audience, shelf)[:_MOST_NAMED]
    if named:
        return await _inside(question, shelf, index, embedder, named)
    asked = await _look(question, index, embedder, None, question.text)
    whole, scores = _gather(question, shelf, asked, embedder)
    best = max(scores, key=lambda domain: (scores[domain], domain))
    meant = context_domain(question, shelf)
    if meant is not None and await _fits(question, index, embedder, meant, asked.hits):
        return await _inside(question, shelf, index, embedder, (meant,))
    if whole.domains[best] < _CLEAR:
        return whole
    asked = await _look(question, index, embedder, best, question.text)
    closer, _ = await _closer(question, shelf, index, embedder, asked)
    return replace(whole, documents={**whole.documents, **dict.fromkeys(shelf.of_domain[best], 0.0), **closer})


async def _fits(question: Question, index: ChunkIndex, embedder: Embedder, domain: str, elsewhere: Hits) -> bool:
    """Whether a domain has a chunk nearly as close in meaning as the closest of all. It is looked for in the domain
    itself, since of many domains alike only some come up in a look at the whole base."""
    inside = (await _look(question, index, embedder, domain, question.text)).hits
    return bool(inside.dense) and inside.dense[0].score >= _AS_GOOD * elsewhere.dense[0].score


def context_domain(question: Question, shelf: Shelf) -> str | None:
    """The domain that a question without any name likely means: the one named last, or that of the conversation."""
    visible = {one.id for one in shelf.domains(question.audience)}
    for turn in reversed(question.history[-_REMEMBERED:]):
        if named := _named(turn.question, question.audience, shelf):
            return named[0] if len(named) == 1 else None
    return question.domain if question.domain in visible else None


async def _inside(
    question: Question, shelf: Shelf, index: ChunkIndex, embedder: Embedder, named: Sequence[str]
) -> Affinity:
    """Within the domains that are called by their names all that counts is what else is asked; others cost no time."""
    text = within(question.text, shelf, named)
    found: dict[str, Affinity] = {}
    scores: dict[str, float] = {}
    for domain in named:
        asked = await _look(question, index, embedder, domain, text)
        inside, raw = _gather(question, shelf, asked, embedder)
        closer, beside = await _closer(question, shelf, index, embedder, asked)
        found[domain] = replace(inside, beside=beside, documents=dict.fromkeys(inside.documents, 0.0) | closer)
        scores[domain] = raw[domain]
    best_first = tuple(sorted(named, key=lambda name: (-scores[name], name)))
    best = best_first[0]
    together = Affinity(
        domains=_softmax(scores),
        collections={key: share for one in found.values() for key, share in one.collections.items()},
        documents={path: score for one in found.values() for path, score in one.documents.items()},
        named=best_first,
        beside=found[best].beside,
    )
    return together.leaning(Route(domain=best, collection=None, documents=(), levels=()), _NAMED)


async def _look(question: Question, index: ChunkIndex, embedder: Embedder, domain: str | None, text: str) -> _Asked:
    probe = await probe_of(text, embedder)
    hits = await index.search(probe, Scope(audience=question.audience, domain=domain), _CHUNKS)
    return _Asked(text, probe, hits, domain)


async def _closer(
    question: Question, shelf: Shelf, index: ChunkIndex, embedder: Embedder, asked: _Asked
) -> tuple[dict[str, float], dict[str, str]]:
    """Scores of a domain's documents by what their best chunks say, which a search alone does not read; and which
    collections complete each other."""
    policy = RetrievalPolicy()
    fused = dict(fuse(asked.hits, embedder, policy)[: policy.reranked])
    found = await index.fetch(list(fused))
    chunks = [one for one in found if shelf.readable(one.document, one.revision, question.audience)]
    places = fitness(asked.text, chunks, fused, policy)
    chunks.sort(key=lambda one: (-places[one.id][1], one.id))
    scores: dict[str, float] = {}
    for chunk in chunks:
        scores.setdefault(chunk.document, places[chunk.id][1])
    return scores, _beside(asked.text, chunks) if joins(asked.text) else {}


def _beside(text: str, chunks: Sequence[Chunk]) -> dict[str, str]:
    """For each collection the other one, if any, whose chunk has what its own best chunk leaves open. Best first."""
    read = [(chunk.collection, anatomy(chunk.header, chunk.text).stems) for chunk in chunks]
    asked = weights(frozenset(content_stems(text)), document_frequencies(held for _, held in read), len(read))
    found: dict[str, str] = {}
    for own in dict.fromkeys(collection for collection, _ in read):
        held = next(stems for collection, stems in read if collection == own)
        other = complement(asked, held, [one for one in read if one[0] != own])
        if other is not None:
            found[own] = other
    return found


def _named(text: str, audience: frozenset[str], shelf: Shelf) -> tuple[str, ...]:
    """Of names that hold each other ("Park", "Park Quarter"), the longer one is meant."""
    told = frozenset(stems(text))
    heard = frozenset[str]().union(*map(spoken, words(text)))
    titles = {
        one.id: one.title
        for one in shelf.domains(audience)
        if (told.issuperset(shelf.titles[one.id]) or all(map(heard.intersection, shelf.sounds[one.id])))
        and names(text, one.title)
    }
    return tuple(
        domain
        for domain, title in titles.items()
        if not any(title != other and names(f"- {other}", title) for other in titles.values())
    )


def _gather(
    question: Question, shelf: Shelf, asked: _Asked, embedder: Embedder
) -> tuple[Affinity, Mapping[str, float]]:
    """Of the domain that is asked in, or of all, with the domains' plain scores."""
    domains = [one for one in shelf.domains(question.audience) if asked.domain in (None, one.id)]
    documents = _document_scores(question, shelf, asked, embedder)
    described = _description_scores(shelf, asked, domains, embedder)
    collections: dict[tuple[str, str], float] = {}
    scores: dict[str, float] = {}
    for domain in domains:
        raw = {}
        for collection in shelf.collections(domain, question.audience):
            held = max(documents.get(path, 0.0) for path in shelf.paths[domain.id, collection.id])
            raw[collection.id] = 0.6 * held + 0.4 * described[f"{domain.id}/{collection.id}"]
        scores[domain.id] = 0.7 * max(raw.values()) + 0.3 * described[domain.id]
        collections |= {(domain.id, name): share for name, share in _softmax(raw).items()}
    return Affinity(domains=_softmax(scores), collections=collections, documents=documents), scores


def _document_scores(question: Question, shelf: Shelf, asked: _Asked, embedder: Embedder) -> dict[str, float]:
    """The best chunk of each visible document, or its centroid when that is closer."""
    owner = {hit.chunk_id: hit for leg in (asked.hits.dense, asked.hits.lex, asked.hits.tri) for hit in leg}
    scores: dict[str, float] = defaultdict(float)
    for chunk_id, score in fuse(asked.hits, embedder, RetrievalPolicy()):
        hit = owner[chunk_id]
        if shelf.readable(hit.document, hit.revision, question.audience):
            scores[hit.document] = max(scores[hit.document], score)
    if asked.probe.dense is not None and shelf.documents:
        paths = shelf.of_domain.get(asked.domain, ()) if asked.domain else tuple(shelf.documents)
        rows = shelf.centroids[[shelf.rows[path] for path in paths]] if asked.domain else shelf.centroids
        close = _CENTROID_SHARE * _strengths(rows @ asked.probe.dense, embedder)
        for path, score in zip(paths, close.tolist(), strict=True):
            if shelf.documents[path].audience & question.audience:
                scores[path] = max(scores[path], score)
    return dict(scores)


def _description_scores(shelf: Shelf, asked: _Asked, domains: Sequence[Domain], embedder: Embedder) -> dict[str, float]:
    """For each domain and its collections, what title and description have in common with the question, 0..1."""
    places = [place for one in domains for place in (one.id, *(f"{one.id}/{inner.id}" for inner in one.collections))]
    wanted = weights(frozenset(content_stems(asked.text)), shelf.frequencies, len(shelf.stems))
    # A word that the descriptions have themselves is asked for in their language, and needs no other one.
    known = shelf.frequencies.keys() & wanted.keys()
    covered = {held: coverage(wanted, held, known) for held in {shelf.stems[place] for place in places}}
    alike = [0.0] * len(places)
    if asked.probe.dense is not None and len(shelf.descriptions):
        rows = shelf.descriptions[[shelf.described[place] for place in places]]
        alike = _strengths(rows @ asked.probe.dense, embedder).tolist()
    return {place: 0.5 * like + 0.5 * covered[shelf.stems[place]] for place, like in zip(places, alike, strict=True)}


K = TypeVar("K")


def _leaning(shares: Mapping[K, float], liked: K, weight: float) -> dict[K, float]:
    if weight >= 0:
        return {key: (1 - weight) * share + (weight if key == liked else 0.0) for key, share in shares.items()}
    if len(shares) == 1:
        return dict(shares)
    lessened = {key: share * (1 + weight if key == liked else 1.0) for key, share in shares.items()}
    total = sum(lessened.values()) or 1.0
    return {key: share / total for key, share in lessened.items()}


def _strengths(cosines: npt.NDArray[np.float32], embedder: Embedder) -> npt.NDArray[np.float64]:
    xs, ys = np.array(embedder.calibration.passage, dtype=np.float64).T
    return np.asarray(np.interp(cosines, xs, ys), dtype=np.float64)


def _softmax(scores: Mapping[str, float]) -> dict[str, float]:
    if not scores:
        return {}
    top = max(scores.values())
    shares = {name: math.exp((score - top) / _TEMPERATURE) for name, score in scores.items()}
    total = sum(shares.values())
    return {name: share / total for name, share in shares.items()}
