"""Several chat models as one: the first that can be asked answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeVar

import structlog
from pydantic import BaseModel

from engine.errors import ProviderError
from engine.ports import Abilities, ChatModel, ChatStream, Message
from engine.types import Usage

log = structlog.get_logger()

T = TypeVar("T", bound=BaseModel)


class ChatChain:
    """Asks the next model when one fails before it has said anything; what failures cost is counted.

    A stream that breaks after its first text is its reader's to deal with: only the reader knows what was shown.
    """

    def __init__(self, models: Sequence[ChatModel]) -> None:
        """At least one model, in order of preference."""
        self._models = tuple(models)

    @property
    def name(self) -> str:
        return self._models[0].name

    async def abilities(self) -> Abilities:
        for model in self._models[:-1]:
            try:
                return await model.abilities()
            except ProviderError as failure:
                _note(failure)
        return await self._models[-1].abilities()

    @asynccontextmanager
    async def stream(
        self, messages: Sequence[Message], *, max_tokens: int, schema: type[BaseModel] | None = None
    ) -> AsyncIterator[ChatStream]:
        async with AsyncExitStack() as stack:
            yield await self._entered(stack, messages, max_tokens, schema)

    async def _entered(
        self, stack: AsyncExitStack, messages: Sequence[Message], max_tokens: int, schema: type[BaseModel] | None
    ) -> ChatStream:
        for model in self._models[:-1]:
            try:
                return await stack.enter_async_context(model.stream(messages, max_tokens=max_tokens, schema=schema))
            except ProviderError as failure:
                _note(failure)
        return await stack.enter_async_context(self._models[-1].stream(messages, max_tokens=max_tokens, schema=schema))

    async def structured(
        self, messages: Sequence[Message], schema: type[T], *, max_tokens: int, attempts: int = 2
    ) -> tuple[T, Usage]:
        spent = Usage()
        for model in self._models[:-1]:
            try:
                found, usage = await model.structured(messages, schema, max_tokens=max_tokens, attempts=attempts)
            except ProviderError as failure:
                _note(failure)
                spent += failure.usage
            else:
                return found, spent + usage
        try:
            found, usage = await self._models[-1].structured(messages, schema, max_tokens=max_tokens, attempts=attempts)
        except ProviderError as failure:
            failure.usage += spent
            raise
        return found, spent + usage


def _note(failure: ProviderError) -> None:
    log.warning("model.next_asked", provider=failure.provider, failure=type(failure).__name__)
