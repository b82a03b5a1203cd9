"""Answers written by a model, streamed, as a typed object.

An endpoint that keeps to a schema while it streams writes one JSON object, `answer` first. Any other writes the answer
as text, and describes it in one small structured call afterwards. A known pair of the FAQ costs one call, as text.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

import structlog

from engine.errors import PromptTooLong, ProviderError
from engine.policy import GatePolicy, GenerationPolicy
from engine.ports import ChatModel, ChatStream, Draft, Message, Task
from engine.stages import prompts
from engine.stages.answer_objects import AnswerObject, Remarks
from engine.stages.model_drafts import Describe, ModelDraft
from engine.text.tokens import count_tokens
from engine.types import FaqPair, ScoredChunk, Usage

log = structlog.get_logger()

_RESERVED_TOKENS = 250
_QUESTION_TOKENS = 300
_MESSAGE_TOKENS = 4
_REMARK_TOKENS = 200
_OBJECT_TOKENS = 150
"""What an answer object has around its answer."""
_MARGIN = 0.9
"""Of the window is filled: tokens are estimated."""
_BROKEN_OBJECTS = 2
"""So many in a row, and the endpoint is asked for text from then on."""


class ModelGenerator:
    """Raises ProviderError, on entering or in the middle of the text."""

    def __init__(self, model: ChatModel, policy: GenerationPolicy, gate: GatePolicy) -> None:
        self._model = model
        self._policy = policy
        self._gate = gate
        self._broken_objects = 0

    @asynccontextmanager
    async def write(self, task: Task) -> AsyncGenerator[Draft, None]:
        async with AsyncExitStack() as stack:
            if task.pairs:
                messages, budget = self._few_shot(task)
                stream = await stack.enter_async_context(self._model.stream(messages, max_tokens=budget))
                yield ModelDraft(stream, (), provider=self._model.name)
            else:
                yield await self._from_context(task, stack)

    async def _from_context(self, task: Task, stack: AsyncExitStack) -> ModelDraft:
        abilities = await self._model.abilities()
        as_object = abilities.streams_objects and self._broken_objects < _BROKEN_OBJECTS
        chunks = self._fitting(task, abilities.window, as_object=as_object)
        try:
            stream = await self._begun(task, chunks, stack, as_object=as_object)
        except PromptTooLong:
            # Tokens are estimated; the server has counted them.
            if len(chunks) < 2:
                raise
            chunks = chunks[: len(chunks) // 2]
            log.info("generation.context_halved", model=self._model.name, chunks=len(chunks))
            stream = await self._begun(task, chunks, stack, as_object=as_object)
        if as_object:
            return ModelDraft(stream, chunks, provider=self._model.name, as_object=True, note=self._note_object)
        return ModelDraft(stream, chunks, provider=self._model.name, describe=self._describing(task, chunks))

    async def _begun(
        self, task: Task, chunks: Sequence[ScoredChunk], stack: AsyncExitStack, *, as_object: bool
    ) -> ChatStream:
        messages = prompts.answer(task.question.text, task.language, chunks, task.earlier, as_object=as_object)
        budget = self._policy.answer_tokens + (_OBJECT_TOKENS if as_object else 0)
        schema = AnswerObject if as_object else None
        return await stack.enter_async_context(self._model.stream(messages, max_tokens=budget, schema=schema))

    def _fitting(self, task: Task, window: int, *, as_object: bool) -> tuple[ScoredChunk, ...]:
        """The best chunks that fit the policy's budget and the window beside instructions and answer; one always."""
        bare = prompts.answer(task.question.text, task.language, (), task.earlier, as_object=as_object)
        answer = self._policy.answer_tokens + (_OBJECT_TOKENS if as_object else 0)
        left = int(window * _MARGIN) - answer - _tokens(bare)
        return _within(task.evidence.chunks, min(self._policy.context_tokens, left))

    def _describing(self, task: Task, chunks: Sequence[ScoredChunk]) -> Describe:
        async def describe(draft: str) -> tuple[Remarks | None, Usage]:
            asked = prompts.remarks(task.question.text, task.language, chunks, draft)
            try:
                async with asyncio.timeout(self._policy.remarks_seconds):
                    return await self._model.structured(asked, Remarks, max_tokens=_REMARK_TOKENS, attempts=1)
            except TimeoutError:
                return None, Usage(model_calls=1, prompt_tokens=_tokens(asked))
            except ProviderError as failure:
                return None, failure.usage

        return describe

    def _note_object(self, whole: bool) -> None:
        self._broken_objects = 0 if whole else self._broken_objects + 1
        if self._broken_objects == _BROKEN_OBJECTS:
            log.warning("generation.asks_for_text", model=self._model.name)

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
        return messages, self._gate.few_shot_tokens - _tokens(messages)


def _tokens(messages: Sequence[Message]) -> int:
    return sum(count_tokens(message.content) + _MESSAGE_TOKENS for message in messages)


def _within(chunks: Sequence[ScoredChunk], tokens: int) -> tuple[ScoredChunk, ...]:
    """The best chunks that fit the budget; the first one always."""
    kept: list[ScoredChunk] = []
    for scored in chunks:
        tokens -= count_tokens(scored.chunk.text) + count_tokens(scored.chunk.header)
        if kept and tokens < 0:
            break
        kept.append(scored)
    return tuple(kept)


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
