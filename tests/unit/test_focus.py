"""What a question asks inside a place that it names, and what kind of thing it asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.answer_types import (
    asked_for,
    hedges,
    holds_one_of,
    only_announces,
    refers_back,
    sets_forth,
    without_measure,
)
from engine.text.focus import names, without_name


@pytest.mark.parametrize(
    ("text", "name", "rest"),
    [
        ("How deep is the pool at Blue Bay?", "Blue Bay", "How deep is the pool?"),
        ("Сколько стоит стоянка в Blue Bay?", "Blue Bay", "Сколько стоит стоянка?"),
        ("At Blue Bay, are dogs allowed?", "Blue Bay", "are dogs allowed?"),
        ("Blue Bay: opening hours", "Blue Bay", "opening hours"),
        ("Can I swim in «Blue Bay» at night?", "Blue Bay", "Can I swim at night?"),
        ("Пускают ли с собакой в Зелёную рощу?", "Зелёная роща", "Пускают ли с собакой?"),
        ("Which rooms of the Nordhaus have a bath?", "Nordhaus", "Which rooms have a bath?"),
    ],
)
def test_the_name_goes_with_what_leads_to_it(text: str, name: str, rest: str) -> None:
    assert names(text, name)
    assert without_name(text, name) == rest


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("What is Blue Bay?", "Blue Bay"),
        ("Blue Bay", "Blue Bay"),
        ("How do I travel with a bicycle?", "Travel"),
        ("Travel with a dog?", "Travel"),
        ("Is there a blue boat in the bay?", "Blue Bay"),
        ("Is there a blue boat?", ""),
    ],
)
def test_a_question_of_nothing_else_and_common_words_stay(text: str, name: str) -> None:
    assert without_name(text, name) == text


@given(st.text(max_size=60), st.text(max_size=20))
def test_any_text_can_be_looked_at(text: str, name: str) -> None:
    assert len(without_name(text, name)) <= len(text) + 1


@pytest.mark.parametrize(
    ("question", "answering", "other"),
    [
        ("How much is the deposit?", "It is 80 euros.", "It is paid back later."),
        ("Какой размер залога?", "Залог: 80 евро.", "Залог возвращают."),
        ("What number do I call at night?", "Call 555-01-99 then.", "Call the desk then."),
        ("По какому телефону звонить?", "Звоните: +7 (495) 555-01-99.", "Звоните днём."),
        ("What e-mail do I write to?", "Use desk@example.org.", "Use the form."),
        ("Когда вы открыты?", "Мы открыты ежедневно.", "Мы открыты."),
    ],
)
def test_what_is_asked_for_is_recognised_where_it_stands(question: str, answering: str, other: str) -> None:
    assert holds_one_of(answering, asked_for(question))
    assert not holds_one_of(other, asked_for(question))


def test_a_question_without_a_kind_wants_none() -> None:
    assert not asked_for("What about dogs?")
    assert not holds_one_of("It is 80 euros.", frozenset())


def test_reservations_announcements_and_references_back() -> None:
    assert hedges("Dogs may be allowed.")
    assert hedges("Обычно это бесплатно.")
    assert not hedges("Dogs are allowed.")
    assert not hedges("**Price:** 80 euros, or as agreed, may vary."), "a value set forth with a reservation is a value"
    assert only_announces("Details on prices are available in a separate document.")
    assert not only_announces("Details are printed on page 4.")
    assert refers_back("Guests use this door.")
    assert refers_back("Guests of the park use this door.")
    assert not refers_back("Guests use the back door on that side, as this is open.")
    assert sets_forth("Item: Helmet; Price: 5")
    assert sets_forth("text\n| a | b |\ntext")
    assert not sets_forth("A helmet is lent free of charge.")


def test_the_word_of_measure_is_no_word_to_look_for() -> None:
    assert without_measure("How big is the deposit?") == "How is the deposit?"
    assert without_measure("Is the big room free?") == "Is the big room free?"


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Какой залог берут в парке «Тихий бор»?", "Какой залог берут?"),
        ("Сколько стоит лодка у отеля «Тихий бор» и в парке «Тихий бор»?", "Сколько стоит лодка и?"),
        ("Какой парк «Тихий бор» больше?", "Какой парк больше?"),
        ("Залог в парке Тихий бор?", "Залог в парке?"),
    ],
)
def test_the_kind_of_place_goes_with_a_name_in_quotation_marks(text: str, rest: str) -> None:
    assert without_name(text, "Тихий бор") == rest


def test_words_of_comparison_and_duty_are_no_words_to_look_for() -> None:
    assert without_measure("Where is the sauna cheaper?").split() == ["Where", "is", "the", "sauna", "?"]
    assert without_measure("Must it be quiet?").split() == ["it", "be", "quiet?"]
    assert "may 5" in without_measure("Open on may 5?")


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Сколько стоит лодка?", "лодка?"),
        ("А сколько это стоит?", "А ?"),
        ("How much does a boat cost per hour?", "How much does a boat per hour?"),
        ("What would the two boats cost?", "What would the two boats?"),
        ("What is the cost of a boat?", "What is the cost of a boat?"),
    ],
)
def test_what_something_costs_is_asked_of_that_thing(text: str, rest: str) -> None:
    assert without_measure(text).split() == rest.split()
