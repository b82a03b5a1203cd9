"""Questions in one language about texts in the other: the lexicon, and what coverage makes of it."""

from __future__ import annotations

from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.bilingual import counterparts, kindred
from engine.text.overlap import coverage, document_frequencies, weights
from engine.text.sparse import lex_document, lex_question
from engine.text.stems import content_stems, stem

LINES = [
    line
    for line in files("engine.text").joinpath("words_ru_en.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


@pytest.mark.parametrize("line", LINES)
def test_each_line_has_russian_on_the_left_and_english_on_the_right(line: str) -> None:
    russian, _, english = line.partition(" = ")
    assert russian
    assert english
    assert all("а" <= word[0] <= "я" for word in russian.replace("ё", "е").split())
    assert english.isascii()


@pytest.mark.parametrize(
    ("russian", "english"),
    [
        ("залога", "deposit"),
        ("потолков", "ceiling"),  # the vowel of "потолок" comes and goes
        ("площадок", "playground"),
        ("владельцев", "owner"),
        ("установлены", "install"),  # a form whose stem is longer than the one that is known
        ("срок", "deadlines"),
    ],
)
def test_forms_of_a_word_are_found_both_ways(russian: str, english: str) -> None:
    assert stem(english) in counterparts(stem(russian))
    assert any(counterparts(one) for one in [stem(english)])


def test_a_word_that_is_not_known_has_no_counterparts() -> None:
    assert not counterparts("zzyzx")
    assert not counterparts("щщщщщщщ")


def test_words_of_one_language_on_a_line_are_kindred_but_no_counterparts() -> None:
    assert stem("employee") in kindred(stem("staff"))
    assert stem("employee") not in counterparts(stem("staff"))


@given(st.text(min_size=1, max_size=20))
def test_any_word_can_be_looked_up(word: str) -> None:
    assert word not in counterparts(word)


def covered(question: str, text: str) -> float:
    told = frozenset(content_stems(text))
    asked = weights(frozenset(content_stems(question)), document_frequencies([told]), 1)
    return coverage(asked, told)


def test_a_question_is_covered_by_a_text_in_the_other_language() -> None:
    right, other = "The deposit is returned within 14 days.", "The library opens at nine."
    assert covered("Когда возвращают залог?", right) > 0.7
    assert covered("Когда возвращают залог?", other) == 0.0
    assert covered("Is the deposit returned?", "Залог возвращают за 14 дней.") > 0.4


def test_the_same_language_counts_for_more_than_the_other_one() -> None:
    assert covered("Какой залог?", "Залог большой.") > covered("Какой залог?", "The deposit.") > 0


def test_full_text_search_looks_for_the_other_language_too() -> None:
    asked, held = lex_question("Какой залог?"), lex_document("The deposit is 80 euros.")
    assert set(asked.indices) & set(held.indices)


def test_a_word_that_is_known_as_it_is_needs_no_other_language() -> None:
    told = frozenset(content_stems("Залог за лодку"))
    asked = {stem("deposit"): 1.0}
    assert coverage(asked, told) > 0
    assert coverage(asked, told, {stem("deposit")}) == 0
