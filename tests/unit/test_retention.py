"""Old texts go while Refdesk runs, whatever the database does in between."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta

from bot.retention import removing_old_texts
from engine import StoreBusy


@dataclass
class FakeTexts:
    swept: list[timedelta] = field(default_factory=list[timedelta])
    enough: asyncio.Event = field(default_factory=asyncio.Event)

    async def sweep(self, older_than: timedelta) -> None:
        self.swept.append(older_than)
        if len(self.swept) == 1:
            raise StoreBusy("somebody else is writing")
        self.enough.set()


async def test_texts_are_removed_at_once_and_again_also_after_a_failure() -> None:
    texts = FakeTexts()
    async with removing_old_texts(texts, 30, every=0.001), asyncio.timeout(20):
        await texts.enough.wait()
    count = len(texts.swept)
    assert set(texts.swept) == {timedelta(days=30)}
    await asyncio.sleep(0.01)
    assert len(texts.swept) == count, "no longer than it is entered"


async def test_without_the_setting_nothing_is_removed() -> None:
    texts = FakeTexts()
    async with removing_old_texts(texts, None, every=0.001):
        await asyncio.sleep(0.01)
    assert texts.swept == []
