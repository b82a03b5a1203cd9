"""Measuring a base: question files, what counts as right, configurations, kept rows, figures, the page."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import KnowledgeError, ProviderTimeout, SourceError
from engine.evaluation.base_page import evaluation_page, failure_of
from engine.evaluation.base_questions import Gold, holds, holds_all, read_questions
from engine.evaluation.base_rows import DEEPEST, Row, has_section
from engine.evaluation.base_run import KeptRows, Trial
from engine.evaluation.base_summary import compare, figure, summarise
from engine.evaluation.configurations import CONFIGURATIONS, Configuration, cut
from engine.evaluation.model_verdicts import ModelVerdicts, Verdict, verdicts_of
from engine.stages.retrieval import HybridRetriever
from engine.types import FaqEntry, FaqMatch, Route
from tests.fake_models import ScriptedChat
from tests.fakes import FakeGate, chunk
from tests.small_base import FILES, SmallBase, small_base
from tests.verdicts import GOOD

GOLDS = (
    Gold(
        id="bicycle",
        question="What does a bicycle reservation cost?",
        language="en",
        facts=("6 euros",),
        places=(frozenset({"travel/baggage/bicycles.md"}),),
    ),
    Gold(
        id="water",
        question="Сколько стоит холодная вода?",
        language="ru",
        facts=("59 рублей|59 руб",),
        places=(frozenset({"housing/tariffs/utilities.md"}),),
    ),
)


@pytest.fixture
async def base(tmp_path: Path) -> SmallBase:
    return await small_base(tmp_path / "knowledge")


def trial(base: SmallBase, verdicts: ModelVerdicts | None = None) -> Trial:
    wide = HybridRetriever(base.library(), base.index, base.embedder, replace(base.policy.retrieval, kept=DEEPEST))
    return Trial(base.engine(), base.router(), wide, verdicts=verdicts)


async def rows_of(base: SmallBase, name: str, golds: tuple[Gold, ...] = GOLDS) -> list[Row]:
    return [row async for row in trial(base).rows(CONFIGURATIONS[name], golds)]


# --- question files -------------------------------------------------------------------------------------------------


def write(folder: Path, *lines: object) -> Path:
    path = folder / "questions.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


def test_an_owners_questions_and_those_of_data_sets_are_read(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {"question": "Сколько стоит залог?", "facts": ["100"], "documents": ["a/b/c.md", ["a/b/d.md", "a/b/e.md"]]},
        {
            "id": 7,
            "question": "How big?",
            "question_ru": "Какой размер?",
            "domain": "a",
            "collections": ["b"],
            "documents": ["c"],
            "must_contain": ["1|one"],
        },
        {"id": "x", "question": "q?", "lang": "en", "doc": "a/b/c.md", "first_section": "1", "ref_section": "2"},
    )
    own, english, russian, reference = read_questions(path, ["a/b/c.md", "a/b/d.md", "a/b/e.md"])
    assert (own.id, own.language, own.facts) == ("line 1", "ru", ("100",))
    assert own.places == (frozenset({"a/b/c.md"}), frozenset({"a/b/d.md", "a/b/e.md"}))
    assert (english.id, russian.id, russian.question) == ("7:en", "7:ru", "Какой размер?")
    assert english.places == russian.places == (frozenset({"a/b/c.md"}),)
    assert reference.sections == (("a/b/c.md", "1"), ("a/b/c.md", "2"))


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["{"], "line 1"),
        ([{"question": ""}], "line 1: question"),
        ([{"id": 1, "question": "a"}, {"id": 1, "question": "b"}], "line 2: the id 1 stands twice"),
        ([{"question": "a", "documents": ["lost.md"]}], "no document lost.md"),
        ([{"question": "a", "domain": "a", "collections": ["b"], "documents": ["Lost"]}], "no document of that title"),
        ([""], "no questions"),
    ],
)
def test_a_bad_question_file_is_told_with_its_line(tmp_path: Path, lines: list[object], told: str) -> None:
    with pytest.raises(SourceError, match=told):
        read_questions(write(tmp_path, *lines), ["a/b/c.md"])


def test_a_missing_question_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        read_questions(tmp_path / "none.jsonl", [])


@given(st.text(min_size=1).filter(lambda text: text.strip() and "|" not in text and "*" not in text))
def test_a_fact_is_found_whatever_its_case_and_spaces(fact: str) -> None:
    assert holds(f"before {fact} after", fact)
    assert holds_all(f"before {fact} after", [f"no such|{fact}"])


def test_a_fact_that_is_not_there_is_not_found() -> None:
    assert not holds("сорок два", "43|сорок три")
    assert not holds_all("forty two", ["forty", "three"])


# --- rows -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name, one in CONFIGURATIONS.items() if one.headers])
async def test_every_configuration_answers_plain_questions_rightly(base: SmallBase, name: str) -> None:
    for row in await rows_of(base, name):
        assert (row.coverage, row.value_3, row.value_quoted, row.relevance) == (2, True, True, True), row
        assert failure_of(row) == ""
        assert (row.domain is None) == (CONFIGURATIONS[name].depth == "none" or "oracle" in name)


async def test_a_value_in_a_wrong_document_does_not_count(base: SmallBase) -> None:
    gold = replace(GOLDS[0], places=(frozenset({"travel/tickets/rules.md"}),))
    (row,) = await rows_of(base, "naive+header", (gold,))
    assert (row.value_10, row.value_quoted, row.accuracy) == (False, False, False)
    assert row.relevance, "the fact was said all the same"
    assert failure_of(row)


async def test_labels_lead_to_all_that_a_question_needs(base: SmallBase) -> None:
    both = replace(GOLDS[0], id="both", places=(*GOLDS[0].places, *GOLDS[1].places), facts=("6 euros", "59 рублей"))
    (row,) = await rows_of(base, "dcd:oracle", (both,))
    assert (row.reached, row.coverage, row.hit_10) == (True, 2, True)
    (routed,) = await rows_of(base, "dcd", (both,))
    assert routed.domain is False, "one branch holds only half of the answer"


async def test_sections_of_a_reference_are_found_before_and_after_a_second_pass(base: SmallBase) -> None:
    lease = "housing/contracts/lease.md"
    gold = Gold(
        id="deposit",
        question="Каков порядок возврата депозита при внесении депозита в день подписания?",
        language="ru",
        facts=("10 рабочих дней",),
        places=(frozenset({lease}),),
        sections=((lease, "7.1"), (lease, "7.2")),
    )
    (row,) = await rows_of(base, "dcd+up", (gold,))
    assert (row.source, row.target) == (True, True)
    summary = summarise("dcd+up", [row])
    assert summary.references["both, in the end"].mean == 1.0


def test_a_route_is_cut_at_every_depth() -> None:
    whole = Route(domain="a", collection="b", documents=("a/b/c.md",), levels=())
    assert cut(whole, "document") == whole
    assert cut(whole, "collection") == replace(whole, documents=())
    assert cut(whole, "domain") == replace(whole, documents=(), collection=None)
    assert cut(whole, "none") == Route(domain=None, collection=None, documents=(), levels=())


# --- kept rows ------------------------------------------------------------------------------------------------------


async def test_a_run_goes_on_where_it_was_killed(base: SmallBase, tmp_path: Path) -> None:
    configuration: Configuration = CONFIGURATIONS["dcd+up"]
    kept = KeptRows(tmp_path / "rows")
    kept.open({"code": "1"})
    whole = await kept.complete(trial(base), configuration, GOLDS, lambda *_: None)
    location = tmp_path / "rows" / "dcd+up.jsonl"
    first = location.read_text(encoding="utf-8").splitlines()[0]
    location.write_text(f'{first}\n{{"id": "wat', encoding="utf-8")
    made: list[int] = []
    again = await KeptRows(tmp_path / "rows").complete(
        trial(base), configuration, GOLDS, lambda _, done, total: made.append(done)
    )
    assert made == [2], "only the row that was cut short is made again"
    assert [row.id for row in again] == [row.id for row in whole] == ["bicycle", "water"]
    assert [row.answer for row in again] == [row.answer for row in whole]
    assert len(location.read_text(encoding="utf-8").splitlines()) == 2


def test_rows_of_another_run_are_not_mixed_in(tmp_path: Path) -> None:
    KeptRows(tmp_path).open({"code": "1", "embedder": "a"})
    KeptRows(tmp_path).open({"code": "1", "embedder": "a"})
    with pytest.raises(KnowledgeError, match="code"):
        KeptRows(tmp_path).open({"code": "2", "embedder": "a"})


# --- figures --------------------------------------------------------------------------------------------------------


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_an_interval_holds_its_mean_and_stays_within_the_values(values: list[float]) -> None:
    found = figure(values)
    assert found is not None
    assert min(values) - 1e-4 <= found.low <= found.high <= max(values) + 1e-4
    assert found.low - 1e-4 <= found.mean <= found.high + 1e-4 or len(set(values)) > 1
    assert found.mean == pytest.approx(float(np.mean(values)), abs=1e-4)


def test_no_values_give_no_figure() -> None:
    assert figure([]) is None


async def test_two_configurations_are_compared_question_by_question(base: SmallBase) -> None:
    routed, naive = await rows_of(base, "dcd"), await rows_of(base, "naive+header")
    worse = [row.model_copy(update={"value_quoted": False}) for row in naive]
    lead = compare(routed, worse)
    assert lead["value_quoted"].mean == 1.0
    assert lead["value_10"].mean == 0.0
    assert "domain" not in lead, "what one of the two does not know cannot be compared"


async def test_the_page_shows_failures_escaped(base: SmallBase) -> None:
    rows = [row.model_copy(update={"question": "<b>?", "value_quoted": False}) for row in await rows_of(base, "dcd")]
    page = evaluation_page("t", [summarise("dcd", rows)], {"dcd": rows}, {}, None)
    assert "&lt;b&gt;?" in page
    assert "<b>?" not in page
    assert "<svg" in page
    assert "http" not in page, "nothing is loaded from elsewhere"


# --- a model as judge -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verdict", "facts", "expected"),
    [
        (GOOD, 1, (True, True, True, 2)),
        (GOOD, 2, (True, False, True, 1)),
        (GOOD.model_copy(update={"facts_in_context": [9]}), 1, (True, False, True, 0)),
        (GOOD.model_copy(update={"unsupported_claims": ["x"]}), 1, (True, True, False, 2)),
        (GOOD.model_copy(update={"unanswered_parts": ["x"]}), 1, (False, True, True, 2)),
    ],
)
def test_verdicts_are_computed_from_what_the_model_lists(
    verdict: Verdict, facts: int, expected: tuple[bool, bool, bool, int]
) -> None:
    assert tuple(verdicts_of(verdict, facts).values()) == expected


async def test_what_a_model_fails_to_judge_is_an_error_and_no_zero(base: SmallBase) -> None:
    model = ScriptedChat(objects={Verdict: (GOOD, ProviderTimeout("judge", "slow"))})
    judged = trial(base, ModelVerdicts(model)).rows(CONFIGURATIONS["dcd+up"], GOLDS)
    good, failed = [row async for row in judged]
    assert (good.judge_accuracy, good.judge_error) == (True, "")
    assert (failed.judge_accuracy, failed.judge_error) == (None, "ProviderTimeout: slow")
    summary = summarise("dcd+up", [good, failed])
    assert summary.judge_errors == {"ProviderTimeout": 1}
    assert summary.figures["judge_accuracy"].count == 1


def test_the_small_base_has_the_documents_asked_about() -> None:
    assert all(document in FILES for gold in GOLDS for document in gold.documents)


# --- the loop and the gate ------------------------------------------------------------------------------------------


async def test_a_first_pass_of_one_chunk_sees_one_chunk_and_one_pass_follows_nothing(base: SmallBase) -> None:
    lease = "housing/contracts/lease.md"
    gold = Gold(
        id="deposit",
        question="Каков порядок возврата депозита при внесении депозита в день подписания?",
        language="ru",
        places=(frozenset({lease}),),
        sections=((lease, "7.1"), (lease, "7.2")),
    )
    both = [await rows_of(base, name, (gold,)) for name in ("top-1", "top-1+one-pass")]
    (followed,), (alone,) = both
    assert (followed.source_before, followed.target_before) == (alone.source_before, alone.target_before)
    assert not (alone.source_before and alone.target_before), "one chunk holds one of the two sections"
    assert alone.passes <= 1
    assert not (alone.source and alone.target)


@pytest.mark.parametrize(("wanted", "right"), [("water", True), ("other", False), ("", False), (None, None)])
async def test_the_gate_is_right_when_it_serves_the_entry_that_answers(
    base: SmallBase, wanted: str | None, right: bool | None
) -> None:
    entry = FaqEntry(id="water", questions=(GOLDS[1].question,), answer="59 рублей", language="ru")
    gate = FakeGate(FaqMatch(band="direct", score=0.99, cosine=0.99, entry=entry))
    one = Trial(replace(base.engine(), gate=gate), base.router(), base.retriever())
    gold = replace(GOLDS[1], faq=wanted)
    (row,) = [row async for row in one.rows(CONFIGURATIONS["faq+dcd+up"], [gold])]
    assert (row.kind, row.gate, row.value_quoted) == ("faq_direct", right, True)
    (without,) = [row async for row in one.rows(CONFIGURATIONS["dcd+up"], [gold])]
    assert (without.kind, without.gate) == ("answered", None)


def test_the_target_of_a_reference_in_another_document_may_hold_the_facts() -> None:
    gold = Gold(id="x", question="q", language="en", places=(frozenset({"a"}),), sections=(("a", "1"), ("b", "2")))
    assert gold.documents == {"a", "b"}


@pytest.mark.parametrize(
    ("called", "sections", "found"),
    [
        ("Article 22", ["22"], True),
        ("Приложение б", ["Б"], True),
        ("22", ["22.1"], True),
        ("Article 2", ["22"], False),
        ("7.2", [""], True),
        ("", ["", "1"], False),
    ],
)
def test_sections_are_found_by_number_or_by_name(called: str, sections: list[str], found: bool) -> None:
    chunks = [chunk(str(at), "**7.2. Keys**\nLost.", one) for at, one in enumerate(sections)]
    assert has_section(chunks, (chunks[0].document, called)) == found
    assert not has_section(chunks, ("another", called))
