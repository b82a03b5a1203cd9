"""Serving a web application to a test, on the loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web


@asynccontextmanager
async def served(app: web.Application, *, handler_cancellation: bool = False) -> AsyncIterator[str]:
    """Its address, without a path, for as long as the block lasts."""
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1, handler_cancellation=handler_cancellation)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        yield f"http://{host}:{port}"
    finally:
        await runner.cleanup()
