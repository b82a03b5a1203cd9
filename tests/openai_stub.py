"""An OpenAI-compatible endpoint inside the test: answers prepared one by one, requests kept."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Sequence
from typing import Any

import httpx2

Prepared = httpx2.Response | Exception
URL = "http://stub.test/v1"


class OpenAIStub:
    """Pass `client` to what is tested. The last prepared answer is given again and again."""

    def __init__(self, *prepared: Prepared) -> None:
        self._prepared = deque(prepared)
        self.requests: list[dict[str, Any]] = []
        self.client = httpx2.AsyncClient(transport=httpx2.MockTransport(self._handle))

    async def _handle(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(json.loads(request.content))
        prepared = self._prepared.popleft() if len(self._prepared) > 1 else self._prepared[0]
        if isinstance(prepared, Exception):
            raise prepared
        return prepared


def completion(text: str | None, *, finish: str = "stop", usage: tuple[int, int] | None = (12, 5)) -> httpx2.Response:
    body: dict[str, Any] = {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "stub",
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}],
    }
    if usage:
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    return httpx2.Response(200, json=body)


def refusal(status: int, message: str, headers: dict[str, str] | None = None, **fields: str) -> httpx2.Response:
    return httpx2.Response(status, json={"error": {"message": message, **fields}}, headers=headers)


def frame(content: str | None = None, *, finish: str | None = None, **delta: Any) -> dict[str, Any]:
    if content is not None:
        delta["content"] = content
    return {
        "id": "1",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "stub",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


END = frame(finish="stop")
USAGE = {
    "id": "1",
    "object": "chat.completion.chunk",
    "created": 0,
    "model": "stub",
    "choices": [],
    "usage": {"prompt_tokens": 30, "completion_tokens": 7, "total_tokens": 37},
}


def streamed(*steps: dict[str, Any] | str | Exception | asyncio.Event, done: bool = True) -> httpx2.Response:
    """Frames, raw lines, failures of the connection, and waits; `[DONE]` at the end unless the server forgets it."""
    return httpx2.Response(
        200, headers={"content-type": "text/event-stream"}, stream=_Body([*steps, *(["data: [DONE]"] if done else [])])
    )


class _Body(httpx2.AsyncByteStream):
    def __init__(self, steps: Sequence[dict[str, Any] | str | Exception | asyncio.Event]) -> None:
        self._steps = steps
        self.closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for step in self._steps:
            match step:
                case dict():
                    yield f"data: {json.dumps(step)}\n\n".encode()
                case str():
                    yield f"{step}\n\n".encode()
                case Exception():
                    raise step
                case _:
                    await step.wait()

    async def aclose(self) -> None:
        self.closed = True
