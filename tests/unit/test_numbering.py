"""Headings taken apart into number and title, and how deep they stand."""

from __future__ import annotations

import pytest

from engine.ingest.numbering import is_inside, is_worded_heading, rank, split_heading


@pytest.mark.parametrize(
    ("text", "number", "title"),
    [
        ("7.2. Title", "7.2", "Title"),
        ("7.2 Title", "7.2", "Title"),
        ("7.  Title", "7", "Title"),
        ("5) Title", "5", "Title"),
        ("3 Overview", "3", "Overview"),
        ("Статья 12. Плата", "12", "Плата"),
        ("Статья 156.1. Плата", "156.1", "Плата"),
        ("Article 12 - Fees", "12", "Fees"),
        ("Article 12", "12", ""),
        ("§ 4", "4", ""),
        ("§ 1. Общие положения", "1", "Общие положения"),
        ("Глава IV", "IV", ""),
        ("Раздел II. Сроки", "II", "Сроки"),
        ("РАЗДЕЛ III.1 ЖИЛЫЕ ПОМЕЩЕНИЯ", "III.1", "ЖИЛЫЕ ПОМЕЩЕНИЯ"),
        ("РАЗДЕЛ ПЕРВЫЙ", "1", ""),
        ("Приложение А. Карты и ключи", "А", "Карты и ключи"),
        ("Приложение № 1 к договору", "1", "к договору"),
        ("Appendix B.  Parsing", "B", "Parsing"),
        ("ANNEX II", "II", ""),
        ("Chapter 20. Server Configuration", "20", "Server Configuration"),
        ("IV. Scope", "IV", "Scope"),
        ("A.1. Additions", "A.1", "Additions"),
        ("D.  Changes", "D", "Changes"),
        ("Part One", "1", ""),
    ],
)
def test_numbers_are_taken_off(text: str, number: str, title: str) -> None:
    heading = split_heading(text)
    assert (heading.number, heading.title) == (number, title)


@pytest.mark.parametrize(
    "text",
    [
        "Introduction",
        "10 шагов к успеху",
        "2024 Report",
        "12.10.2024 Протокол",
        "А. С. Пушкин",
        "I have a dream",
        "Article 6(1) applies to controllers",
        "Статья 5 настоящего Кодекса применяется",
        "Article 59 of this Regulation",
        "Раздел имущества, находившегося в общей собственности",
        "Приложение к договору",
    ],
)
def test_other_beginnings_are_no_numbers(text: str) -> None:
    heading = split_heading(text)
    assert (heading.number, heading.title) == ("", text)
    assert not is_worded_heading(text)


def test_kinds_are_told_apart() -> None:
    assert split_heading("Приложение Б").kind == "appendix"
    assert split_heading("Annex I").kind == "appendix"
    assert split_heading("Глава 2. Жильё").kind == "chapter"
    assert split_heading("7.2. Title").kind == ""


def test_ranks_follow_the_order_of_a_law() -> None:
    lines = ["Раздел II", "Глава 3", "§ 1", "Статья 4", "5. Общее", "5.1. Частное", "5.1.1. Ещё частнее"]
    ranks = [rank(split_heading(line)) for line in lines]
    assert ranks == sorted(set(ranks))


def test_a_number_belongs_under_its_beginning() -> None:
    assert is_inside("7.2", "7")
    assert is_inside("A.1", "A")
    assert not is_inside("70.2", "7")
    assert not is_inside("7", "7")
    assert not is_inside("7", "")
