"""A loopback proxy between the bot and an emulator that others wrote: it misbehaves, the state stays theirs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Self

import aiohttp
from aiohttp import web

from tests.loopback import served


@dataclass(frozen=True)
class Trouble:
    status: int | None = None
    """Answered by the proxy itself; the emulator never hears of it."""
    retry_after: int | None = None
    seconds: float = 0.0
    lost: bool = False
    """The emulator does what was asked, and its response never arrives."""
    cut: bool = False
    """The connection ends before the emulator hears of it."""


@dataclass
class FaultProxy:
    target: str
    dropped: Collection[str] = ()
    """Parameters that the emulator does not model."""
    unmodelled: Collection[str] = ()
    """Methods that it does not have: answered with success."""
    trouble: Callable[[str, int], Trouble | None] = lambda method, count: None
    """By method and by how often it has been called before."""
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list[tuple[str, dict[str, Any]]])
    url: str = ""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Self]:
        async with aiohttp.ClientSession(connector=self._connector()) as session:
            self._session = session
            app = web.Application()
            app.router.add_post("/bot{token}/{method}", self._pass)
            async with served(app, handler_cancellation=True) as self.url:
                yield self

    def _connector(self) -> aiohttp.BaseConnector | None:
        return None

    async def _pass(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        form = {name: value for name, value in (await request.post()).items() if name not in self.dropped}
        before = sum(one == method for one, _ in self.calls)
        self.calls.append((method, dict(form)))
        trouble = self.trouble(method, before) or Trouble()
        await asyncio.sleep(trouble.seconds)
        if trouble.status is not None:
            body: dict[str, Any] = {"ok": False, "error_code": trouble.status, "description": "Trouble"}
            if trouble.retry_after is not None:
                body["parameters"] = {"retry_after": trouble.retry_after}
            return web.json_response(body, status=trouble.status)
        if method in self.unmodelled:
            return web.json_response({"ok": True, "result": True})
        content, status = await self._forwarded(request.path, method, dict(form))
        if trouble.lost:
            assert request.transport is not None
            request.transport.abort()
        return web.Response(body=content, status=status, content_type="application/json")

    async def _forwarded(self, path: str, method: str, form: dict[str, Any]) -> tuple[bytes, int]:
        del method
        async with self._session.post(f"{self.target}{path}", data=form) as answer:
            return await answer.read(), answer.status
