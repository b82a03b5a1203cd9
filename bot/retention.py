"""Removing people's texts when they are as old as the owner wants to keep them, for as long as Refdesk runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Protocol

import structlog

from engine import RefdeskError

log = structlog.get_logger()

EVERY_SECONDS = 3600.0


class TextsOfPeople(Protocol):
    async def sweep(self, older_than: timedelta) -> None: ...


@asynccontextmanager
async def removing_old_texts(
    texts: TextsOfPeople, days: int | None, *, every: float = EVERY_SECONDS
) -> AsyncGenerator[None, None]:
    """At once, and again and again while it is entered; never without a number of days."""
    if days is None:
        yield
        return
    sweeping = asyncio.create_task(_sweep(texts, timedelta(days=days), every), name="retention")
    try:
        yield
    finally:
        sweeping.cancel()
        await asyncio.gather(sweeping, return_exceptions=True)


async def _sweep(texts: TextsOfPeople, kept: timedelta, every: float) -> None:
    while True:
        try:
            await texts.sweep(kept)
        except RefdeskError as error:
            log.warning("retention.failed", error=str(error))
        await asyncio.sleep(every)
