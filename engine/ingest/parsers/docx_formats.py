"""How Word writes a number in each numbering format (ECMA-376, part 1, 17.18.59)."""

from __future__ import annotations

import re
from collections.abc import Callable

_ROMAN = (
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
)
_LATIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_RUSSIAN = "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ"
"""Word leaves out Ё, Й, Ъ and Ь."""
_CHICAGO = "*†‡§"
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
).split()
_TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINAL_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
_IRREGULAR = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
_PADDED = re.compile(r"^(0+)1\b")
_LONGEST_LETTERS = 30
IN_WORDS = frozenset({"ordinal", "ordinalText", "cardinalText"})
"""Formats whose number a reference spells in digits."""


def format_number(number: int, style: str, pattern: str | None = None) -> str:
    """`style` is a `w:numFmt` value, `pattern` the format of a custom one; unknown styles are written in digits."""
    if style in ("none", "bullet"):
        return ""
    if style == "custom":
        padded = _PADDED.match(pattern or "")
        return str(number).zfill(len(padded.group(1)) + 1) if padded else str(number)
    write = _WRITERS.get(style)
    return write(number) if write is not None and number >= 0 else str(number)


def _roman(number: int) -> str:
    if not 0 < number < 32768:
        return str(number)
    written = ""
    for worth, sign in _ROMAN:
        written += sign * (number // worth)
        number %= worth
    return written


def _letters(number: int, alphabet: str) -> str:
    """A to Z, AA, BB to ZZ, AAA: one letter, repeated."""
    if number < 1:
        return ""
    repeated, index = divmod(number - 1, len(alphabet))
    return alphabet[index] * min(repeated + 1, _LONGEST_LETTERS)


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else _ORDINAL_ENDINGS.get(number % 10, "th")
    return f"{number}{ending}"


def _words(number: int) -> str:
    if number < 20:
        return _ONES[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _TENS[tens] + (f"-{_ONES[ones]}" if ones else "")
    if number < 1000:
        hundreds, rest = divmod(number, 100)
        return f"{_ONES[hundreds]} hundred" + (f" {_words(rest)}" if rest else "")
    return str(number)


def _ordinal_words(number: int) -> str:
    words = _words(number)
    if not words[-1].isalpha():
        return _ordinal(number)
    cut = max(words.rfind(" "), words.rfind("-")) + 1
    last = words[cut:]
    if last.endswith("y"):
        return f"{words[:-1]}ieth"
    return words[:cut] + _IRREGULAR.get(last, f"{last}th")


def _from(first: int, last: int) -> Callable[[int], str]:
    """Characters of one block of Unicode stand for 1, 2, 3 ...; greater numbers are written in digits."""
    return lambda number: chr(first + number - 1) if 0 < number <= last else str(number)


_WRITERS: dict[str, Callable[[int], str]] = {
    "upperRoman": _roman,
    "lowerRoman": lambda number: _roman(number).lower(),
    "upperLetter": lambda number: _letters(number, _LATIN),
    "lowerLetter": lambda number: _letters(number, _LATIN).lower(),
    "russianUpper": lambda number: _letters(number, _RUSSIAN),
    "russianLower": lambda number: _letters(number, _RUSSIAN).lower(),
    "chicago": lambda number: _letters(number, _CHICAGO),
    "decimalZero": lambda number: f"{number:02d}",
    "ordinal": _ordinal,
    "cardinalText": lambda number: _words(number).capitalize(),
    "ordinalText": lambda number: _ordinal_words(number).capitalize(),
    "hex": lambda number: f"{number:X}",
    "numberInDash": lambda number: f"- {number} -",
    "decimalEnclosedCircle": _from(0x2460, 20),
    "decimalEnclosedParen": _from(0x2474, 20),
    "decimalEnclosedFullstop": _from(0x2488, 20),
    "decimalFullWidth": lambda number: str(number).translate({ord("0") + digit: 0xFF10 + digit for digit in range(10)}),
}
