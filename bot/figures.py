"""Figures over the log of answers: what `refdesk report` prints."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence

from pydantic import BaseModel

from engine.logged import LoggedAnswer


class ReferenceFigures(BaseModel):
    answers_with_references: int
    found: int
    resolved: int
    resolved_by: dict[str, int]
    by_type: dict[str, int]
    second_passes: int
    second_pass_ms: dict[str, float]


class Figures(BaseModel):
    """Counts, and milliseconds as median and 95th percentile; a percentile of nothing is left out."""

    since: str
    questions: int
    kinds: dict[str, int]
    languages: dict[str, int]
    references: ReferenceFigures
    total_ms: dict[str, dict[str, float]]
    model_calls: int
    tokens: int
    most_cited: dict[str, int]

    @classmethod
    def of(cls, answers: Sequence[LoggedAnswer], since: str) -> Figures:
        kinds = Counter(answer.kind for answer in answers)
        return cls(
            since=since,
            questions=len(answers),
            kinds=dict(kinds.most_common()),
            languages=dict(Counter(answer.language for answer in answers).most_common()),
            references=_references(answers),
            total_ms={
                kind: _percentiles([a.timings_ms.get("total", 0.0) for a in answers if a.kind == kind])
                for kind in kinds
            },
            model_calls=sum(answer.usage.model_calls for answer in answers),
            tokens=sum(answer.usage.prompt_tokens + answer.usage.completion_tokens for answer in answers),
            most_cited=dict(Counter(path for answer in answers for path in answer.cited).most_common(10)),
        )


def _references(answers: Sequence[LoggedAnswer]) -> ReferenceFigures:
    found = [reference for answer in answers for reference in answer.references]
    second = [answer.timings_ms.get("second_pass", 0.0) for answer in answers if answer.passes > 1]
    return ReferenceFigures(
        answers_with_references=sum(bool(answer.references) for answer in answers),
        found=len(found),
        resolved=sum(reference.status == "resolved" for reference in found),
        resolved_by=dict(Counter(reference.by for reference in found if reference.by is not None).most_common()),
        by_type=dict(Counter(reference.type for reference in found).most_common()),
        second_passes=len(second),
        second_pass_ms=_percentiles(second),
    )


def _percentiles(milliseconds: Sequence[float]) -> dict[str, float]:
    if not milliseconds:
        return {}
    ordered = sorted(milliseconds)
    p95 = ordered[min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))]
    return {"median": round(statistics.median(ordered), 2), "p95": round(p95, 2)}


def as_text(figures: Figures) -> str:
    references = figures.references
    lines = [f"{figures.questions} questions since {figures.since}"]
    for kind, count in figures.kinds.items():
        times = figures.total_ms[kind]
        share = 100 * count / figures.questions
        lines.append(
            f"  {kind:<13} {count:>6}  {share:>3.0f} %  median {times['median']:g} ms, p95 {times['p95']:g} ms"
        )
    if figures.languages:
        lines.append("Languages: " + ", ".join(f"{name} {count}" for name, count in figures.languages.items()))
    if references.found:
        by = ", ".join(f"{name} {count}" for name, count in references.resolved_by.items()) or "none"
        lines.append(
            f"References: {references.found} in {references.answers_with_references} answers,"
            f" {100 * references.resolved / references.found:.0f} % resolved ({by})"
        )
    if references.second_passes:
        times = references.second_pass_ms
        lines.append(
            f"Second passes: {references.second_passes}, median {times['median']:g} ms, p95 {times['p95']:g} ms"
        )
    lines.append(f"Model calls: {figures.model_calls}, tokens: {figures.tokens}")
    if figures.most_cited:
        lines.append("Most cited:")
        lines.extend(f"  {count:>6}  {path}" for path, count in figures.most_cited.items())
    return "\n".join(lines)
