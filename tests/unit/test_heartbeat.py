"""Whoever watches the process reads its pulse off a file."""

from __future__ import annotations

import os
from pathlib import Path

from bot.heartbeat import NAME, beating
from tests.waiting import until

OFTEN = 0.005


async def test_the_file_is_touched_again_and_again_and_gone_afterwards(tmp_path: Path) -> None:
    file = tmp_path / "data" / NAME
    async with beating(file.parent, every=OFTEN):
        await until(file.exists)
        os.utime(file, (0, 0))
        await until(lambda: file.stat().st_mtime > 0)
    assert not file.exists()


async def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.write_text("a file", encoding="utf-8")
    async with beating(data, every=OFTEN):
        data.unlink()
        await until((data / NAME).exists)
