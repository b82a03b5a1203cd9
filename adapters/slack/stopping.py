"""Answers that whoever reads them may stop while they are made: what was said stays, marked as stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

import structlog

from adapters.answering import Desk, ExchangeAnswer
from adapters.slack.reply import SlackReply
from engine import Answer, Exchange, RefdeskError, detect_language

log = structlog.get_logger()

HEARD_EVERY = 1.0
"""Seconds after which a stop that another process was told of is heard at the latest."""


def _alone() -> bool:
    return False


@dataclass(slots=True)
class Stops:
    """The answers of this process under way in a workspace."""

    shared: Callable[[], bool] = _alone
    """Whether others may be told that one of them is to stop."""
    replies: MutableMapping[int, SlackReply] = field(default_factory=WeakValueDictionary[int, SlackReply])
    """By exchange, while they are shown."""
    under_way: dict[str, StoppableAnswer] = field(default_factory=dict)
    """By conversation: there is one at a time."""

    def stop(self, conversation: str) -> bool:
        """False when nothing is being made there."""
        answer = self.under_way.get(conversation)
        if answer is not None:
            answer.stop()
        return answer is not None


class StoppableAnswer:
    """An `Answering` of the reception."""

    def __init__(self, desk: Desk, exchange: Exchange, stops: Stops) -> None:
        self._desk, self._exchange, self._stops = desk, exchange, stops
        self._answer = ExchangeAnswer(desk, exchange)
        self._asked_to_stop = asyncio.Event()
        self._stopped = False

    @property
    def concluding(self) -> bool:
        return self._stopped or self._answer.concluding

    def stop(self) -> None:
        self._asked_to_stop.set()

    async def run(self) -> None:
        self._stops.under_way[self._exchange.conversation] = self
        work = asyncio.create_task(self._answer.run())
        stop = asyncio.create_task(self._asked_to_stop.wait())
        try:
            while not (work.done() or stop.done()):
                await asyncio.wait({work, stop}, timeout=HEARD_EVERY, return_when=asyncio.FIRST_COMPLETED)
                if self._stops.shared() and not work.done() and await self._is_stopped_elsewhere():
                    self.stop()
            if not work.done() and not self._answer.concluding:
                work.cancel()
                await asyncio.wait({work})
                if work.cancelled():
                    return await self._say_stopped()
            return await work
        finally:
            if self._stops.under_way.get(self._exchange.conversation) is self:
                del self._stops.under_way[self._exchange.conversation]
            for task in (stop, work):
                task.cancel()
            await asyncio.wait({stop, work})

    async def pause(self) -> None:
        await self._answer.pause()

    async def _is_stopped_elsewhere(self) -> bool:
        try:
            return await self._desk.store.clearance(self._exchange.id, self._exchange.conversation) == "stopped"
        except RefdeskError as error:
            log.error("slack.stop_not_looked_for", error=type(error).__name__)
            return False

    async def _say_stopped(self) -> None:
        """Kept first, as every answer: a process that dies now leaves it to the next one."""
        log.info("slack.answer_stopped", exchange=self._exchange.id)
        self._stopped = True
        reply = self._stops.replies.get(self._exchange.id)
        language = reply.language if reply else detect_language(self._exchange.text)
        shown = f"{reply.shown}\n\n" if reply and reply.shown else ""
        text = shown + self._desk.texts("stopped", language)
        await self._desk.store.conclude(self._exchange.id, Answer(text=text, language=language, kind="failed"))
        exchange = await self._desk.store.exchange(self._exchange.id) or self._exchange
        self._answer = ExchangeAnswer(self._desk, exchange)
        await self._answer.run()
