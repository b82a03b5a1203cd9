"""The very items that a reference names, "points (a) and (g) of Article 9(2)", among the quotable parts of a place."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.text.passages import Passage
from engine.types import Chunk, Reference

_RUSSIAN = "абвгдежзиклмнопрстуфхцчшщэюя"
_LONGEST_RANGE = 12


def item_marks(item: str) -> list[str]:
    """ "a,c-e" as a, c, d, e: a step of `Reference.items` as the marks that lines begin with."""
    marks: list[str] = []
    for part in item.split(","):
        first, dash, last = part.strip(" «»\"'()").partition("-")
        first, last = first.strip(" «»\"'()").lower(), last.strip(" «»\"'()").lower()
        marks.append(first)
        if dash:
            marks.extend(_between(first, last))
            marks.append(last)
    return marks


def named_items(parts: Sequence[tuple[Chunk, Passage]], references: Sequence[Reference]) -> list[int]:
    """Indexes of the parts, in reading order, whose marks end the way down that a reference names."""
    found: list[int] = []
    for reference in references:
        if reference.items:
            places = [index for index, (chunk, _) in enumerate(parts) if chunk.id in reference.chunk_ids]
            places.sort(key=lambda index: (parts[index][0].ordinal, parts[index][1].order))
            found.extend(_follow([(index, parts[index][1].mark) for index in places], reference.items))
    return list(dict.fromkeys(found))


def _follow(marked: list[tuple[int, str]], items: Sequence[str]) -> list[int]:
    """Go down item by item: each step is looked for after the one above it; a missing step above is passed over."""
    start = 0
    for item in items[:-1]:
        marks = item_marks(item)
        start = next((place + 1 for place, (_, mark) in enumerate(marked) if place >= start and mark in marks), start)
    found: list[int] = []
    for mark in item_marks(items[-1]):
        place = next((place for place in range(start, len(marked)) if marked[place][1] == mark), None)
        if place is not None:
            found.append(marked[place][0])
    return found


def _between(first: str, last: str) -> list[str]:
    if first.isdigit() and last.isdigit() and 0 < int(last) - int(first) <= _LONGEST_RANGE:
        return [str(number) for number in range(int(first) + 1, int(last))]
    for alphabet in (_RUSSIAN, "abcdefghijklmnopqrstuvwxyz"):
        if re.fullmatch(f"[{alphabet}]", first) and re.fullmatch(f"[{alphabet}]", last):
            return list(alphabet[alphabet.index(first) + 1 : alphabet.index(last)])
    return []
