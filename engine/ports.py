"""Narrow interfaces: first the stages of an answer (one method each), then the outside resources that stages use.

Every port has an in-memory version in `tests/fakes.py`; the fake and the real one pass the same contract suite.
Vectors are rows of float32 arrays of unit length. Providers raise `ProviderError`, stores `KnowledgeError`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

from engine.chat_ports import Abilities as Abilities
from engine.chat_ports import ChatModel as ChatModel
from engine.chat_ports import ChatStream as ChatStream
from engine.chat_ports import Message as Message
from engine.logged import LoggedAnswer
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


class Rewriter(Protocol):
    async def rewrite(self, question: Question) -> tuple[Question, Usage]:
        """The question with a text that can be understood without the conversation; itself when it can."""
        ...


class Router(Protocol):
    async def route(
        self, question: Question, tried: Sequence[Route] = (), *, calls: int = 2
    ) -> tuple[Route, Usage] | None:
        """The best branch that was not tried yet, or None when there is none left; in so many model calls at most."""
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
    references: tuple[Reference, ...] = ()
    """What the earlier draft points at."""
    judged: bool = True
    """Whether a model may be asked for its judgement; quotes need none."""


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
    """A piece of the draft that may be shown; `usage` is what judging has cost since the piece before."""

    text: str
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class Violation:
    """The draft must not be shown, or no longer; nothing follows it."""

    reason: str
    usage: Usage = Usage()


class Judge(Protocol):
    async def judge(self, task: Task, draft: str) -> tuple[str | None, Usage]:
        """Why the draft must not be shown, or None, and the cost. Raises ProviderError."""
        ...


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
    usage: Usage = Usage()


class Referencer(Protocol):
    async def follow(self, question: Question, draft: str, cited: Sequence[str], evidence: Evidence) -> Followed: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """One of several places that a reference may mean."""

    document: str
    section: str
    title: str


class ReferenceChooser(Protocol):
    async def choose(
        self, question: Question, reference: Reference, context: str, meanings: Sequence[Meaning]
    ) -> tuple[int | None, Usage]:
        """The index of the place that is meant where `context` has the reference; None when it cannot be told."""
        ...


class MissLog(Protocol):
    async def record(self, question: Question, outcome: Outcome) -> bool:
        """Keep a miss for the editors. True when it was also handed over to human support."""
        ...


class AnswerLog(Protocol):
    async def record(self, outcome: Outcome) -> None:
        """Keep how a question ended for the reports."""
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

    async def sections_numbered(self, numbers: Sequence[str]) -> tuple[TocEntry, ...]:
        """The sections of all documents that have one of these numbers, in order of document and place."""
        ...

    async def objects_labelled(self, labels: Sequence[str]) -> tuple[ObjectEntry, ...]:
        """The objects of all documents that have one of these labels, in order of document and place."""
        ...


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


class AnswerStore(Protocol):
    """How questions ended, without their texts."""

    async def add(self, answer: LoggedAnswer) -> None: ...

    async def since(self, moment: str) -> tuple[LoggedAnswer, ...]:
        """Those asked at this moment (ISO 8601, UTC) or later, oldest first."""
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
