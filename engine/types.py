"""The frozen values that stages hand to each other. Pure: no behaviour beyond a few derived properties, no I/O.

Scores are in 0..1, higher is better, unless a field says otherwise. Texts are plain Unicode; answers are Markdown.
A `document` is the path of a file below the knowledge folder, with forward slashes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.parsed import Block as Block
from engine.parsed import BlockKind as BlockKind
from engine.parsed import DocumentObject as DocumentObject
from engine.parsed import ObjectKind as ObjectKind
from engine.parsed import ParsedDocument as ParsedDocument
from engine.parsed import Section as Section

Language = Literal["ru", "en"]
Following = Literal["no", "on", "away"]
Band = Literal["direct", "adjacent", "miss"]
Level = Literal["domain", "collection", "document"]
ChosenBy = Literal["model", "embedding", "default", "cache"]
GapState = Literal["new", "taken", "written", "wont_do"]
"""What editors make of a question that nobody could answer."""
OutcomeKind = Literal["faq_direct", "faq_adjacent", "answered", "missed", "blocked", "failed"]
Completeness = Literal["complete", "partial", "incomplete"]
ReferenceType = Literal["section", "relative", "definition", "external"]
PlaceKind = Literal["section", "table", "figure", "appendix"]
ReferenceStatus = Literal["resolved", "unresolved"]
ResolvedBy = Literal["toc", "registry", "structure", "model"]
Rating = Literal["helpful", "not_helpful"]
"""How an asker found an answer."""
MissReason = Literal["not_a_question", "nothing_found", "weak_evidence", "retracted"]

PUBLIC = frozenset({"public"})


# --- the question ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One earlier exchange of the conversation, oldest first in a history."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What an asker wants to know. Carries no platform's name or message ids."""

    text: str
    id: str = ""
    conversation: str = ""
    history: tuple[Turn, ...] = ()
    language: Language | None = None
    """The asker's language; detected from the text when None."""
    audience: frozenset[str] = PUBLIC
    """The groups the asker belongs to; knowledge is visible when it names one of them."""
    follows: Following = "no"
    """Whether its text goes on from the question before it, so that its answer likely stands where that one's stood,
    or says that this was not what was meant ("away"), so that it likely stands elsewhere."""
    beyond_faq: bool = False
    """The stored answer did not help: the documents are asked instead."""
    domain: str | None = None
    """The only domain that the conversation is about; FAQ entries of others are not served. None: all."""


# --- the registry ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    id: str
    title: str
    description: str = ""
    default_document: str | None = None
    audience: frozenset[str] = PUBLIC


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    id: str
    title: str
    description: str = ""
    languages: tuple[Language, ...] = ()
    default_collection: str | None = None
    audience: frozenset[str] = PUBLIC
    collections: tuple[Collection, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """The closed list of domains and collections that a route is chosen from."""

    domains: tuple[Domain, ...]
    version: str
    """Changes whenever the registry or the set of documents changes; cached routes of another version are void."""


# --- documents ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A sliding window of text inside one section (or inside merged tiny sections under one parent)."""

    id: str
    """UUID text, unique over documents and revisions."""
    document: str
    revision: str
    ordinal: int
    domain: str
    collection: str
    document_title: str
    section: str
    """Section number, "" when it has none."""
    section_title: str
    section_index: int
    text: str
    header: str
    """`domain > collection > document > section`, embedded and indexed together with the text."""
    language: Language
    audience: frozenset[str] = PUBLIC
    page: int | None = None
    anchor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TocEntry:
    """A row of the `toc` table: where a section stands and which chunks hold its text."""

    document: str
    index: int
    number: str
    title: str
    level: int
    parent: int | None
    page: int | None
    anchor: str | None
    chunk_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectEntry:
    """A row of the `object_registry` table."""

    document: str
    kind: ObjectKind
    label: str
    title: str
    section_index: int
    page: int | None
    chunk_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRecord:
    """A document as readers see it; `revision` names the only chunks that count."""

    path: str
    revision: str
    content_hash: str
    domain: str
    collection: str
    title: str
    language: Language
    audience: frozenset[str]
    chunks: int
    centroid: bytes
    """Mean of the chunk vectors, float32 little-endian, unit length."""


# --- the FAQ --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqEntry:
    """One canonical question with all its known wordings and the one answer, kept byte for byte."""

    id: str
    questions: tuple[str, ...]
    answer: str
    language: Language
    audience: frozenset[str] = PUBLIC
    domain: str | None = None
    tags: tuple[str, ...] = ()
    valid_from: str | None = None
    """ISO date, first day on which it is served; None means always."""
    valid_until: str | None = None
    chats: tuple[str, ...] = ()
    """The conversations in which it is served; empty means all."""
    languages: tuple[Language, ...] = ()
    """The askers' languages for which it is served; empty means all."""
    source: str = ""
    """The file it came from, below the knowledge folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqPair:
    """A known wording with its entry's answer: a few-shot example, or a near miss to offer."""

    entry: str
    question: str
    answer: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqMatch:
    """The gate's verdict on a question."""

    band: Band
    score: float
    """On the calibrated scale: 0.92 and 0.78 mean the same for every embedder."""
    cosine: float
    entry: FaqEntry | None
    """The best candidate in every band; None when there is no FAQ or the gate was bypassed."""
    vetoed_by: str | None = None
    """Why a score above 0.92 was not served directly."""
    nearest: tuple[FaqPair, ...] = ()
    """Up to three best entries, best first."""
    embeddings: int = 0
    """How many texts were embedded to decide (0 for an exact match)."""
    version: str | None = None
    """Of the entry: changes with whatever an editor changes in it."""
    also: tuple[FaqMatch, ...] = ()
    """Further questions of the message with direct answers of their own."""
    rest: str = ""
    """What else the message asks, which no entry answers directly."""
    usage: Usage = field(default_factory=lambda: Usage())
    """What a model's check cost."""


# --- route, evidence, draft -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteLevel:
    level: Level
    chosen: str
    confidence: float
    by: ChosenBy


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Where to look: a domain, a collection (None: all of the domain), documents (empty: all of the collection)."""

    domain: str | None
    collection: str | None
    documents: tuple[str, ...]
    levels: tuple[RouteLevel, ...]
    also: tuple[Route, ...] = ()
    """Further branches that the question needs at the same time, without levels of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredChunk:
    chunk: Chunk
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What an answer may rest on, best first."""

    chunks: tuple[ScoredChunk, ...]
    sufficient: bool
    """Whether it is strong enough to answer from; a weak one sends the router back up."""
    whole: bool = False
    """The places themselves were asked for, not what in them answers something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    document: str
    section: str
    title: str
    page: int | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A place that a text points at without saying what stands there."""

    type: ReferenceType
    target: str
    """The label alone: "7.2"; the term of a definition; "" for a whole other document."""
    marker: str
    """As written: "см. раздел 7.2"."""
    place: PlaceKind = "section"
    word: str = ""
    """What kind of place it was called, in English: "article", "clause"; "" when nothing was said."""
    items: tuple[str, ...] = ()
    """The way down inside the target: Article 12(3)(a) has ("3", "a")."""
    name: str = ""
    """Of another document, as it was named: "RFC 9110"."""
    status: ReferenceStatus = "unresolved"
    by: ResolvedBy | None = None
    document: str | None = None
    section: str | None = None
    chunk_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a generator says of its draft once the text has ended."""

    completeness: Completeness
    cited: tuple[str, ...]
    """Chunk ids that the draft rests on, in the order of use."""
    pending: tuple[str, ...] = ()
    """Reference markers that the draft points at without saying what stands there, as written."""
    usage: Usage = field(default_factory=lambda: Usage())
    cut_off: bool = False
    """The text ends where a token limit ended it, perhaps in the middle of a sentence."""


# --- the outcome ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    embeddings: int = 0
    cost: float = 0.0
    """In the currency of the prices that are set; 0 when none are."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            model_calls=self.model_calls + other.model_calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            embeddings=self.embeddings + other.embeddings,
            cost=self.cost + other.cost,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a question ended. Expected ends (a miss, a block) are outcomes, not exceptions."""

    id: str
    kind: OutcomeKind
    text: str
    language: Language
    faq: FaqMatch | None = None
    route: Route | None = None
    chunks: tuple[ScoredChunk, ...] = ()
    citations: tuple[Citation, ...] = ()
    completeness: Completeness = "complete"
    references: tuple[Reference, ...] = ()
    passes: int = 0
    """How many times an answer was written from documents: 0, 1 or 2."""
    calls_before_writing: int = 0
    """Model calls that were made before an answer was begun: at most what the policy allows."""
    miss_reason: MissReason | None = None
    offers: tuple[FaqPair, ...] = ()
    """Up to three known questions that the asker may have meant, best first."""
    usage: Usage = field(default_factory=Usage)
    timings_ms: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """A question that nobody could answer, kept for the editors."""

    id: int
    asked_at: str
    """ISO 8601, UTC."""
    question: str
    language: Language
    conversation: str
    best_score: float
    reason: MissReason
    route: Route | None
    tried: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The best passages and the nearest known questions then, as JSON."""
