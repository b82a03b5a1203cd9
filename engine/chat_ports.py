"""The interface of chat models. Part of `engine.ports`, which is where it is imported from."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from pydantic import BaseModel

from engine.types import Usage

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


class ChatStream(Protocol):
    """A streamed completion: iterate its text once, then read what it cost."""

    def __aiter__(self) -> AsyncIterator[str]: ...

    @property
    def usage(self) -> Usage: ...

    @property
    def truncated(self) -> bool:
        """The model was stopped by its token limit."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """What an endpoint can do."""

    streams_objects: bool
    """It keeps to a JSON schema while it streams."""
    window: int
    """Tokens of prompt and answer together."""


class ChatModel(Protocol):
    @property
    def name(self) -> str: ...

    async def abilities(self) -> Abilities:
        """Found out by a small request the first time, then remembered. Raises ProviderError."""
        ...

    def stream(
        self, messages: Sequence[Message], *, max_tokens: int, schema: type[BaseModel] | None = None
    ) -> AbstractAsyncContextManager[ChatStream]:
        """With a schema, the text is asked to be one JSON object of it; it comes as text all the same, unchecked."""
        ...

    async def structured(
        self, messages: Sequence[Message], schema: type[T], *, max_tokens: int, attempts: int = 2
    ) -> tuple[T, Usage]:
        """One object of the schema. Raises ProviderRejected when the model does not produce one in so many replies."""
        ...
