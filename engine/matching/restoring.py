"""A question as it was meant: the right alphabet, and words of the FAQ without the asker's typos."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from engine.matching.background import everyday_stems
from engine.matching.keyboard import as_latin_keys, as_russian_keys, by_sound
from engine.matching.typos import is_typo
from engine.text.normal import fold, words
from engine.text.stems import NEGATIONS, STOP_WORDS, stem

_WORD = re.compile(r"[^\W\d_]+")
_LEGIBLE = 0.5
"""A text half of whose words are known is read as it is."""
_CLEARER = 0.3
_SHORTEST = 5


class Spelling:
    """Knows the words of the FAQ; `restored` changes only what it does not know."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._words = {word for text in texts for part in words(text) for word in _WORD.findall(part)}
        self._stems = {stem(word) for word in self._words}
        self._by_first: dict[str, list[str]] = defaultdict(list)
        for word in sorted(self._words):
            if len(word) >= _SHORTEST:
                self._by_first[word[0]].append(word)
        self._soft = {word.replace("ь", ""): word for word in sorted(self._words) if "ь" in word}

    def restored(self, text: str) -> str:
        """The text in the alphabet that makes it legible, known words spelled right. The text itself if nothing
        changes."""
        legible = self._legible(text)
        fixed = _WORD.sub(lambda match: self._corrected(match.group()), fold(legible))
        return legible if fixed == fold(legible) else fixed

    def _legible(self, text: str) -> str:
        clarity = self._clarity(text)
        if clarity >= _LEGIBLE:
            return text
        sounds = _WORD.sub(lambda match: self._soft.get(match.group(), match.group()), by_sound(text))
        others = [as_russian_keys(text), as_latin_keys(text), sounds]
        best = max(others, key=self._clarity)
        return best if self._clarity(best) >= max(clarity + _CLEARER, _LEGIBLE) else text

    def _clarity(self, text: str) -> float:
        found = _WORD.findall(fold(text))
        return sum(map(self._knows, found)) / len(found) if found else 0.0

    def _knows(self, word: str) -> bool:
        if word in STOP_WORDS or word in NEGATIONS:
            return True
        return len(word) > 1 and (stem(word) in self._stems or stem(word) in everyday_stems())

    def _corrected(self, word: str) -> str:
        if len(word) < _SHORTEST or self._knows(word):
            return word
        return next((known for known in self._by_first[word[0]] if is_typo(word, known)), word)
