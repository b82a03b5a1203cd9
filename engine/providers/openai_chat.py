"""A chat model behind any OpenAI-compatible endpoint: OpenAI, vLLM, Ollama, llama.cpp's server, ..."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import openai
from openai.types.chat import ChatCompletion
from pydantic import BaseModel, SecretStr

from engine.errors import ProviderError, ProviderRejected
from engine.ports import Abilities, Message
from engine.providers.openai_dialect import Dialect, JsonForm, refuses_format
from engine.providers.openai_endpoint import OPENAI_URL, Endpoint
from engine.providers.openai_probe import Contract, find_abilities
from engine.providers.openai_stream import Frames, OpenAIStream, reasoning_in, usage_told
from engine.providers.prices import Prices
from engine.providers.thinking import ThoughtFilter
from engine.text.json_replies import NotTheObject, parse_reply
from engine.text.tokens import count_tokens
from engine.types import Usage

if TYPE_CHECKING:
    import httpx2

__all__ = ["OPENAI_URL", "OpenAIChat"]

T = TypeVar("T", bound=BaseModel)

_MESSAGE_OVERHEAD = 4
"""Tokens that a chat template spends around each message."""
_QUOTED_CHARACTERS = 2000
_STREAMING = {"stream": True, "stream_options": {"include_usage": True}}


@dataclass(frozen=True, slots=True)
class _Reply:
    text: str
    usage: Usage
    truncated: bool


class OpenAIChat:
    """Learns what its endpoint does not understand (`Dialect`) and whether its model thinks aloud, and remembers it."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str = OPENAI_URL,
        api_key: SecretStr | None = None,
        temperature: float | None = 0.0,
        timeout: float = 60.0,
        first_token_timeout: float = 30.0,
        pause_timeout: float = 15.0,
        attempts: int = 2,
        patience: float = 2.0,
        window: int = 8192,
        contract: Contract = "auto",
        prices: Prices | None = None,
        http_client: httpx2.AsyncClient | None = None,
    ) -> None:
        """Times are in seconds: for a whole structured reply, for a stream's first text (the request included), for
        the pause between pieces of it, and for the longest rate limit that is waited for before another attempt.
        `window` is in tokens, of prompt and answer together; a smaller one that the endpoint tells of counts."""
        self._model = model
        self._temperature = temperature
        self._first_token_timeout = first_token_timeout
        self._pause_timeout = pause_timeout
        self._window = window
        self._contract = contract
        self._prices = prices or Prices()
        self._abilities: Abilities | None = None
        self._finding_out = asyncio.Lock()
        self._not_found_out: tuple[float, ProviderError] | None = None
        self._dialect = Dialect()
        self._thinks_unopened = False
        self._endpoint = Endpoint(
            model,
            base_url=base_url,
            api_key=api_key,
            timeout=timeout,
            attempts=attempts,
            patience=patience,
            http_client=http_client,
        )

    @property
    def name(self) -> str:
        return self._model

    async def abilities(self) -> Abilities:
        began = asyncio.get_running_loop().time()
        async with self._finding_out:
            if self._abilities is not None:
                return self._abilities
            if self._not_found_out and self._not_found_out[0] > began:
                # Who waited for an attempt that failed does not wait for one of its own.
                raise self._not_found_out[1].with_traceback(None)
            try:
                self._abilities = await find_abilities(self, self._endpoint, self._contract, self._window)
            except ProviderError as failure:
                self._not_found_out = (asyncio.get_running_loop().time(), failure)
                raise
            return self._abilities

    @asynccontextmanager
    async def stream(
        self, messages: Sequence[Message], *, max_tokens: int, schema: type[BaseModel] | None = None
    ) -> AsyncIterator[OpenAIStream]:
        """Leaving the context early ends the request, so that the endpoint stops generating."""
        first_deadline = asyncio.get_running_loop().time() + self._first_token_timeout
        frames: Frames = await self._endpoint.call(
            lambda: self._create_stream(messages, schema, max_tokens), within=self._first_token_timeout
        )
        thoughts = ThoughtFilter(starts_inside=self._thinks_unopened)
        try:
            yield OpenAIStream(
                self._endpoint,
                frames,
                thoughts,
                first_deadline=first_deadline,
                pause=self._pause_timeout,
                prompt_tokens=_estimated(messages),
                prices=self._prices,
                object_wanted=schema is not None,
            )
        finally:
            self._thinks_unopened = self._thinks_unopened or thoughts.unopened
            await frames.close()

    async def structured(
        self, messages: Sequence[Message], schema: type[T], *, max_tokens: int, attempts: int = 2
    ) -> tuple[T, Usage]:
        """One object of the schema; a reply that is none is sent back, with what is wrong about it."""
        asked, usage, problem = messages, Usage(), ""
        for _ in range(attempts):
            try:
                reply = await self._object_reply(asked, schema, max_tokens)
            except ProviderError as failure:
                failure.usage += usage
                raise
            usage += reply.usage
            try:
                return _parsed(reply, schema), usage
            except NotTheObject as mismatch:
                problem = str(mismatch)
                asked = [*messages, *_complaint(reply, problem)]
        what = f"no {schema.__name__} in {attempts} {'reply' if attempts == 1 else 'replies'}: {problem}"
        raise ProviderRejected(self._endpoint.provider, what, usage=usage)

    async def aclose(self) -> None:
        await self._endpoint.aclose()

    async def _create_stream(
        self, messages: Sequence[Message], schema: type[BaseModel] | None, max_tokens: int
    ) -> Frames:
        if schema is None:
            frames = await self._create(self._options(messages, max_tokens) | _STREAMING)
        else:
            frames = await self._create_object(messages, schema, max_tokens, _STREAMING)
        if not isinstance(frames, openai.AsyncStream):
            raise ProviderRejected(self._endpoint.provider, "answered something that is not a stream")
        return frames

    async def _object_reply(self, messages: Sequence[Message], schema: type[BaseModel], max_tokens: int) -> _Reply:
        completion = await self._endpoint.call(lambda: self._create_object(messages, schema, max_tokens, {}))
        self._endpoint.breaker.succeeded()
        return self._reply(completion, messages)

    async def _create_object(
        self, messages: Sequence[Message], schema: type[BaseModel], max_tokens: int, options: Mapping[str, Any]
    ) -> object:
        """Ask for JSON in the surest way that the endpoint accepts for this schema."""
        forms = self._dialect.json_forms(schema.__name__)
        for form in forms:
            try:
                asked = self._object_options(messages, schema, max_tokens, form) | dict(options)
                completion = await self._create(asked)
            except openai.APIStatusError as refusal:
                if form == forms[-1] or not refuses_format(refusal):
                    raise
            else:
                self._dialect.works(schema.__name__, form)
                return completion
        raise AssertionError("the last form raises or returns")

    async def _create(self, options: Mapping[str, Any]) -> Any:
        return await self._dialect.send(self._endpoint.client.chat.completions.create, options)

    def _options(self, messages: Sequence[Message], max_tokens: int) -> dict[str, Any]:
        options: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            "max_tokens": max_tokens,
        }
        return options if self._temperature is None else options | {"temperature": self._temperature}

    def _object_options(
        self, messages: Sequence[Message], schema: type[BaseModel], max_tokens: int, form: JsonForm
    ) -> dict[str, Any]:
        strict_schema = openai.pydantic_function_tool(schema)["function"]["parameters"]
        match form:
            case "json_schema":
                named = {"name": schema.__name__, "strict": True, "schema": strict_schema}
                return self._options(messages, max_tokens) | {
                    "response_format": {"type": "json_schema", "json_schema": named}
                }
            case "json_object":
                return self._options(_with_schema(messages, strict_schema), max_tokens) | {
                    "response_format": {"type": "json_object"}
                }
            case "text":
                return self._options(_with_schema(messages, strict_schema), max_tokens)

    def _reply(self, completion: object, messages: Sequence[Message]) -> _Reply:
        """The client does not validate what it gets: a web page instead of JSON arrives here as a string."""
        choices = getattr(completion, "choices", None)
        if not isinstance(completion, ChatCompletion) or not isinstance(choices, list) or not choices:
            raise ProviderRejected(self._endpoint.provider, "answered something that is not a completion")
        message = getattr(choices[0], "message", None)
        text = getattr(message, "content", None)
        said = text if isinstance(text, str) else ""
        thoughts = ThoughtFilter()
        answer = thoughts.feed(said) + thoughts.finish()
        self._thinks_unopened = self._thinks_unopened or thoughts.unopened
        usage = usage_told(completion) or Usage(
            model_calls=1, prompt_tokens=_estimated(messages), completion_tokens=count_tokens(said)
        )
        truncated = getattr(choices[0], "finish_reason", None) == "length"
        return _Reply(answer.strip() or reasoning_in(message), self._prices.charged(usage), truncated)


def _parsed(reply: _Reply, schema: type[T]) -> T:
    if reply.truncated:
        # The part that arrived may hold a smaller object that fits by chance.
        raise NotTheObject("the reply was cut off by the token limit; be brief")
    return parse_reply(reply.text, schema)


def _complaint(reply: _Reply, problem: str) -> list[Message]:
    complaint = (
        f"This is not the object that was asked for: {problem}. Reply with that one JSON object and nothing else."
    )
    return [Message("assistant", reply.text[:_QUOTED_CHARACTERS] or "..."), Message("user", complaint)]


def _with_schema(messages: Sequence[Message], schema: object) -> list[Message]:
    """The schema in words, in the last message: many chat templates refuse a second system message."""
    request = "Reply with one JSON object that fits this JSON schema, and nothing else:\n" + json.dumps(
        schema, ensure_ascii=False
    )
    *earlier, last = messages
    return [*earlier, replace(last, content=f"{last.content}\n\n{request}")]


def _estimated(messages: Sequence[Message]) -> int:
    return sum(count_tokens(message.content) + _MESSAGE_OVERHEAD for message in messages)
