"""Answers written by a model, streamed as text with source marks like [1]."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from engine.policy import GatePolicy, GenerationPolicy
from engine.ports import ChatModel, ChatStream, Draft, Message, Task
from engine.stages import prompts
from engine.text.tokens import count_tokens
from engine.types import FaqPair, ScoredChunk, Written

_MARK = re.compile(r"\s*\[(\d{1,2}(?: ?[,;] ?\d{1,2}){0,7})\]")
_NO_ANSWER = re.compile(rf"\s*{prompts.NO_ANSWER}")
# The end of a text that the next piece may turn into one of the two.
_OPEN_END = re.compile(
    r"(?:\s*\[[\d ,;]{0,40}|\s*(?:"
    + "|".join(prompts.NO_ANSWER[:length] for length in range(1, len(prompts.NO_ANSWER)))
    + r")|\s+)$"
)
_WORD = re.compile(r"\w")
_RESERVED_TOKENS = 250
_QUESTION_TOKENS = 300


class ModelGenerator:
    """Raises ProviderError, on entering or in the middle of the text."""

    def __init__(self, model: ChatModel, policy: GenerationPolicy, gate: GatePolicy) -> None:
        self._model = model
        self._policy = policy
        self._gate = gate

    @asynccontextmanager
    async def write(self, task: Task) -> AsyncGenerator[Draft, None]:
        chunks = _within(task.evidence.chunks, self._policy.context_tokens)
        if task.pairs:
            messages, budget = self._few_shot(task)
        else:
            messages = prompts.answer(task.question.text, task.language, chunks, task.earlier)
            budget = self._policy.answer_tokens
        async with self._model.stream(messages, max_tokens=budget) as stream:
            yield ModelDraft(stream, chunks)

    def _few_shot(self, task: Task) -> tuple[list[Message], int]:
        """As many pairs as fit, with room left for the answer, into the budget of the whole call."""
        pairs: Sequence[FaqPair] = task.pairs[: self._gate.few_shot_pairs]
        messages, room = self._with_room(task, pairs)
        while room < _RESERVED_TOKENS and len(pairs) > 1:
            pairs = pairs[:-1]
            messages, room = self._with_room(task, pairs)
        if room < _RESERVED_TOKENS:
            allowed = count_tokens(pairs[0].answer) - (_RESERVED_TOKENS - room)
            messages, room = self._with_room(task, [replace(pairs[0], answer=_shortened(pairs[0].answer, allowed))])
        return messages, max(room, 1)

    def _with_room(self, task: Task, pairs: Sequence[FaqPair]) -> tuple[list[Message], int]:
        question = _shortened(task.question.text, _QUESTION_TOKENS)
        messages = prompts.adjacent(question, task.language, pairs)
        return messages, self._gate.few_shot_tokens - sum(count_tokens(message.content) + 4 for message in messages)


class ModelDraft:
    """The model's text without its source marks, which become `written.cited`."""

    def __init__(self, stream: ChatStream, chunks: Sequence[ScoredChunk]) -> None:
        self._stream = stream
        self._chunks = chunks
        self._whole = ""

    async def _text(self) -> AsyncGenerator[str, None]:
        shown = 0
        async for piece in self._stream:
            self._whole += piece
            text = _without_marks(_OPEN_END.sub("", self._whole))
            # Nothing begins with mere punctuation: it may be what surrounds a NO_ANSWER.
            if len(text) > shown and _WORD.search(text):
                yield text[shown:]
                shown = len(text)
        text = _without_marks(self._whole)
        if text[shown:].strip() and _WORD.search(text):
            yield text[shown:]

    def __aiter__(self) -> AsyncIterator[str]:
        return self._text()

    @property
    def written(self) -> Written:
        declined = prompts.NO_ANSWER in self._whole or not self._whole.strip()
        marks = " ".join(_MARK.findall(self._whole))
        numbers = [int(number) - 1 for number in re.findall(r"\d+", marks)]
        cited = [self._chunks[number].chunk.id for number in numbers if 0 <= number < len(self._chunks)]
        if not cited and self._chunks and not declined:
            cited = [self._chunks[0].chunk.id]
        return Written(
            completeness="incomplete" if declined else "complete",
            cited=tuple(dict.fromkeys(cited)),
            usage=self._stream.usage,
        )


def _within(chunks: Sequence[ScoredChunk], tokens: int) -> tuple[ScoredChunk, ...]:
    """The best chunks that fit the budget; the first one always."""
    kept: list[ScoredChunk] = []
    for scored in chunks:
        tokens -= count_tokens(scored.chunk.text) + count_tokens(scored.chunk.header)
        if kept and tokens < 0:
            break
        kept.append(scored)
    return tuple(kept)


def _without_marks(text: str) -> str:
    return _MARK.sub("", _NO_ANSWER.sub("", text)).lstrip()


def _shortened(text: str, tokens: int) -> str:
    """The text, or as many of its first words as have no more tokens."""
    if count_tokens(text) <= tokens:
        return text
    end = 0
    for match in re.finditer(r"\S+", text):
        tokens -= count_tokens(match.group())
        if tokens < 1:  # one is for the mark of the cut
            break
        end = match.end()
    return f"{text[:end]}…"
