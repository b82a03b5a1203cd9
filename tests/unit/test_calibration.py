"""Calibration: from practice to the chance of being right, its store, its page, and the file of labelled questions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.commands.calibrate import read_labelled
from engine import ConfigurationError
from engine.evaluation.calibration_page import NO_CURVE, calibration_page
from engine.evaluation.faq_report import evaluate
from engine.evaluation.faq_sets import Asked, FaqSet, hard_pairs
from engine.evaluation.faq_ways import Nearest, best_rule, best_share
from engine.matching.book import Book
from engine.matching.calibration import Findings, calibrate, direct_chance, labelled_chance
from engine.matching.chance import DIRECT_CHANCE, PRIOR, fitted
from engine.matching.likeness import SIGNALS
from engine.matching.practice import Labelled
from engine.matching.stored import HeldFaq, load_findings, save_findings
from engine.matching.wilson import Share
from engine.policy import GatePolicy
from engine.ports import StoredFaq
from engine.stages.faq import CalibratedFaqGate
from engine.types import FaqEntry, Question
from tests.fake_embedder import FakeEmbedder
from tests.fake_stores import FakeMetaStore
from tests.ingest_desk import Desk

THINGS = ("parking permit", "rental contract", "guest pass", "meter reading", "bank statement", "repair request")
ENTRIES = tuple(
    FaqEntry(
        id=f"{verb}-{thing.split()[0]}",
        questions=(f"How do I {verb} the {thing}?", f"I want to {verb} my {thing}", f"steps to {verb} a {thing}"),
        answer=f"{verb} {thing}",
        language="en",
    )
    for verb in ("print", "renew", "cancel")
    for thing in THINGS
)


async def stored() -> StoredFaq:
    wordings = tuple((entry.id, text) for entry in ENTRIES for text in entry.questions)
    vectors = await FakeEmbedder().embed_questions([text for _, text in wordings])
    return StoredFaq(version="1", entries=ENTRIES, wordings=wordings, vectors=vectors)


async def test_calibration_measures_and_is_kept() -> None:
    book = Book.arrange(await stored())
    labelled = [
        Labelled(question="how can I renew my guest pass", entry="renew-guest"),
        Labelled(question="hm?", entry=None),
    ]
    findings = await calibrate(book, FakeEmbedder().embed_questions, labelled)
    assert findings.questions["wording"] == len(book.wordings)
    assert findings.questions["labelled"] == 2
    assert findings.questions["background"] >= 190
    assert findings.precision.value >= 0.99
    assert findings.coverage.count > 0
    assert findings.outside_direct.count == 0
    meta = FakeMetaStore()
    await save_findings(meta, "fake/1", "1", findings)
    kept = await load_findings(meta, "fake/1")
    assert kept is not None
    assert (kept.faq_version, kept.findings) == ("1", findings)
    assert await load_findings(meta, "other/1") is None
    page = calibration_page(findings, "fake/1 <b>")
    assert page.count("<circle") == len(findings.bins)
    assert "fake/1 &lt;b&gt;" in page
    assert "width=device-width" in page


def test_a_calibration_of_too_little_says_so() -> None:
    nothing, some = Share(0, 0), Share(1, 2)
    findings = Findings(
        chance=PRIOR, questions={"wording": 1}, precision=nothing, coverage=some, adjacent=some, outside_direct=some,
        outside_adjacent=some, bins=(), confusable=(),
    )  # fmt: skip
    page = calibration_page(findings, "fake/1")
    assert NO_CURVE in page
    assert "<svg" not in page
    assert "nothing was direct" in page
    assert "<th>" not in page


def test_the_direct_threshold_follows_what_was_measured() -> None:
    chances = np.linspace(0.5, 1.0, 4001)
    well = np.ones(4001, dtype=np.bool_)
    assert direct_chance(chances, well) == pytest.approx(0.93)
    assert direct_chance(chances[::40], well[::40]) == DIRECT_CHANCE, "little was measured"
    poor = (chances < 0.93) | (np.arange(4001) % 20 > 0)
    assert direct_chance(chances, poor) > DIRECT_CHANCE


async def test_what_is_unlike_every_wording_is_not_served_whatever_the_classifier_says() -> None:
    faq = await stored()
    findings = await calibrate(Book.arrange(faq), FakeEmbedder().embed_questions)
    question = Question(text="steps to renew a guest pass please now", language="en")
    policy, embedder = GatePolicy(), FakeEmbedder()
    gate = CalibratedFaqGate.calibrated(HeldFaq(faq), embedder, policy, findings)
    assert (await gate.match(question)).band == "direct"
    far = replace(findings, chance=replace(findings.chance, least_cosine=2.0))
    match = await CalibratedFaqGate.calibrated(HeldFaq(faq), embedder, policy, far).match(question)
    assert (match.band, match.vetoed_by) == ("adjacent", "unlike")


def test_the_bounds_leave_out_few_of_the_base_s_own_questions() -> None:
    own = np.random.default_rng(0).random((500, len(SIGNALS)))
    bounded = PRIOR.bounded_by(own)
    assert not PRIOR.unlike(own).any()
    assert 0.01 < bounded.unlike(own).mean() < 0.05
    assert bounded.unlike(np.zeros(len(SIGNALS)))


def test_what_is_weak_on_both_counts_is_unlike_and_on_one_is_not() -> None:
    bounded = replace(PRIOR, weak_covered=0.4, weak_cosine=0.6)
    asked = np.ones((3, len(SIGNALS)))
    asked[1:, SIGNALS.index("question covered")] = 0.3
    asked[2, SIGNALS.index("cosine")] = 0.5
    assert bounded.unlike(asked).tolist() == [False, False, True]


async def test_entries_that_say_the_same_are_named_to_the_editor() -> None:
    faq = await stored()
    twin = replace(ENTRIES[0], id="twin", answer="other", questions=("How do I print the parking permit now?",))
    vectors = np.vstack([faq.vectors, await FakeEmbedder().embed_questions(twin.questions)])
    wordings = (*faq.wordings, ("twin", twin.questions[0]))
    twins = StoredFaq(version="2", entries=(*ENTRIES, twin), wordings=wordings, vectors=vectors)
    findings = await calibrate(Book.arrange(twins), FakeEmbedder().embed_questions)
    assert any({pair.entry, pair.other} == {"twin", "print-parking"} for pair in findings.confusable)


async def test_a_small_base_is_calibrated_whenever_it_changes(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.calibrates = True
    entry = '- id: {0}\n  questions: ["How do I {0} the permit?", "I want to {0} the permit"]\n  answer: Do {0}.\n'
    desk.write("faq/en.yaml", entry.format("print") + entry.format("renew"))
    versions = []
    for more in ("", entry.format("pause")):
        desk.write("faq/en.yaml", entry.format("print") + entry.format("renew") + more)
        await desk.ingest()
        kept = await load_findings(desk.meta, desk.gate_embedder.fingerprint)
        assert kept is not None
        versions.append(kept.faq_version)
    assert len(set(versions)) == 2
    embedded = desk.gate_embedder.embedded
    await desk.ingest()
    assert desk.gate_embedder.embedded == embedded


async def test_the_gate_goes_by_what_was_calibrated() -> None:
    faq, embedder, meta = await stored(), FakeEmbedder(), FakeMetaStore()
    question = Question(text="Could I renew the guest pass, how do I?")
    gate = CalibratedFaqGate(HeldFaq(faq), embedder, GatePolicy(), meta=meta)
    usual = await gate.match(question)
    findings = await calibrate(Book.arrange(faq), embedder.embed_questions)
    doubtful = replace(findings, chance=replace(findings.chance, weights=(0.0,) * len(SIGNALS) + (-3.0,)))
    await save_findings(meta, embedder.fingerprint, "1", doubtful)
    gate = CalibratedFaqGate(HeldFaq(faq), embedder, GatePolicy(), meta=meta)
    assert (await gate.match(question)).score < min(usual.score, 0.5)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=40))
def test_fitting_any_signals_ends_with_finite_weights(rows: list[tuple[float, bool]]) -> None:
    signals = np.array([[value] * len(SIGNALS) for value, _ in rows]).reshape(len(rows), len(SIGNALS))
    right = np.array([flag for _, flag in rows], dtype=np.bool_)
    chance = fitted(signals, right, np.ones(len(rows)), PRIOR)
    assert all(np.isfinite(chance.weights))
    assert np.all((chance.of(signals) >= 0) & (chance.of(signals) <= 1))


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_score_rises_with_the_chance_and_meets_its_thresholds(one: float, other: float) -> None:
    policy = GatePolicy()
    low, high = sorted((one, other))
    assert PRIOR.score(low, policy) <= PRIOR.score(high, policy)
    assert PRIOR.score(PRIOR.direct, policy) == policy.direct
    assert PRIOR.score(PRIOR.adjacent, policy) == policy.adjacent


def test_shares_have_wilson_s_interval() -> None:
    low, high = Share(99, 100).interval
    assert (round(low, 4), round(high, 4)) == (0.9455, 0.9982)
    assert Share(0, 0).interval == (0.0, 1.0)


def test_the_others_threshold_is_the_lowest_that_is_precise() -> None:
    cosines = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3], dtype=np.float32)
    found = Nearest(np.zeros(7, dtype=np.intp), cosines, np.zeros(7, dtype=np.float32))
    rule = best_rule(found, np.array([True] * 6 + [False]), (0.0,))
    assert rule is not None
    assert rule.cosine == pytest.approx(0.4)
    assert best_rule(found, np.array([False] * 7), (0.0,)) is None


async def test_the_report_compares_the_gate_with_the_others() -> None:
    asked = [
        Asked(text=f"how can i renew my {thing} now", right=frozenset({f"renew-{thing.split()[0]}"}))
        for thing in THINGS
    ]
    outside = Asked(text="Why do cats purr at night?", right=frozenset())
    part = FaqSet(name="made", split="none", entries=ENTRIES, asked=(*asked, outside))
    embedder = FakeEmbedder()
    lines = [
        line
        async for line in evaluate(
            [part],
            embedder,
            lambda faq, findings: CalibratedFaqGate.calibrated(HeldFaq(faq), embedder, GatePolicy(), findings),
        )
    ]
    assert lines[0].startswith("made: 18 entries, 54 wordings, 7 questions")
    (gate,) = [line for line in lines if line.startswith("  gate")]
    assert "precision 1.000" in gate
    assert "outside direct 0 of 1" in gate
    assert sum("cosine" in line for line in lines) >= 6
    (bounds,) = [line for line in lines if "bounds in hindsight" in line]
    assert "ranked right at all 1.000" in bounds
    assert "(6 of 6)" in bounds.split("at 99 %")[1]


def test_the_bound_in_hindsight_is_where_precision_ends() -> None:
    scores = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]
    assert best_share(scores, [True] * 6 + [False]) == 6
    assert best_share(scores, [False] + [True] * 6) == 0
    assert best_share([0.9] * 6, [True] * 5 + [False]) == 0, "no threshold tells equal scores apart"
    assert best_share([], []) == 0


def test_where_questions_are_labelled_direct_begins_above_what_practice_got_wrong() -> None:
    assert labelled_chance(np.array([0.3, 0.9])) == pytest.approx(0.95)
    assert labelled_chance(np.array([0.2])) == labelled_chance(np.zeros(0)) == 0.85


def test_hard_pairs_are_asked_both_ways() -> None:
    there, back = hard_pairs(Path(__file__).parents[1] / "data" / "hard_pairs.jsonl")
    assert len(there.asked) == len(back.asked) == 2 * len(there.entries)
    assert sum(not one.right for one in there.asked) == len(there.entries)


def test_labelled_questions_from_either_kind_of_file(tmp_path: Path) -> None:
    lines, table, bad = tmp_path / "a.jsonl", tmp_path / "a.csv", tmp_path / "bad.jsonl"
    lines.write_text('{"question": "q1", "entry": "e"}\n\n{"question": "q2"}\n', encoding="utf-8")
    table.write_text("question,entry\nq1,e\nq2,\n", encoding="utf-8")
    expected = [Labelled(question="q1", entry="e"), Labelled(question="q2", entry=None)]
    assert read_labelled(lines) == read_labelled(table) == expected
    bad.write_text('{"question": "q1"}\n{"entry": 3}\n', encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"bad\.jsonl, after 1 good lines"):
        read_labelled(bad)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_labelled(tmp_path / "none.jsonl")
