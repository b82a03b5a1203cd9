"""How often a chat may be written to. Telegram publishes "about one message a second, twenty a minute in a group" and
counts edits like messages; the figures are not exact, so what it says itself (`retry_after`) always goes first.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field

from adapters.delivery import Lane, RateLimited

MINUTE = 60.0
KEPT_LANES = 1000


@dataclass(slots=True)
class ChatLane(Lane):
    """One budget of messages and edits, shared by all that is said in a chat."""

    most: int = 20
    """In a minute."""
    reserve: int = 4
    """Kept back by drafts, for final texts."""
    pace: float = 5.0
    """Seconds between two frames, of all drafts together."""
    spent: deque[float] = field(default_factory=deque[float])

    def spend(self) -> None:
        """To be called before each message or edit. Raises RateLimited when there have been too many."""
        wait = self._wait()
        if wait > 0:
            raise RateLimited(wait)
        self.spent.append(asyncio.get_running_loop().time())

    def spares_a_frame(self) -> bool:
        self._wait()
        return len(self.spent) + self.reserve < self.most

    @property
    def is_idle(self) -> bool:
        self._wait()
        return not self.spent and self.quiet_for() == 0

    def _wait(self) -> float:
        now = asyncio.get_running_loop().time()
        while self.spent and self.spent[0] <= now - MINUTE:
            self.spent.popleft()
        return self.spent[0] + MINUTE - now if len(self.spent) >= self.most else 0.0


class Lanes:
    def __init__(self) -> None:
        self._lanes: dict[int, ChatLane] = {}

    def of(self, chat: int, *, private: bool) -> ChatLane:
        lane = self._lanes.get(chat)
        if lane is None:
            if len(self._lanes) >= KEPT_LANES:
                self._lanes = {id: lane for id, lane in self._lanes.items() if not lane.is_idle}
            lane = ChatLane(most=60, reserve=10, pace=1.5) if private else ChatLane()
            self._lanes[chat] = lane
        return lane
