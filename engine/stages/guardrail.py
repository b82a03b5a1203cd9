"""The guardrail: nothing of a draft is shown until its first 150 tokens have been judged, and it is watched to the end.

The checks are deterministic: stop words by word form; numbers, dates, names, links and contacts that stand neither in
the context nor in the question. What has passed equals what a check of the whole text would let through: a tail is
held back, and a piece is released only at a word boundary that splits no number.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager

from engine.policy import GuardrailPolicy
from engine.ports import Passed, Screen, Task, Violation
from engine.text.facts import contacts, links, numbers, spelled_numbers, without_contacts
from engine.text.stems import stem
from engine.text.tokens import count_tokens

_LIST_MARK = re.compile(r"(?m)^\s*(?:[-*•]|\d{1,2}[.)])\s+|\[\d{1,2}\]")
_NAME = re.compile(r"(?<=[^\s.!?:\n>*«\"“(|\-–—][ ])([A-ZА-ЯЁ][\w-]{2,})")
_BOUNDARY = re.compile(r"(?<=[^\s\d])\s+(?=[^\s\d])")


class StreamGuardrail:
    def __init__(self, screen: Screen, policy: GuardrailPolicy) -> None:
        self._screen = screen
        self._policy = policy

    @asynccontextmanager
    async def watch(
        self, task: Task, pieces: AsyncIterator[str]
    ) -> AsyncGenerator[AsyncIterator[Passed | Violation], None]:
        async with aclosing(self._watch(Grounds(task), pieces)) as verdicts:
            yield verdicts

    async def _watch(self, grounds: Grounds, pieces: AsyncIterator[str]) -> AsyncGenerator[Passed | Violation, None]:
        text, passed = "", 0
        async for piece in pieces:
            text += piece
            if passed == 0 and count_tokens(text) < self._policy.hold_back_tokens:
                continue
            cut = self._releasable(text)
            if cut <= passed:
                continue
            if reason := self._judge(text[:cut], text, grounds):
                yield Violation(reason)
                return
            yield Passed(text[passed:cut])
            passed = cut
        if reason := self._judge(text, text, grounds):
            yield Violation(reason)
        elif text[passed:]:
            yield Passed(text[passed:])

    def _releasable(self, text: str) -> int:
        """Where to cut: before the tail, at the last boundary between two words neither of which is a number."""
        boundaries = [match.end() for match in _BOUNDARY.finditer(text, 0, len(text) - self._policy.tail_characters)]
        return boundaries[-1] if boundaries else 0

    def _judge(self, releasable: str, whole: str, grounds: Grounds) -> str | None:
        if self._screen.forbidden(whole):
            return "stop_word"
        return grounds.invented(releasable)


class Grounds:
    """All that a draft may state: the facts of its context and of the question."""

    def __init__(self, task: Task) -> None:
        parts = [task.question.text, task.earlier]
        for scored in task.evidence.chunks:
            parts += [scored.chunk.header, scored.chunk.text]
        for pair in task.pairs:
            parts += [pair.question, pair.answer]
        context = "\n".join(parts)
        self._numbers = spelled_numbers(context)
        self._links = links(context)
        self._contacts = contacts(context)
        self._stems = {stem(word) for word in re.findall(r"[^\W\d_]+", context.lower().replace("ё", "е"))}

    def invented(self, text: str) -> str | None:
        """The kind of fact in the text that nothing in the context supports, or None."""
        if links(text) - self._links:
            return "link"
        if contacts(text) - self._contacts:
            return "contact"
        if numbers(_LIST_MARK.sub(" ", without_contacts(text))) - self._numbers:
            return "number"
        if any(not self._known(name) for name in _NAME.findall(text)):
            return "name"
        return None

    def _known(self, name: str) -> bool:
        parts = re.findall(r"[^\W\d_]+", name.lower().replace("ё", "е"))
        return all(stem(part) in self._stems for part in parts)
