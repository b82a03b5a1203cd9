"""Shares with their uncertainty."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

_Z = 1.959964
"""For a 95 % interval."""


@dataclass(frozen=True, slots=True)
class Share:
    count: int
    total: int

    @classmethod
    def of(cls, flags: Iterable[bool]) -> Share:
        listed = list(flags)
        return cls(sum(listed), len(listed))

    @property
    def value(self) -> float:
        return self.count / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of E. B. Wilson (J. Am. Stat. Assoc. 22, 1927); all of 0..1 when nothing was counted."""
        if not self.total:
            return 0.0, 1.0
        share, total = self.value, self.total
        middle = share + _Z**2 / (2 * total)
        half = _Z * math.sqrt(share * (1 - share) / total + _Z**2 / (4 * total**2))
        scale = 1 + _Z**2 / total
        return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.value:.3f} [{low:.3f}, {high:.3f}] ({self.count} of {self.total})"
