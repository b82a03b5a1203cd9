"""Figures over the log of answers."""

from __future__ import annotations

from dataclasses import replace

from bot.figures import Figures, as_text
from engine.logged import LoggedAnswer, LoggedReference
from engine.types import Usage

PLAIN = LoggedAnswer(
    question_id="q",
    asked_at="2026-03-01T10:00:00+00:00",
    kind="answered",
    language="en",
    domain="housing",
    collection=None,
    faq_entry=None,
    faq_score=0.2,
    passes=1,
    cited=("a.md",),
    references=(),
    usage=Usage(model_calls=1, prompt_tokens=100, completion_tokens=20),
    timings_ms={"total": 10.0, "second_pass": 0.0},
)
RESOLVED = LoggedReference(type="section", status="resolved", by="toc")
OPEN = LoggedReference(type="external", status="unresolved", by=None)


def test_counts_shares_and_percentiles() -> None:
    second = replace(
        PLAIN, passes=2, references=(RESOLVED, OPEN), timings_ms={"total": 50.0, "second_pass": 30.0}, language="ru"
    )
    figures = Figures.of([PLAIN, PLAIN, second, replace(PLAIN, kind="missed", cited=())], "2026-01-01")
    assert (figures.questions, figures.kinds) == (4, {"answered": 3, "missed": 1})
    assert figures.total_ms["answered"] == {"median": 10.0, "p95": 50.0}
    references = figures.references
    assert (references.answers_with_references, references.found, references.resolved) == (1, 2, 1)
    assert (references.resolved_by, references.by_type) == ({"toc": 1}, {"section": 1, "external": 1})
    assert (references.second_passes, references.second_pass_ms) == (1, {"median": 30.0, "p95": 30.0})
    assert (figures.model_calls, figures.tokens) == (4, 480)
    assert figures.most_cited == {"a.md": 3}
    told = as_text(figures)
    assert "References: 2 in 1 answers, 50 % resolved (toc 1)" in told
    assert "Second passes: 1, median 30 ms, p95 30 ms" in told


def test_nothing_is_a_report_too() -> None:
    assert as_text(Figures.of([], "2026-01-01")) == "0 questions since 2026-01-01\nModel calls: 0, tokens: 0"
