"""Which of several processes carries what a desk has to say: one at a time, without comparing clocks.

The holder beats. Whoever has seen the same beat for long enough takes the lease; by then its holder, should it live
still and not reach the database, has given it up by its own clock.
"""

from __future__ import annotations

import asyncio
from uuid import uuid4

from adapters.tickets import TicketStore
from engine import Lease

SECONDS = 8.0
"""Without a beat, until another process takes over."""


class DeskLease:
    def __init__(self, tickets: TicketStore, desk: str, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._tickets, self._desk = tickets, desk
        self._holder = uuid4().hex
        self._until = float("-inf")
        self._seen: Lease | None = None
        self._seen_at = float("-inf")
        self.changes = 0
        """How often another holder was seen to beat."""

    @property
    def held(self) -> bool:
        return _now() < self._until

    async def attempt(self) -> bool:
        """Take it, or keep it. Raises KnowledgeError or ProviderError."""
        began = _now()
        stale = self._seen if began - self._seen_at >= self.seconds else None
        found = await self._tickets.lease(self._desk, self._holder, stale)
        if found.holder == self._holder:
            self._until = began + self.seconds * 0.75
            self._seen = None
            return True
        if found != self._seen:
            self.changes += self._seen is not None
            self._seen, self._seen_at = found, _now()
        return False

    async def wait(self) -> bool:
        """Until it is had; False when another process has it and lives."""
        before = self.changes
        while not await self.attempt():
            if self.changes > before:
                return False
            await asyncio.sleep(self.seconds / 8)
        return True

    async def release(self) -> None:
        self._until = float("-inf")
        await self._tickets.release(self._desk, self._holder)


def _now() -> float:
    return asyncio.get_running_loop().time()
