"""Rows to figures: a mean for each measure with its bootstrap interval, and two configurations side by side.

Where questions were asked several times, a question counts with its mean over the repeats, so that intervals are drawn
over questions; how far the repeats lie apart is told beside.
"""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from engine.evaluation.base_rows import Row

_DRAWS = 2000
_SEED = 7

Value = Callable[[Row], float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    name: str
    title: str
    value: Value
    most: float = 1.0


def _field(name: str, title: str, most: float = 1.0) -> Measure:
    def value(row: Row) -> float | None:
        found = getattr(row, name)
        return None if found is None else float(found)

    return Measure(name=name, title=title, value=value, most=most)


MEASURES: tuple[Measure, ...] = (
    _field("gate", "FAQ gate: right entry, or none"),
    _field("domain", "routing: domain"),
    _field("collection", "routing: collection"),
    _field("document", "routing: document"),
    _field("reached", "right document within the search"),
    _field("hit_1", "hit@1 (document)"),
    _field("hit_3", "hit@3 (document)"),
    _field("hit_10", "hit@10 (document)"),
    _field("reciprocal_rank", "MRR"),
    _field("value_3", "value found at 3"),
    _field("value_10", "value found at 10"),
    _field("coverage", "retrieval coverage, 0-1-2", 2.0),
    _field("relevance", "answer relevance and completeness"),
    _field("recall", "context recall"),
    _field("accuracy", "factual accuracy"),
    _field("value_quoted", "value in the answer"),
    _field("judge_relevance", "answer relevance (model)"),
    _field("judge_recall", "context recall (model)"),
    _field("judge_accuracy", "factual accuracy (model)"),
    _field("judge_coverage", "retrieval coverage (model)", 2.0),
)


@dataclass(frozen=True, slots=True)
class Figure:
    mean: float
    low: float
    high: float
    count: int
    """Questions."""
    by_repeat: tuple[float, ...] = ()
    """The mean of each repeat, if there are several."""
    spread: float | None = None
    """The standard deviation of those means."""

    def __str__(self) -> str:
        apart = "" if self.spread is None else f" ±{self.spread:.3f}"
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]{apart}"


def figure(values: Sequence[float]) -> Figure | None:
    """The mean with its 95 % percentile bootstrap interval (B. Efron, 1979), the same at every call."""
    if not values:
        return None
    known = np.asarray(values, dtype=np.float64)
    means = _resampled(known)
    low, high = np.quantile(means, [0.025, 0.975])
    return Figure(round(float(known.mean()), 4), round(float(low), 4), round(float(high), 4), len(known))


def figure_of(rows: Sequence[Row], value: Value) -> Figure | None:
    """The figure over questions; a question's value is its mean over the repeats that know one."""
    found = figure(list(_by_question(rows, value).values()))
    repeats = sorted({row.repeat for row in rows})
    if found is None or len(repeats) == 1:
        return found
    listed = (list(_by_question([row for row in rows if row.repeat == one], value).values()) for one in repeats)
    means = tuple(round(statistics.fmean(values), 4) for values in listed if values)
    return replace(found, by_repeat=means, spread=round(statistics.stdev(means), 4) if len(means) > 1 else None)


def _by_question(rows: Sequence[Row], value: Value) -> dict[str, float]:
    values: defaultdict[str, list[float]] = defaultdict(list)
    for row in rows:
        if (known := value(row)) is not None:
            values[row.id].append(known)
    return {question: statistics.fmean(known) for question, known in values.items()}


def _resampled(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    random = np.random.default_rng(_SEED)
    drawn = (random.integers(0, len(values), len(values)) for _ in range(_DRAWS))
    return np.array([values[rows].mean() for rows in drawn])


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    configuration: str
    questions: int
    repeats: int
    """How often each was asked."""
    figures: dict[str, Figure]
    """By the name of the measure; those that no row knows are left out."""
    kinds: dict[str, int]
    passes: dict[int, int]
    references: dict[str, Figure]
    """Questions that need a reference followed: which sections were found, before and after a second pass."""
    milliseconds: dict[str, float]
    """Means and medians."""
    calls: dict[str, float]
    """Per question."""
    judge_errors: dict[str, int]
    """By kind; what was not judged is in no figure."""
    stood_in: int
    """Answers that were quoted in place of what a model wrote."""

    def told(self, measure: str) -> str:
        """The figure in words, with how many questions it covers where not all; "" when nothing is known."""
        found = self.figures.get(measure)
        if found is None:
            return ""
        return str(found) if found.count == self.questions else f"{found} of {found.count}"


def summarise(configuration: str, rows: Sequence[Row]) -> Summary:
    figures = {measure.name: found for measure in MEASURES if (found := figure_of(rows, measure.value))}
    return Summary(
        configuration=configuration,
        questions=len({row.id for row in rows}),
        repeats=max((row.repeat for row in rows), default=1),
        figures=figures,
        kinds=dict(Counter(row.kind for row in rows).most_common()),
        passes=dict(sorted(Counter(row.passes for row in rows).items())),
        references=_references(rows),
        milliseconds=_times(rows),
        calls={
            "model calls": _mean([row.model_calls for row in rows]),
            "tokens": _mean([row.tokens for row in rows]),
            "embeddings": _mean([row.embeddings for row in rows]),
            "tokens of the judging model": _mean([row.judge_tokens for row in rows]),
        },
        judge_errors=dict(Counter(row.judge_error.partition(":")[0] for row in rows if row.judge_error).most_common()),
        stood_in=sum(row.stood_in for row in rows),
    )


def compare(rows: Sequence[Row], other: Sequence[Row]) -> dict[str, Figure]:
    """`rows` less `other` for each measure, over the questions that both know: paired, with bootstrap intervals."""
    found: dict[str, Figure] = {}
    for measure in MEASURES:
        mine, its = _by_question(rows, measure.value), _by_question(other, measure.value)
        if compared := figure([mine[question] - its[question] for question in mine if question in its]):
            found[measure.name] = compared
    return found


def _references(rows: Sequence[Row]) -> dict[str, Figure]:
    asked = [row for row in rows if row.source is not None]
    found: dict[str, Figure] = {}
    for when, source, target in (
        ("first pass", "source_before", "target_before"),
        ("in the end", "source", "target"),
    ):
        for name, wanted in (("both", (True, True)), ("source only", (True, False)), ("target only", (False, True))):
            if share := figure_of(asked, partial(_sides_are, source=source, target=target, wanted=wanted)):
                found[f"{name}, {when}"] = share
    return found


def _sides_are(row: Row, source: str, target: str, wanted: tuple[bool, bool]) -> float:
    return float((bool(getattr(row, source)), bool(getattr(row, target))) == wanted)


def _times(rows: Sequence[Row]) -> dict[str, float]:
    if not rows:
        return {}
    total = [row.total_ms for row in rows]
    first = [row.first_text_ms for row in rows if row.first_text_ms is not None]
    return {
        "total, mean": _mean(total),
        "total, median": round(statistics.median(total), 1),
        "to the first text, mean": _mean(first),
        "to the first text, median": round(statistics.median(first), 1) if first else 0.0,
        "routing, mean": _mean([row.route_ms for row in rows]),
        "retrieval, mean": _mean([row.retrieve_ms for row in rows]),
    }


def _mean(values: Sequence[float]) -> float:
    return round(statistics.fmean(values), 2) if values else 0.0
