"""The text layer, in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.context import asks_something, has_words, standalone, stands_alone
from engine.text.facts import contacts, links, numbers, spelled_numbers
from engine.text.normal import clean, detect_language, normalise
from engine.text.overlap import coverage, same_content
from engine.text.passages import passages
from engine.text.sentences import split_sentences
from engine.text.sparse import lex_document, lex_question, tri_document
from engine.text.stems import content_stems
from engine.text.tokens import count_tokens
from engine.types import Question, Turn


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Как отменить подписку?", "как отменить  подписку"),
        ("«Ещё» раз!", '"еще" раз'),
        ("HOW do I\u00a0pay?", "how do i pay"),
        ("\u200bпривет\ufeff мир", "привет мир"),
        ("Ёлка…", "елка"),
    ],
)
def test_questions_that_differ_in_dress_only_have_one_normal_form(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


@given(st.text())
def test_normal_form_is_stable_and_embeddable(text: str) -> None:
    normal = normalise(text)
    assert normalise(normal) == normal
    assert "\0" not in normal
    clean(text).encode("utf-8")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Как настроить Wi-Fi роутер?", "ru"),
        ("How do I set up the router?", "en"),
        ("что такое SLA", "ru"),
        ("123", "en"),
    ],
)
def test_language(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "Платите до 5 числа, см. п. 3.4. Пени 0,1 % в день.",
            ["Платите до 5 числа, см. п. 3.4.", "Пени 0,1 % в день."],
        ),
        ("See Sec. 7.2 for it. It costs $5.00. Fine.", ["See Sec. 7.2 for it.", "It costs $5.00.", "Fine."]),
        ("И. И. Иванов пришёл. Ушёл!", ["И. И. Иванов пришёл.", "Ушёл!"]),
        ("3.2. Срок возврата. Десять дней.", ["3.2. Срок возврата.", "Десять дней."]),
        ("Цена 12 руб. за час, т. е. немного.", ["Цена 12 руб. за час, т. е. немного."]),
        ("", []),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


@given(st.lists(st.text(alphabet="абвabc .!?\n", max_size=30)))
def test_sentences_lose_nothing(parts: list[str]) -> None:
    text = " ".join(parts)
    assert "".join(" ".join(split_sentences(text)).split()) == "".join(text.split())


def test_numbers_are_compared_in_one_spelling() -> None:
    assert numbers("12 000 руб. и 0,10 % до 05.03.2026") == {"12000", "0.1", "2026-03-05"}
    assert numbers("1 234 567") == {"1234567"}
    assert spelled_numbers("тридцать дней") == {"30"}
    assert spelled_numbers("within two weeks") == {"2"}


def test_links_and_contacts() -> None:
    assert links("see https://example.com/a?b=1.") == {"https://example.com/a?b=1"}
    assert contacts("Пишите Help@Example.com, тел. +7 (000) 555-01-23") == {"help@example.com", "0005550123"}


def test_stems_follow_the_script_of_each_word() -> None:
    assert content_stems("Как отменить подписки Premium") == content_stems("отмена подписка premium")[:0] + [
        "отмен",
        "подписк",
        "premium",
    ]


@pytest.mark.parametrize(
    "text", ["", "👍👍", "парковка", "а сколько стоит?", "and for guests?", "А это?", "?", "Что это такое?"]
)
def test_what_cannot_stand_alone_does_not_reach_the_gate(text: str) -> None:
    assert not stands_alone(text)


@pytest.mark.parametrize(
    "text", ["Как отменить подписку?", "how do I pay", "Где лежит договор аренды?", "Что такое залог?"]
)
def test_what_stands_alone(text: str) -> None:
    assert stands_alone(text)
    assert has_words(text)


@pytest.mark.parametrize(
    "text",
    ["Привет!", "спасибо", "Ок, спасибо", "да", "Понятно.", "Помогите, пожалуйста!", "hi", "Yes", "ok, thanks", "Help"],
)
def test_courtesies_and_nods_ask_nothing(text: str) -> None:
    assert not asks_something(text)


@pytest.mark.parametrize("text", ["нет", "Да какой тариф?", "help with the bill", "Ок, а сколько?", "fine", "OK 7"])
def test_what_says_more_than_a_nod_asks_something(text: str) -> None:
    assert asks_something(text)


def test_a_follow_up_takes_its_context_along() -> None:
    history = (Turn(question="Сколько стоит парковка?", answer="1000"),)
    assert standalone(Question(text="а для гостей?", history=history)).text == (
        "Сколько стоит парковка?\nа для гостей?"
    )
    assert standalone(Question(text="Как отменить подписку на парковку?", history=history)).text.startswith("Как")


def test_near_duplicates_that_differ_in_a_number_are_a_conflict() -> None:
    text = "Заявление рассматривается в течение 14 дней со дня его подачи в офис компании."
    assert same_content(text, text.replace("офис", "отдел"), 0.6)
    assert not same_content(text, text.replace("14", "30"), 0.6)


def test_coverage_counts_inflected_and_derived_words() -> None:
    asked = dict.fromkeys(content_stems("возврат залога"), 1.0)
    assert coverage(asked, frozenset(content_stems("залог возвращается"))) > 0.7
    assert coverage(asked, frozenset(content_stems("парковка платная"))) == 0


def test_sparse_vectors_of_question_and_document_meet() -> None:
    document, question = lex_document("Залог возвращается за десять дней"), lex_question("возврат залога")
    assert set(question.indices) & set(document.indices)
    assert list(document.indices) == sorted(set(document.indices))
    assert lex_document("").indices == ()
    assert len(tri_document("залог").indices) == 5


def test_passages_keep_rows_lists_and_sentences_whole() -> None:
    text = (
        "Плата вносится раз в месяц. Для выезда нужны:\n- паспорт;\n- ключи.\n\n"
        "| Тариф | Цена |\n| --- | --- |\n| Базовый | 100 |\n| Полный | 200 |\n\nКонец."
    )
    assert [passage.text for passage in passages(text)] == [
        "Плата вносится раз в месяц.",
        "Для выезда нужны:\n- паспорт;\n- ключи.",
        "Тариф: Базовый; Цена: 100",
        "Тариф: Полный; Цена: 200",
        "Конец.",
    ]


@given(st.text(max_size=200))
def test_tokens_are_never_negative_and_add_up(text: str) -> None:
    assert count_tokens(text) >= 0
    assert count_tokens(f"{text}\n{text}") == 2 * count_tokens(text)
