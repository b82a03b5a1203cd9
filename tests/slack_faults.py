"""A loopback proxy between the bot and a Slack emulator that others wrote: it misbehaves, the state stays theirs.

Calls are refused, slow, cut off before the deed or after it. Events come twice, or with a connection that ends before
they are acknowledged; as Slack does, it tells on the next connection what was not acknowledged on the last.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiohttp import WSMsgType, web

from tests.fault_proxy import Trouble
from tests.loopback import served

ERRORS = {429: "ratelimited", 500: "internal_error", 502: "internal_error", 503: "service_unavailable"}


@dataclass
class SlackFaults:
    target: str
    """The emulator's address, without a path."""
    trouble: Callable[[str, int], Trouble | None] = lambda method, count: None
    """By method and by how often it has been called before."""
    twice: bool = False
    """Whether each event comes twice; Slack never repeats a tap."""
    cuts: int = 0
    """So many events are yet to end their connection, told but not acknowledged."""
    counted: Counter[str] = field(default_factory=Counter[str])
    url: str = ""
    _sockets: dict[str, str] = field(default_factory=dict[str, str])
    _owed: dict[str, str] = field(default_factory=dict[str, str])

    @asynccontextmanager
    async def running(self) -> AsyncIterator[SlackFaults]:
        async with aiohttp.ClientSession() as self._session:
            app = web.Application()
            app.router.add_post("/api/{method}", self._pass)
            app.router.add_get("/socket/{number}", self._socket)
            async with served(app, handler_cancellation=True) as self.url:
                yield self

    async def _pass(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        trouble = self.trouble(method, self.counted[method]) or Trouble()
        self.counted[method] += 1
        body = await request.read()
        await asyncio.sleep(trouble.seconds)
        if trouble.cut:
            return _aborted(request)
        if trouble.status is not None:
            headers = {} if trouble.retry_after is None else {"Retry-After": str(trouble.retry_after)}
            refusal = {"ok": False, "error": ERRORS[trouble.status]}
            return web.json_response(refusal, status=trouble.status, headers=headers)
        kept = {name: value for name, value in request.headers.items() if name in ("Authorization", "Content-Type")}
        async with self._session.post(f"{self.target}{request.path_qs}", data=body, headers=kept) as answer:
            content: dict[str, Any] = await answer.json()
        if method == "apps.connections.open":
            number = str(len(self._sockets))
            self._sockets[number] = content["url"]
            content["url"] = f"{self.url.replace('http', 'ws', 1)}/socket/{number}"
        return _aborted(request) if trouble.lost else web.json_response(content)

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        bot = web.WebSocketResponse()
        await bot.prepare(request)
        async with self._session.ws_connect(self._sockets[request.match_info["number"]]) as slack:
            for owed in list(self._owed.values()):
                await bot.send_str(owed)
            down = asyncio.create_task(self._tell(slack, bot, request))
            try:
                async for message in bot:
                    if message.type == WSMsgType.TEXT:
                        self._owed.pop(json.loads(message.data).get("envelope_id"), None)
                        await slack.send_str(message.data)
            finally:
                down.cancel()
                await asyncio.wait({down})
        return bot

    async def _tell(
        self, slack: aiohttp.ClientWebSocketResponse, bot: web.WebSocketResponse, request: web.Request
    ) -> None:
        async for message in slack:
            if message.type != WSMsgType.TEXT:
                continue
            told = json.loads(message.data)
            if (id := told.get("envelope_id")) is not None:
                self._owed[id] = message.data
                if self.cuts:
                    self.cuts -= 1
                    _aborted(request)
                    return
            for _ in range(2 if told["type"] == "events_api" and self.twice else 1):
                await bot.send_str(message.data)


def _aborted(request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()
