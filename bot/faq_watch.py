"""Editing without restart: while Refdesk runs, a changed FAQ file is in force within seconds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import structlog

from bot.wiring import App
from engine import RefdeskError

log = structlog.get_logger()

_EVERY_SECONDS = 1.0

_Stamps = frozenset[tuple[str, int, int]]


@asynccontextmanager
async def watching_faq(app: App, *, every: float = _EVERY_SECONDS) -> AsyncGenerator[None, None]:
    """For as long as it is entered."""
    watch = asyncio.create_task(_watch(app, every), name="faq-watch")
    try:
        yield
    finally:
        watch.cancel()
        await asyncio.gather(watch, return_exceptions=True)


async def _watch(app: App, every: float) -> None:
    root = app.settings.knowledge
    seen = await asyncio.to_thread(_stamps, root / "faq")
    while True:
        await asyncio.sleep(every)
        now = await asyncio.to_thread(_stamps, root / "faq")
        if now == seen:
            continue
        try:
            report = await app.ingestor.refresh_faq(root)
        except RefdeskError as error:
            log.warning("faq.refresh_failed", error=str(error))
            continue
        seen = now
        log.info("faq.refreshed", entries=report.faq_entries, wordings=report.faq_wordings)
        for path, reason in report.failed:
            log.warning("faq.file_failed", path=path, reason=reason)


def _stamps(folder: Path) -> _Stamps:
    """What changes when a file does; nothing of a folder that is not there, or of a file that goes meanwhile."""
    found: set[tuple[str, int, int]] = set()
    for path in folder.rglob("*"):
        try:
            stat = path.stat()
        except OSError:
            continue
        found.add((str(path), stat.st_mtime_ns, stat.st_size))
    return frozenset(found)
