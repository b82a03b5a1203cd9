"""Takes out what a reasoning model thinks aloud between <think> tags: it is neither an answer nor fit to be shown."""

from __future__ import annotations

import re
from typing import Literal

_NAMES = ("think", "thinking", "thought", "reasoning")
_TAG = re.compile(rf"<(/?)(?:{'|'.join(_NAMES)})>", re.IGNORECASE)
_TAGS = tuple(f"<{slash}{name}>" for name in _NAMES for slash in ("", "/"))
_LONGEST = max(len(tag) for tag in _TAGS)


class ThoughtFilter:
    """Feed it a reply in pieces, which may split a tag; it returns what of the answer may be let through.

    Some chat templates put the opening tag into the prompt: the reply begins with a thought, and only the closing tag
    shows it. By then the thought has been let through: `too_late` says so. For a model that is known to do it,
    `starts_inside` holds everything back until the closing tag, or until the end when it did not think after all.
    """

    def __init__(self, *, starts_inside: bool = False) -> None:
        self._state: Literal["answer", "thought", "unknown"] = "unknown" if starts_inside else "answer"
        self._held = ""
        self._let_through = False
        self._saw_tag = False
        self.unopened = False
        """The first tag was a closing one."""
        self.too_late = False

    def feed(self, piece: str) -> str:
        self._held += piece
        answer = ""
        while tag := _TAG.search(self._held):
            before, self._held = self._held[: tag.start()], self._held[tag.end() :]
            if self._state == "answer":
                answer += before
            opening = not tag[1]
            if not opening and not self._saw_tag:
                self._note_unopened()
                answer = ""
            self._state = "thought" if opening else "answer"
            self._saw_tag = True
        return self._let(answer + self._taken_from_held())

    def finish(self, *, cut_off: bool = False) -> str:
        """What was held back and turns out to be answer, now that the text has ended."""
        held, self._held = self._held, ""
        if self._state == "thought" or (self._state == "unknown" and cut_off):
            return ""
        return self._let(held)

    def _note_unopened(self) -> None:
        self.unopened = True
        self.too_late = self.too_late or self._let_through

    def _taken_from_held(self) -> str:
        """All that cannot be the beginning of a tag, as far as it is known to be answer."""
        match self._state:
            case "unknown":
                return ""
            case "thought":
                self._held = self._held[-_LONGEST:]
                return ""
            case "answer":
                keep = _beginning_of_tag(self._held)
                taken, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
                return taken

    def _let(self, answer: str) -> str:
        if not self._let_through:
            answer = answer.lstrip()
        self._let_through = self._let_through or bool(answer)
        return answer


def _beginning_of_tag(text: str) -> int:
    """How many characters at the end of a text may be the beginning of a tag."""
    at = text.rfind("<", -_LONGEST)
    if at == -1:
        return 0
    end = text[at:].lower()
    return len(end) if any(tag.startswith(end) for tag in _TAGS) else 0
