"""Answers written by a model, streamed as text with source marks like [1]."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager

from engine.policy import GatePolicy, GenerationPolicy
from engine.ports import ChatModel, ChatStream, Draft, Message, Task
from engine.stages import prompts
from engine.text.tokens import count_tokens
from engine.types import FaqPair, ScoredChunk, Written

_MARK = re.compile(r"\[(\d{1,2})\]")
_OPEN_MARK = re.compile(r"\s*\[\d{0,2}$|\s+$")
_RESERVED_TOKENS = 250


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
        while True:
            messages = prompts.adjacent(task.question.text, task.language, pairs)
            room = self._gate.few_shot_tokens - sum(count_tokens(message.content) + 4 for message in messages)
            if room >= _RESERVED_TOKENS or len(pairs) <= 1:
                return messages, max(room, 1)
            pairs = pairs[:-1]


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
            if prompts.NO_ANSWER.startswith(self._whole.strip()[: len(prompts.NO_ANSWER)]):
                continue
            settled = _OPEN_MARK.sub("", self._whole)
            text = _MARK.sub("", settled)
            yield text[shown:]
            shown = len(text)
        rest = _MARK.sub("", self._whole)[shown:]
        if rest and self._whole.strip() != prompts.NO_ANSWER:
            yield rest

    def __aiter__(self) -> AsyncIterator[str]:
        return self._text()

    @property
    def written(self) -> Written:
        declined = prompts.NO_ANSWER in self._whole or not self._whole.strip()
        numbers = [int(number) - 1 for number in _MARK.findall(self._whole)]
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
