"""The paced queue of one answer: what should be visible, what is, and when the platform may be asked to change it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Protocol, assert_never

import structlog

from engine import Delta, Interim, Outcome, RefdeskError, Retract, Typing

log = structlog.get_logger()

Call = Callable[[], Awaitable[None]]

SHORTEST_PAUSE = 0.1
"""A platform that says "retry after 0" again and again must not be asked in a tight loop."""


class RateLimited(Exception):
    """Raised by a Reply: the platform refused, and wants to be left alone for `retry_after` seconds."""

    def __init__(self, retry_after: float) -> None:
        super().__init__(f"rate limited for {retry_after} s")
        self.retry_after = retry_after


class DeliveryFailed(RefdeskError):
    """The platform did not take the last word of an answer.

    A Reply raises it itself when no retry can help: the asker blocked the bot, the conversation is gone, the pipe is
    closed. `retry_after` says when to try again, when a rate limit outlasted the deadline.
    """

    def __init__(self, verb: str, *, retry_after: float | None = None) -> None:
        super().__init__(f"could not {verb}")
        self.verb = verb
        self.retry_after = retry_after


class Reply(Protocol):
    """One answer on a platform. The verbs are awaited one at a time, and each may raise RateLimited or anything else.

    `finish` or `apologise` is the last one. They, and `withdraw`, are called again after a failure, which may have been
    a lost response: they go on where they stopped rather than do it twice. "Not modified" is success.
    """

    async def typing(self) -> None:
        """Show activity for some seconds; called again while it lasts."""
        ...

    async def show(self, text: str) -> None:
        """Show the draft; `text` is all of it so far. It takes the place of an interim message."""
        ...

    async def withdraw(self) -> None:
        """Remove all that was shown of this draft. It may be that nothing was. A kept draft stays."""
        ...

    async def interim(self, text: str, *, keep: bool) -> None:
        """Show an interim message.

        With `keep` the draft shown stays above it, marked as being completed, and the next `show` begins a new draft
        below; without, the interim message takes the draft's place.
        """
        ...

    async def finish(self, outcome: Outcome) -> None:
        """Show the final text with its citations and references. It takes the place of all that was shown."""
        ...

    async def apologise(self, text: str) -> None:
        """Say that there will be no answer. It takes the place of all that was shown."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """In seconds."""

    answer: float = 600.0
    """From the first event to the last; an engine that takes longer is given up."""
    call: float = 30.0
    """One call of a platform's verb; a longer one has failed."""
    typing_every: float = 4.0
    """Platforms forget a typing indicator after five seconds."""
    last_word: float = 300.0
    """How long the final text is insisted on. Penalties of more than two minutes are known."""
    attempts: int = 5
    """Of the final text. Rate limits do not count, only `last_word` bounds them."""
    backoff: float = 0.5
    """After the first failed attempt, doubled after each."""


@dataclass(slots=True)
class Lane:
    """What a rate limit stops: shared by all deliveries to one conversation (or workspace), on one event loop."""

    quiet_until: float = 0.0
    shown_at: float = float("-inf")

    def pause(self, seconds: float) -> None:
        until = asyncio.get_running_loop().time() + max(seconds, SHORTEST_PAUSE)
        self.quiet_until = max(self.quiet_until, until)

    def quiet_for(self) -> float:
        return max(0.0, self.quiet_until - asyncio.get_running_loop().time())


async def insist(verb: str, call: Call, lane: Lane, limits: Limits) -> None:
    """Call until it succeeds, within `limits`. Raises DeliveryFailed when it did not."""
    time = asyncio.get_running_loop().time
    deadline = time() + limits.last_word
    failures = 0
    while True:
        if lane.quiet_until > deadline:
            log.error("delivery.gave_up", verb=verb, retry_after=lane.quiet_for())
            raise DeliveryFailed(verb, retry_after=lane.quiet_for())
        await asyncio.sleep(lane.quiet_for())
        try:
            async with asyncio.timeout(limits.call):
                await call()
            return
        except RateLimited as limit:
            log.info("delivery.rate_limited", verb=verb, retry_after=limit.retry_after)
            lane.pause(limit.retry_after)
        except DeliveryFailed:
            log.warning("delivery.unreachable", verb=verb)
            raise
        except Exception as error:  # the delivery's edge: any failure of a platform is one attempt
            failures += 1
            delay = limits.backoff * 2 ** (failures - 1)
            if failures >= limits.attempts or time() + delay > deadline:
                log.error("delivery.gave_up", verb=verb, error=type(error).__name__, exc_info=error)
                raise DeliveryFailed(verb) from error
            log.warning("delivery.attempt_failed", verb=verb, error=type(error).__name__)
            await asyncio.sleep(delay)


@dataclass(slots=True)
class _Draft:
    text: str = ""
    tried: str = ""
    """The last text that the platform was asked to show; what failed is not tried again, only the next text is."""
    touched: bool = False
    """Something of it may be visible, even if the platform reported a failure."""

    @property
    def is_news(self) -> bool:
        return self.text != self.tried and bool(self.text.strip())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    verb: str
    call: Call
    settle: Callable[[], None]
    """Called when the step was done or has failed; not when a rate limit put it off."""
    due: float = 0.0
    limit: float | None


class Pacer:
    """Brings the platform from what is visible to what should be, one verb at a time, latest text first.

    There is no queue of frames: `note` changes what should be visible, and `run` looks for the next step when it may
    take one. What comes in meanwhile is skipped.
    """

    def __init__(self, reply: Reply, *, pace: float, lane: Lane, limits: Limits) -> None:
        self._reply, self._pace, self._lane, self._limits = reply, pace, lane, limits
        self._draft = _Draft()
        self._kept: _Draft | None = None
        """A first draft that is to be shown in full before the interim message."""
        self._interim: Interim | None = None
        self._must_withdraw = False
        self._typing_due: float | None = None
        self._closed = False
        self._news = asyncio.Event()

    def note(self, event: Typing | Delta | Retract | Interim) -> None:
        self._typing_due = None
        match event:
            case Typing():
                self._typing_due = 0.0
            case Delta(text=text):
                self._draft.text += text
            case Retract():
                self._must_withdraw = self._must_withdraw or self._draft.touched
                self._draft = _Draft()
            case Interim():
                self._kept = self._draft if event.keeps_draft else None
                self._interim = event
                self._draft = _Draft()
            case _:
                assert_never(event)
        self._news.set()

    def close(self) -> None:
        """The final text is there: nothing else is shown, only what was retracted is still withdrawn."""
        self._closed = True
        self._news.set()

    async def run(self) -> None:
        time = asyncio.get_running_loop().time
        while True:
            self._news.clear()
            step = self._next()
            if step is None and self._closed:
                return
            due = max(step.due, self._lane.quiet_until) if step else None
            if step is None or (due is not None and due > time()):
                await self._wait_for_news(due)
            else:
                await self._take(step)

    async def _wait_for_news(self, until: float | None) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout_at(until):
                await self._news.wait()

    def _next(self) -> _Step | None:
        if self._must_withdraw:
            return _Step(verb="withdraw", call=self._insist_on_withdrawal, settle=self._withdrawn, limit=None)
        if self._closed:
            return None
        if self._kept and self._kept.is_news:
            return self._showing(self._kept)
        if self._interim:
            interim = partial(self._reply.interim, self._interim.text, keep=self._interim.keeps_draft)
            return _Step(verb="interim", call=interim, settle=self._interim_shown, limit=self._limits.call)
        if self._draft.is_news:
            return self._showing(self._draft)
        if self._typing_due is not None:
            typing, due = self._reply.typing, self._typing_due
            return _Step(verb="typing", call=typing, settle=self._typing_shown, due=due, limit=self._limits.call)
        return None

    def _showing(self, draft: _Draft) -> _Step:
        text = draft.text

        async def show() -> None:
            draft.touched = True
            await self._reply.show(text)

        def settle() -> None:
            draft.tried = text
            self._lane.shown_at = asyncio.get_running_loop().time()

        due = self._lane.shown_at + self._pace
        return _Step(verb="show", call=show, settle=settle, due=due, limit=self._limits.call)

    async def _take(self, step: _Step) -> None:
        try:
            async with asyncio.timeout(step.limit):
                await step.call()
        except RateLimited as limit:
            log.info("delivery.rate_limited", verb=step.verb, retry_after=limit.retry_after)
            self._lane.pause(limit.retry_after)
            return
        except Exception as error:  # noqa: BLE001  the delivery's edge: the next text, or the final one, makes up for it
            log.warning("delivery.step_failed", verb=step.verb, error=type(error).__name__)
        step.settle()

    async def _insist_on_withdrawal(self) -> None:
        await insist("withdraw", self._reply.withdraw, self._lane, self._limits)

    def _withdrawn(self) -> None:
        self._must_withdraw = False

    def _interim_shown(self) -> None:
        self._interim = None
        self._lane.shown_at = asyncio.get_running_loop().time()

    def _typing_shown(self) -> None:
        if self._typing_due is not None:
            self._typing_due = asyncio.get_running_loop().time() + self._limits.typing_every
