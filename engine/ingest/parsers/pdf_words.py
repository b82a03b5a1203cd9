"""Joins the lines of a PDF's paragraphs: which hyphens at line ends belong to the word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_BROKEN = re.compile(r"([^\W\d_]+(?:-[^\W\d_]+)*)[-\u2010]$")
_DASH = re.compile(r"\w[-\u2010]$")
_SOFT = "\u00ad"
_KEPT_ENDINGS = frozenset({"то", "либо", "нибудь", "ка", "таки"})
_PREPOSITIONS = frozenset({"из"})
_COMMON = 2


class Vocabulary:
    """The words of one document, to tell "sup-" + "ported" from "out-of-" + "scope"."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._words: Counter[str] = Counter()
        self._prefixes: Counter[str] = Counter()
        cut = False
        for line in lines:
            words = _WORD.findall(line.lower())
            if cut:
                words = words[1:]  # the second half of a word
            cut = _BROKEN.search(line) is not None
            if cut:
                words = words[:-1]
            self._words.update(words)
            self._prefixes.update(word.partition("-")[0] for word in words if "-" in word)

    def join(self, text: str, line: str) -> str:
        """A line and the one that follows it as one text."""
        if text.endswith(_SOFT):
            return text.rstrip(_SOFT) + line
        broken = _BROKEN.search(text)
        start = _WORD.match(line)
        if broken is None or start is None:
            return text + line if _DASH.search(text) and line[:1].isalnum() else f"{text} {line}"
        if start[0][0].isupper() and not broken[1].isupper():
            return text + line
        return text + line if self._keeps_hyphen(broken[1].lower(), start[0].lower()) else text[:-1] + line

    def _keeps_hyphen(self, first: str, second: str) -> bool:
        last = first.rpartition("-")[2]
        head, dash, _ = second.partition("-")
        if dash and self._words[head] and self._words[last]:
            return not self._words[last + head]  # "bag-" + "of-words"
        if self._words[f"{first}-{second}"]:
            return not self._words[first + second] or self._words[f"{first}-{second}"] > self._words[first + second]
        if self._words[first + second] or (last != first and self._words[last + second]):
            return False
        if second in _KEPT_ENDINGS or last in _PREPOSITIONS:
            return True
        if self._prefixes[last] and self._words[second]:
            return True
        return min(len(last), len(second)) > 2 and min(self._words[last], self._words[second]) >= _COMMON
