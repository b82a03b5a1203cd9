"""What one conversation waits for, and which of it is one question."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field

from engine import Exchange, Inbound


@dataclass
class Line:
    """What one conversation waits for."""

    conversation: str
    waiting: deque[Inbound] = field(default_factory=deque[Inbound])
    reopened: deque[Exchange] = field(default_factory=deque[Exchange])
    """Exchanges to be answered again: of an earlier process, or in other words now."""
    arrived: float = 0.0
    news: asyncio.Event = field(default_factory=asyncio.Event)
    seen: int = 0
    """The last message that had come when an exchange was made: what is later may still belong to it."""
    asked_at: float = float("-inf")
    """When the last message of the current exchange was sent, by the platform's clock."""
    unread: bool = False
    """The inbox has more of it, which did not come to this process."""
    current: Exchange | None = None

    @property
    def is_empty(self) -> bool:
        return not self.waiting and not self.reopened and not self.unread

    def clear(self) -> None:
        """Somebody else sees to all of it."""
        self.waiting.clear()
        self.reopened.clear()
        self.unread = False

    def add(self, message: Inbound) -> bool:
        """In the order of arrival, whichever process it came to; in the newest wording. False when it is there."""
        later = deque[Inbound]()
        while self.waiting and self.waiting[-1].id >= message.id:
            later.appendleft(self.waiting.pop())
        is_new = not later or later[0].id != message.id
        if not is_new:
            later.popleft()
        self.waiting.append(message)
        self.waiting.extend(later)
        return is_new

    def misses(self, exchange: Exchange) -> bool:
        """Whether an open exchange of the inbox is not among what is seen to, as it is asked now."""
        if any(one.id == exchange.id for one in self.reopened):
            return False
        now = self.current
        return now is None or now.id != exchange.id or (now.text, now.command) != (exchange.text, exchange.command)

    def batch(self, together: float, asker: str | None = None) -> list[Inbound]:
        """The first messages that wait, as far as they are one question; of an asker, those that came since."""
        messages: list[Inbound] = []
        for message in self.waiting:
            if messages and (message.command or message.asker != messages[0].asker):
                break
            if messages and message.sent_at - messages[-1].sent_at > together:
                break
            if asker is not None and (message.command or message.asker != asker or message.id <= self.seen):
                break
            messages.append(message)
            if message.command:
                break
        return messages

    def take(self, messages: list[Inbound]) -> None:
        taken = {message.id for message in messages}
        self.waiting = deque(message for message in self.waiting if message.id not in taken)

    async def hears(self, seconds: float) -> bool:
        """Whether something came within the time."""
        self.news.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.news.wait()
                return True
        return False
