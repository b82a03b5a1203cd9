"""Where a question was asked in Telegram: all that is needed to answer it there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    chat: int
    message: int
    """The question's own message, which the answer quotes."""
    topic: int | None = None
    business: str | None = None
    private: bool = True
    asker: int = 0
    """User or, for anonymous administrators and channels, chat."""
    name: str = ""
    fixed: bool = False
    """In this topic or nowhere."""

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Place:
        return cls(**stored)

    def stored(self) -> dict[str, Any]:
        return asdict(self)
