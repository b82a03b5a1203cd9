"""What a platform's server of ours may do to a request, and how it remembers one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Params = dict[str, Any]
Json = dict[str, Any]


@dataclass(frozen=True)
class Fault:
    """What happens to one request: refused before the deed, slow, or its response lost after the deed."""

    refusal: Exception | None = None
    seconds: float = 0.0
    until: Callable[[], bool] | None = None
    """Held before the deed until this is true."""
    lost: bool = False


@dataclass(frozen=True)
class Made:
    """A request as it came."""

    method: str
    params: Params
    at: float
