"""Takes messages in and sees that each is answered, once, in the order of its conversation.

    accept -> kept in the inbox -> a line for each conversation -> an exchange -> an answer

A message is kept before `accept` returns, so that the platform may be told that it has arrived. Each conversation has a
line of its own and a task while there is something in it: a slow answer holds up nobody else. A line works only where
no other process does (`adapters/claims.py`); what came to this one is found in the inbox by that one, as is what was
under way when a process died. Shared by all platforms.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeVar

import structlog

from adapters.claims import Claims
from adapters.inbox import InboxStore
from adapters.ledger import Displaced
from adapters.line import Line
from engine import AlreadyOpened, Exchange, Inbound, RefdeskError

T = TypeVar("T")

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


async def _nothing(exchange: Exchange) -> None:
    del exchange


class Reception:
    """Enter it to go on with what an earlier process left; leaving it drains."""

    def __init__(
        self,
        store: InboxStore,
        begin: Begin,
        habits: Habits | None = None,
        *,
        patience: float = 20.0,
        claims: Claims | None = None,
        look_for_lost: Callable[[Exchange], Awaitable[None]] = _nothing,
    ) -> None:
        """`patience` seconds are given to answers under way when the process stops.

        `look_for_lost` is called for what another process has left, before anything new is said there.
        """
        self._store = store
        self._claims = claims or Claims(store.claims)
        self._claims.found = self._find_lost
        self._look_for_lost = look_for_lost
        self._begin = begin
        self._habits = habits or Habits()
        self._patience = patience
        self._slots = asyncio.Semaphore(self._habits.at_once)
        self._lines: dict[str, Line] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._draining = False

    async def __aenter__(self) -> Reception:
        await self._look_around()
        self._claims.on_news = self._look_around
        return self

    async def __aexit__(self, *_: object) -> None:
        """Give answers under way some time, then let them say that they come later. They stay open in the inbox."""
        self._draining = True
        self._claims.on_news = None
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
        self._line(stored.conversation).add(stored)
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

    async def _look_around(self) -> None:
        """See to what the inbox has, and no other process sees to."""
        theirs = await self._claims.theirs()
        missing = dict[str, None]()
        for exchange in await self._store.unfinished():
            line = self._lines.get(exchange.conversation)
            if line is None or line.misses(exchange):
                missing[exchange.conversation] = None
        for message in await self._store.waiting():
            line = self._lines.get(message.conversation)
            if line is None or message not in line.waiting:
                missing[message.conversation] = None
        for conversation in missing:
            if self._claims.key(conversation) not in theirs:
                self._line(conversation).unread = True
                self._start(conversation)

    def _line(self, conversation: str) -> Line:
        return self._lines.setdefault(conversation, Line(conversation))

    def _wake(self, conversation: str) -> None:
        self._line(conversation).arrived = asyncio.get_running_loop().time()
        self._start(conversation)

    def _start(self, conversation: str) -> None:
        line = self._line(conversation)
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
            self._start(conversation)

    async def _work(self, line: Line) -> None:
        key = self._claims.key(line.conversation)
        claim = await self._patiently(lambda: self._claims.take(key))
        if claim == "theirs":
            return line.clear()
        line.unread = line.unread or claim == "left"
        try:
            while not self._draining and not line.is_empty:
                exchange = await self._patiently(lambda: self._next(line))
                if exchange is not None:
                    async with self._slots:
                        await self._see_through(line, exchange)
        finally:
            await self._claims.give_back(key, done=line.is_empty and line.current is None)

    async def _find_lost(self, key: str) -> None:
        """In all conversations that are claimed together."""
        for exchange in await self._store.unfinished():
            if self._claims.key(exchange.conversation) == key:
                await self._look_for_lost(exchange)

    async def _read(self, line: Line) -> None:
        """What the inbox has of a conversation, and did not come to this process."""
        line.unread = False
        try:
            for exchange in await self._store.unfinished():
                if exchange.conversation == line.conversation and line.misses(exchange):
                    line.reopened.append(exchange)
            for message in await self._store.waiting():
                if message.conversation == line.conversation and line.add(message):
                    line.arrived = asyncio.get_running_loop().time()
        except RefdeskError:
            line.unread = True
            raise

    async def _next(self, line: Line) -> Exchange | None:
        if line.unread or self._claims.shared:  # what another process has heard before is to be answered before
            await self._read(line)
        line.seen = line.waiting[-1].id if line.waiting else 0
        if line.reopened:
            line.asked_at = float("-inf")
            exchange = await self._store.exchange(line.reopened[0].id)
            line.reopened.popleft()
            return exchange if exchange is not None and exchange.ending == "open" else None
        await self._gather(line)
        if self._draining or line.reopened or not line.waiting:
            return None
        messages = line.batch(self._habits.together)
        line.seen, line.asked_at = line.waiting[-1].id, messages[-1].sent_at
        exchange = None
        try:
            exchange = await self._store.open(messages)
        except AlreadyOpened:
            line.unread = True
        line.take(messages)
        return exchange

    async def _gather(self, line: Line) -> None:
        """Give a fragment time to become a question."""
        time = asyncio.get_running_loop().time
        while not self._draining and line.waiting and not line.waiting[-1].whole and not line.waiting[0].command:
            if line.unread:
                await self._read(line)
                continue
            quiet = line.arrived + self._habits.burst - time()
            if quiet <= 0 or not await line.hears(quiet):
                return

    async def _see_through(self, line: Line, exchange: Exchange) -> None:
        """Answer an exchange; begin again when what was asked changes before the final text is there."""
        while True:
            line.current = exchange
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

    async def _settle(self, line: Line, exchange: Exchange, work: asyncio.Task[None]) -> None:
        try:
            work.result()
            if self._claims.shared or any(one.id == exchange.id for one in line.reopened):
                await self._patiently(lambda: self._reopen(line, exchange))
        except Displaced:
            log.warning("reception.displaced", exchange=exchange.id)
            line.clear()
            self._claims.look_again()
        except RefdeskError as error:
            log.error("reception.store_failed", error=type(error).__name__, exc_info=error)
            await asyncio.sleep(self._habits.store_retry)
            line.reopened.append(exchange)
        finally:
            line.current = None

    async def _reopen(self, line: Line, exchange: Exchange) -> None:
        """A new wording may have come while the answer was concluded, perhaps to another process."""
        now = await self._store.exchange(exchange.id)
        known = any(one.id == exchange.id for one in line.reopened)
        changed = now is not None and now.text and (now.text, now.command) != (exchange.text, exchange.command)
        if known or changed:
            again = await self._store.join(exchange.id, ())
            line.reopened = deque((*(one for one in line.reopened if one.id != again.id), again))

    async def _watch(self, line: Line, exchange: Exchange, answering: Answering, work: asyncio.Task[None]) -> bool:
        """Wait for the end of an answer, or for news that make it another one: then True."""
        began = asyncio.get_running_loop().time()
        while not work.done():
            if line.unread:
                await self._patiently(lambda: self._read(line))
            if not answering.concluding and self._changes(line, exchange, began):
                return True
            line.news.clear()
            news = asyncio.create_task(line.news.wait())
            try:
                await asyncio.wait({work, news}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                news.cancel()
        return False

    def _changes(self, line: Line, exchange: Exchange, began: float) -> bool:
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

    async def _changed(self, line: Line, exchange: Exchange) -> Exchange:
        """The exchange as it is asked now."""
        if self._claims.shared:
            await self._patiently(lambda: self._read(line))
        again = [one for one in line.reopened if one.id == exchange.id]
        line.reopened = deque(one for one in line.reopened if one.id != exchange.id)
        messages = line.batch(self._habits.together, exchange.asker)
        if messages:
            line.take(messages)
            try:
                joined = await self._patiently(lambda: self._store.join(exchange.id, messages))
                line.asked_at = messages[-1].sent_at
                return joined
            except AlreadyOpened:
                line.unread = True
        return again[-1] if again else replace(exchange, answer=None)

    async def _patiently(self, call: Callable[[], Awaitable[T]]) -> T:
        while True:
            try:
                return await call()
            except RefdeskError as error:
                log.error("reception.store_failed", error=type(error).__name__, exc_info=error)
                await asyncio.sleep(self._habits.store_retry)


async def _stop(work: asyncio.Task[None]) -> bool:
    """Cancel it if it runs still. Whether that ended it."""
    work.cancel()
    await asyncio.wait({work})
    return work.cancelled()
