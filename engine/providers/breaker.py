"""A circuit breaker: an endpoint that failed several times in a row is left alone for a while (M. Nygard,
"Release It!").
"""

from __future__ import annotations

import time
from collections.abc import Callable

from engine.errors import ProviderError, ProviderRateLimited

_LONGEST_REST = 60.0


class CircuitBreaker:
    """Call `check` before a call, and `failed` or `succeeded` after it.

    When the rest is over, one call is let through to try; the others go on being refused until it has succeeded.
    """

    def __init__(
        self, provider: str, *, failures: int = 3, rest: float = 20.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`rest` is in seconds."""
        self._provider = provider
        self._limit = failures
        self._rest = rest
        self._clock = clock
        self._failures = 0
        self._closed_until: float | None = None

    def check(self) -> None:
        """Raises ProviderError while the endpoint is left alone."""
        if self._closed_until is None:
            return
        left = self._closed_until - self._clock()
        if left > 0:
            raise ProviderResting(self._provider, f"left alone for {left:.0f} s more, it failed too often")
        self._closed_until = self._clock() + self._rest

    def succeeded(self) -> None:
        self._failures = 0
        self._closed_until = None

    def failed(self, failure: ProviderError) -> None:
        """A failure that is about the request, not the endpoint, does not count."""
        if not failure.retryable or isinstance(failure, ProviderResting):
            return
        self._failures += 1
        told = failure.retry_after if isinstance(failure, ProviderRateLimited) else None
        if told is not None and told > self._rest / 2:
            self._closed_until = self._clock() + min(told, _LONGEST_REST)
        elif self._failures >= self._limit:
            self._closed_until = self._clock() + self._rest


class ProviderResting(ProviderError):
    """Not asked at all."""

    retryable = False
