"""Names and product names: those that the FAQ itself uses, and those that a question shows to be names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.matching.keyboard import by_sound
from engine.text.normal import fold
from engine.text.stems import STOP_WORDS, stem

_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_QUOTED = re.compile(r"[«“\"]([^»”\"]{2,40})[»”\"]")
_SENTENCE = re.compile(r"(?:^|[.!?…:]\s+|\n)[\s«“\"(*]*$")
_COUNTED = re.compile(r"\d+(?:am|pm|st|nd|rd|th|h|го|й|я|е|м|х|ого|ому|ч)?")
"""A number, a time of day or an ordinal, which is no name."""
_CYRILLIC = re.compile(r"[а-яё]", re.IGNORECASE)
_LATIN = re.compile(r"[a-z]", re.IGNORECASE)
_COMMON_SHARE = 0.2
_COMMON_FROM = 10
"""A name that a fifth of ten or more entries use, such as the company's own, tells none of them apart."""


@dataclass(frozen=True, slots=True)
class Names:
    """Stems of names: `telling` ones tell the FAQ's entries apart, `common` ones, such as the company's own, do not."""

    telling: frozenset[str] = frozenset()
    common: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    """Those of the common ones that go without saying, since so many entries use them; in Russian letters, too."""

    @classmethod
    def of(cls, entries: Sequence[Sequence[str]]) -> Names:
        """From the wordings of each entry."""
        named: Counter[str] = Counter()
        plain: set[str] = set()
        for wordings in entries:
            named.update(frozenset().union(*map(shown, wordings)))
            plain.update(one for text in wordings for one in set(_stems(text)) - shown(text))
        often = _COMMON_SHARE * len(entries) if len(entries) >= _COMMON_FROM else float("inf")
        return cls(
            telling=frozenset(one for one, count in named.items() if count <= often and one not in plain),
            common=frozenset(one for one, count in named.items() if count > often or one in plain),
            own=frozenset(form for one, count in named.items() if count > often for form in (one, stem(by_sound(one)))),
        )

    def in_question(self, text: str) -> frozenset[str]:
        """The FAQ's names however they are written, and whatever else looks like one."""
        return (frozenset(_stems(text)) & self.telling) | (shown(text) - self.common)

    def in_wording(self, text: str) -> frozenset[str]:
        return frozenset(_stems(text)) & self.telling


@lru_cache(maxsize=1 << 15)
def shown(text: str) -> frozenset[str]:
    """Stems of the words that look like names: capitals inside a sentence, Latin among Cyrillic, quotes, digits
    inside."""
    found: set[str] = set()
    shouted = text.isupper()
    russian = bool(_CYRILLIC.search(text))
    for match in _WORD.finditer(text):
        word = match.group()
        if fold(word) in STOP_WORDS or len(word) < 2 or _COUNTED.fullmatch(fold(word)):
            continue
        inner_capital = any(letter.isupper() for letter in word[1:])
        capital = word[0].isupper() and not _SENTENCE.search(text[: match.start()])
        latin = russian and bool(_LATIN.search(word)) and not _CYRILLIC.search(word)
        mixed = any(letter.isdigit() for letter in word) and any(letter.isalpha() for letter in word)
        if (not shouted and (inner_capital or capital)) or latin or mixed:
            found.update(_stems(word))
    for quoted in _QUOTED.findall(text):
        if len(quoted.split()) <= 2:
            found.update(_stems(quoted))
    return frozenset(found)


def _stems(text: str) -> list[str]:
    return [stem(part) for word in _WORD.findall(fold(text)) for part in re.split(r"[-'’.]", word) if len(part) > 1]
