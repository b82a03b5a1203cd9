"""Which two words are one with a slip of the hand or of the ear: a letter left out, doubled, swapped, or a vowel for
another."""

from __future__ import annotations

import os.path

_LONG = 8
_SHORTEST = 5
_VOWELS = frozenset("аеиоуыэюяaeiouy")
_SOUND_ALIKE = (
    frozenset("дт"),
    frozenset("бп"),
    frozenset("зс"),
    frozenset("гк"),
    frozenset("жш"),
    frozenset("вф"),
    frozenset("ьъ"),
)
_FORBIDDEN = 9
_SHORTEST_WHOLE = 4
_ROOT = 5
_DERIVING = frozenset(
    ["", *"а и ен ени енн ан ани ир иру ирова ова ева ива ыва ац аци ци ка к ля я".split()]
    + "ion ation cation ing ment al y i".split()
)
"""What makes a noun of a verb, or a verb that lasts."""


def is_typo(word: str, known: str) -> bool:
    """Short words, and those that begin otherwise, never are; long ones may hold two slips."""
    if word == known or min(len(word), len(known)) < _SHORTEST or word[0] != known[0]:
        return False
    allowed = 2 if min(len(word), len(known)) >= _LONG else 1
    return abs(len(word) - len(known)) <= allowed and _slips(word, known) <= allowed


def _slips(word: str, known: str) -> int:
    """Optimal string alignment (a restricted Damerau distance) in which most substitutions are forbidden."""
    before: list[int] = []
    last = list(range(len(known) + 1))
    for i, letter in enumerate(word, start=1):
        row = [i]
        for j, other in enumerate(known, start=1):
            cost = 0 if letter == other else (1 if _alike(letter, other) else _FORBIDDEN)
            best = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost)
            if i > 1 and j > 1 and letter == known[j - 2] and word[i - 2] == other:
                best = min(best, before[j - 2] + 1)
            row.append(best)
        before, last = last, row
    return last[-1]


def _alike(letter: str, other: str) -> bool:
    return (letter in _VOWELS and other in _VOWELS) or any({letter, other} <= pair for pair in _SOUND_ALIKE)


def is_kin(stem: str, other: str) -> bool:
    """Whether the stems are one, or one is derived from the other: "монетизац" and "монетизирова", "verifi" and
    "verification"."""
    if stem == other:
        return True
    root = len(os.path.commonprefix([stem, other]))
    if root >= _SHORTEST_WHOLE and root == min(len(stem), len(other)) and abs(len(stem) - len(other)) <= 2:
        return min(stem, other, key=len).isalpha()
    return root >= _ROOT and {stem[root:], other[root:]} <= _DERIVING
