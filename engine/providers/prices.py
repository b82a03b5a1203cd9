"""What an endpoint's tokens cost."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.types import Usage

_UNIT = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """For a million tokens each, in whatever currency."""

    prompt: float = 0.0
    completion: float = 0.0

    def charged(self, usage: Usage) -> Usage:
        cost = (usage.prompt_tokens * self.prompt + usage.completion_tokens * self.completion) / _UNIT
        return replace(usage, cost=round(cost, 9))
