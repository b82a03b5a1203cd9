"""Contracts in plain text without blank lines, and numbered clauses between headings that have such numbers too."""

from __future__ import annotations

import pytest

from engine.ingest.parsers import parse
from engine.types import ParsedDocument

CONTRACT = """ДОГОВОР АРЕНДЫ
1. Предмет
1.1. Сдаётся гараж. Срок сдачи назван в пункте
2.1 настоящего Договора.
1.2. Гараж сухой.
2. Сроки и плата
2.1. Срок — год
2.2. Плата — 900 монет, см. таблицу 1.
Приложение А
Перечень вещей
1. Верстак.
2. Лампа.
Приложение Б. Правила
3. Ключи
3.1. Ключ один.
3.2. За утрату платят по таблице.
Таблица 1. Штрафы
Ключ: 70 монет
"""
ENGLISH = """SERVICE AGREEMENT

1. Access
1.1 A badge is issued by the office.
1.2 A lost badge is reported as clause 2.1 says.
2. Periods
2.1 Within 20 minutes.
Annex II
Visitors
A visitor has an escort.
"""
MIXED = """# Handbook

## 2 Chemicals

2.1 Acids stand in the cabinet.

2.2 Spills are reported as clause 2.4 says.

2.3 Bases stand apart.

2.4 Within 20 minutes.

2.9 of the old handbook is void.

## 3 Waste

3.1 Waste is sorted.

### 3.2 Sorting

3.2.1 Glass is green.

3.2.2 Solvents are red.

3.3 The canister is emptied on Fridays.
"""


def numbers(document: ParsedDocument) -> list[str]:
    return [one.number for one in document.sections if one.number]


def test_clauses_headings_and_captions_begin_without_a_blank_line() -> None:
    document = parse("a.txt", CONTRACT.encode("cp1251"))
    assert numbers(document) == ["1", "1.1", "1.2", "2", "2.1", "2.2", "А", "Б", "3", "3.1", "3.2"]
    by_number = {one.number: one for one in document.sections}
    assert by_number["1.1"].blocks[0].text.endswith("2.1 настоящего Договора."), "a wrapped line is no clause"
    assert by_number["А"].title == "Перечень вещей"
    assert [one.text for one in by_number["А"].blocks] == ["1. Верстак.", "2. Лампа."]
    assert document.sections[by_number["3"].parent or 0].number == "Б"
    assert [(one.kind, one.label) for one in document.objects] == [
        ("appendix", "А"),
        ("appendix", "Б"),
        ("table", "1"),
    ]


def test_english_clauses_need_no_stop_behind_their_number() -> None:
    document = parse("a.txt", ENGLISH.encode())
    assert numbers(document) == ["1", "1.1", "1.2", "2", "2.1", "II"]
    assert document.sections[-1].title == "Visitors"


@pytest.mark.parametrize("text", ["The rate is\n1.5 Or so per day.\n", "Version\n2.1. Notes\n2.2. More notes.\n"])
def test_a_few_numbers_at_the_margin_make_no_contract(text: str) -> None:
    assert numbers(parse("a.txt", text.encode())) == []


def test_clauses_that_follow_each_other_are_sections_beside_headings_with_such_numbers() -> None:
    document = parse("a.md", MIXED.encode())
    assert numbers(document) == ["2", "2.1", "2.2", "2.3", "2.4", "3", "3.1", "3.2", "3.2.1", "3.2.2", "3.3"]
    assert "2.9 of the old" in document.sections[5].blocks[-1].text


def html(*body: str) -> ParsedDocument:
    return parse("a.html", f"<h1>Оферта</h1>{''.join(body)}".encode())


def test_articles_in_bold_are_headings_below_chapters_that_are_marked() -> None:
    articles = [f"<p><b>Статья {number}. Предмет {number}</b></p><p>Текст статьи.</p>" for number in (1, 2, 14, 15)]
    chapters = ["<h2>Глава I. Общее</h2>", *articles[:2], "<h2>Глава II. Доставка</h2>", *articles[2:]]
    appendices = [f"<h2>Приложение № {number}</h2><p>Список.</p>" for number in (1, 2, 3)]
    document = html(*chapters, *appendices)
    assert numbers(document) == ["I", "1", "2", "II", "14", "15", "1", "2", "3"]


def test_articles_that_are_marked_are_not_found_again_in_the_text() -> None:
    marked = "".join(f"<h2>Статья {number}. Предмет</h2><p>Статья {number + 1}. Она же.</p>" for number in range(1, 6))
    assert numbers(html(marked)) == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize("look", ["<p>{}</p>", "<p><b>{}</b></p>"], ids=["plain", "bold"])
def test_a_line_above_the_first_clause_of_its_number_is_a_heading(look: str) -> None:
    sections = [
        look.format(f"{number}. Название {number}")
        + "".join(f"<p>{number}.{clause}. Бонусы сгорают.</p>" for clause in (1, 2, 3))
        for number in (1, 2)
    ]
    assert numbers(html(*sections)) == ["1", "1.1", "1.2", "1.3", "2", "2.1", "2.2", "2.3"]


def test_the_parts_of_an_article_are_no_headings_because_a_part_between_them_was_added() -> None:
    parts = ["1. Собственник владеет домом.", "1.1. Наниматель живёт в нём.", "2. Дом стоит.", "2.1. Он высок."]
    assert numbers(html(*(f"<p>{part}</p>" for part in parts))) == []
