"""Where a question was asked in Slack: all that is needed to answer it there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    channel: str
    thread: str
    """Its root; answers go there."""
    message: str
    """The question's own `ts`: what we say to it comes later."""
    private: bool = False
    """A direct message."""
    asker: str = ""
    team: str = ""
    fixed: bool = False
    """In this thread or nowhere."""

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Place:
        return cls(**stored)

    def stored(self) -> dict[str, Any]:
        return asdict(self)
