"""The weekly digest: when it is due, what it says, what its buttons do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.digest import NO_TICKET, Digests, GapLook, GapTap, digest_key, read_gap_tap
from adapters.texts import Texts
from bot.digest import Digester, DigestTime, digest_time
from bot.gap_desk import GapDesk
from bot.gap_sources import GapSources
from bot.settings import Settings
from engine import ConfigurationError, GapState, Relay
from engine.logged import LoggedAnswer
from engine.types import FaqEntry, Miss, OutcomeKind, Usage
from tests.fake_embedder import FakeEmbedder
from tests.fake_gaps import FakeGaps
from tests.fake_stores import FakeAnswerStore, FakeFaqStore, FakeMetaStore
from tests.fake_tickets import FakeTickets
from tests.unit.test_gaps import PUBLIC, entered

MOSCOW, BERLIN = ZoneInfo("Europe/Moscow"), ZoneInfo("Europe/Berlin")
DESK = "telegram:1"

# --- when -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", ["Mo 9:00", "Mon", "Mon 25:00", "Mon 9:61", "9:00", "every day"])
def test_a_wrong_time_is_told(wrong: str) -> None:
    with pytest.raises(ConfigurationError, match=r"REFDESK_DIGEST: .* write them as in Mon 9:00"):
        DigestTime.parse(wrong, MOSCOW)


def test_a_digest_is_due_by_the_clock_of_the_owner() -> None:
    when = DigestTime.parse("Monday 9:00", MOSCOW)
    monday = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)
    assert when.latest(monday) == monday
    assert when.latest(monday - timedelta(seconds=1)) == monday - timedelta(days=7)
    assert when.next(monday) == monday + timedelta(days=7)


def test_the_hour_stays_when_the_clock_is_changed() -> None:
    when = DigestTime.parse("Sun 9:00", BERLIN)
    before, after = datetime(2026, 10, 20, tzinfo=UTC), datetime(2026, 10, 27, tzinfo=UTC)
    assert when.latest(before).astimezone(UTC).hour == 7
    assert when.latest(after).astimezone(UTC).hour == 8


@given(
    st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)),
    st.integers(0, 6),
    st.times().map(lambda one: one.replace(second=0, microsecond=0)),
    st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"]),
)
def test_every_moment_is_between_two_digests(now: datetime, day: int, at: object, zone: str) -> None:
    when = DigestTime(day, at, ZoneInfo(zone))  # type: ignore[arg-type]
    latest, following = when.latest(now).astimezone(UTC), when.next(now).astimezone(UTC)
    assert latest <= now < following
    assert abs(following - latest - timedelta(days=7)) <= timedelta(hours=1)


# --- what -----------------------------------------------------------------------------------------------------------


@dataclass
class World:
    now: datetime
    tickets: FakeTickets = field(default_factory=FakeTickets)
    answers: FakeAnswerStore = field(default_factory=FakeAnswerStore)
    gaps: FakeGaps = field(default_factory=FakeGaps)
    faq: FakeFaqStore = field(default_factory=FakeFaqStore)
    embedder: FakeEmbedder = field(default_factory=FakeEmbedder)

    def desk(self) -> GapDesk:
        sources = GapSources(
            gaps=self.gaps, answers=self.answers, faq=self.faq, meta=FakeMetaStore(),
            gate_embedder=self.embedder, index_embedder=self.embedder,
        )  # fmt: skip
        return GapDesk(sources, PUBLIC)

    def digester(self) -> Digester:
        when = DigestTime.parse("Mon 9:00", MOSCOW)
        return Digester(
            desk=DESK, when=when, tickets=self.tickets, answers=self.answers, gaps=self.desk(), language=None,
            now=lambda: self.now,
        )  # fmt: skip

    def asked(self, question: str, days_ago: float, kind: OutcomeKind = "missed", entry: str | None = None) -> None:
        moment = (self.now - timedelta(days=days_ago)).isoformat(timespec="microseconds")
        self.answers.answers.append(
            LoggedAnswer(
                question_id="q",
                asked_at=moment,
                kind=kind,
                language="ru",
                domain=None,
                collection=None,
                faq_entry=entry,
                faq_score=0.1,
                passes=0,
                cited=(),
                references=(),
                usage=Usage(),
                timings_ms={},
            )  # fmt: skip
        )
        if kind == "missed":
            made = Miss(
                id=len(self.gaps.all_misses) + 1, asked_at=moment, question=question, language="ru",
                conversation="c", best_score=0.1, reason="nothing_found", route=None,
            )  # fmt: skip
            self.gaps.all_misses.append(made)

    def digests(self) -> Digests:
        return Digests(desk=DESK, tickets=self.tickets, gaps=self.desk(), texts=Texts())

    @property
    def said(self) -> list[Relay]:
        return [relay for relay in self.tickets.kept.values() if relay.kind == "digest"]


@pytest.fixture
def world() -> World:
    # Now, since only what was asked lately is looked at.
    when, now = DigestTime.parse("Mon 9:00", MOSCOW), datetime.now(UTC)
    return World(when.latest(now) + timedelta(minutes=1))


async def say(world: World) -> bool:
    digester = world.digester()
    return await digester.say(digester.when.latest(world.now))


async def test_a_digest_holds_the_gaps_of_the_week_and_no_text(world: World) -> None:
    for days in (1, 2, 3, 9):
        world.asked("Где мой чек?", days)
    world.asked("Можно ли змею?", 2)
    world.asked("Старый вопрос про подвал?", 20)
    world.asked("", 1, "answered")
    assert await say(world)
    (relay,) = world.said
    assert (relay.ticket, relay.to, relay.content["language"]) == (NO_TICKET, DESK, "ru")
    assert (relay.content["asked"], relay.content["missed"]) == (5, 4)
    counts = [(gap["misses"], gap["count"], gap["total"]) for gap in relay.content["gaps"]]
    assert counts == [([1, 2, 3, 4], 3, 4), ([5], 1, 1)]
    assert "чек" not in str(relay.content)
    text, keyboard = await world.digests().page(relay)
    assert "Вопросов: 5, без ответа: 4." in text
    assert "⚪ **1.** Где мой чек?\n3× за неделю" in text
    assert "всего 4×" in text
    assert "подвал" not in text
    assert [[caption for caption, _ in row] for row in keyboard] == [["1 ✋", "1 ✅", "1 🚫"], ["2 ✋", "2 ✅", "2 🚫"]]
    del world.gaps.all_misses[:]
    forgotten, _ = await world.digests().page(relay)
    assert "чек" not in forgotten
    assert "(текст удалён)" in forgotten


async def test_a_digest_is_said_once_by_however_many(world: World) -> None:
    world.asked("Где мой чек?", 1)
    assert await say(world)
    world.asked("Можно ли змею?", 1)
    assert not await say(world)
    world.now += timedelta(days=7)
    world.asked("Можно ли змею?", 1)
    assert await say(world)
    assert len({relay.key for relay in world.said}) == len(world.said) == 2


async def test_nothing_asked_is_no_digest_but_nothing_missed_is_one(world: World) -> None:
    assert not await say(world)
    world.asked("", 1, "answered")
    assert await say(world)
    text, keyboard = await world.digests().page(world.said[0])
    assert "На всё нашёлся ответ." in text
    assert keyboard == ()


async def test_what_is_answered_often_is_named_apart_by_its_entry(world: World) -> None:
    entry = FaqEntry(id="hours", questions=("Когда вы открыты?",), answer="С девяти.", language="ru")
    await entered(world.faq, world.embedder, entry)
    for days in (1, 2, 3):
        world.asked("", days, "faq_direct", "hours")
    world.asked("Где мой чек?", 1)
    assert await say(world)
    text, _ = await world.digests().page(world.said[0])
    assert "**Спрашивают часто, ответ есть**\n- 3× Когда вы открыты?" in text


async def test_what_is_settled_is_left_out_until_it_is_missed_again(world: World) -> None:
    world.asked("Где мой чек?", 3)
    world.asked("Можно ли змею?", 2)
    await world.gaps.mark([1, 2], "wont_do", "Анна")
    world.asked("Можно ли змею?", -8)  # after the mark
    world.now += timedelta(days=14)
    assert await say(world)
    assert [gap["misses"] for gap in world.said[0].content["gaps"]] == [[2, 3]]


async def test_a_tap_marks_all_wordings_and_changes_the_digest(world: World) -> None:
    for days in (1, 2):
        world.asked("Где мой чек?", days)
    assert await say(world)
    (relay,) = world.said
    week = relay.content["week"]
    tap = read_gap_tap(GapTap("take", week, 1).data())
    assert tap == GapTap("take", week, 1)
    assert await world.digests().tapped(tap, "Анна *", "ru") == "Взято."
    assert {mark.state for mark in world.gaps.marked.values()} == {"taken"}
    assert sorted(world.gaps.marked) == [1, 2]
    (changed,) = world.said
    assert changed.version == relay.version + 1
    text, keyboard = await world.digests().page(changed)
    assert "🟡 **1.** Где мой чек?" in text
    assert "Анна \\*" in text
    assert [caption for caption, _ in keyboard[0]] == ["1 ✅", "1 🚫", "1 ↩️"]
    assert await world.digests().tapped(replace(tap, verb="new"), "Анна", None) == "Снова новый."
    assert await world.digests().tapped(replace(tap, number=7), "Анна", "en") == "This digest is there no longer."
    assert (
        await world.digests().tapped(replace(tap, week="1999-W01"), "Анна", "en") == "This digest is there no longer."
    )


class Untrusted:
    """Gaps with whatever people write."""

    def __init__(self, question: str) -> None:
        self._question = question

    async def look(self, misses: Sequence[int]) -> GapLook:
        return GapLook(question=self._question, state="new", by="")

    async def mark(self, misses: Sequence[int], state: GapState, by: str) -> None: ...


@given(st.text(max_size=400))
async def test_a_question_is_shown_in_one_line_of_bounded_length(question: str) -> None:
    gap = {"misses": [1], "count": 1, "total": 1, "trend": "steady"}
    content = {
        "week": "2026-W49", "begins": "1", "ends": "2", "asked": 1, "missed": 1, "gaps": [gap], "popular": [],
        "language": "en",
    }  # fmt: skip
    relay = Relay(ticket=0, to=DESK, key=digest_key(DESK, "2026-W49"), kind="digest", content=content)
    digests = Digests(desk=DESK, tickets=FakeTickets(), gaps=Untrusted(question), texts=Texts())
    text, _ = await digests.page(relay)
    (line,) = [line for line in text.splitlines() if "**1.**" in line]
    assert len(line) < 2 * 160 + 20


@pytest.mark.parametrize("data", ["", "g", "g:take", "g:take:w:x", "g:no:w:1", "g:take:w:9999", "t:take:1", "up:1"])
def test_what_is_no_digests_tap_is_none(data: str) -> None:
    assert read_gap_tap(data) is None


def test_a_digest_needs_a_support_chat() -> None:
    with pytest.raises(ConfigurationError, match="there is no support chat"):
        digest_time(Settings(digest="Mon 9:00"))
    assert digest_time(Settings()) is None
    chosen = digest_time(Settings(digest="Mon 9:00", telegram_support_chat="-1001", office_time_zone="Europe/Moscow"))
    assert chosen == DigestTime.parse("Mon 9:00", MOSCOW)
