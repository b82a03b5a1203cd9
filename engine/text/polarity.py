"""What a sentence denies, so that "is refunded" is not taken for "is not refunded".

No parser: a negation is taken to concern the next telling word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.text.normal import fold, words
from engine.text.stems import NEGATIONS, STOP_WORDS, stem

_WHOLE = re.compile(
    r"нельзя|запрещ|недопуст|невозмож|воспрещ|не разреш|не допуск|cannot|can't|can’t|prohibit|forbid"
    r"|impossible|not allowed|not permitted|never"
)
"""Such a word denies the whole sentence, wherever it stands."""
_CLAUSE = re.compile(r"[,;:—](?=\s)")
_REACH = 3
"""A negation concerns the next telling word, at most so many words on."""
_OPPOSITES = (
    (r"не (?:менее|меньше)|at least|no (?:less|fewer) than", r"не (?:более|больше|свыше)|at most|no more than|up to"),
    (r"(?<!\w)бесплатн|free of charge|for free", r"(?<!\w)платн|за плату|for a fee"),
)
_SIDES = tuple((re.compile(one), re.compile(other)) for one, other in _OPPOSITES)


@dataclass(frozen=True, slots=True)
class Polarity:
    denied: frozenset[str]
    """Stems of the words that a negation stands before."""
    denies_all: bool
    odd: bool
    """A clause with an odd number of negations: what it speaks of is not so."""
    sides: tuple[str, ...]
    """For each pair of opposites, which one is said: "first", "second", or "" for neither or both."""


def polarity(text: str) -> Polarity:
    folded = fold(text)
    said = words(text)
    denied: set[str] = set()
    for place, word in enumerate(said):
        if word not in NEGATIONS:
            continue
        following = (one for one in said[place + 1 : place + 1 + _REACH] if one not in STOP_WORDS)
        if (next_word := next(following, None)) is not None and next_word not in NEGATIONS:
            denied.add(stem(next_word.split("-")[0]))
    spoken = {match.group() for match in _WHOLE.finditer(folded)}
    return Polarity(
        denied=frozenset(denied),
        denies_all=bool(spoken),
        odd=any(_negations(clause) % 2 for clause in _CLAUSE.split(folded)),
        sides=tuple(_side(folded, one, other) for one, other in _SIDES),
    )


def _negations(clause: str) -> int:
    lexical = {match.group() for match in _WHOLE.finditer(clause)}
    return sum(word in NEGATIONS for word in words(clause)) + sum(
        not any(one.startswith(word) for word in NEGATIONS) for one in lexical
    )


def contradicts(said: Polarity, known: Polarity, shared: frozenset[str]) -> bool:
    """Whether two sentences about the same, with these stems in common, cannot both be true."""
    if any(one and other and one != other for one, other in zip(said.sides, known.sides, strict=True)):
        return True
    if said.odd == known.odd:
        return False
    return bool((said.denied ^ known.denied) & shared) or said.denies_all != known.denies_all


def _side(folded: str, one: re.Pattern[str], other: re.Pattern[str]) -> str:
    first, second = bool(one.search(folded)), bool(other.search(folded))
    return "" if first == second else "first" if first else "second"
