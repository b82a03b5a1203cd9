"""What one place leaves open of a question, and which other place says it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.stages.complements import complement, designations, joins

ASKED = {"cabin": 1.0, "sauna": 1.0, "cost": 0.5}


@pytest.mark.parametrize(
    "question", ["A cabin and a sauna?", "Домик и сауна?", "Cabin, sauna?", "Дешевле домик или сауна?"]
)
def test_words_that_join_are_seen(question: str) -> None:
    assert joins(question)


@pytest.mark.parametrize("question", ["What does sand cost?", "Сколько весит килим?", "Who is the orator?"])
def test_parts_of_words_do_not_join(question: str) -> None:
    assert not joins(question)


def test_the_first_place_that_has_what_is_left_open_is_taken() -> None:
    others = [(1, frozenset({"boat"})), (2, frozenset({"sauna", "cost"})), (3, frozenset({"sauna"}))]
    assert complement(ASKED, frozenset({"cabin", "cost"}), others) == 2


def test_nothing_is_taken_where_nothing_or_too_little_is_left_open() -> None:
    others = [(1, frozenset({"sauna", "cost", "cabin"}))]
    assert complement(ASKED, frozenset(ASKED), others) is None
    assert complement({"cabin": 1.0, "a": 0.1}, frozenset({"cabin"}), [(1, frozenset({"a"}))]) is None
    assert complement(ASKED, frozenset({"cabin"}), [(1, frozenset({"cost"}))]) is None
    assert complement({}, frozenset(), others) is None


@given(st.frozensets(st.sampled_from(["cabin", "sauna", "cost", "boat"])))
def test_what_is_taken_has_a_word_that_was_left_open(held: frozenset[str]) -> None:
    others = [(one, frozenset({one})) for one in ("boat", "cost", "sauna", "cabin")]
    found = complement(ASKED, held, others)
    assert found is None or (found in ASKED and found not in held)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Is MD5 still safe?", {"md5"}),
        ("SHA-256, or sha3?", {"sha-256", "sha3"}),
        ("Что печатать на А4, а что — на ГОСТ2.105?", {"а4", "гост2"}),
        ("Within 24h, by the 2nd, 10km away, § 4, page 5", set()),
        ("Hello there", set()),
    ],
)
def test_designations_are_letters_with_figures_and_no_amounts(text: str, named: set[str]) -> None:
    assert designations(text) == named
