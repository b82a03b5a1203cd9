"""Narrow interfaces: first the stages of an answer (one method each), then the outside resources that stages use.

Every port has an in-memory version in `tests/fakes.py`; the fake and the real one pass the same contract suite.
Vectors are rows of float32 arrays of unit length. Providers raise `ProviderError`, stores `KnowledgeError`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

from engine.types import (
    Chunk,
    DocumentRecord,
    Evidence,
    FaqEntry,
    FaqMatch,
    FaqPair,
    Language,
    Miss,
    ObjectEntry,
    Outcome,
    Question,
    Reference,
    Route,
    TocEntry,
    Usage,
    Written,
)

T = TypeVar("T", bound=BaseModel)

Matrix = npt.NDArray[np.float32]
"""Shape (texts, dimensions), rows of unit length."""


# --- stages ---------------------------------------------------------------------------------------------------------


class Screen(Protocol):
    def forbidden(self, text: str) -> str | None:
        """The stop word that the text holds, in its dictionary form, or None."""
        ...


class FaqGate(Protocol):
    async def match(self, question: Question) -> FaqMatch: ...


class Router(Protocol):
    async def route(self, question: Question, tried: Sequence[Route] = ()) -> tuple[Route, Usage] | None:
        """The best branch that was not tried yet, or None when there is none left."""
        ...


class Retriever(Protocol):
    async def retrieve(self, question: Question, route: Route) -> tuple[Evidence, Usage]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a generator is to write from: chunks, and/or known question-answer pairs; `earlier` is a first draft."""

    question: Question
    language: Language
    evidence: Evidence = Evidence(chunks=(), sufficient=False)
    pairs: tuple[FaqPair, ...] = ()
    earlier: str = ""


class Draft(Protocol):
    """An answer being written: iterate its text once, then ask what was written."""

    def __aiter__(self) -> AsyncIterator[str]: ...

    @property
    def written(self) -> Written:
        """Valid once the text has ended."""
        ...


class Generator(Protocol):
    def write(self, task: Task) -> AbstractAsyncContextManager[Draft]: ...


@dataclass(frozen=True, slots=True)
class Passed:
    """A piece of the draft that may be shown."""

    text: str


@dataclass(frozen=True, slots=True)
class Violation:
    """The draft must not be shown, or no longer; nothing follows it."""

    reason: str


class Guardrail(Protocol):
    def watch(
        self, task: Task, pieces: AsyncIterator[str]
    ) -> AbstractAsyncContextManager[AsyncIterator[Passed | Violation]]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """What a draft points at without saying."""

    references: tuple[Reference, ...] = ()
    evidence: Evidence | None = None
    """The chunks for a second pass: those cited and those referred to. None when no second pass is needed."""
    only_points: bool = False
    """The draft says nothing of its own, so it must not be shown."""


class Referencer(Protocol):
    async def follow(self, question: Question, draft: str, cited: Sequence[str], evidence: Evidence) -> Followed: ...


class MissLog(Protocol):
    async def record(self, question: Question, outcome: Outcome) -> bool:
        """Keep a miss for the editors. True when it was also handed over to human support."""
        ...


# --- models ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Monotone piecewise-linear maps from an embedder's cosine, as (cosine, value) knots.

    The first two give the score on which 0.92 and 0.78 are meant, between two questions. `passage` gives the strength
    of a passage for a question: 0 is what an unrelated passage has, 1 is what a passage that surely answers has.
    """

    same_language: tuple[tuple[float, float], ...]
    cross_language: tuple[tuple[float, float], ...]
    passage: tuple[tuple[float, float], ...] = ((0.3, 0.0), (0.8, 1.0))
    unrelated: float = 0.5
    """The cosine that half of the unrelated questions reach, until a calibration measures it on the base itself."""


class Embedder(Protocol):
    @property
    def fingerprint(self) -> str:
        """Names model, version, normaliser and prefix mode; vectors of different fingerprints never mix."""
        ...

    @property
    def dimensions(self) -> int: ...

    @property
    def calibration(self) -> Calibration: ...

    async def embed_questions(self, texts: Sequence[str]) -> Matrix: ...

    async def embed_passages(self, texts: Sequence[str]) -> Matrix: ...


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


class ChatStream(Protocol):
    """A streamed completion: iterate its text once, then read what it cost."""

    def __aiter__(self) -> AsyncIterator[str]: ...

    @property
    def usage(self) -> Usage: ...


class ChatModel(Protocol):
    @property
    def name(self) -> str: ...

    def stream(self, messages: Sequence[Message], *, max_tokens: int) -> AbstractAsyncContextManager[ChatStream]: ...

    async def structured(self, messages: Sequence[Message], schema: type[T], *, max_tokens: int) -> tuple[T, Usage]:
        """One object of the schema. Raises ProviderRejected when the model does not produce one."""
        ...


# --- stores ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Parallel arrays; indices are unsigned 32 bit and unique."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexPoint:
    """A chunk with its vectors: dense, stemmed words (`lex`), character trigrams (`tri`)."""

    chunk: Chunk
    dense: npt.NDArray[np.float32]
    lex: SparseVector
    tri: SparseVector


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which chunks may be found. None and empty mean no limit, except `audience`, which always applies."""

    audience: frozenset[str]
    domain: str | None = None
    collection: str | None = None
    documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A question as vectors. A leg that is None is not searched."""

    dense: npt.NDArray[np.float32] | None = None
    lex: SparseVector | None = None
    tri: SparseVector | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk found by one leg; `score` is that leg's own (cosine, or BM25 over the whole index)."""

    chunk_id: str
    score: float
    document: str
    revision: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    dense: tuple[Hit, ...] = ()
    lex: tuple[Hit, ...] = ()
    tri: tuple[Hit, ...] = ()


class ChunkIndex(Protocol):
    """Dense and sparse vectors of all chunks, with their payload, in one place."""

    async def upsert(self, points: Sequence[IndexPoint]) -> None: ...

    async def search(self, probe: Probe, scope: Scope, limit: int) -> Hits:
        """Each leg's best `limit` chunks, best first, ties in order of chunk id."""
        ...

    async def fetch(self, chunk_ids: Sequence[str]) -> tuple[Chunk, ...]:
        """The chunks that exist, in the order asked for."""
        ...

    async def remove(self, document: str, *, keep_revision: str | None = None) -> None:
        """Remove a document's chunks, all or all but those of one revision."""
        ...

    async def documents(self) -> Mapping[str, frozenset[str]]:
        """Which documents have chunks here, with their revisions: to find what a crash left behind."""
        ...

    async def flush(self) -> None:
        """Make what was written durable."""
        ...

    async def optimise(self) -> None:
        """Rearrange for fast search after a large ingestion; searches may wait meanwhile."""
        ...

    async def aclose(self) -> None: ...


class DocumentStore(Protocol):
    """Which documents count, and their tables."""

    async def publish(self, record: DocumentRecord, toc: Sequence[TocEntry], objects: Sequence[ObjectEntry]) -> None:
        """Make a revision of a document the one that readers see, with its tables, in one transaction."""
        ...

    async def withdraw(self, path: str) -> None: ...

    async def documents(self) -> tuple[DocumentRecord, ...]:
        """All documents in order of path."""
        ...

    async def toc(self, document: str) -> tuple[TocEntry, ...]: ...

    async def objects(self, document: str) -> tuple[ObjectEntry, ...]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFaq:
    """All FAQ entries with the vectors of all their wordings: row i is wording `owners[i]`."""

    version: str
    entries: tuple[FaqEntry, ...] = ()
    wordings: tuple[tuple[str, str], ...] = ()
    """(entry id, wording) for each row of `vectors`."""
    vectors: Matrix = field(default_factory=lambda: np.zeros((0, 0), dtype=np.float32))


class FaqStore(Protocol):
    async def replace(self, faq: StoredFaq) -> None:
        """Replace all entries and wordings in one transaction."""
        ...

    async def load(self) -> StoredFaq: ...

    async def version(self) -> str:
        """ "" when nothing is stored."""
        ...


class MissStore(Protocol):
    async def add(self, question: Question, outcome: Outcome) -> None: ...

    async def list(self, limit: int) -> tuple[Miss, ...]:
        """Newest first."""
        ...


class RouteCache(Protocol):
    async def get(self, key: str, version: str) -> Route | None:
        """The cached route, unless it was made for another version of the registry."""
        ...

    async def put(self, key: str, version: str, route: Route) -> None: ...


class MetaStore(Protocol):
    """Small facts about the store itself: fingerprints of the embedders, the registry, the format."""

    async def get(self, key: str) -> str | None: ...

    async def put(self, key: str, value: str) -> None: ...
