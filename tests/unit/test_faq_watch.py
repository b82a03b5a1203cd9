"""A changed FAQ file is in force while Refdesk runs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import cast

from bot.faq_watch import watching_faq
from bot.settings import Settings
from bot.wiring import App
from tests.ingest_desk import Desk

ENTRY = '- id: hours\n  questions: ["When are you open?"]\n  answer: {}\n'


class Running:
    """What the watch needs of an app."""

    def __init__(self, desk: Desk) -> None:
        self.settings = Settings(knowledge=desk.root)
        self.ingestor = desk.ingestor()


async def answer_becomes(desk: Desk, answer: str) -> bool:
    for _ in range(1000):
        if [entry.answer for entry in (await desk.faq.load()).entries] == [answer]:
            return True
        await asyncio.sleep(0.01)
    return False


async def test_an_edited_answer_is_stored_without_a_restart(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.write("faq/en.yaml", ENTRY.format("From nine."))
    await desk.ingest()
    async with watching_faq(cast(App, Running(desk)), every=0.01):
        await asyncio.sleep(0.1)
        desk.write("faq/en.yaml", ENTRY.format("- id: ["))
        await asyncio.sleep(0.1)
        desk.write("faq/en.yaml", ENTRY.format("From ten till five."))
        assert await answer_becomes(desk, "From ten till five.")
