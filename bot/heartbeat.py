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
    stopping = asyncio.Event()
    task = asyncio.create_task(_beat(data / NAME, every, stopping), name="heartbeat")
    try:
        yield
    finally:
        # Not cancelled: a touch in its thread would go on, and might come after the removal.
        stopping.set()
        await task
        await asyncio.to_thread(_remove, data / NAME)


async def _beat(file: Path, every: float, stopping: asyncio.Event) -> None:
    while not stopping.is_set():
        try:
            await asyncio.to_thread(_touch, file)
        except OSError as error:  # what cannot be written breaks other things, which say so
            log.info("heartbeat.failed", error=str(error))
        with suppress(TimeoutError):
            async with asyncio.timeout(every):
                await stopping.wait()


def _touch(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()


def _remove(file: Path) -> None:
    with suppress(OSError):
        file.unlink(missing_ok=True)
