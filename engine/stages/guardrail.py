"""The guardrail: nothing of a draft is shown until its first 150 tokens have been judged, and it is watched to the end.

Deterministic checks always: stop words by word form, facts that stand nowhere in the context, sentences that it does
not support (`engine.stages.grounds`). A model judges the beginning beside them, while the generation goes on. What has
passed equals what a check of the whole text would let through: a tail is held back, a piece is released only at a word
boundary that splits no number, words and sentences are judged when they are whole, and the end is a check of it all.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager

import structlog

from engine.errors import ProviderError
from engine.policy import GuardrailPolicy
from engine.ports import Judge, Passed, Screen, Task, Violation
from engine.stages.grounds import Grounds
from engine.text.sentences import sentence_end
from engine.text.tokens import count_tokens
from engine.types import Usage

log = structlog.get_logger()

_BOUNDARY = re.compile(r"(?<=[^\s\d])\s+(?=[^\s\d])")


class StreamGuardrail:
    """Without a judge, or for a task that is not to be judged, the deterministic checks are all."""

    def __init__(self, screen: Screen, policy: GuardrailPolicy, judge: Judge | None = None) -> None:
        self._screen = screen
        self._policy = policy
        self._judge = judge

    @asynccontextmanager
    async def watch(
        self, task: Task, pieces: AsyncIterator[str]
    ) -> AsyncGenerator[AsyncIterator[Passed | Violation], None]:
        async with aclosing(_Ahead(pieces)) as ahead, aclosing(self._watch(task, ahead)) as verdicts:
            yield verdicts

    async def _watch(self, task: Task, ahead: _Ahead) -> AsyncGenerator[Passed | Violation, None]:
        view = _View(self._screen, self._policy, Grounds(task))
        while not ahead.ended and count_tokens(view.text) < self._policy.hold_back_tokens:
            view.text += await ahead.next()
        reason, usage = view.objection(whole=ahead.ended), Usage()
        if reason is None and self._judge is not None and task.judged and view.text.strip():
            reason, usage = await self._judged(self._judge, task, view, ahead)
        while reason is None:
            if piece := view.release(whole=ahead.ended):
                yield Passed(piece, usage)
                usage = Usage()
            if ahead.ended:
                return
            view.text += await ahead.next()
            reason = view.objection(whole=ahead.ended)
        yield Violation(reason, usage)

    async def _judged(self, judge: Judge, task: Task, view: _View, ahead: _Ahead) -> tuple[str | None, Usage]:
        """The model's objection, or one that comes up in what is written meanwhile, and the cost."""
        judging = asyncio.create_task(self._verdict(judge, task, view.text))
        try:
            while not judging.done():
                waited_for = {judging} if ahead.ended else {judging, ahead.reading()}
                await asyncio.wait(waited_for, return_when=asyncio.FIRST_COMPLETED)
                if ahead.ready:
                    view.text += await ahead.next()
                    if reason := view.objection(whole=ahead.ended):
                        return reason, Usage(model_calls=1)
            return judging.result()
        finally:
            if not judging.done():
                judging.cancel()
                await asyncio.wait({judging})

    async def _verdict(self, judge: Judge, task: Task, draft: str) -> tuple[str | None, Usage]:
        unjudged = "unjudged" if self._policy.fail_closed else None
        try:
            async with asyncio.timeout(self._policy.judge_seconds):
                return await judge.judge(task, draft)
        except TimeoutError:
            log.warning("guardrail.judge_slow", fails_closed=self._policy.fail_closed)
            return unjudged, Usage(model_calls=1)
        except ProviderError as error:
            log.warning("guardrail.judge_failed", provider=error.provider, fails_closed=self._policy.fail_closed)
            return unjudged, error.usage


class _View:
    """A draft as far as it is written, and as far as it has been looked at and released."""

    def __init__(self, screen: Screen, policy: GuardrailPolicy, grounds: Grounds) -> None:
        self._screen = screen
        self._policy = policy
        self._grounds = grounds
        self._looked_at = 0
        self._sentence = 0
        """Where the first sentence begins that was not judged yet."""
        self._released = 0
        self.text = ""

    def objection(self, *, whole: bool) -> str | None:
        """Why it must not be shown, or no longer. What is not whole yet (a word, a sentence) is judged when it is, so
        that in the end the same was judged as if the text had come at once."""
        end = len(self.text) if whole else _last_boundary(self.text, len(self.text))
        if end <= self._looked_at and not whole:
            return None
        phrases = _last_boundary(self.text, self._looked_at - self._policy.window_characters)
        if self._screen.forbidden(self.text[phrases:end]):
            return "stop_word"
        self._looked_at = end
        while (stop := sentence_end(self.text, self._sentence, whole=whole)) is not None and stop <= end:
            sentence = self.text[self._sentence : stop]
            if reason := self._grounds.invented(sentence) or self._grounds.unsupported(sentence):
                return reason
            self._sentence = stop
        return self._grounds.invented(self.text[self._sentence : end])

    def release(self, *, whole: bool) -> str:
        """What may be shown now: all but the tail, to the last boundary between two words of which none is a number."""
        tail = 0 if whole else self._policy.tail_characters
        cut = len(self.text) if whole else _last_boundary(self.text, len(self.text) - tail)
        piece = self.text[self._released : cut]
        self._released = max(self._released, cut)
        return piece


def _last_boundary(text: str, before: int) -> int:
    """The end of the last gap between two words before that place, or 0."""
    if before <= 0:
        return 0
    start = before
    while start > 0:
        start = max(0, start - 200)
        ends = [match.end() for match in _BOUNDARY.finditer(text, start, before)]
        if ends:
            return ends[-1]
    return 0


class _Ahead:
    """Reads pieces one by one, in a task each, so that another thing can be waited for at the same time."""

    def __init__(self, pieces: AsyncIterator[str]) -> None:
        self._pieces = pieces
        self._reading: asyncio.Task[str | None] | None = None
        self.ended = False

    def reading(self) -> asyncio.Task[str | None]:
        if self._reading is None:
            self._reading = asyncio.create_task(self._read())
        return self._reading

    @property
    def ready(self) -> bool:
        return self._reading is not None and self._reading.done()

    async def next(self) -> str:
        """The next piece; an empty one when the text has ended."""
        piece = await self.reading() if self._reading is not None else await self._read()
        self._reading = None
        self.ended = piece is None
        return piece or ""

    async def aclose(self) -> None:
        if self._reading is not None and not self._reading.done():
            self._reading.cancel()
            await asyncio.wait({self._reading})

    async def _read(self) -> str | None:
        return await anext(self._pieces, None)
