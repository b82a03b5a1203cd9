"""A streamed completion of an OpenAI-compatible endpoint, as text."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from openai import AsyncStream
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from engine.errors import ProviderError, ProviderRejected, ProviderTimeout
from engine.providers.openai_endpoint import Endpoint
from engine.providers.prices import Prices
from engine.providers.thinking import ThoughtFilter
from engine.text.tokens import count_tokens
from engine.types import Usage

Frames = AsyncStream[ChatCompletionChunk]


class OpenAIStream:
    """Iterate its text once; `usage` and `truncated` count from the end of the text on, or from where it was left.

    Frames without text (a role, null, usage, a thought in a field of its own) do not put off the deadline: an asker
    waits for text.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        frames: Frames,
        thoughts: ThoughtFilter,
        *,
        first_deadline: float,
        pause: float,
        prompt_tokens: int,
        prices: Prices,
        object_wanted: bool = False,
    ) -> None:
        """`first_deadline` is by the event loop's clock, `pause` in seconds, `prompt_tokens` an estimate.

        Some servers put an object that was asked for into the field for thoughts; with `object_wanted`, what stands
        there is the text when there is no other. A text for people is never taken from there.
        """
        self._endpoint = endpoint
        self._frames = frames
        self._thoughts = thoughts
        self._first_deadline = first_deadline
        self._pause = pause
        self._estimated_prompt = prompt_tokens
        self._prices = prices
        self._object_wanted = object_wanted
        self._reasoned: list[str] = []
        self._received: list[str] = []
        self._told_usage: Usage | None = None
        self._finish_reason: str | None = None
        self._begun = False
        self._ended = False

    @property
    def truncated(self) -> bool:
        """The model was stopped by its token limit."""
        return self._finish_reason == "length"

    @property
    def usage(self) -> Usage:
        """As the endpoint told it, or estimated when it did not, or not yet."""
        if self._told_usage is not None:
            return self._prices.charged(self._told_usage)
        completion = count_tokens("".join(self._received) + "".join(self._reasoned))
        return self._prices.charged(
            Usage(model_calls=1, prompt_tokens=self._estimated_prompt, completion_tokens=completion)
        )

    def __aiter__(self) -> AsyncIterator[str]:
        return self

    async def __anext__(self) -> str:
        try:
            return await self._next_text()
        except ProviderError as failure:
            self._endpoint.breaker.failed(failure)
            raise

    async def _next_text(self) -> str:
        deadline = asyncio.get_running_loop().time() + self._pause if self._begun else self._first_deadline
        while not self._ended:
            frame = await self._next_frame(deadline)
            text = self._last_text() if frame is None else self._text_of(frame)
            if text:
                if not self._begun:
                    self._begun = True
                    self._endpoint.breaker.succeeded()
                return text
        if not self._begun:
            raise ProviderRejected(self._endpoint.provider, "the model gave no text")
        raise StopAsyncIteration

    async def _next_frame(self, deadline: float) -> ChatCompletionChunk | None:
        try:
            with self._endpoint.failures_told():
                async with asyncio.timeout_at(deadline):
                    return await anext(self._frames)
        except StopAsyncIteration:
            return None
        except TimeoutError:
            reason = "paused too long within an answer" if self._begun else "did not begin to answer in time"
            raise ProviderTimeout(self._endpoint.provider, reason) from None

    def _text_of(self, frame: ChatCompletionChunk) -> str:
        """What a frame adds to the answer. Frames are not validated by the client, so nothing is taken for granted."""
        self._note_usage(frame)
        choices = getattr(frame, "choices", None)
        if not isinstance(choices, list) or not choices:
            return ""
        self._finish_reason = getattr(choices[0], "finish_reason", None) or self._finish_reason
        delta = getattr(choices[0], "delta", None)
        if thought := reasoning_in(delta):
            self._reasoned.append(thought)
        piece = getattr(delta, "content", None)
        if not isinstance(piece, str):
            return ""
        self._received.append(piece)
        text = self._thoughts.feed(piece)
        if self._thoughts.too_late:
            raise ProviderRejected(self._endpoint.provider, "what it said so far was a thought, not an answer")
        return text

    def _note_usage(self, frame: ChatCompletionChunk) -> None:
        self._told_usage = usage_told(frame) or self._told_usage

    def _last_text(self) -> str:
        self._ended = True
        if self._finish_reason is None and self._told_usage is None:
            raise ProviderError(self._endpoint.provider, "the answer broke off")
        if self._finish_reason == "content_filter":
            raise ProviderRejected(self._endpoint.provider, "the provider's content filter stopped the answer")
        rest = self._thoughts.finish(cut_off=self.truncated)
        if self._object_wanted and not self._begun and not rest.strip():
            return "".join(self._reasoned)
        return rest


def reasoning_in(message: object) -> str:
    """What stands in the field for thoughts, which has two names."""
    for name in ("reasoning_content", "reasoning"):
        thought = getattr(message, name, None)
        if isinstance(thought, str) and thought:
            return thought
    return ""


def usage_told(answer: ChatCompletionChunk | ChatCompletion) -> Usage | None:
    """What the call cost by the endpoint's own account, if it gave one."""
    usage = getattr(answer, "usage", None)
    prompt, completion = getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)
    if not isinstance(prompt, int) or not isinstance(completion, int):
        return None
    return Usage(model_calls=1, prompt_tokens=prompt, completion_tokens=completion)
