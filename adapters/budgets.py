"""How often a platform may be asked for something: so many calls a minute, some of them kept for final texts."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from adapters.pacing import RateLimited

MINUTE = 60.0
MOST_KEPT = 1000
LONGEST_PENALTY = 3600.0
STILL_WANTED = 3.0
"""An answer that has not asked for a frame for so long waits for none."""


class NoRoom(Exception):
    """A frame of a draft is to be skipped: the calls are kept for others, and for final texts."""


@dataclass(slots=True)
class Budget:
    most: int
    """Calls in a minute."""
    reserve: int = 0
    """Kept back by frames of drafts, for final texts."""
    every: float = 0.0
    """Seconds between two frames, of all drafts together."""
    spent: deque[float] = field(default_factory=deque[float])
    quiet_until: float = 0.0
    framed_at: float = float("-inf")
    waiting: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    """By draft, when it last asked for a frame, and got one."""

    def spend(self) -> None:
        """To be called before each call. Raises RateLimited when it must wait."""
        if (wait := self.wait()) > 0:
            raise RateLimited(wait)
        self.spent.append(_now())

    def spend_frame(self, draft: str) -> None:
        """The same for a frame: the draft that has waited longest has it. Raises NoRoom."""
        now = _now()
        shown_at = self.waiting.get(draft, (0.0, 0.0))[1]
        self.waiting = {one: times for one, times in self.waiting.items() if times[0] > now - STILL_WANTED}
        self.waiting[draft] = (now, shown_at)
        first = min(got for _, got in self.waiting.values())
        if now - self.framed_at < self.every or shown_at > first or not self.has_room:
            raise NoRoom
        self.waiting[draft] = (now, now)
        self.framed_at = now
        self.spent.append(now)

    @property
    def has_room(self) -> bool:
        """For a frame."""
        return self.wait() == 0 and len(self.spent) + self.reserve < self.most

    @property
    def is_idle(self) -> bool:
        return self.wait() == 0 and not self.spent

    def refused(self, retry_after: float) -> None:
        self.quiet_until = max(self.quiet_until, _now() + min(retry_after, LONGEST_PENALTY))

    def wait(self) -> float:
        now = _now()
        while self.spent and self.spent[0] + MINUTE <= now:  # the very sum that is waited for below
            self.spent.popleft()
        full = self.spent[0] + MINUTE - now if len(self.spent) >= self.most else 0.0
        return max(0.0, full, self.quiet_until - now)


class Idling(Protocol):
    @property
    def is_idle(self) -> bool: ...


K = TypeVar("K")
V = TypeVar("V", bound=Idling)


class Kept(Generic[K, V]):
    """One for each chat; of very many, those that are idle are forgotten."""

    def __init__(self) -> None:
        self._kept: dict[K, V] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def of(self, key: K, new: Callable[[], V]) -> V:
        found = self._kept.get(key)
        if found is None:
            if len(self._kept) >= MOST_KEPT:
                self._kept = {name: kept for name, kept in self._kept.items() if not kept.is_idle}
            found = self._kept[key] = new()
        return found


def _now() -> float:
    return asyncio.get_running_loop().time()
