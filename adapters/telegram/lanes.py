"""How often a chat may be written to. Telegram publishes "about one message a second, twenty a minute in a group" and
counts edits like messages; the figures are not exact, so what it says itself (`retry_after`) always goes first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from adapters.budgets import Budget, Kept, NoRoom
from adapters.delivery import Lane


@dataclass(slots=True)
class ChatLane(Lane):
    """One budget of messages and edits, shared by all that is said in a chat."""

    budget: Budget = field(default_factory=partial(Budget, 20, reserve=4))
    pace: float = 5.0
    """Seconds between two frames, of all drafts together."""

    def spend(self, *, frame: bool = False) -> None:
        """To be called before each message or edit. Raises RateLimited when there have been too many, or NoRoom."""
        if frame and not self.budget.has_room:
            raise NoRoom
        self.budget.spend()

    @property
    def is_idle(self) -> bool:
        return self.budget.is_idle and self.quiet_for() == 0


class Lanes:
    def __init__(self) -> None:
        self._lanes = Kept[int, ChatLane]()

    def __len__(self) -> int:
        return len(self._lanes)

    def of(self, chat: int, *, private: bool) -> ChatLane:
        return self._lanes.of(chat, _private_lane if private else ChatLane)


def _private_lane() -> ChatLane:
    return ChatLane(budget=Budget(60, reserve=10), pace=1.5)
