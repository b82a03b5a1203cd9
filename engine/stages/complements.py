"""Questions about two things: what one place leaves open, and which other place says it.

"What do a night in a cabin and the sauna cost?" is answered in two places. Where things are joined, and the best place
lacks telling words of the question that another one has, both are needed. So is a place that speaks of what the
question calls by a designation, when the best one does not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

from engine.text.normal import fold
from engine.text.overlap import coverage

_JOINS = re.compile(r"\b(?:and|or|both|as well as|и|или|а также|оба|обе)\b|,", re.IGNORECASE)
_DESIGNATION = re.compile(r"\b[^\W\d_]+(?:-?\d+)+[^\W_]*")
_OPEN = 0.2
"""Share of what is asked that a place must leave open, for another one to be looked into."""
_TOLD = 0.8
"""Share of what is left open that the other one must have."""

K = TypeVar("K")


def joins(question: str) -> bool:
    """Whether a question joins things: by "and", "or", a comma."""
    return _JOINS.search(question) is not None


def designations(text: str) -> frozenset[str]:
    """What a text calls by letters with figures, folded: "md5", "sha-256", "А4". Hardly a word is as telling."""
    return frozenset(_DESIGNATION.findall(fold(text).replace("–", "-")))


def complement(
    asked: Mapping[str, float], held: frozenset[str], others: Sequence[tuple[K, frozenset[str]]]
) -> K | None:
    """Of the others, best first, the first that has what `held` leaves open of what is asked."""
    left = {stem: weight for stem, weight in asked.items() if coverage({stem: 1.0}, held) == 0}
    total = sum(asked.values())
    if not total or sum(left.values()) < _OPEN * total:
        return None
    return next((key for key, stems in others if coverage(left, stems) >= _TOLD), None)
