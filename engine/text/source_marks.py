"""Takes source marks like [1] out of an answer that comes in pieces, and the word by which a model declines."""

from __future__ import annotations

import re

NO_ANSWER = "NO_ANSWER"
"""What a model is told to write, alone, when its context does not hold the answer."""

_MARK = re.compile(r"\s*\[(\d{1,2}(?: ?[,;] ?\d{1,2}){0,7})\]")
_NO_ANSWER = re.compile(rf"\s*{NO_ANSWER}")
# The end of a text that the next piece may turn into one of the two.
_OPEN_END = re.compile(
    r"(?:\s*\[[\d ,;]{0,40}|\s*(?:" + "|".join(NO_ANSWER[:length] for length in range(1, len(NO_ANSWER))) + r")|\s+)$"
)
_WORD = re.compile(r"\w")


class Unmarked:
    """Feed it the raw text; it returns what may be passed on. Nothing begins with mere punctuation: it may be what
    surrounds a NO_ANSWER."""

    def __init__(self) -> None:
        self._rest = ""
        self._waiting = ""
        self._begun = False
        self.raw = ""

    def feed(self, piece: str) -> str:
        self.raw += piece
        self._rest += piece
        open_end = _OPEN_END.search(self._rest)
        end = open_end.start() if open_end else len(self._rest)
        ready, self._rest = self._rest[:end], self._rest[end:]
        return self._let(_cleaned(ready))

    def finish(self) -> str:
        """What is left, now that the text has ended."""
        rest, self._rest = self._rest, ""
        last = self._let(_cleaned(rest))
        return last if last.strip() else ""

    @property
    def declined(self) -> bool:
        return NO_ANSWER in self.raw

    @property
    def marks(self) -> tuple[int, ...]:
        """The numbers of all marks, in order, with repeats."""
        return tuple(int(number) for number in re.findall(r"\d+", " ".join(_MARK.findall(self.raw))))

    def _let(self, text: str) -> str:
        if self._begun:
            return text
        self._waiting = (self._waiting + text).lstrip()
        if not _WORD.search(self._waiting):
            return ""
        self._begun = True
        return self._waiting


def without_marks(text: str) -> str:
    unmarked = Unmarked()
    return unmarked.feed(text) + unmarked.finish()


def _cleaned(text: str) -> str:
    return _MARK.sub("", _NO_ANSWER.sub("", text))
