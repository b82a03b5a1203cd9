"""The second look: what must never be served for each other, and what may."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from engine.matching.names import Names
from engine.matching.negatives import hard_negatives, light_edits
from engine.matching.second_look import same_content, veto

DATA = Path(__file__).parents[1] / "data"
PAIRS = [json.loads(line) for line in (DATA / "hard_pairs.jsonl").read_text(encoding="utf-8").splitlines()]
PARAPHRASES = [
    json.loads(line) for line in (DATA / "honest_paraphrases.jsonl").read_text(encoding="utf-8").splitlines()
]


def test_the_hard_pairs_are_of_every_kind_in_both_languages() -> None:
    kinds = Counter((pair["kind"], pair["language"]) for pair in PAIRS)
    assert len(PAIRS) >= 400
    assert len(kinds) == 24
    assert min(kinds.values()) >= 10
    texts = [text for pair in PAIRS for text in {pair["known"], pair["question"]}]
    assert [text for text, count in Counter(texts).items() if count > 1] == []


@pytest.mark.parametrize("names", [Names(), Names.of([[pair["known"], pair["question"]] for pair in PAIRS])])
def test_no_hard_pair_passes_either_way(names: Names) -> None:
    both_ways = [(pair["question"], pair["known"]) for pair in PAIRS] + [
        (pair["known"], pair["question"]) for pair in PAIRS
    ]
    assert [(one, other) for one, other in both_ways if veto(one, other, names) is None] == []


@pytest.mark.parametrize(
    ("question", "wording", "reason"),
    [
        ("Сколько стоит аренда на 3 дня?", "Сколько стоит аренда на 3 месяца?", "units"),
        ("Работаете ли вы в субботу?", "Работаете ли вы в среду?", "dates"),
        ("Is delivery cheaper for members?", "Is delivery more expensive for members?", "comparative"),
        ("How do I turn my alarm off?", "How do I turn my alarm on?", "opposite"),
        ("Когда вернут залог?", "Кто вернёт залог?", "question type"),
        ("Can I cancel the lease?", "How do I cancel the lease?", "question type"),
        ("Какой адрес у склада?", "Какой телефон у склада?", "aspect"),
        ("Как подключить карту Visa?", "Как подключить карту?", "names"),
        ("Как вернуть билет, если рейс отменён?", "Как вернуть билет?", "condition"),
        ("Как вернуть билет?", "Как вернуть билет, если рейс отменён?", "condition"),
    ],
)
def test_a_veto_names_its_kind(question: str, wording: str, reason: str) -> None:
    assert veto(question, wording) == reason


@pytest.mark.parametrize(
    ("question", "wording"),
    [
        ("Как мне отключить уведомления?", "Как деактивировать уведомления?"),
        ("хочу поменять пароль", "Как сменить пароль?"),
        ("Подписку отменить как?", "Как отменить подписку?"),
        ("Как изменить видеоролик?", "Как поменять ролик?"),
        ("What should I do to reset the password of my account", "How do I reset my account password?"),
        ("how can i view my invoices now", "How do I check my invoices?"),
        ("Какова цена бизнес тарифа?", "Сколько стоит бизнес тариф?"),
        ("Кто такой арендатор?", "Что такое арендатор?"),
        ("Which one is the right form?", "Which is the right form?"),
        ("Is the desk open at 9 am?", "Is the desk open at 9am?"),
    ],
)
def test_an_honest_rewording_passes(question: str, wording: str) -> None:
    assert veto(question, wording) is None


def test_most_honest_paraphrases_pass() -> None:
    """Those in another alphabet are read as they were meant before."""
    passing = [pair for pair in PARAPHRASES if veto(pair["question"], pair["known"]) is None]
    assert len(PARAPHRASES) == 100
    assert len(passing) >= 75


def test_the_company_s_own_name_tells_nothing_apart() -> None:
    entries = [[f"Как {verb} канал на Rutel?"] for verb in "создать удалить найти закрыть открыть".split() * 2]
    names = Names.of(entries)
    assert "rutel" in names.common
    for question in ("Как создать канал?", "Как создать канал на рутеле?"):
        assert veto(question, "Как создать канал на Rutel?", names) is None
    assert veto("Как создать канал на Other?", "Как создать канал на Rutel?", names) == "names"


def test_made_negatives_are_other_questions_and_made_edits_are_the_same() -> None:
    wordings = [pair["known"] for pair in PAIRS]
    negatives = hard_negatives(wordings, 400)
    assert len(negatives) == 400
    passing = [(text, wordings[row]) for row, text in negatives if veto(text, wordings[row]) is None]
    assert len(passing) <= 4
    edits = light_edits(wordings, 1000)
    assert sum(same_content(text, wordings[row]) for row, text in edits) >= 0.8 * len(edits)
