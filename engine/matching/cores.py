"""One core for small products: BLAS threads wait for each other actively, which costs milliseconds on busy cores."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import lru_cache

from threadpoolctl import ThreadpoolController


@lru_cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def one_core() -> AbstractContextManager[object]:
    """While it lasts, the numeric library uses one thread."""
    limited: AbstractContextManager[object] = _controller().limit(limits=1, user_api="blas")
    return limited
