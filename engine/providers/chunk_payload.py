"""What the two Qdrant indexes share: how a chunk is stored as a point, and how hits are put in order."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.errors import StoreMismatch
from engine.ports import Hit, Hits, IndexPoint, Probe, Scope, SparseVector
from engine.types import Chunk

Payload = dict[str, Any]
"""JSON: what Qdrant keeps beside the vectors of a point."""

DENSE = "dense"
LEX = "lex"
TRI = "tri"

KEYWORD_FIELDS = ("document", "revision", "domain", "collection", "audience")
"""Payload fields that filters name."""

HIT_FIELDS = ["document", "revision"]
"""Payload fields that a hit carries; texts are fetched only for the few hits that are kept."""

UPSERT_BATCH = 64
"""Points in one request: small enough that searches in between do not wait long."""

TIE_MARGIN = 14
"""Fetched beyond the limit, to see whether a tie goes across it."""

TIE_CEILING = 1024
"""With more equal scores than this the engine's own order decides which of them are found."""

_STORED_FIELDS = tuple(field.name for field in fields(Chunk) if field.name != "id")
"""The id is the point's own."""

Vector = list[float] | SparseVector
Ask = Callable[[Mapping[str, Vector], int], Awaitable[Mapping[str, Sequence[Hit]]]]
"""Searches each named leg for that many hits, in one round trip."""


# --- chunk <-> payload ----------------------------------------------------------------------------------------------


def payload_of(chunk: Chunk) -> Payload:
    return {name: getattr(chunk, name) for name in _STORED_FIELDS} | {"audience": sorted(chunk.audience)}


def chunk_of(chunk_id: str, payload: Payload) -> Chunk:
    stored = {name: payload[name] for name in _STORED_FIELDS}
    return Chunk(id=chunk_id, **stored | {"audience": frozenset(payload["audience"])})


def in_asked_order(chunks: Iterable[Chunk], chunk_ids: Sequence[str]) -> tuple[Chunk, ...]:
    found = {chunk.id: chunk for chunk in chunks}
    return tuple(found[chunk_id] for chunk_id in chunk_ids if chunk_id in found)


# --- points and filters ---------------------------------------------------------------------------------------------


def sparse_vectors_of(point: IndexPoint) -> dict[str, SparseVector]:
    """Without the empty ones: a chunk without words is no part of the corpus that word frequencies are counted in."""
    return {name: vector for name, vector in ((LEX, point.lex), (TRI, point.tri)) if vector.indices}


def checked_dense(vector: npt.NDArray[np.float32], dimensions: int) -> npt.NDArray[np.float32]:
    if vector.shape != (dimensions,):
        raise StoreMismatch(
            f"The index holds vectors of {dimensions} dimensions, and the embedder makes vectors of {vector.size}. "
            "Build the index again with `refdesk ingest`."
        )
    return np.ascontiguousarray(vector, dtype=np.float32)


def batches(points: Sequence[IndexPoint]) -> Iterator[Sequence[IndexPoint]]:
    for start in range(0, len(points), UPSERT_BATCH):
        yield points[start : start + UPSERT_BATCH]


def scope_conditions(scope: Scope) -> dict[str, list[str]]:
    """Payload fields with the values of which a chunk must have one."""
    conditions = {"audience": sorted(scope.audience)}
    if scope.domain is not None:
        conditions["domain"] = [scope.domain]
    if scope.collection is not None:
        conditions["collection"] = [scope.collection]
    if scope.documents:
        conditions["document"] = list(scope.documents)
    return conditions


def gather_revisions(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    revisions: dict[str, set[str]] = {}
    for document, revision in pairs:
        revisions.setdefault(document, set()).add(revision)
    return {document: frozenset(found) for document, found in revisions.items()}


# --- search ---------------------------------------------------------------------------------------------------------


async def search_legs(ask: Ask, probe: Probe, scope: Scope, limit: int, dimensions: int) -> Hits:
    """Each leg's best `limit` hits; usually one round trip, more when equal scores go across the limit.

    The engine returns equal scores in an order of its own, so a hit that is as good as the last one, but has a smaller
    id, may stand right behind the limit.
    """
    if limit <= 0 or not scope.audience:
        return Hits()
    pending = _asked_legs(probe, dimensions)
    wanted = limit + TIE_MARGIN
    legs: dict[str, tuple[Hit, ...]] = {}
    while pending:
        answers = await ask(pending, wanted)
        legs.update({name: _best(answers[name], limit) for name in pending})
        if wanted >= TIE_CEILING:
            break
        pending = {name: pending[name] for name in pending if _is_cut_in_a_tie(answers[name], limit, wanted)}
        wanted *= 4
    return Hits(**legs)


def _asked_legs(probe: Probe, dimensions: int) -> dict[str, Vector]:
    legs: dict[str, Vector] = {}
    if probe.dense is not None:
        legs[DENSE] = checked_dense(probe.dense, dimensions).tolist()
    for name, vector in ((LEX, probe.lex), (TRI, probe.tri)):
        if vector is not None and vector.indices:
            legs[name] = vector
    return legs


def _best(hits: Sequence[Hit], limit: int) -> tuple[Hit, ...]:
    return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))[:limit])


def _is_cut_in_a_tie(hits: Sequence[Hit], limit: int, wanted: int) -> bool:
    """Whether hits that were not fetched may be as good as the last one within the limit."""
    if len(hits) < wanted:
        return False
    scores = sorted((hit.score for hit in hits), reverse=True)
    return scores[limit - 1] == scores[-1]
