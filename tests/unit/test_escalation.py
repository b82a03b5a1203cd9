"""Who asks for a human, when there is somebody, and which rules of the owner's send a question to people."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.asking import asks_for_human
from adapters.escalation import Escalation, OwnerRules
from adapters.office_hours import OfficeHours, shown
from adapters.support_desk import SupportDesk
from adapters.texts import Texts
from engine import ConfigurationError, Inbound
from tests.fake_inbox import FakeInbox
from tests.fake_tickets import FakeTickets

HOURS = OfficeHours.parse("Mon-Fri 9:00-18:00; Sat 10:00-14:00", "Europe/Moscow", "01-01, 2026-05-11")


@pytest.mark.parametrize(
    "text",
    [
        "Позовите человека", "оператор", "Оператора!", "Хочу поговорить с живым человеком", "нужен оператор",
        "соедините меня с оператором, пожалуйста", "переключите на оператора", "I want to talk to a human",
        "human please", "Can I speak to a real person?", "agent", "I'd like to talk to an operator",
    ],
)  # fmt: skip
def test_a_wish_for_a_human_is_understood(text: str) -> None:
    assert asks_for_human(text)


@pytest.mark.parametrize(
    "text",
    [
        "Как зарегистрироваться как оператор?", "Сколько человек может жить в комнате?", "Какой оператор связи лучше?",
        "Как связаться с поддержкой по телефону?", "How many people can live here?", "Спасибо", "", "support for macOS",
        "Who is the person responsible for parking?",
    ],
)  # fmt: skip
def test_a_question_about_people_is_no_wish_for_one(text: str) -> None:
    assert not asks_for_human(text)


@given(st.text(max_size=300))
def test_any_text_is_read_in_time(text: str) -> None:
    asks_for_human(text)


@pytest.mark.parametrize(
    ("now", "opening"),
    [
        ("2026-11-30T07:00", "2026-11-30T10:00"),  # a Monday at ten in Moscow: there is somebody now
        ("2026-11-30T05:00", "2026-11-30T09:00"),
        ("2026-11-30T15:00", "2026-12-01T09:00"),
        ("2026-11-27T16:00", "2026-11-28T10:00"),
        ("2026-11-28T12:00", "2026-11-30T09:00"),
        ("2025-12-31T16:00", "2026-01-02T09:00"),
        ("2026-05-10T12:00", "2026-05-12T09:00"),
    ],
)
def test_the_next_opening_in_the_offices_time(now: str, opening: str) -> None:
    found = HOURS.next_opening(datetime.fromisoformat(now).replace(tzinfo=UTC))
    assert found is not None
    assert found.strftime("%Y-%m-%dT%H:%M") == opening
    assert str(found.tzinfo) == "Europe/Moscow"


@given(st.integers(0, 60 * 24 * 365))
def test_an_opening_is_never_in_the_past_and_is_open_then(minutes: int) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
    found = HOURS.next_opening(now)
    assert found is not None
    assert found >= now
    assert HOURS.next_opening(found) == found


def test_without_hours_there_is_always_somebody_and_on_holidays_nobody() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert OfficeHours().next_opening(now) == now
    never = OfficeHours.parse("Mon 9:00-10:00", "UTC", ",".join(f"2026-01-{day:02}" for day in range(1, 32)))
    assert shown(never.next_opening(now) or now, "ru") == "пн 02.02 в 09:00 (UTC)"


@pytest.mark.parametrize(
    ("hours", "zone", "holidays", "named"),
    [
        ("Mon-Fri", "UTC", "", "OFFICE_HOURS"),
        ("Mon 18:00-9:00", "UTC", "", "OFFICE_HOURS"),
        ("Mon 9:00-25:00", "UTC", "", "OFFICE_HOURS"),
        ("Пн 9:00-18:00", "UTC", "", "OFFICE_HOURS"),
        ("", "Moscow Time", "", "TIME_ZONE"),
        ("", "../etc/passwd", "", "TIME_ZONE"),
        ("", "UTC", "31.12", "HOLIDAYS"),
        ("", "UTC", "2026-02-30", "HOLIDAYS"),
    ],
)
def test_hours_that_are_not_understood_are_named(hours: str, zone: str, holidays: str, named: str) -> None:
    with pytest.raises(ConfigurationError, match=named):
        OfficeHours.parse(hours, zone, holidays)


def test_rules_of_the_owner() -> None:
    rules = OwnerRules(words=("суд", "credit card"), chats=frozenset({"-100"}))
    assert rules.of_question("Подам в СУД!", "telegram:1::7") == "суд"
    assert rules.of_question("Где посуда и суды?", "telegram:1::7") is None
    assert rules.of_question("My Credit Card is gone", "telegram:1::7") == "credit card"
    assert rules.of_question("Привет, где ключи?", "telegram:1:-100::7") == "-100"


@pytest.mark.parametrize("known_to_have_arrived", [True, False])
async def test_an_answer_counts_that_is_rated_before_it_is_known_to_have_arrived(known_to_have_arrived: bool) -> None:
    inbox, tickets = FakeInbox(), FakeTickets()
    desk = SupportDesk(name="desk", people="desk", tickets=tickets, inbox=inbox)
    escalation = Escalation(inbox=inbox, desk=desk, texts=Texts())
    for number in (1, 2):
        kept = await inbox.accept(Inbound(key=str(number), conversation="c", asker="a", text="How?", place={}))
        assert kept is not None
        exchange = await inbox.open([kept])
        if number == 1 or known_to_have_arrived:
            await inbox.close(exchange.id, "done")
        await inbox.rate(exchange.id, "not_helpful", "")
        assert await tickets.latest("c") is None
        await escalation.rated(exchange, "en")
    ticket = await tickets.latest("c")
    assert ticket is not None
    assert ticket.reason == "not_helpful"
