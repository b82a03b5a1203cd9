"""Waiting for what another task or program does, with a deadline that only a broken one reaches."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable

PATIENCE = 60.0
"""Seconds: far more than a crowded machine needs."""


async def until(true: Callable[[], bool | Awaitable[bool]], seconds: float = PATIENCE) -> None:
    async with asyncio.timeout(seconds):
        while True:
            found = true()
            if await found if inspect.isawaitable(found) else found:
                return
            await asyncio.sleep(0.01)
