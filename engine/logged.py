"""How questions ended, as the log of answers keeps it: no text of a question or an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.types import Language, OutcomeKind, Rating, ReferenceStatus, ReferenceType, ResolvedBy, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedReference:
    """What became of one reference, without its text."""

    type: ReferenceType
    status: ReferenceStatus
    by: ResolvedBy | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedAnswer:
    """How a question ended, kept for reports. Holds no text of the question or the answer."""

    question_id: str
    asked_at: str
    """ISO 8601, UTC."""
    kind: OutcomeKind
    language: Language
    domain: str | None
    collection: str | None
    faq_entry: str | None
    """The entry that was served or offered; None when the documents answered."""
    faq_score: float
    passes: int
    cited: tuple[str, ...]
    """Documents, each once."""
    references: tuple[LoggedReference, ...]
    usage: Usage
    timings_ms: Mapping[str, float]
    faq_version: str | None = None
    """Of that entry, as it was then."""
    chunks: tuple[tuple[str, float], ...] = ()
    """Id and score of what the answer rested on, best first."""
    made_with: Mapping[str, str] = field(default_factory=dict[str, str])
    """Versions and models: of Refdesk, the embedders, the chat models."""
    rating: Rating | None = None
    """How the asker rated it."""
    reason: str = ""
