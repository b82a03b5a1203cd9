"""Finds out what an OpenAI-compatible endpoint can do: whether it keeps to a schema while streaming, and its window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Annotated, Literal, Protocol

import openai
import structlog
from pydantic import BaseModel, Field

from engine.errors import ProviderError, ProviderRejected
from engine.ports import Abilities, ChatStream, Message
from engine.providers.openai_endpoint import Endpoint
from engine.text.json_replies import NotTheObject, parse_reply

log = structlog.get_logger()

Contract = Literal["auto", "object", "text"]
"""How an answer is asked for: as one JSON object, as text that is described afterwards, or as the probe advises."""

_PROBE_TOKENS = 120
_LIST_SECONDS = 5.0
_WINDOW_NAMES = ("n_ctx", "max_model_len", "max_context_length", "context_length", "context_window")


class Probed(BaseModel):
    """Like an answer, only smaller; the first field must come first."""

    answer: Annotated[str, Field(max_length=40)]
    complete: bool


class Streaming(Protocol):
    def stream(
        self, messages: Sequence[Message], *, max_tokens: int, schema: type[BaseModel] | None = None
    ) -> AbstractAsyncContextManager[ChatStream]: ...


async def find_abilities(chat: Streaming, endpoint: Endpoint, contract: Contract, window: int) -> Abilities:
    """`window` is what the settings say. Raises ProviderError when the endpoint cannot be asked."""
    streams_objects = await _streams_objects(chat) if contract == "auto" else contract == "object"
    told = await _window_told(endpoint)
    if told is not None and told < window:
        log.warning("model.window_smaller", provider=endpoint.provider, set=window, told=told)
    log.info("model.probed", provider=endpoint.provider, streams_objects=streams_objects, window=told)
    return Abilities(streams_objects=streams_objects, window=min(window, told or window))


async def _streams_objects(chat: Streaming) -> bool:
    asked = [Message("system", "Reply with a JSON object."), Message("user", 'Say "ready" as a complete answer.')]
    try:
        async with chat.stream(asked, max_tokens=_PROBE_TOKENS, schema=Probed) as stream:
            said = "".join([piece async for piece in stream])
        parse_reply(said, Probed)
    except (ProviderRejected, NotTheObject):
        return False
    # An object after other words, or behind a fence, shows that the schema did not bind the model.
    return said.lstrip().startswith("{") and said.find('"answer"') < said.find('"complete"')


async def _window_told(endpoint: Endpoint) -> int | None:
    """The window of the model, where its endpoint tells it in the list of models; each server has its own field."""
    try:
        listed = await endpoint.call(lambda: _models(endpoint), within=_LIST_SECONDS)
    except ProviderError:
        return None
    same = [model for model in listed if model.id == endpoint.model]
    for model in same or (listed if len(listed) == 1 else []):
        for told in _numbers(model.model_extra):
            return told
    return None


async def _models(endpoint: Endpoint) -> list[openai.types.Model]:
    return [model async for model in endpoint.client.models.list()]


def _numbers(fields: object) -> Iterator[int]:
    if not isinstance(fields, dict):
        return
    for name in _WINDOW_NAMES:
        if isinstance(told := fields.get(name), int) and told > 0:
            yield told
    yield from _numbers(fields.get("meta"))
