"""A `ChunkIndex` in plain Python: what the real ones are measured against."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from engine.errors import StoreMismatch
from engine.ports import Hit, Hits, IndexPoint, Probe, Scope, SparseVector
from engine.types import Chunk


class InMemoryIndex:
    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._points: dict[str, IndexPoint] = {}

    async def upsert(self, points: Sequence[IndexPoint]) -> None:
        for point in points:
            self._check(point.dense)
        self._points.update({point.chunk.id: point for point in points})

    async def search(self, probe: Probe, scope: Scope, limit: int) -> Hits:
        inside = [point for point in self._points.values() if _is_inside(point.chunk, scope)]
        return Hits(
            dense=self._dense_leg(probe.dense, inside, limit),
            lex=self._sparse_leg(probe.lex, lambda point: point.lex, inside, limit),
            tri=self._sparse_leg(probe.tri, lambda point: point.tri, inside, limit),
        )

    async def fetch(self, chunk_ids: Sequence[str]) -> tuple[Chunk, ...]:
        return tuple(self._points[chunk_id].chunk for chunk_id in chunk_ids if chunk_id in self._points)

    async def remove(self, document: str, *, keep_revision: str | None = None) -> None:
        self._points = {
            chunk_id: point
            for chunk_id, point in self._points.items()
            if point.chunk.document != document or point.chunk.revision == keep_revision
        }

    async def documents(self) -> Mapping[str, frozenset[str]]:
        revisions: dict[str, frozenset[str]] = {}
        for point in self._points.values():
            document = point.chunk.document
            revisions[document] = revisions.get(document, frozenset()) | {point.chunk.revision}
        return revisions

    async def flush(self) -> None:
        pass

    async def optimise(self) -> None:
        pass

    async def aclose(self) -> None:
        pass

    def _check(self, vector: npt.NDArray[np.float32]) -> None:
        if vector.shape != (self._dimensions,):
            raise StoreMismatch(f"The index holds vectors of {self._dimensions} dimensions, not of {vector.size}.")

    def _dense_leg(
        self, question: npt.NDArray[np.float32] | None, inside: Sequence[IndexPoint], limit: int
    ) -> tuple[Hit, ...]:
        if question is None:
            return ()
        self._check(question)
        return _best(((point, _cosine(question, point.dense)) for point in inside), limit)

    def _sparse_leg(
        self,
        question: SparseVector | None,
        leg: Callable[[IndexPoint], SparseVector],
        inside: Sequence[IndexPoint],
        limit: int,
    ) -> tuple[Hit, ...]:
        if question is None:
            return ()
        # Word frequencies are those of the whole index, whatever the scope.
        corpus = [leg(point) for point in self._points.values() if leg(point).indices]
        weights = _weighted(question, corpus)
        matching = [point for point in inside if not weights.keys().isdisjoint(leg(point).indices)]
        return _best(((point, _sum_of_products(weights, leg(point))) for point in matching), limit)


def _is_inside(chunk: Chunk, scope: Scope) -> bool:
    return (
        bool(chunk.audience & scope.audience)
        and scope.domain in (None, chunk.domain)
        and scope.collection in (None, chunk.collection)
        and (not scope.documents or chunk.document in scope.documents)
    )


def _cosine(first: npt.NDArray[np.float32], second: npt.NDArray[np.float32]) -> float:
    lengths = float(np.linalg.norm(first)) * float(np.linalg.norm(second))
    return float(np.dot(first, second)) / lengths if lengths else 0.0


def _weighted(question: SparseVector, corpus: Sequence[SparseVector]) -> dict[int, float]:
    """The question's values times the inverse document frequency, by Qdrant's formula."""
    weights: dict[int, float] = {}
    for index, value in zip(question.indices, question.values, strict=True):
        holding = sum(index in vector.indices for vector in corpus)
        weights[index] = value * math.log(1 + (len(corpus) - holding + 0.5) / (holding + 0.5))
    return weights


def _sum_of_products(weights: Mapping[int, float], vector: SparseVector) -> float:
    pairs = zip(vector.indices, vector.values, strict=True)
    return sum(weights[index] * value for index, value in pairs if index in weights)


def _best(scored: Iterable[tuple[IndexPoint, float]], limit: int) -> tuple[Hit, ...]:
    hits = [
        # Rounded, so that sums of the same numbers in another order tie.
        Hit(point.chunk.id, round(score, 6), point.chunk.document, point.chunk.revision)
        for point, score in scored
    ]
    return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))[:limit])
