"""What a question says, taken apart for the second look: each part is one that can turn it into another question."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

from engine.matching import contrasts
from engine.text.facts import numbers, spelled_numbers
from engine.text.normal import question_form, words
from engine.text.stems import NEGATIONS, STOP_WORDS, content_stems, stem

_PARTICLES = (
    re.compile(
        r"\b(turn|switch|log|sign|opt|top|cash|move|check)(?:ed|s|ing|ned|ning)?\b(?: \w+){0,3}? (on|off|in|out|up)\b"
    ),
    re.compile(r"\b(get|receive)\b(?: \w+){0,3}? (from|by)\b"),
)  # fmt: skip
_NEGATED_VERB = re.compile(r"\b(?:do|does|did|is|are|was|can|could|will|would|has|have|should) ?n[o']?t\b|\bn't\b")
_DOUBLE = re.compile(r"не могу не|нельзя не|not without|не без")
_ORDINAL = re.compile(r"\b(\d+)-?(?:st|nd|rd|th|го|ого|ому|е|я|й)\b")
_CLOCK = re.compile(r"\b(\d+)(am|pm)\b")
_ASKING_WHAT = ("which", "what", None)
_WORDY = re.compile(
    r"\b(?:номер\w*|адрес\w*) (?=телефон|(?:электронн\w+ )?почт|e-?mail)|\bэлектронн\w+ (?=почт)"
    r"|\bпрям\w+ (?=эфир|трансляц)|\blive (?=stream|broadcast)|(?<=phone) numbers?\b|(?<=mail) address(?:es)?\b"
    r"|\b(?:во время|в течение|в процессе|с помощью|при помощи|in the course of|by means of) "
)
""" "The number of a telephone" is what everyone means by the telephone, a stream is live, and "during" is no word."""
_EITHER = re.compile(r"([^\W\d_]+)(?: (?:или|либо|or) |/)([^\W\d_]+)")
_CLAUSE = re.compile(
    r"[?.;,] | (?:и|а также|and) (?=(?:как|где|куда|когда|сколько|почему|зачем|how|where|when|why|what)\b)"
)
_ACTING = (
    ("me", re.compile(r"\b(?:can|could|may|must|should|shall) (?:i|we)\b|\b(?:могу|можем|смогу|сможем)\b")),
    (
        "another",
        re.compile(
            r"\b(?:can|could|may|must|should|shall) (?:my|our|the|an?) (?!.*\bbe\b)|\b(?:может|могут|сможет|смогут)\b"
        ),
    ),
)
_REACH = 3
"""A preposition's noun stands within so many words behind it."""


T = TypeVar("T")


class _Vocabulary(Generic[T]):
    """Finds the groups that words belong to, by looking up their beginnings."""

    def __init__(self, groups: Iterable[tuple[T, Iterable[str]]]) -> None:
        self._whole: dict[str, set[T]] = {}
        self._beginnings: dict[str, set[T]] = {}
        for name, entries in groups:
            for one in entries:
                place = self._whole if one.endswith("=") else self._beginnings
                place.setdefault(one.removesuffix("="), set()).add(name)

    def groups_of(self, told: Iterable[str]) -> frozenset[T]:
        found: set[T] = set()
        for word in told:
            found.update(self._whole.get(word, ()))
            for length in range(2, len(word) + 1):
                found.update(self._beginnings.get(word[:length], ()))
        return frozenset(found)


def _sides(axes: contrasts.Axes) -> _Vocabulary[tuple[int, int]]:
    return _Vocabulary(
        ((axis, side), beginnings) for axis, sides in enumerate(axes) for side, beginnings in enumerate(sides)
    )


_UNITS = _Vocabulary(contrasts.UNITS.items())
_DATES = _Vocabulary(contrasts.DATES.items())
_ASPECTS = _Vocabulary(contrasts.ASPECTS.items())
_TROUBLE = _Vocabulary(contrasts.TROUBLE.items())
_SYNONYMS = _Vocabulary(contrasts.SYNONYMS.items())
_OPPOSITES = _sides(contrasts.OPPOSITES)
_COMPARATIVES = _sides(contrasts.COMPARATIVES)


@lru_cache(maxsize=1 << 14)
def synonyms(word: str) -> frozenset[str]:
    """The groups of words used for each other that this one belongs to."""
    return _SYNONYMS.groups_of([word])


@dataclass(frozen=True, slots=True)
class Reading:
    text: str
    content: tuple[str, ...]
    """Stems of the words that carry meaning, in order."""
    surface: tuple[str, ...]
    """Those words as written."""
    numbers: frozenset[str]
    units: frozenset[str]
    dates: frozenset[str]
    negated: bool
    opposites: frozenset[tuple[int, int]]
    """(axis, side) of each word that has an opposite."""
    comparatives: frozenset[tuple[int, int]]
    sources: frozenset[str]
    targets: frozenset[str]
    question: str | None
    questions: frozenset[str | None]
    """With those of further clauses: "what is it, and how do I get it"."""
    told: tuple[str, ...]
    """All words, as written."""
    aspects: frozenset[str]
    complains: bool
    by: str | None
    """Who is to act, where that is said: "me" or "another"."""
    either: tuple[tuple[str, str], ...]
    """Stems of two words between which there is an "or"."""

    def has_synonym(self, word: str) -> bool:
        return not synonyms(word).isdisjoint(_groups_in(self.told))


@lru_cache(maxsize=1 << 12)
def _groups_in(told: tuple[str, ...]) -> frozenset[str]:
    return _SYNONYMS.groups_of(told)


@lru_cache(maxsize=1 << 15)
def read(text: str) -> Reading:
    plain = _WORDY.sub("", _CLOCK.sub(r"\1 \2", _ORDINAL.sub(r"\1", question_form(text).replace("e-mail", "email"))))
    told = [*words(plain), *_particles(plain)]
    meaning = [word for word in words(plain) if content_stems(word)]
    # "One" is often no number: "which one", "one of them".
    counts = numbers(plain) | (spelled_numbers(plain) - {"1"})
    kind = _kind(plain)
    aspects = _ASPECTS.groups_of(told)
    negated = _negated(plain)
    clauses = _CLAUSE.split(plain)
    question = "how much" if "price" in aspects and kind in _ASKING_WHAT else kind
    return Reading(
        text=plain,
        content=tuple(one for word in meaning for one in content_stems(word)),
        surface=tuple(part for word in meaning for part in word.split("-") if content_stems(part)),
        numbers=counts,
        units=_UNITS.groups_of(told) - ({"year"} if any(map(_is_year, counts)) else set()),
        dates=_DATES.groups_of(told),
        negated=negated,
        opposites=_OPPOSITES.groups_of(told),
        comparatives=_COMPARATIVES.groups_of(told),
        sources=_nouns_behind(plain, contrasts.SOURCES),
        targets=_nouns_behind(plain, contrasts.TARGETS),
        question=question,
        questions=frozenset({question, *(filter(None, map(_kind, clauses)) if len(clauses) > 1 else ())}),
        told=tuple(words(plain)),
        aspects=aspects or frozenset({"price"} if question == "how much" else ()),
        by=next((who for who, pattern in _ACTING if pattern.search(plain)), None),
        complains=negated or bool(_TROUBLE.groups_of(told)),
        either=tuple((stem(one), stem(other)) for one, other in _EITHER.findall(plain)),
    )


def _kind(plain: str) -> str | None:
    return next((name for name, pattern in contrasts.QUESTIONS if pattern.search(plain)), None)


def _particles(plain: str) -> list[str]:
    """ "turn-off" for "turn my autopay off"."""
    return [f"{match[1]}-{match[2]}" for pattern in _PARTICLES for match in pattern.finditer(plain)]


def _negated(plain: str) -> bool:
    count = sum(word in NEGATIONS for word in words(plain)) + len(_NEGATED_VERB.findall(plain))
    return bool(count) and not _DOUBLE.search(plain)


def _is_year(number: str) -> bool:
    """Whose unit goes without saying."""
    return len(number) == 4 and number[:2] in ("19", "20")


def _nouns_behind(plain: str, prepositions: frozenset[str]) -> frozenset[str]:
    """The first word with a meaning behind each of these prepositions."""
    told = words(plain)
    found: set[str] = set()
    for at, word in enumerate(told):
        if word in prepositions:
            behind = told[at + 1 : at + 1 + _REACH]
            noun = next((one for one in behind if one not in STOP_WORDS and one not in NEGATIONS), None)
            if noun is not None:
                found.add(stem(noun.split("-")[0]))
    return frozenset(found)
