"""What `refdesk check` says about a platform."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    good: bool
    name: str
    text: str
    """What was found, and what to do about it when it is not good."""
