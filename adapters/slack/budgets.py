"""How often each of Slack's methods may be called: one budget for a workspace and method, shared by all answers.

The figures are Slack's published tiers (https://docs.slack.dev/apis/web-api/rate-limits): tier 2 is 20 calls a minute,
tier 3 is 50, tier 4 is 100, and about a message a second for a channel. What Slack
says itself (`Retry-After`) goes first.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field

from adapters.delivery import Lane, RateLimited

MINUTE = 60.0
KEPT_CHANNELS = 1000
LONGEST_PENALTY = 3600.0


@dataclass(slots=True)
class Budget:
    most: int
    """Calls in a minute."""
    reserve: int = 0
    """Kept back by drafts, for final texts."""
    spent: deque[float] = field(default_factory=deque[float])
    quiet_until: float = 0.0

    def spend(self) -> None:
        """To be called before each call. Raises RateLimited when it must wait."""
        if (wait := self.wait()) > 0:
            raise RateLimited(wait)
        self.spent.append(_now())

    def spares_a_frame(self) -> bool:
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
        self.frames = Frames()
        self._methods = {
            "chat.update": Budget(50, reserve=15),
            "chat.delete": Budget(50),
            "chat.postMessage": Budget(300, reserve=100),
            "chat.postEphemeral": Budget(100),
            "chat.startStream": Budget(20, reserve=4),
            "chat.appendStream": Budget(95, reserve=15),
            "chat.stopStream": Budget(20),
            "assistant.threads.setStatus": Budget(50, reserve=10),
            "conversations.replies": Budget(50),
        }
        self._channels: dict[str, Budget] = {}

    def of(self, method: str) -> Budget:
        return self._methods.setdefault(method, Budget(20))

    def spend(self, method: str, channel: str) -> None:
        """Raises RateLimited."""
        if method in ("chat.postMessage", "chat.startStream"):
            posts = self._posts(channel)
            if (wait := max(posts.wait(), self.of(method).wait())) > 0:
                raise RateLimited(wait)
            posts.spend()
        self.of(method).spend()

    def _posts(self, channel: str) -> Budget:
        if channel not in self._channels and len(self._channels) >= KEPT_CHANNELS:
            self._channels = {name: kept for name, kept in self._channels.items() if kept.wait() > 0 or kept.spent}
        return self._channels.setdefault(channel, Budget(60))


@dataclass(slots=True)
class Frames:
    """When any answer of the workspace last showed a draft."""

    at: float = float("-inf")


class AnswerLane(Lane):
    """A rate limit stops one answer, which learns from its budgets for how long; all share the spacing of frames."""

    __slots__ = ("_frames",)

    def __init__(self, frames: Frames) -> None:
        self._frames = frames
        super().__init__()

    @property
    def shown_at(self) -> float:
        return self._frames.at

    @shown_at.setter
    def shown_at(self, value: float) -> None:
        self._frames.at = max(self._frames.at, value)


def _now() -> float:
    return asyncio.get_running_loop().time()
