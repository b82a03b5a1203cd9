"""A file that is touched while the event loop turns, by which whoever watches the process sees that it does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import structlog

log = structlog.get_logger()

NAME = "alive"
EVERY_SECONDS = 10.0


@asynccontextmanager
async def beating(data: Path, *, every: float = EVERY_SECONDS) -> AsyncGenerator[None, None]:
    """`alive` in the data folder is never much older than `every` seconds while it is entered, and gone afterwards."""
    task = asyncio.create_task(_beat(data / NAME, every), name="heartbeat")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await asyncio.to_thread(_remove, data / NAME)


async def _beat(file: Path, every: float) -> None:
    while True:
        try:
            await asyncio.to_thread(_touch, file)
        except OSError as error:  # what cannot be written breaks other things, which say so
            log.info("heartbeat.failed", error=str(error))
        await asyncio.sleep(every)


def _touch(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()


def _remove(file: Path) -> None:
    with suppress(OSError):
        file.unlink(missing_ok=True)
