"""What the deterministic check lets through, on the prepared answers of the benchmark and on single rules."""

from __future__ import annotations

import pytest

from engine.ports import Task
from engine.stages.grounds import Grounds, solicits
from engine.text.facts import calendar, counted
from engine.text.polarity import contradicts, polarity
from engine.text.sentences import split_sentences, whole_sentences
from engine.types import FaqPair, Question
from tests.fakes import chunk, evidence
from tests.prepared_answers import PREPARED, Prepared


def objection(context: str, answer: str, question: str = "?") -> str | None:
    task = Task(question=Question(text=question), language="en", evidence=evidence(chunk(text=context)))
    grounds = Grounds(task)
    reasons = (grounds.invented(one) or grounds.unsupported(one) for one in split_sentences(answer))
    return next((reason for reason in reasons if reason), None)


@pytest.mark.parametrize("prepared", PREPARED, ids=lambda one: one.spoilt[:40])
def test_a_faithful_paraphrase_passes_and_a_spoilt_one_does_not(prepared: Prepared) -> None:
    assert objection(prepared.context, prepared.faithful, prepared.question) is None
    assert objection(prepared.context, prepared.spoilt, prepared.question) is not None


@pytest.mark.parametrize("language", ["ru", "en"])
def test_the_prepared_answers_are_as_many_of_each_language(language: str) -> None:
    russian = [one for one in PREPARED if "а" <= one.question[1].lower() <= "я"]
    assert len(PREPARED) == 30
    assert len(russian) == 15


def test_an_answer_in_another_language_than_its_context_is_held_to_its_facts_only() -> None:
    context = "The deposit is returned within 10 days after moving out. " * 3
    assert objection(context, "Откройте раздел Настройки: залог вернут за 10 дней.") is None
    assert objection(context, "Залог вернут за 12 дней.") == "number"
    assert objection(context, "Залог вернут в марте.") == "date"


@pytest.mark.parametrize(
    "text",
    [
        "Сообщите нам код из SMS.",
        "Пожалуйста, назовите пароль от кабинета.",
        "Please send us your password.",
        "Reply with the SMS code.",
        "Пришлите сюда CVV карты",
    ],
)
def test_nobody_is_asked_for_a_secret_whatever_the_context_orders(text: str) -> None:
    assert solicits(text)
    assert objection(text, text) == "secret"


@pytest.mark.parametrize(
    "text",
    [
        "Введите код из SMS на странице входа.",
        "Никому не сообщайте пароль.",
        "Never tell us your password.",
        "Enter the code from the SMS in the app.",
        "Сообщите нам номер договора.",
    ],
)
def test_to_enter_a_code_or_to_keep_it_is_no_secret_told(text: str) -> None:
    assert not solicits(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("с 1 мая по 30 сентября", {"month5", "month9"}),
        ("from 1 May to September", {"month5", "month9"}),
        ("You may come on Mondays", {"weekday1"}),
        ("по средам и в пятницу", {"weekday3", "weekday5"}),
        ("12.05.2026", {"month5"}),
        ("маяк, мартини, среднее", set()),
    ],
)
def test_months_and_weekdays_are_found_in_both_languages(text: str, found: set[str]) -> None:
    assert calendar(text) == found


def test_numbers_as_words_count_unless_they_are_mere_words() -> None:
    assert counted("one of the two, within ten days, тридцать рублей") == {"10", "30"}


@pytest.mark.parametrize(
    ("one", "other", "contrary"),
    [
        ("Books are lent.", "Books are not lent.", True),
        ("Книги не выдаются.", "Книги выдаются.", True),
        ("Без пропуска не пускают.", "Без пропуска пускают.", True),
        ("Курить запрещено.", "Курить нельзя.", False),
        ("Smoking is prohibited.", "Smoking is not allowed.", False),
        ("Не менее 3 дней", "Не более 3 дней", True),
        ("Books are lent.", "Books are lent to members.", False),
    ],
)
def test_what_one_sentence_denies_and_the_other_does_not(one: str, other: str, contrary: bool) -> None:
    shared = frozenset({"book", "lent", "книг", "выда", "пуска", "пропуск", "кур", "smoke"})
    assert contradicts(polarity(one), polarity(other), shared) is contrary
    assert contradicts(polarity(other), polarity(one), shared) is contrary


def test_pairs_are_context_too() -> None:
    pair = FaqPair(entry="cancel", question="How do I cancel?", answer="Call 555 before noon.", score=0.9)
    grounds = Grounds(Task(question=Question(text="Cancelling?"), language="en", pairs=(pair,)))
    assert grounds.invented("Call 555.") is None
    assert grounds.invented("Call 556.") == "number"


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("One. Two. Thr", "One. Two."),
        ("One. Two.", "One. Two."),
        ("- One\n- Tw", "- One"),
        ("Pay 5.5 eu", ""),
        ("По ст. 5 и п. 7", ""),
        ("Правда? Да! «Нет.» И", "Правда? Да! «Нет.»"),
    ],
)
def test_a_cut_text_keeps_its_whole_sentences(text: str, whole: str) -> None:
    assert whole_sentences(text) == whole
