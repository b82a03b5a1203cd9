"""Chapters whose numbers are set as words on lines of their own: "CHAPTER" over "TWENTYTHREE" is chapter 23."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.ingest.parsers.pdf_lines import Line

_UNITS = "one two three four five six seven eight nine".split()
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_NUMBERS = {word: number for number, word in enumerate(_UNITS + _TEENS, start=1)} | {
    ten + unit: value * 10 + number
    for value, ten in enumerate(_TENS, start=2)
    for number, unit in enumerate(["", *_UNITS])
}
_WORDS = frozenset({"chapter", "part", "appendix", "annex", "глава", "часть", "раздел", "приложение"})


def is_chapter_word(text: str) -> bool:
    """Whether a line holds nothing but "CHAPTER" or the like."""
    return text.lower() in _WORDS


def with_chapter_numbers(lines: Sequence[Line]) -> list[Line]:
    """The word and the number under it as one line: "Chapter 23"."""
    joined: list[Line] = []
    for line in lines:
        word = joined[-1] if joined else None
        label = _label(line.text)
        if word and label and is_chapter_word(word.text) and word.page == line.page:
            joined[-1] = replace(line, text=f"{word.text.capitalize()} {label}", drop_above=word.drop_above, cells=[])
        else:
            joined.append(line)
    return joined


def _label(text: str) -> str:
    spelled = _NUMBERS.get(text.lower().replace("-", "").replace(" ", ""))
    if spelled:
        return str(spelled)
    return text if text.isdigit() or (len(text) == 1 and text.isupper()) else ""
