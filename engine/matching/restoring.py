"""A question as it was meant: the right alphabet, and words of the FAQ without the asker's typos."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from engine.matching.background import everyday_stems
from engine.matching.contrasts import FILLERS
from engine.matching.keyboard import as_latin_keys, as_russian_keys, by_sound
from engine.matching.typos import is_typo
from engine.text.normal import fold, words
from engine.text.stems import NEGATIONS, STOP_WORDS, stem

_WORD = re.compile(r"[^\W\d_]+")
_HYPHENED = re.compile(r"([^\W\d_]+)-([^\W\d_]+)")
_LEGIBLE = 0.5
"""A text half of whose words are known is read as it is."""
_CLEARER = 0.3
_SHORTEST = 5
_SHORTEST_PART = 4
_SHORTEST_PAIR = 14
"""Words so long are seldom compounds of their own."""
_SMALL_WORDS = STOP_WORDS | FILLERS | NEGATIONS


class Spelling:
    """Knows the words of the FAQ; `restored` changes only what it does not know."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._words = {word for text in texts for part in words(text) for word in _WORD.findall(part)}
        self._stems = {stem(word) for word in self._words}
        self._by_first: dict[str, list[str]] = defaultdict(list)
        for word in (*sorted(self._words), *sorted(STOP_WORDS - self._words)):
            if len(word) >= _SHORTEST and word.isalpha():
                self._by_first[word[0]].append(word)
        hyphened = {word for text in texts for word in words(text) if word.count("-") == 1}
        self._halves = {(one, stem(other)) for one, other in (word.split("-") for word in sorted(hyphened)) if other}
        self._soft = {word.replace("ь", ""): word for word in sorted(self._words) if "ь" in word}

    def restored(self, text: str) -> str:
        """The text in the alphabet that makes it legible, known words spelled right. The text itself if nothing
        changes."""
        legible = _HYPHENED.sub(self._joined, self._legible(text))
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
        if word in _SMALL_WORDS:
            return True
        return len(word) > 1 and (stem(word) in self._stems or stem(word) in everyday_stems())

    def _joined(self, match: re.Match[str]) -> str:
        """A word that the FAQ writes without its hyphen."""
        joined = fold(match[1] + match[2])
        has_halves = (fold(match[1]), stem(fold(match[2]))) in self._halves
        return joined if stem(joined) in self._stems and not has_halves else match.group()

    def _corrected(self, word: str) -> str:
        if len(word) < _SHORTEST or self._knows(word):
            return word
        parts = [(word[:at], word[at:]) for at in range(2, len(word) - 1)]
        if hyphened := [f"{one}-{other}" for one, other in parts if (one, stem(other)) in self._halves]:
            return hyphened[0]
        known = next((known for known in self._by_first[word[0]] if is_typo(word, known)), None)
        return known or next((f"{one} {other}" for one, other in parts if self._are_two(one, other)), word)

    def _are_two(self, one: str, other: str) -> bool:
        """Two words of the FAQ between which the space was left out."""
        long = len(one) + len(other) >= _SHORTEST_PAIR and min(len(one), len(other)) >= _SHORTEST_PART
        return long and one in self._words and stem(other) in self._stems
