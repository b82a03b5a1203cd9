"""Names written in another script, as they are spoken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.focus import names, without_name
from engine.text.spoken import sound_alike, spoken


@pytest.mark.parametrize(
    ("name", "text", "rest"),
    [
        ("Sunny Shore", "Какой залог в Санни Шоре?", "Какой залог?"),
        ("Harbour Ridge", "Лодки у Харбор Ридж есть?", "Лодки есть?"),
        ("Golden Cove", "Голден Коув: цены?", "цены?"),
        ("Highland Quarter", "парковка в хайленд квартере", "парковка"),
        ("Тихий бор", "What is the deposit at Tikhiy Bor?", "What is the deposit?"),
        ("Кедровый мыс", "Is there a sauna at Kedrovy Mys?", "Is there a sauna?"),
    ],
)
def test_a_name_is_known_in_the_other_script(name: str, text: str, rest: str) -> None:
    assert names(text, name)
    assert without_name(text, name) == rest


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Park Quarter", "Сколько стоит парк и квартира?"),
        ("Blue Bay", "Бал был?"),  # too few consonants to tell a name from words
        ("Sunny Shore", "Санный шорох и шум"),
        ("Sunny Shore", "Sany shor"),  # the same script: read as it is written
    ],
)
def test_other_words_are_no_names(name: str, text: str) -> None:
    assert not names(text, name)


@given(st.text(max_size=15))
def test_any_word_can_be_spoken(word: str) -> None:
    assert all("aeiou" not in form for form in spoken(word))
    assert not sound_alike([word], [word])
