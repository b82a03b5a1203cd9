"""Takes messages in and sees that each is answered, once, in the order of its conversation.

    accept -> kept in the inbox -> a line for each conversation -> an exchange -> an answer

A message is kept before `accept` returns, so that the platform may be told that it has arrived. Each conversation has a
line of its own and a task while there is something in it: a slow answer holds up nobody else. What was under way when
a process died is found in the inbox by the next one. Shared by all platforms.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

import structlog

from adapters.inbox import InboxStore
from engine import Exchange, Inbound, RefdeskError

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """In seconds."""

    burst: float = 1.2
    """How long a fragment waits for more of it."""
    together: float = 4.0
    """A message that comes this soon after the last one is part of the same question."""
    busy: Literal["queue", "join"] = "queue"
    """What becomes of a later message while an answer is made: its own question, or part of the one being answered."""
    at_once: int = 100
    """Exchanges that are answered at the same time; more wait."""
    store_retry: float = 1.0
    """After a database failed; an exchange is never given up for that."""


class Answering(Protocol):
    """One attempt at an exchange, from its first word to its last."""

    @property
    def concluding(self) -> bool:
        """The final text is there: it is too late to give the answer up."""
        ...

    async def run(self) -> None: ...

    async def pause(self) -> None:
        """Called after `run` was cancelled, when the process stops: say that the answer comes later."""
        ...


Begin = Callable[[Exchange], Answering]


@dataclass
class _Line:
    """What one conversation waits for."""

    waiting: deque[Inbound] = field(default_factory=deque[Inbound])
    reopened: deque[Exchange] = field(default_factory=deque[Exchange])
    """Exchanges to be answered again: of an earlier process, or in other words now."""
    arrived: float = 0.0
    news: asyncio.Event = field(default_factory=asyncio.Event)
    seen: int = 0
    """The last message that had come when an exchange was made: what is later may still belong to it."""
    asked_at: float = float("-inf")
    """When the last message of the current exchange was sent, by the platform's clock."""

    @property
    def is_empty(self) -> bool:
        return not self.waiting and not self.reopened


class Reception:
    """Enter it to go on with what an earlier process left; leaving it drains."""

    def __init__(
        self, store: InboxStore, begin: Begin, habits: Habits | None = None, *, patience: float = 20.0
    ) -> None:
        """`patience` seconds are given to answers under way when the process stops."""
        self._store = store
        self._begin = begin
        self._habits = habits or Habits()
        self._patience = patience
        self._slots = asyncio.Semaphore(self._habits.at_once)
        self._lines: dict[str, _Line] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._draining = False

    async def __aenter__(self) -> Reception:
        for exchange in await self._store.unfinished():
            self._line(exchange.conversation).reopened.append(exchange)
        for message in await self._store.waiting():
            self._line(message.conversation).waiting.append(message)
        for conversation in list(self._lines):
            self._wake(conversation)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Give answers under way some time, then let them say that they come later. They stay open in the inbox."""
        self._draining = True
        for line in self._lines.values():
            line.news.set()
        answering = list(self._tasks.values())
        if not answering:
            return
        await asyncio.wait(answering, timeout=self._patience)
        for task in answering:
            task.cancel()
        await asyncio.gather(*answering, return_exceptions=True)

    async def accept(self, message: Inbound) -> bool:
        """Keep a message and see to it. False when it is a repeat, or changes nothing."""
        if message.amends:
            return await self._amend(message)
        stored = await self._store.accept(message)
        if stored is None:
            return False
        self._line(stored.conversation).waiting.append(stored)
        self._wake(stored.conversation)
        return True

    async def again(self, exchange: Exchange) -> None:
        """Answer a closed exchange once more, in the place of what was said."""
        reopened = await self._store.join(exchange.id, ())
        self._line(reopened.conversation).reopened.append(reopened)
        self._wake(reopened.conversation)

    async def idle(self) -> None:
        """Wait until nothing is left to be answered."""
        while self._tasks:
            await asyncio.wait(list(self._tasks.values()))

    async def _amend(self, message: Inbound) -> bool:
        amended = await self._store.amend(message)
        if amended is None:
            # Not for us before: a mention was added. If it was, its key is known and nothing comes of this.
            return await self.accept(replace(message, key=message.amends, amends=""))
        changed, exchange = amended
        line = self._line(changed.conversation)
        if exchange is not None:
            line.reopened.append(exchange)
        else:
            line.waiting = deque(changed if one.id == changed.id else one for one in line.waiting)
        self._wake(changed.conversation)
        return True

    def _line(self, conversation: str) -> _Line:
        return self._lines.setdefault(conversation, _Line())

    def _wake(self, conversation: str) -> None:
        line = self._line(conversation)
        line.arrived = asyncio.get_running_loop().time()
        line.news.set()
        if conversation not in self._tasks and not self._draining:
            task = asyncio.create_task(self._work(line), name=f"conversation {conversation}")
            self._tasks[conversation] = task
            task.add_done_callback(lambda ended: self._ended(conversation, ended))

    def _ended(self, conversation: str, task: asyncio.Task[None]) -> None:
        del self._tasks[conversation]
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("reception.line_broken", error=type(error).__name__, exc_info=error)
        line = self._lines.pop(conversation)
        if not line.is_empty and not self._draining:
            self._lines[conversation] = line
            self._wake(conversation)

    async def _work(self, line: _Line) -> None:
        while not self._draining and not line.is_empty:
            exchange = await self._patiently(lambda: self._next(line))
            if exchange is not None:
                async with self._slots:
                    await self._see_through(line, exchange)

    async def _next(self, line: _Line) -> Exchange | None:
        line.seen = line.waiting[-1].id if line.waiting else 0
        if line.reopened:
            line.asked_at = float("-inf")
            return line.reopened.popleft()
        await self._gather(line)
        if self._draining or line.reopened:
            return None
        messages = self._batch(line)
        line.seen, line.asked_at = line.waiting[-1].id, messages[-1].sent_at
        exchange = await self._store.open(messages)
        self._take(line, messages)
        return exchange

    async def _gather(self, line: _Line) -> None:
        """Give a fragment time to become a question."""
        time = asyncio.get_running_loop().time
        while not self._draining and not line.waiting[-1].whole and not line.waiting[0].command:
            quiet = line.arrived + self._habits.burst - time()
            if quiet <= 0 or not await _news(line, quiet):
                return

    def _batch(self, line: _Line, asker: str | None = None) -> list[Inbound]:
        """The first messages that wait, as far as they are one question."""
        messages: list[Inbound] = []
        for message in line.waiting:
            if messages and (message.command or message.asker != messages[0].asker):
                break
            if messages and message.sent_at - messages[-1].sent_at > self._habits.together:
                break
            if asker is not None and (message.command or message.asker != asker or message.id <= line.seen):
                break
            messages.append(message)
            if message.command:
                break
        return messages

    def _take(self, line: _Line, messages: list[Inbound]) -> None:
        taken = {message.id for message in messages}
        line.waiting = deque(message for message in line.waiting if message.id not in taken)

    async def _see_through(self, line: _Line, exchange: Exchange) -> None:
        """Answer an exchange; begin again when what was asked changes before the final text is there."""
        while True:
            answering = self._begin(exchange)
            work = asyncio.create_task(answering.run())
            try:
                changed = await self._watch(line, exchange, answering, work)
            except asyncio.CancelledError:  # the process stops
                if await _stop(work):
                    await answering.pause()
                raise
            if not changed or not await _stop(work):
                return await self._settle(line, exchange, work)
            exchange = await self._changed(line, exchange)

    async def _settle(self, line: _Line, exchange: Exchange, work: asyncio.Task[None]) -> None:
        try:
            work.result()
        except RefdeskError as error:
            log.error("reception.store_failed", error=type(error).__name__, exc_info=error)
            await asyncio.sleep(self._habits.store_retry)
            line.reopened.append(exchange)

    async def _watch(self, line: _Line, exchange: Exchange, answering: Answering, work: asyncio.Task[None]) -> bool:
        """Wait for the end of an answer, or for news that make it another one: then True."""
        began = asyncio.get_running_loop().time()
        while not work.done():
            if not answering.concluding and self._changes(line, exchange, began):
                return True
            line.news.clear()
            news = asyncio.create_task(line.news.wait())
            try:
                await asyncio.wait({work, news}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                news.cancel()
        return False

    def _changes(self, line: _Line, exchange: Exchange, began: float) -> bool:
        if any(one.id == exchange.id for one in line.reopened):
            return True
        if exchange.command or not line.waiting:
            return False
        first = line.waiting[0]
        if first.id <= line.seen or first.command or first.asker != exchange.asker:
            return False
        together = self._habits.together
        soon = asyncio.get_running_loop().time() - began <= together and first.sent_at - line.asked_at <= together
        return soon or self._habits.busy == "join"

    async def _changed(self, line: _Line, exchange: Exchange) -> Exchange:
        """The exchange as it is asked now."""
        again = [one for one in line.reopened if one.id == exchange.id]
        line.reopened = deque(one for one in line.reopened if one.id != exchange.id)
        messages = self._batch(line, exchange.asker)
        if messages:
            joined = await self._patiently(lambda: self._store.join(exchange.id, messages))
            self._take(line, messages)
            line.asked_at = messages[-1].sent_at
            return joined or exchange
        return again[-1] if again else replace(exchange, answer=None)

    async def _patiently(self, call: Callable[[], Awaitable[Exchange | None]]) -> Exchange | None:
        while True:
            try:
                return await call()
            except RefdeskError as error:
                log.error("reception.store_failed", error=type(error).__name__, exc_info=error)
                await asyncio.sleep(self._habits.store_retry)


async def _news(line: _Line, seconds: float) -> bool:
    """Whether something came within the time."""
    line.news.clear()
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await line.news.wait()
            return True
    return False


async def _stop(work: asyncio.Task[None]) -> bool:
    """Cancel it if it runs still. Whether that ended it."""
    work.cancel()
    await asyncio.wait({work})
    return work.cancelled()
