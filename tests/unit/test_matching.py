"""The parts of matching: spelling, the asking sentences of a message, letters and words, the classifier."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.matching.asking import questions_in
from engine.matching.background import background
from engine.matching.classifier import RidgeClassifier
from engine.matching.keyboard import as_latin_keys, as_russian_keys
from engine.matching.lexicon import Lexicon
from engine.matching.restoring import Spelling
from engine.matching.typos import is_typo
from engine.matching.variables import filled, unknown

WORDINGS = (
    "Как сменить пароль?",
    "How do I disable notifications?",
    "Как отключить автоплатёж?",
    "Как сделать переход?",
)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("kak smenit parol", "как сменить пароль"),
        ("rfr cvtybnm gfhjkm", "как сменить пароль"),
        ("рщц вщ ш вшыфиду тщешашсфешщты", "how do i disable notifications"),
        ("Как сменить пороль", "как сменить пароль"),
        ("how do i disabel notifcations", "how do i disable notifications"),
        ("How do I disable notifications?", "How do I disable notifications?"),
        ("Как сделать перевод?", "Как сделать перевод?"),
        ("What is the price of a new card?", "What is the price of a new card?"),
    ],
)
def test_a_question_is_read_as_it_was_meant(typed: str, meant: str) -> None:
    assert Spelling(WORDINGS).restored(typed) == meant


@given(st.text(alphabet="йцукенгшщзхъфывапролджэячсмитьбю", max_size=20))
def test_the_keyboard_layouts_are_each_other_s_inverse(text: str) -> None:
    assert as_russian_keys(as_latin_keys(text)) == text


@given(st.text(alphabet="абвгдеopqrst", max_size=12), st.text(alphabet="абвгдеopqrst", max_size=12))
def test_a_typo_is_one_both_ways_and_never_of_a_short_word(word: str, known: str) -> None:
    assert is_typo(word, known) == is_typo(known, word)
    assert not (is_typo(word, known) and min(len(word), len(known)) < 5)


@pytest.mark.parametrize(("word", "known"), [("перевод", "переход"), ("price", "prize"), ("enable", "unable")])
def test_another_word_is_no_typo(word: str, known: str) -> None:
    assert not is_typo(word, known)


@pytest.mark.parametrize(
    ("message", "questions"),
    [
        ("Как сменить пароль? И где посмотреть баланс?", ["Как сменить пароль?", "где посмотреть баланс?"]),
        ("Как отключить автоплатёж и как удалить аккаунт?", ["Как отключить автоплатёж", "как удалить аккаунт?"]),
        ("How do I cancel my plan? Also, can I get a refund?", ["How do I cancel my plan?", "can I get a refund?"]),
        ("Списали деньги, а письма нет. Звонил трижды. Как вернуть деньги за заказ?", ["Как вернуть деньги за заказ?"]),
        ("Hello! How do I reset my password?", []),
        ("Как оплатить?", []),
        ("My card was declined at the till. What is going on?", []),
        ("Деньги списали дважды, ничего не понимаю. Что случилось?", []),
        ("I moved last week. How do I change my address?", ["How do I change my address?"]),
        ("Что случилось? Где баланс?", ["Что случилось?", "Где баланс?"]),
    ],
)
def test_the_asking_sentences_of_a_message(message: str, questions: list[str]) -> None:
    assert questions_in(message) == questions


def test_letters_are_most_alike_to_themselves() -> None:
    lexicon = Lexicon(WORDINGS)
    for row, text in enumerate(WORDINGS):
        similar = lexicon.similarities(text)
        assert similar.argmax() == row
        assert similar[row] == pytest.approx(1, abs=1e-5)
    assert lexicon.similarities("zzz").max() == 0
    assert lexicon.share({"парол"}, {"парол"}) == 1


def test_leaving_out_is_as_if_never_fitted() -> None:
    chance = np.random.default_rng(1)
    features = chance.normal(size=(40, 12)).astype(np.float32)
    owners = np.repeat(np.arange(4), 10)
    whole = RidgeClassifier(features, owners, 4)
    kept = np.arange(40) != 7
    alone = RidgeClassifier(features[kept], owners[kept], 4).predict(features[7:8])
    assert np.allclose(whole.leave_one_out(features, np.array([7])), alone, atol=1e-3)
    others = owners != 2
    without = RidgeClassifier(features[others], owners[others], 4).predict(features[~others])
    assert np.allclose(whole.entry_out(features, 2)[:, [0, 1, 3]], without[:, [0, 1, 3]], atol=1e-3)


def test_variables_are_filled_and_unknown_ones_stay() -> None:
    answer = "Call {{support_phone}} or {{ email }}."
    assert filled(answer, {"support_phone": "8 800"}) == "Call 8 800 or {{ email }}."
    assert unknown(answer, {"support_phone": "8 800"}) == ("email",)


@pytest.mark.parametrize("language", ["ru", "en"])
def test_background_questions_are_some_hundreds_and_differ(language: str) -> None:
    questions = background("ru" if language == "ru" else "en")
    assert len(set(questions)) == len(questions) >= 190
