"""A server that speaks OpenAI's protocol over real sockets and says, or fails to say, what its script tells it.

`ScriptedServer` runs in the test's own event loop. `python -m tests.scripted_server` serves the same answer again and
again in a process of its own, for benchmarks.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.openai_stub import END, USAGE, frame
from tests.server_process import READY

Step = dict[str, Any] | str | float | Literal["drop"]
"""A frame, a raw line, a pause in seconds, or the end of the connection without a word."""
DROP: Literal["drop"] = "drop"


@dataclass(frozen=True, slots=True)
class Scripted:
    """A streamed reply of steps, or one `body` with its status."""

    steps: Sequence[Step] = ()
    body: dict[str, Any] | None = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])


def saying(*pieces: str, delay: float = 0.0, end: Sequence[Step] = (END, USAGE, "data: [DONE]")) -> Scripted:
    steps: list[Step] = []
    for piece in pieces:
        steps += [*([delay] if delay else []), frame(piece)]
    return Scripted([*steps, *end])


def answering(text: str, finish: str = "stop", **message: Any) -> Scripted:
    """A reply that is not streamed."""
    said = {"role": "assistant", "content": text} | message
    return Scripted(
        body={
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": "scripted",
            "choices": [{"index": 0, "finish_reason": finish, "message": said}],
            "usage": {"prompt_tokens": 30, "completion_tokens": 7, "total_tokens": 37},
        }
    )


def failing(status: int, message: str = "boom", headers: dict[str, str] | None = None) -> Scripted:
    return Scripted(body={"error": {"message": message}}, status=status, headers=headers or {})


class ScriptedServer:
    """Gives its replies in order, the last one again and again; `answer_to` may choose by the request instead."""

    def __init__(self, *replies: Scripted, window: int | None = None) -> None:
        self._replies = deque(replies)
        self._window = window
        self.answer_to: Callable[[dict[str, Any]], Scripted] | None = None
        self.requests: list[dict[str, Any]] = []
        self.url = ""
        self._connections: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[ScriptedServer]:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        try:
            yield self
        finally:
            server.close()
            for connection in self._connections:
                connection.cancel()
            await asyncio.gather(*self._connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        # Cancelled when the test ends: a connection that is kept alive has no other end.
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while await self._exchange(reader, writer):
                pass
        self._connections.discard(task)
        writer.transport.abort()
        with suppress(ConnectionError):
            await writer.wait_closed()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        length = next((int(line[15:]) for line in head.splitlines() if line.lower().startswith("content-length:")), 0)
        body = await reader.readexactly(length)
        if head.startswith("GET"):
            model = {"id": "scripted", "object": "model", "created": 0, "owned_by": "test"}
            listed = [model | ({"meta": {"n_ctx": self._window}} if self._window else {})]
            return await self._send_body(writer, Scripted(body={"object": "list", "data": listed}))
        request = json.loads(body)
        self.requests.append(request)
        reply = self.answer_to(request) if self.answer_to else self._next()
        return await (self._send_body if reply.body is not None else self._send_steps)(writer, reply)

    def _next(self) -> Scripted:
        return self._replies.popleft() if len(self._replies) > 1 else self._replies[0]

    async def _send_body(self, writer: asyncio.StreamWriter, reply: Scripted) -> bool:
        content = json.dumps(reply.body).encode()
        headers = {"content-type": "application/json", "content-length": str(len(content))} | reply.headers
        writer.write(_head(reply.status, headers) + content)
        await writer.drain()
        return True

    async def _send_steps(self, writer: asyncio.StreamWriter, reply: Scripted) -> bool:
        begun = False
        for step in reply.steps:
            if step == DROP:
                writer.transport.abort()
                return False
            if isinstance(step, float):
                await asyncio.sleep(step)
                continue
            if not begun:
                writer.write(_head(200, {"content-type": "text/event-stream", "transfer-encoding": "chunked"}))
                begun = True
            line = step if isinstance(step, str) else f"data: {json.dumps(step)}"
            data = f"{line}\n\n".encode()
            writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True


def _head(status: int, headers: dict[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} Scripted", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


async def _serve(answer: str, delay: float) -> None:
    """A stream gets the answer word by word, anything else the verdict of a judge."""
    streamed = saying(*(f"{word} " for word in answer.split(" ")), delay=delay)
    verdict = answering(json.dumps({"supported": True, "on_topic": True, "safe": True, "reason": ""}))
    server = ScriptedServer()
    server.answer_to = lambda request: streamed if request.get("stream") else verdict
    async with server.serving():
        sys.stdout.write(f"{READY}{server.url}\n")
        sys.stdout.flush()
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1], float(sys.argv[2])))
