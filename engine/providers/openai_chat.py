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

from engine.errors import ProviderRejected
from engine.ports import Message
from engine.providers.json_replies import NotTheObject, parse_reply
from engine.providers.openai_dialect import Dialect, JsonForm, refuses_format
from engine.providers.openai_endpoint import OPENAI_URL, Endpoint
from engine.providers.openai_stream import Frames, OpenAIStream, usage_told
from engine.providers.thinking import ThoughtFilter
from engine.text.tokens import count_tokens
from engine.types import Usage

if TYPE_CHECKING:
    import httpx2

__all__ = ["OPENAI_URL", "OpenAIChat"]

T = TypeVar("T", bound=BaseModel)

_MESSAGE_OVERHEAD = 4
"""Tokens that a chat template spends around each message."""
_QUOTED_CHARACTERS = 2000


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
        http_client: httpx2.AsyncClient | None = None,
    ) -> None:
        """Times are in seconds: for a whole structured reply, for a stream's first text (the request included), for
        the pause between pieces of it, and for the longest rate limit that is waited for before another attempt."""
        self._model = model
        self._temperature = temperature
        self._first_token_timeout = first_token_timeout
        self._pause_timeout = pause_timeout
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

    @asynccontextmanager
    async def stream(self, messages: Sequence[Message], *, max_tokens: int) -> AsyncIterator[OpenAIStream]:
        """Leaving the context early ends the request, so that the endpoint stops generating."""
        first_deadline = asyncio.get_running_loop().time() + self._first_token_timeout
        options = self._options(messages, max_tokens) | {"stream": True, "stream_options": {"include_usage": True}}
        frames: Frames = await self._endpoint.call(lambda: self._create(options), within=self._first_token_timeout)
        thoughts = ThoughtFilter(starts_inside=self._thinks_unopened)
        try:
            yield OpenAIStream(
                self._endpoint,
                frames,
                thoughts,
                first_deadline=first_deadline,
                pause=self._pause_timeout,
                prompt_tokens=_estimated(messages),
            )
        finally:
            self._thinks_unopened = self._thinks_unopened or thoughts.unopened
            await frames.close()

    async def structured(self, messages: Sequence[Message], schema: type[T], *, max_tokens: int) -> tuple[T, Usage]:
        """One object of the schema; a reply that is none is sent back once, with what is wrong about it."""
        reply = await self._object_reply(messages, schema, max_tokens)
        try:
            return _parsed(reply, schema), reply.usage
        except NotTheObject as problem:
            again = [*messages, *_complaint(reply, problem)]
        second = await self._object_reply(again, schema, max_tokens)
        usage = reply.usage + second.usage
        try:
            return _parsed(second, schema), usage
        except NotTheObject as problem:
            what = f"no {schema.__name__} in two replies: {problem}"
            raise ProviderRejected(self._endpoint.provider, what) from problem

    async def aclose(self) -> None:
        await self._endpoint.aclose()

    async def _object_reply(self, messages: Sequence[Message], schema: type[BaseModel], max_tokens: int) -> _Reply:
        completion = await self._endpoint.call(lambda: self._create_object(messages, schema, max_tokens))
        return self._reply(completion, messages)

    async def _create_object(self, messages: Sequence[Message], schema: type[BaseModel], max_tokens: int) -> object:
        """Ask for JSON in the surest way that the endpoint accepts for this schema."""
        forms = self._dialect.json_forms(schema.__name__)
        for form in forms:
            try:
                completion = await self._create(self._object_options(messages, schema, max_tokens, form))
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
        text = getattr(getattr(choices[0], "message", None), "content", None)
        said = text if isinstance(text, str) else ""
        thoughts = ThoughtFilter()
        answer = thoughts.feed(said) + thoughts.finish()
        self._thinks_unopened = self._thinks_unopened or thoughts.unopened
        usage = usage_told(completion) or Usage(
            model_calls=1, prompt_tokens=_estimated(messages), completion_tokens=count_tokens(said)
        )
        truncated = getattr(choices[0], "finish_reason", None) == "length"
        return _Reply(answer.strip(), usage, truncated)


def _parsed(reply: _Reply, schema: type[T]) -> T:
    if reply.truncated:
        # The part that arrived may hold a smaller object that fits by chance.
        raise NotTheObject("the reply was cut off by the token limit; be brief")
    return parse_reply(reply.text, schema)


def _complaint(reply: _Reply, problem: NotTheObject) -> list[Message]:
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
