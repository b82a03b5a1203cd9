"""Who writes next where there is one writer."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

MOST_IN_A_ROW = 8
"""So many urgent ones, then one of the others that wait: nobody waits for ever."""


class Turns:
    """One at a time, in order, and those who are urgent before the others."""

    def __init__(self) -> None:
        self._urgent: deque[asyncio.Future[None]] = deque()
        self._others: deque[asyncio.Future[None]] = deque()
        self._taken = False
        self._in_a_row = 0

    @asynccontextmanager
    async def taken(self, *, urgent: bool) -> AsyncIterator[None]:
        if self._taken:
            await self._wait(self._urgent if urgent else self._others)
        self._taken = True
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, line: deque[asyncio.Future[None]]) -> None:
        turn = asyncio.get_running_loop().create_future()
        line.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it was ours already
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        while line := self._next_line():
            turn = line.popleft()
            if not turn.cancelled():
                self._in_a_row = self._in_a_row + 1 if line is self._urgent else 0
                turn.set_result(None)
                return
        self._taken = False

    def _next_line(self) -> deque[asyncio.Future[None]] | None:
        first, second = self._urgent, self._others
        if self._in_a_row >= MOST_IN_A_ROW:
            first, second = second, first
        return first or second or None
