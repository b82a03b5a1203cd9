"""How often each of Slack's methods may be called: one budget for a workspace and method, shared by all answers.

The figures are Slack's published tiers (https://docs.slack.dev/apis/web-api/rate-limits): tier 2 is 20 calls a minute,
tier 3 is 50, tier 4 is 100, and about a message a second for a channel. What Slack
says itself (`Retry-After`) goes first.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field

from adapters.delivery import RateLimited

MINUTE = 60.0
KEPT_CHANNELS = 1000
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
        return self.wait() == 0 and len(self.spent) + self.reserve < self.most

    def refused(self, retry_after: float) -> None:
        self.quiet_until = max(self.quiet_until, _now() + min(retry_after, LONGEST_PENALTY))

    def wait(self) -> float:
        now = _now()
        while self.spent and self.spent[0] <= now - MINUTE:
            self.spent.popleft()
        full = self.spent[0] + MINUTE - now if len(self.spent) >= self.most else 0.0
        return max(0.0, full, self.quiet_until - now)


class Budgets:
    """Of one workspace."""

    def __init__(self) -> None:
        self._methods = {
            "chat.update": Budget(50, reserve=15, every=1.7),
            "chat.delete": Budget(50),
            "chat.postMessage": Budget(300, reserve=100),
            "chat.postEphemeral": Budget(100),
            "chat.startStream": Budget(20, reserve=4),
            "chat.appendStream": Budget(95, reserve=10, every=0.7),
            "chat.stopStream": Budget(20),
            "assistant.threads.setStatus": Budget(50, reserve=10),
            # Half of them end what the others began.
            "agents.sessions.setStatus": Budget(50, reserve=26),
            "assistant.threads.setSuggestedPrompts": Budget(100),
            "conversations.replies": Budget(50),
        }
        self._channels: dict[str, Budget] = {}

    def of(self, method: str) -> Budget:
        return self._methods.setdefault(method, Budget(20))

    def spend(self, method: str, channel: str, draft: str = "") -> None:
        """Raises RateLimited, or NoRoom for a frame of a draft."""
        budget = self.of(method)
        posts = self._posts(channel) if method in ("chat.postMessage", "chat.startStream") else None
        if draft:
            if posts is not None and not posts.has_room:
                raise NoRoom
            budget.spend_frame(draft)
        else:
            if posts is not None and (wait := posts.wait()) > 0:
                raise RateLimited(wait)
            budget.spend()
        if posts is not None:
            posts.spend()

    def _posts(self, channel: str) -> Budget:
        if channel not in self._channels and len(self._channels) >= KEPT_CHANNELS:
            self._channels = {name: kept for name, kept in self._channels.items() if kept.wait() > 0 or kept.spent}
        return self._channels.setdefault(channel, Budget(60, reserve=15))


def _now() -> float:
    return asyncio.get_running_loop().time()
