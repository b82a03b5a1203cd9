"""How often each of Slack's methods may be called: one budget for a workspace and method, shared by all answers.

The figures are Slack's published tiers (https://docs.slack.dev/apis/web-api/rate-limits): tier 2 is 20 calls a minute,
tier 3 is 50, tier 4 is 100, and about a message a second for a channel. What Slack
says itself (`Retry-After`) goes first.
"""

from __future__ import annotations

from functools import partial

from adapters.budgets import Budget, Kept, NoRoom
from adapters.delivery import RateLimited


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
        self._channels = Kept[str, Budget]()

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
        return self._channels.of(channel, partial(Budget, 60, reserve=15))
