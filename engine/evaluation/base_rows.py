"""What one configuration did with one question, and how right that was. Judged by the gold facts, without a model.

A fact counts as found only in a chunk of a right document: near-identical documents hold each other's values.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from engine.evaluation.base_questions import Gold, holds, holds_all
from engine.evaluation.configurations import parts_of
from engine.text.inner_sections import inner_sections
from engine.types import Chunk, Evidence, Outcome, Route

DEEPEST = 10
"""How many chunks are looked at for ranks."""


class Row(BaseModel):
    """None where nothing is known or nothing was to be decided."""

    model_config = ConfigDict(extra="forbid")
    id: str
    repeat: int = Field(default=1, ge=1)
    """Which time the question was asked."""
    language: str
    gold_kind: str
    question: str
    facts: list[str]
    documents: list[str]
    kind: str
    answer: str
    found: list[str]
    """Document and section of each chunk, best first."""
    gate: bool | None = None
    """Whether the FAQ gate served the right entry, or none where none answers; only where the gate stands ahead."""
    domain: bool | None = None
    """Whether the router's first choice is right, whether or not it was sure enough to narrow the search to it."""
    collection: bool | None = None
    document: bool | None = None
    chosen: list[str] = Field(default_factory=list)
    """The router's first choice at each level, with its confidence."""
    reached: bool | None = None
    """Whether the search could find a right document."""
    hit_1: bool | None = None
    hit_3: bool | None = None
    hit_10: bool | None = None
    reciprocal_rank: float | None = None
    """Of the first chunk of a right document that holds a fact."""
    coverage: int | None = Field(default=None, ge=0, le=2)
    """2: all facts stand in the chunks that the answer is written from; 1: some, or a right document; 0: neither."""
    value_3: bool | None = None
    value_10: bool | None = None
    relevance: bool | None = None
    """Answered, with every fact: answer relevance and completeness."""
    recall: bool | None = None
    """Every fact stands in the context, and the answer used every one."""
    accuracy: bool | None = None
    """Every fact is in the answer, cited from a right document, and nothing of another domain is cited."""
    value_quoted: bool | None = None
    """Every fact is in the answer, and a right document is cited."""
    source: bool | None = None
    target: bool | None = None
    source_before: bool | None = None
    target_before: bool | None = None
    """The same for the chunks before a second pass."""
    passes: int = 0
    embeddings: int = 0
    model_calls: int = 0
    tokens: int = 0
    total_ms: float = 0.0
    route_ms: float = 0.0
    retrieve_ms: float = 0.0
    first_text_ms: float | None = None
    judge_relevance: bool | None = None
    judge_recall: bool | None = None
    judge_accuracy: bool | None = None
    judge_coverage: int | None = None
    judge_tokens: int = 0
    judge_error: str = ""
    """Why the model did not judge; "" where it did, or was not asked."""
    stood_in: bool = False
    """Whether quotes took the place of what a model wrote, since it failed or its draft was not fit to be shown."""


def row_of(
    gold: Gold, outcome: Outcome, wide: Evidence, first_route: Route | None, kept: int, first_text_ms: float | None
) -> Row:
    """`wide` are the chunks found by the outcome's route, to a depth of DEEPEST; `kept` are what answers see."""
    chunks = [scored.chunk for scored in wide.chunks]
    row = Row(
        id=gold.id,
        language=gold.language,
        gold_kind=gold.kind,
        question=gold.question,
        facts=list(gold.facts),
        documents=sorted(gold.documents),
        kind=outcome.kind,
        answer=outcome.text,
        found=[f"{chunk.document} § {chunk.section or chunk.section_title}" for chunk in chunks],
        passes=outcome.passes,
        embeddings=outcome.usage.embeddings,
        model_calls=outcome.usage.model_calls,
        tokens=outcome.usage.prompt_tokens + outcome.usage.completion_tokens,
        total_ms=outcome.timings_ms.get("total", 0.0),
        route_ms=outcome.timings_ms.get("route", 0.0),
        retrieve_ms=outcome.timings_ms.get("retrieve", 0.0),
        first_text_ms=first_text_ms,
    )
    found = _routing(gold, first_route) | _found(gold, chunks) | _judged(gold, outcome, chunks[:kept])
    found["gate"] = _gate(gold, outcome)
    found["reached"] = _reached(gold, outcome.route)
    found |= _references(gold, [scored.chunk for scored in outcome.chunks], chunks[:kept])
    return row.model_copy(update=found)


def _routing(gold: Gold, route: Route | None) -> dict[str, object]:
    """All that a question needs must be among what was chosen."""
    if route is None or not gold.places:
        return {}
    chosen = {level.level: level.chosen for level in route.levels}
    domains = {chosen.get("domain"), *(branch.domain for branch in route.also)}
    collections = {(chosen.get("domain"), chosen.get("collection"))}
    collections |= {(branch.domain, branch.collection) for branch in route.also}
    documents = {chosen.get("document"), *(branch.documents[0] for branch in route.also if branch.documents)}
    return {
        "chosen": [f"{level.level} {level.chosen} {level.confidence}" for level in route.levels],
        "domain": all(domains & {parts_of(path)[0] for path in place} for place in gold.places),
        "collection": all(collections & {parts_of(path) for path in place} for place in gold.places),
        "document": all(documents & place for place in gold.places),
    }


def _gate(gold: Gold, outcome: Outcome) -> bool | None:
    """An entry is named in every band, unless the gate was left out."""
    if gold.faq is None or outcome.faq is None or outcome.faq.entry is None:
        return None
    return (outcome.faq.entry.id if outcome.kind == "faq_direct" else "") == gold.faq


def _reached(gold: Gold, route: Route | None) -> bool | None:
    if route is None or not gold.places:
        return None
    branches = (route, *route.also)
    return all(any(_inside(path, branch) for path in place for branch in branches) for place in gold.places)


def _inside(path: str, branch: Route) -> bool:
    domain, collection = parts_of(path)
    return (
        branch.domain in (None, domain)
        and branch.collection in (None, collection)
        and (not branch.documents or path in branch.documents)
    )


def _found(gold: Gold, chunks: Sequence[Chunk]) -> dict[str, object]:
    found: dict[str, object] = {}
    if gold.places:
        for depth in (1, 3, DEEPEST):
            there = {chunk.document for chunk in chunks[:depth]}
            found[f"hit_{depth}"] = all(there & place for place in gold.places)
    if gold.facts:
        found["value_3"] = _holds_all_rightly(gold, chunks[:3])
        found["value_10"] = _holds_all_rightly(gold, chunks[:DEEPEST])
    ranks = (
        rank
        for rank, chunk in enumerate(chunks, start=1)
        if _is_right(gold, chunk.document) and (not gold.facts or any(holds(chunk.text, fact) for fact in gold.facts))
    )
    found["reciprocal_rank"] = 1 / next(ranks, float("inf"))
    return found


def _judged(gold: Gold, outcome: Outcome, context: Sequence[Chunk]) -> dict[str, object]:
    if not gold.facts:
        return {}
    text = outcome.text if outcome.kind in ("answered", "faq_direct", "faq_adjacent") else ""
    said = holds_all(text, gold.facts)
    if outcome.kind == "faq_direct":  # the editors' own words, which rest on no document
        return {"relevance": said, "accuracy": said, "value_quoted": said}
    cited = [citation.document for citation in outcome.citations]
    # What a second pass fetched is context too.
    seen = [*context, *(scored.chunk for scored in outcome.chunks)]
    covered = _holds_all_rightly(gold, seen)
    some = any(_is_right(gold, chunk.document) for chunk in seen)
    rightly = said and any(_is_right(gold, document) for document in cited)
    domains = {parts_of(path)[0] for path in gold.documents}
    return {
        "coverage": 2 if covered else 1 if some else 0,
        "relevance": said,
        "recall": covered and said,
        "accuracy": rightly and (not domains or all(parts_of(document)[0] in domains for document in cited)),
        "value_quoted": rightly,
    }


def _references(gold: Gold, after: Sequence[Chunk], before: Sequence[Chunk]) -> dict[str, object]:
    if not gold.sections:
        return {}
    source, target = gold.sections
    return {
        "source": has_section(after, source),
        "target": has_section(after, target),
        "source_before": has_section(before, source),
        "target_before": has_section(before, target),
    }


def has_section(chunks: Sequence[Chunk], section: tuple[str, str]) -> bool:
    """Whether a chunk is of the section, called "22" or "Article 22", or of a part of it. Small ones share a chunk."""
    document, called = section
    label = called.split()[-1].strip(".").upper() if called.split() else ""
    held = (
        number.upper()
        for chunk in chunks
        if chunk.document == document
        for number in (chunk.section, *(inner.number for inner in inner_sections(chunk.text)))
    )
    return any(number == label or number.startswith(f"{label}.") for number in held if number)


def _holds_all_rightly(gold: Gold, chunks: Sequence[Chunk]) -> bool:
    return holds_all("\n".join(chunk.text for chunk in chunks if _is_right(gold, chunk.document)), gold.facts)


def _is_right(gold: Gold, document: str) -> bool:
    return not gold.places or document in gold.documents
