"""Outcomes and events as JSON, the same whichever command prints them. Fields may be added, never renamed."""

from __future__ import annotations

from typing import assert_never

from pydantic import BaseModel, ConfigDict

from engine import AnswerEvent, Delta, Escalated, Final, Interim, Outcome, Retract, Typing
from engine.types import (
    Band,
    ChosenBy,
    Completeness,
    Language,
    Level,
    MissReason,
    OutcomeKind,
    ReferenceStatus,
    ReferenceType,
    ResolvedBy,
)


class _Json(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class FaqJson(_Json):
    band: Band
    score: float
    cosine: float
    entry: str | None
    vetoed_by: str | None
    version: str | None
    also: list[str]
    rest: str


class LevelJson(_Json):
    level: Level
    chosen: str
    confidence: float
    by: ChosenBy


class RouteJson(_Json):
    domain: str | None
    collection: str | None
    documents: list[str]
    levels: list[LevelJson]
    also: list[RouteJson]


class ChunkJson(_Json):
    id: str
    document: str
    section: str
    score: float
    text: str


class CitationJson(_Json):
    document: str
    section: str
    title: str
    page: int | None
    url: str | None


class ReferenceJson(_Json):
    type: ReferenceType
    target: str
    marker: str
    status: ReferenceStatus
    by: ResolvedBy | None
    document: str | None
    section: str | None


class UsageJson(_Json):
    model_calls: int
    prompt_tokens: int
    completion_tokens: int
    embeddings: int
    cost: float


class OfferJson(_Json):
    entry: str
    question: str
    score: float


class OutcomeJson(_Json):
    id: str
    kind: OutcomeKind
    text: str
    language: Language
    faq: FaqJson | None
    route: RouteJson | None
    chunks: list[ChunkJson]
    citations: list[CitationJson]
    completeness: Completeness
    references: list[ReferenceJson]
    passes: int
    calls_before_writing: int
    miss_reason: MissReason | None
    offers: list[OfferJson]
    usage: UsageJson
    timings_ms: dict[str, float]

    @classmethod
    def of(cls, outcome: Outcome) -> OutcomeJson:
        faq = outcome.faq
        return cls(
            id=outcome.id,
            kind=outcome.kind,
            text=outcome.text,
            language=outcome.language,
            faq=FaqJson(
                band=faq.band,
                score=faq.score,
                cosine=faq.cosine,
                entry=faq.entry.id if faq.entry else None,
                vetoed_by=faq.vetoed_by,
                version=faq.version,
                also=[other.entry.id for other in faq.also if other.entry],
                rest=faq.rest,
            )
            if faq
            else None,
            route=RouteJson.model_validate(outcome.route) if outcome.route else None,
            chunks=[
                ChunkJson(
                    id=scored.chunk.id,
                    document=scored.chunk.document,
                    section=scored.chunk.section,
                    score=scored.score,
                    text=scored.chunk.text,
                )
                for scored in outcome.chunks
            ],
            citations=[CitationJson.model_validate(citation) for citation in outcome.citations],
            completeness=outcome.completeness,
            references=[ReferenceJson.model_validate(reference) for reference in outcome.references],
            passes=outcome.passes,
            calls_before_writing=outcome.calls_before_writing,
            miss_reason=outcome.miss_reason,
            offers=[OfferJson.model_validate(pair) for pair in outcome.offers],
            usage=UsageJson.model_validate(outcome.usage),
            timings_ms=dict(outcome.timings_ms),
        )


def event_json(event: AnswerEvent) -> dict[str, object]:
    """An event as a JSON object: its kind under "event", and what it carries."""
    match event:
        case Typing():
            return {"event": "typing"}
        case Interim(text, references, keeps_draft):
            named = [ReferenceJson.model_validate(reference).model_dump() for reference in references]
            return {"event": "interim", "text": text, "references": named, "keeps_draft": keeps_draft}
        case Delta(text):
            return {"event": "delta", "text": text}
        case Retract(reason):
            return {"event": "retract", "reason": reason}
        case Final(outcome) | Escalated(outcome):
            return {"event": event.kind, "outcome": OutcomeJson.of(outcome).model_dump()}
        case _:
            assert_never(event)
