"""The screen: stop words, compared word by word in their stem, never as substrings."""

from __future__ import annotations

from collections.abc import Iterable

from engine.stages.stop_words import BASE
from engine.text.normal import words
from engine.text.stems import stem


class StopWordScreen:
    """The base dictionary of each language and the owner's own words; a phrase of several words must stand whole."""

    def __init__(self, own: Iterable[str] = (), *, allowed: Iterable[str] = (), base: Iterable[str] = BASE) -> None:
        exempt = {_key(phrase) for phrase in allowed}
        self._phrases = {
            _key(phrase): phrase for phrase in [*base, *own] if _key(phrase) and _key(phrase) not in exempt
        }
        self._longest = max((len(key) for key in self._phrases), default=0)

    def forbidden(self, text: str) -> str | None:
        key = _key(text)
        for start in range(len(key)):
            for length in range(1, self._longest + 1):
                if phrase := self._phrases.get(key[start : start + length]):
                    return phrase
        return None


def _key(text: str) -> tuple[str, ...]:
    return tuple(stem(part) for word in words(text) for part in word.split("-") if part)
