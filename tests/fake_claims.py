"""Claims in memory; passes the same contract suite as the real ones."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field

from engine import Claim

_numbers = itertools.count(1)
_NOBODY = ""


@dataclass
class Claimed:
    """What all processes see."""

    beats: dict[str, int] = field(default_factory=dict[str, int])
    holders: dict[str, str] = field(default_factory=dict[str, str])


@dataclass
class FakeClaims:
    claimed: Claimed = field(default_factory=Claimed)
    holder: str = field(default_factory=lambda: f"process {next(_numbers)}")

    def beside(self) -> FakeClaims:
        """Another process's."""
        return FakeClaims(self.claimed)

    @property
    def left(self) -> frozenset[str]:
        return frozenset(key for key, holder in self.claimed.holders.items() if holder == _NOBODY)

    async def beat(self) -> Mapping[str, int]:
        self.claimed.beats[self.holder] = self.claimed.beats.get(self.holder, 0) + 1
        return {holder: beat for holder, beat in self.claimed.beats.items() if holder != self.holder}

    async def bury(self, holder: str, beat: int) -> bool:
        if self.claimed.beats.get(holder) != beat:
            return False
        del self.claimed.beats[holder]
        self._orphan({one for one in self.claimed.holders.values() if one not in self.claimed.beats})
        return True

    async def claim(self, key: str) -> Claim:
        before = self.claimed.holders.get(key)
        if before not in (None, _NOBODY, self.holder):
            return "theirs"
        self.claimed.holders[key] = self.holder
        return "fresh" if before is None else "left"

    async def release(self, key: str) -> None:
        if self.claimed.holders.get(key) == self.holder:
            del self.claimed.holders[key]

    async def theirs(self) -> frozenset[str]:
        return frozenset(key for key, one in self.claimed.holders.items() if one not in (_NOBODY, self.holder))

    async def leave(self) -> None:
        self.claimed.beats.pop(self.holder, None)
        self._orphan({self.holder})

    def _orphan(self, dead: set[str]) -> None:
        for key, holder in self.claimed.holders.items():
            if holder in dead:
                self.claimed.holders[key] = _NOBODY
