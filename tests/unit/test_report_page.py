"""The report as a page: its figures over time, and that nothing that people wrote can do anything in it."""

from __future__ import annotations

import string
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from typing import get_args
from xml.etree import ElementTree
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.gap_desk import Found
from bot.reports.page import report_page
from bot.reports.series import Logged, Percentiles, Report, Span, report
from bot.reports.svg import WIDTH, Series, bars, lines, nice_top, shares
from bot.reports.words import WORDS, Wordbook
from engine.matching.gaps import Trend
from engine.tickets import OpenedTicket, TicketReason
from engine.types import GapState, Language, OutcomeKind, ResolvedBy
from tests.report_days import EMPTY, HOSTILE, NOW, answer, busy, found, moment

UTC_ZONE, MOSCOW = ZoneInfo("UTC"), ZoneInfo("Europe/Moscow")
LANGUAGES: tuple[Language, ...] = ("ru", "en")


def made(logged: Logged, days: int = 30, zone: ZoneInfo = UTC_ZONE) -> Report:
    return report(logged, NOW - timedelta(days=days), NOW, zone)


def of(*answers: object, **values: object) -> Logged:
    ordered = sorted(answers, key=lambda one: one.asked_at)  # type: ignore[attr-defined]
    return replace(EMPTY, answers=ordered, **values)  # type: ignore[arg-type]


class Seen(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


# --- the page -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("logged", [busy(), EMPTY, busy(1, a_day=5), busy(300, a_day=2, model=False)])
def test_a_page_asks_for_nothing_and_runs_nothing(logged: Logged, language: Language) -> None:
    page = report_page(made(logged, 365), language)
    seen = Seen(page)
    assert seen.tags.isdisjoint({"script", "img", "link", "iframe", "object", "embed", "form", "a", "base", "image"})
    assert seen.attributes.isdisjoint({"src", "href", "xlink:href", "onerror", "onload", "onclick", "action"})
    assert "url(" not in page
    assert "@import" not in page
    assert "default-src 'none'" in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_people_wrote_is_shown_as_it_is(language: Language) -> None:
    page = report_page(made(busy()), language)
    assert HOSTILE in Seen(page).text
    assert "<script>" not in page
    assert "onerror=alert(1)>" not in page


@settings(max_examples=30, deadline=None)
@given(st.text(alphabet=st.sampled_from("<>&\"'/= abc\nя`"), max_size=60))
def test_any_question_adds_no_tag(question: str) -> None:
    gap = found().gaps[0]
    changed = replace(gap, misses=tuple(replace(miss, question=question) for miss in gap.misses))
    plain = Seen(report_page(made(of(answer(1), found=Found(gaps=(gap,), popular=()))), "en"))
    other = Seen(report_page(made(of(answer(1), found=Found(gaps=(changed,), popular=()))), "en"))
    assert (other.tags, other.attributes) == (plain.tags, plain.attributes)
    assert " ".join(question.split()) in other.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_nobodys_id_is_in_a_page(language: Language) -> None:
    page = report_page(made(busy()), language)
    assert "asker-99" not in page
    assert "operator-77" not in page


def test_pictures_are_well_formed() -> None:
    page = report_page(made(busy()), "ru")
    pictures = [f"<svg{part.partition('</svg>')[0]}</svg>" for part in page.split("<svg")[1:]]
    assert len(pictures) > 12
    for picture in pictures:
        ElementTree.fromstring(picture)


def test_a_page_of_nothing_says_so_in_both_languages() -> None:
    for language, said in (("ru", "никто ничего не спросил"), ("en", "Nobody asked anything")):
        seen = Seen(report_page(made(EMPTY), language))  # type: ignore[arg-type]
        assert said in seen.text
        assert "svg" not in seen.tags


def test_missing_and_popular_questions_stand_apart() -> None:
    text = Seen(report_page(made(busy()), "en")).text
    missing, popular = text.index("What is missing"), text.index("Asked often and answered")
    assert missing < text.index("Где купить билеты в оперу?") < popular < text.index("Когда вы открыты?")
    assert "won't do" in text[missing:popular]
    assert "3 of 6" in text[text.index("Documents never cited") :]


# --- figures over time ----------------------------------------------------------------------------------------------


def test_days_are_those_of_the_zone() -> None:
    late = replace(answer(0), asked_at="2026-11-28T22:30:00.000000+00:00")
    assert [bucket.begins.day for bucket in made(of(late)).buckets] == [28, 29, 30]
    assert [bucket.begins.day for bucket in made(of(late), zone=MOSCOW).buckets] == [29, 30]


@given(st.lists(st.floats(0, 400), max_size=25), st.integers(1, 400))
@example([35.75], 36)
def test_every_question_is_in_one_bucket_and_buckets_have_no_gap(ago: list[float], days: int) -> None:
    kept = [answer(one) for one in ago if one <= days]
    tickets = [OpenedTicket(opened_at=one.asked_at, reason="asked") for one in kept]
    result = made(of(*kept, tickets=tickets), days)
    assert sum(bucket.questions for bucket in result.buckets) == result.questions == len(kept)
    assert sum(bucket.escalated for bucket in result.buckets) == result.escalated == len(kept)
    begins = [bucket.begins for bucket in result.buckets]
    widest = {"day": 1, "week": 7, "month": 31}[result.span]
    assert all(
        timedelta(0) < after - before <= timedelta(days=widest)
        for before, after in zip(begins, begins[1:], strict=False)
    )
    assert len(begins) <= 36


def test_what_the_gate_saved_is_the_usual_cost_of_an_answer_less_its_own() -> None:
    result = made(of(answer(1), answer(2), answer(3, "faq_direct"), answer(4, "faq_adjacent"), answer(5, "missed")))
    usual = 3 * 980
    assert (result.tokens, result.model_calls) == (2 * usual + 980, 7)
    assert (result.tokens_saved, result.calls_saved) == (usual + usual - 980, 3 + 2)
    assert sum(bucket.tokens_saved for bucket in result.buckets) == result.tokens_saved
    without = made(of(answer(1, model=False), answer(3, "faq_direct")))
    assert (without.tokens_saved, without.calls_saved) == (0, 0)


def test_percentiles() -> None:
    assert Percentiles.of([]) is None
    assert Percentiles.of([5.0]) == Percentiles(5.0, 5.0)
    assert Percentiles.of([float(one) for one in range(101)]) == Percentiles(50.0, 95.0)


def test_documents_never_cited_are_those_of_the_base_now() -> None:
    cited = replace(answer(1), cited=("a.md", "gone.md"))
    result = made(of(cited, documents=["a.md", "b.md"]))
    assert (result.never_cited, result.never_cited_count, result.documents) == (("b.md",), 1, 2)
    assert result.cited == {"a.md": 1, "gone.md": 1}


# --- pictures and words ---------------------------------------------------------------------------------------------


@given(st.lists(st.lists(st.integers(0, 10**7), min_size=3, max_size=3), min_size=1, max_size=40))
def test_bars_stay_within_the_picture(rows: list[list[int]]) -> None:
    series = [Series(f"s{number}", "c-answered", tuple(row[number] for row in rows)) for number in range(3)]
    picture = ElementTree.fromstring(bars(["day"] * len(rows), series, str, title="t"))
    for mark in picture.iter("rect"):
        left, top = float(mark.get("x", "")), float(mark.get("y", ""))
        assert 0 <= left <= WIDTH - float(mark.get("width", "")) + 0.1
        assert 9.9 <= top <= top + float(mark.get("height", "")) <= 169


def test_a_line_breaks_where_there_is_nothing() -> None:
    series = [Series("s", "c-answered", (1.0, 2.0, None, 3.0, None, 4.0, 5.0))]
    picture = lines(["d"] * 7, series, str, title="t")
    assert picture.count("<polyline") == 2
    assert picture.count("<circle") == 5


def test_pictures_of_nothing_are_pictures() -> None:
    for drawn in (bars([], [], str, title="t"), lines(["a"], [], str, title="t"), shares([], str, title="t")):
        ElementTree.fromstring(drawn)


@given(st.floats(0, 1e12))
def test_an_axis_ends_on_a_round_number_that_is_not_below(most: float) -> None:
    top = nice_top(most)
    assert max(1, most) <= top * (1 + 1e-8)
    assert top <= max(1, 2 * most)


def test_the_words_are_there_in_both_languages_with_the_same_blanks() -> None:
    for name, words in WORDS.items():
        blanks = [{blank for _, blank, _, _ in string.Formatter().parse(words[one]) if blank} for one in LANGUAGES]
        assert blanks[0] == blanks[1], name


def test_whatever_the_log_holds_has_a_word() -> None:
    names = [f"reason_{one}" for one in get_args(TicketReason)] + [f"by_{one}" for one in get_args(ResolvedBy)]
    names += [*get_args(OutcomeKind), *get_args(GapState), *get_args(Trend), *(f"by_{one}" for one in get_args(Span))]
    assert set(names) <= set(WORDS)


@given(st.lists(st.integers(0, 1000), min_size=2, max_size=6).filter(any))
def test_shares_fill_their_axis_and_no_more(counts: list[int]) -> None:
    parts = [100 * count / sum(counts) for count in counts]
    assert nice_top(sum(parts)) == 100


def test_numbers_are_written_as_their_language_does() -> None:
    ru, en = Wordbook("ru"), Wordbook("en")
    assert [one.count(12345) for one in (ru, en)] == ["12\u202f345", "12,345"]
    assert [one.count(1_250_000) for one in (ru, en)] == ["1,2\u202fмлн", "1.2\u202fM"]
    assert [one.brief(2500) for one in (ru, en)] == ["2,5\u202fтыс", "2.5k"]
    assert [one.share(1, 200) for one in (ru, en)] == ["0,5\u202f%", "0.5\u202f%"]
    assert (en.share(1, 3), en.share(0, 0)) == ("33\u202f%", "–")
    assert [one.time(1250) for one in (ru, en)] == ["1,2\u202fс", "1.2\u202fs"]
    assert (ru.time(7.25), en.time(340.4)) == ("7,2\u202fмс", "340\u202fms")
    day = datetime(2026, 5, 9, tzinfo=UTC)
    assert (ru.day(day), en.day(day, year=True), ru.month(day)) == ("9 мая", "May 9 2026", "май 2026")
    assert ru.local_day(moment(0), MOSCOW) == "30 ноя"
