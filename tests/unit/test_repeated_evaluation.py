"""Questions asked several times, because a model writes or judges: rows, figures, the page, a run that goes on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.evaluation.base_page import evaluation_page
from engine.evaluation.base_questions import Gold
from engine.evaluation.base_rows import DEEPEST, Row
from engine.evaluation.base_run import KeptRows, Trial
from engine.evaluation.base_summary import compare, figure, figure_of, summarise
from engine.evaluation.configurations import CONFIGURATIONS
from engine.evaluation.model_verdicts import ModelVerdicts, Verdict
from engine.stages.retrieval import HybridRetriever
from tests.fake_models import ScriptedChat
from tests.small_base import small_base
from tests.verdicts import GOOD

PRODUCT = CONFIGURATIONS["dcd+up"]
GOLD = Gold(
    id="bicycle",
    question="What does a bicycle reservation cost?",
    language="en",
    facts=("6 euros",),
    places=(frozenset({"travel/baggage/bicycles.md"}),),
)
BAD = GOOD.model_copy(update={"answers_directly": False})


def row(question: str, repeat: int, right: bool | None, **more: object) -> Row:
    made = Row(
        id=question,
        repeat=repeat,
        language="en",
        gold_kind="",
        question="?",
        facts=["x"],
        documents=[],
        kind="answered",
        answer="",
        found=[],
    )
    return made.model_copy(update={"value_quoted": right, **more})


def value(one: Row) -> float | None:
    return None if one.value_quoted is None else float(one.value_quoted)


async def trial(folder: Path, *verdicts: Verdict) -> Trial:
    base = await small_base(folder)
    wide = HybridRetriever(base.library(), base.index, base.embedder, replace(base.policy.retrieval, kept=DEEPEST))
    judge = ModelVerdicts(ScriptedChat(objects={Verdict: verdicts})) if verdicts else None
    return Trial(base.engine(), base.router(), wide, verdicts=judge)


# --- rows -----------------------------------------------------------------------------------------------------------


async def test_each_repeat_is_kept_and_judged_for_itself(tmp_path: Path) -> None:
    kept = KeptRows(tmp_path / "rows")
    kept.open({})
    judged = await trial(tmp_path / "base", GOOD, BAD, GOOD)
    rows = await kept.complete(judged, PRODUCT, [GOLD], lambda *_: None, repeats=3)
    assert [(one.repeat, one.judge_relevance) for one in rows] == [(1, True), (2, False), (3, True)]
    assert set(kept.read("dcd+up")) == {(1, "bicycle"), (2, "bicycle"), (3, "bicycle")}
    summary = summarise("dcd+up", rows)
    assert (summary.questions, summary.repeats) == (1, 3)
    assert summary.figures["judge_relevance"].by_repeat == (1.0, 0.0, 1.0)
    assert summary.figures["value_quoted"].spread == 0.0


async def test_a_run_goes_on_in_the_middle_of_a_repeat_and_with_more_or_fewer_of_them(tmp_path: Path) -> None:
    other = replace(GOLD, id="again")
    one = await trial(tmp_path / "base")
    kept = KeptRows(tmp_path / "rows")
    kept.open({})
    await kept.complete(one, PRODUCT, [GOLD, other], lambda *_: None, repeats=2)
    location = tmp_path / "rows" / "dcd+up.jsonl"
    lines = location.read_text(encoding="utf-8").splitlines(keepends=True)
    location.write_text("".join(lines[:3]), encoding="utf-8")
    made: list[tuple[int, int]] = []
    rows = await kept.complete(
        one, PRODUCT, [GOLD, other], lambda _, done, total: made.append((done, total)), repeats=3
    )
    assert made == [(4, 6), (5, 6), (6, 6)]
    assert [(row.repeat, row.id) for row in rows] == [(n, name) for n in (1, 2, 3) for name in ("bicycle", "again")]
    made.clear()
    fewer = await kept.complete(one, PRODUCT, [GOLD, other], lambda _, done, total: made.append((done, total)))
    assert ([row.repeat for row in fewer], made) == ([1, 1], [])
    assert len(kept.read("dcd+up")) == 6, "what was repeated more often is not lost"


# --- figures --------------------------------------------------------------------------------------------------------


def test_a_question_counts_once_however_often_it_was_asked() -> None:
    rows = [row(f"q{number}", repeat, number % 2 == 0) for repeat in (1, 2, 3, 4) for number in range(10)]
    repeated, once = figure_of(rows, value), figure_of(rows[:10], value)
    assert repeated is not None
    assert once is not None
    assert repeated.count == 10
    assert (repeated.low, repeated.mean, repeated.high) == (once.low, once.mean, once.high)
    assert once == figure([float(number % 2 == 0) for number in range(10)])
    assert (once.spread, repeated.spread) == (None, 0.0)


def test_the_spread_is_that_of_the_repeats_means() -> None:
    rows = [row("a", 1, True), row("b", 1, True), row("a", 2, True), row("b", 2, False)]
    found = figure_of(rows, value)
    assert found is not None
    assert (found.mean, found.by_repeat, found.spread) == (0.75, (1.0, 0.5), 0.3536)
    assert str(found).endswith("±0.354")


def test_what_one_repeat_does_not_know_is_left_out_of_it() -> None:
    found = figure_of([row("a", 1, True), row("b", 1, None), row("a", 2, None), row("b", 2, None)], value)
    assert found is not None
    assert (found.mean, found.count, found.by_repeat, found.spread) == (1.0, 1, (1.0,), None)
    assert figure_of([row("a", 1, None), row("a", 2, None)], value) is None


def test_configurations_are_compared_by_the_questions_means() -> None:
    mine = [row("a", 1, True), row("a", 2, True), row("b", 1, True), row("b", 2, False)]
    its = [row("a", 1, True), row("a", 2, False), row("b", 1, False), row("b", 2, False)]
    lead = compare(mine, its)["value_quoted"]
    assert (lead.mean, lead.count) == (0.5, 2)


def test_references_are_counted_by_question_too() -> None:
    sides = [(True, True), (True, False)]
    rows = [row("a", n, True, source=source, target=target) for n, (source, target) in enumerate(sides, start=1)]
    both = summarise("dcd", rows).references["both, in the end"]
    assert (both.mean, both.count, both.by_repeat) == (0.5, 1, (1.0, 0.0))


def test_a_figure_that_does_not_cover_all_questions_says_so() -> None:
    summary = summarise("dcd", [row("a", 1, True), row("b", 1, None), row("c", 1, False, coverage=2)])
    assert summary.told("value_quoted").endswith("] of 2")
    assert summarise("dcd", [row("a", 1, True)]).told("value_quoted") == "1.000 [1.000, 1.000]"
    assert summary.told("domain") == ""


# --- the page -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("repeats", [1, 2])
def test_the_page_says_how_often_it_was_asked_and_which_time_failed(repeats: int) -> None:
    rows = [row("a", repeat, repeat == 1) for repeat in range(1, repeats + 1)]
    rows += [row("b", repeat, False) for repeat in range(1, repeats + 1)]
    page = evaluation_page("t", [summarise("dcd", rows)], {"dcd": rows}, {}, None)
    assert ("asked 2 times" in page, "b (time 2)" in page, "±" in page) == (repeats == 2,) * 3


# --- the judge's own cost -------------------------------------------------------------------------------------------


async def test_the_judges_tokens_are_counted_apart(tmp_path: Path) -> None:
    judged = await trial(tmp_path / "base", GOOD)
    (one,) = [made async for made in judged.rows(PRODUCT, [GOLD])]
    assert one.judge_tokens > 0
    assert (one.tokens, one.model_calls) == (0, 0), "those of the answer"
    assert summarise("dcd+up", [one]).calls["tokens of the judging model"] == one.judge_tokens
