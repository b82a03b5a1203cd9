"""The parts of a text that may not be invented: numbers, dates, links, addresses, phone numbers."""

from __future__ import annotations

import re

_LINK = re.compile(r"(?:https?://|www\.)[^\s<>\])\"'»]+", re.IGNORECASE)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]*\w")
_PHONE = re.compile(r"(?<!\w)\+?\d[\d ()\-–]{8,}\d(?!\w)")
_DATE = re.compile(r"\b(\d{1,2})[./](\d{1,2})[./](\d{2,4})\b|\b(\d{4})-(\d{2})-(\d{2})\b")
_NUMBER = re.compile(r"\d+(?:[\s  ]\d{3})+(?![\d])|\d+(?:[.,]\d+)*")
_WORD_NUMBERS = {
    **dict.fromkeys("один одна одно одного одной одному one".split(), "1"),
    **dict.fromkeys("два две двух двумя двум two".split(), "2"),
    **dict.fromkeys("три трех тремя трем three".split(), "3"),
    **dict.fromkeys("четыре четырех четырьмя четырем four".split(), "4"),
    **dict.fromkeys("пять пяти пятью five".split(), "5"),
    **dict.fromkeys("шесть шести шестью six".split(), "6"),
    **dict.fromkeys("семь семи семью seven".split(), "7"),
    **dict.fromkeys("восемь восьми восемью eight".split(), "8"),
    **dict.fromkeys("девять девяти девятью nine".split(), "9"),
    **dict.fromkeys("десять десяти десятью ten".split(), "10"),
    **dict.fromkeys("одиннадцать одиннадцати eleven".split(), "11"),
    **dict.fromkeys("двенадцать двенадцати twelve".split(), "12"),
    **dict.fromkeys("четырнадцать четырнадцати fourteen".split(), "14"),
    **dict.fromkeys("пятнадцать пятнадцати fifteen".split(), "15"),
    **dict.fromkeys("двадцать двадцати twenty".split(), "20"),
    **dict.fromkeys("тридцать тридцати thirty".split(), "30"),
    **dict.fromkeys("сорок сорока forty".split(), "40"),
    **dict.fromkeys("пятьдесят пятидесяти fifty".split(), "50"),
    **dict.fromkeys("шестьдесят шестидесяти sixty".split(), "60"),
    **dict.fromkeys("девяносто девяноста ninety".split(), "90"),
    **dict.fromkeys("сто ста hundred".split(), "100"),
}
_TOO_COMMON = frozenset({"1", "2"})
"""As words these are said without counting: "one of", "один из"."""
_MONTHS = (
    r"январ\w+|january",
    r"феврал\w+|february",
    r"март(?:а|е|у|ом)?|march",
    r"апрел\w+|april",
    r"ма(?:й|я|е|ю|ем)|may(?=\s+\d)|(?<=\d )may|(?<=\bin )may|(?<=\bof )may|(?<=\buntil )may|(?<=\bby )may",
    r"июн\w+|june",
    r"июл\w+|july",
    r"август\w*|august",
    r"сентябр\w+|september",
    r"октябр\w+|october",
    r"ноябр\w+|november",
    r"декабр\w+|december",
)
_WEEKDAYS = (
    r"понедельник\w*|mondays?",
    r"вторник\w*|tuesdays?",
    r"сред(?:а|у|ы|е|ам)|wednesdays?",
    r"четверг\w*|thursdays?",
    r"пятниц\w+|fridays?",
    r"суббот\w+|saturdays?",
    r"воскресень\w+|sundays?",
)
_CALENDAR = re.compile(
    "|".join(
        rf"(?P<{kind}{number}>\b(?:{pattern})\b)"
        for kind, patterns in (("month", _MONTHS), ("weekday", _WEEKDAYS))
        for number, pattern in enumerate(patterns, start=1)
    )
)


def numbers(text: str) -> frozenset[str]:
    """All numbers in one spelling: no thousands' spaces, a point for decimals, no trailing zeros; dates as ISO."""
    found: set[str] = set()
    for match in _DATE.finditer(text):
        found.add(_iso(match))
    for match in _NUMBER.finditer(_DATE.sub(" ", text)):
        found.add(_plain(match.group()))
    return frozenset(found)


def spelled_numbers(text: str) -> frozenset[str]:
    """`numbers`, and those written as a word ("two weeks", "тридцать дней")."""
    lowered = text.lower().replace("ё", "е")
    named = {_WORD_NUMBERS[word] for word in re.findall(r"[^\W\d_]+", lowered) if word in _WORD_NUMBERS}
    return numbers(text) | named


def counted(text: str) -> frozenset[str]:
    """Numbers written as a word that surely count something: "ten days", not "one of them"."""
    lowered = text.lower().replace("ё", "е")
    found = {_WORD_NUMBERS[word] for word in re.findall(r"[^\W\d_]+", lowered) if word in _WORD_NUMBERS}
    return frozenset(found - _TOO_COMMON)


def calendar(text: str) -> frozenset[str]:
    """Months and days of the week, alike in both languages: "month5", "weekday1"."""
    lowered = text.lower().replace("ё", "е")
    named = {match.lastgroup for match in _CALENDAR.finditer(lowered) if match.lastgroup}
    dated = {f"month{int(match.group(2) or match.group(5))}" for match in _DATE.finditer(text)}
    return frozenset(named | dated)


def links(text: str) -> frozenset[str]:
    return frozenset(match.rstrip(".,;:!?").lower().rstrip("/") for match in _LINK.findall(text))


def contacts(text: str) -> frozenset[str]:
    """E-mail addresses in lower case and phone numbers as digits."""
    found = {match.lower() for match in _EMAIL.findall(text)}
    for match in _PHONE.findall(text):
        digits = re.sub(r"\D", "", match)
        if len(digits) >= 10:
            found.add(digits[-10:])
    return frozenset(found)


def without_contacts(text: str) -> str:
    """The text without links, e-mail addresses and phone numbers, whose digits are no numbers."""
    for pattern in (_LINK, _EMAIL):
        text = pattern.sub(" ", text)
    return _PHONE.sub(lambda match: " " if len(re.sub(r"\D", "", match.group())) >= 10 else match.group(), text)


def _plain(number: str) -> str:
    number = re.sub(r"\s", "", number).replace(",", ".")
    if number.count(".") == 1:
        number = number.rstrip("0").rstrip(".")
    whole, point, decimals = number.partition(".")
    return (whole.lstrip("0") or "0") + point + decimals


def _iso(match: re.Match[str]) -> str:
    day, month, year, iso_year, iso_month, iso_day = match.groups()
    if iso_year:
        return f"{iso_year}-{iso_month}-{iso_day}"
    return f"{year if len(year) == 4 else '20' + year}-{int(month):02d}-{int(day):02d}"
