"""Which of several processes answers where: one at a time, and what a dead one had is taken over.

A process beats, and no clocks are compared; one that was seen at the same beat for long enough is dead. What a process
shows is cleared by the database each time, so one that was only thought to be dead is silent where another one answers.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Protocol
from weakref import WeakValueDictionary

import structlog

from adapters.lease import SECONDS
from engine import Claim, RefdeskError

log = structlog.get_logger()


class ClaimStore(Protocol):
    """One process's, for one desk. Each method is one transaction, and raises as those of the inbox do."""

    async def beat(self) -> Mapping[str, int]:
        """This process lives. Returns the beats of the others, without those which are known to be dead."""
        ...

    async def bury(self, holder: str, beat: int) -> bool:
        """What another one had is to be had, unless it has beaten since: then False."""
        ...

    async def claim(self, key: str) -> Claim: ...

    async def release(self, key: str) -> None:
        """Nothing is left to be answered there."""
        ...

    async def theirs(self) -> frozenset[str]:
        """What others have, who may be dead."""
        ...

    async def leave(self) -> None:
        """This process ends; others may have at once what it has."""
        ...


async def _nothing(key: str) -> None:
    del key


class Claims:
    """Enter it to be known as alive; leaving it leaves everything to others."""

    def __init__(self, store: ClaimStore, key: Callable[[str], str] = str, seconds: float = SECONDS) -> None:
        """`key` says of a conversation what is claimed with it: others there are then answered by the same process."""
        self.key = key
        self.shared = False
        """Whether other processes live, or did a moment ago: what they heard may be seen to by nobody yet."""
        self.on_news: Callable[[], Awaitable[None]] | None = None
        """Called again and again while others live, and when one is no more: something may have come to be ours."""
        self.found: Callable[[str], Awaitable[None]] = _nothing
        """Called before anything that another process has left is had: it may have been saying something there."""
        self._store, self._seconds = store, seconds
        self._others: dict[str, tuple[int, float]] = {}
        """The last beat of each, and since when it is the last one."""
        self._had = Counter[str]()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._beating: asyncio.Task[None] | None = None
        self._looking_again = False
        self._shared_until = float("-inf")

    async def __aenter__(self) -> Claims:
        await self._beat()
        self._beating = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._beating is not None
        self._beating.cancel()
        await asyncio.wait({self._beating})
        with suppress(RefdeskError):
            await self._store.leave()

    async def take(self, key: str) -> Claim:
        """Have something, if no other process has it, until it is given back as often as it was taken."""
        async with self._turn(key):
            claim: Claim = "fresh" if self._had[key] else await self._store.claim(key)
            if claim == "left":
                await self.found(key)
            if claim != "theirs":
                self._had[key] += 1
            return claim

    async def give_back(self, key: str, *, done: bool = True) -> None:
        """What is not done stays ours, so that it is not had by others for something new."""
        self._had[key] -= 1
        if self._had[key] <= 0:
            del self._had[key]
        if not done:
            return
        async with self._turn(key):
            if key in self._had:
                return
            try:
                await self._store.release(key)
            except RefdeskError as error:  # it is ours when it is wanted again
                log.error("claims.not_released", error=type(error).__name__)

    @asynccontextmanager
    async def on(self, key: str) -> AsyncIterator[bool]:
        """Have something while the block lasts. False when another process has it."""
        had = await self.take(key) != "theirs"
        try:
            yield had
        finally:
            if had:
                await self.give_back(key)

    def look_again(self) -> None:
        """Another process had something of ours, and may have gone since."""
        self._looking_again = True

    async def theirs(self) -> frozenset[str]:
        return await self._store.theirs()

    def _turn(self, key: str) -> asyncio.Lock:
        return self._turns.setdefault(key, asyncio.Lock())

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._seconds / 8)
            try:
                if await self._beat() and self.on_news is not None:
                    await self.on_news()
            except RefdeskError as error:
                log.error("claims.not_kept", error=type(error).__name__)

    async def _beat(self) -> bool:
        """Whether there are others, or were until now."""
        before, beats = set(self._others), await self._store.beat()
        now = asyncio.get_running_loop().time()
        for holder, beat in list(beats.items()):
            last, since = self._others.get(holder, (None, now))
            if last != beat:
                self._others[holder] = (beat, now)
            elif now - since >= self._seconds and await self._store.bury(holder, beat):
                log.info("claims.taken_over")
                del self._others[holder]
        for holder in set(self._others) - set(beats):
            del self._others[holder]
        if before or self._others:
            self._shared_until = now + self._seconds
        self.shared = now < self._shared_until
        looking_again, self._looking_again = self._looking_again, False
        return self.shared or looking_again
