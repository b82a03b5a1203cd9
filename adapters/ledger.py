"""What an exchange has put before its asker, kept across restarts, and the reply that keeps it.

Platforms have no way to say "send this unless you have". So a mark is left before a message is sent, and the message's
id takes the mark's place. Whoever finds a mark looks on the platform for the message that may have been sent, and
adopts it: nothing is said twice and no half answer is left behind.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol
from weakref import WeakValueDictionary

from adapters.delivery import DeliveryFailed, RateLimited, Reply
from adapters.inbox import InboxStore
from engine import Answer, Exchange, Outcome

HUMAN_HOLDS = timedelta(hours=1)
"""How long a human has a conversation after each of their messages, where a platform shows those to the bot."""


class TakenOver(DeliveryFailed):
    """A human has the conversation: the bot is silent."""


class Displaced(DeliveryFailed):
    """Another process has the conversation: it answers, and this one is silent."""


class Unreachable(DeliveryFailed):
    """The asker has blocked the bot, or the chat is gone; no retry can help."""


class Missing(Exception):
    """The message is not there, or is not ours to change."""


class Trace(Protocol):
    """What `Ledger` is to one message: a mark before it is sent, its id afterwards."""

    @property
    def mark(self) -> str | None: ...

    async def clear(self) -> None: ...

    async def intend(self, mark: str) -> None: ...

    async def settle(self, id: str | None) -> None: ...


class PlatformReply(Reply, Protocol):
    """A `Reply` on a platform where messages stay, and are edited."""

    async def pause(self, text: str) -> None:
        """Say that the answer comes later. It takes the place of all that was shown, and is edited when it comes."""
        ...

    async def abandon(self) -> None:
        """Remove all that was shown: there will be no answer from here."""
        ...


class Ledgers:
    """One ledger for an exchange at a time, whoever looks into it."""

    def __init__(self, store: InboxStore, key: Callable[[str], str] = str) -> None:
        """`key` says of a conversation what is claimed with it."""
        self._store, self._key = store, key
        self._open: WeakValueDictionary[int, Ledger] = WeakValueDictionary()

    def of(self, exchange: Exchange) -> Ledger:
        ledger = self._open.get(exchange.id)
        if ledger is None:
            ledger = Ledger(self._store, exchange, self._key(exchange.conversation))
            self._open[exchange.id] = ledger
        return ledger


@dataclass(frozen=True, slots=True)
class Lost:
    """Looks for messages which an earlier process sent without living to hear of it, before anything new is said."""

    ledgers: Ledgers
    find: Callable[[Exchange, Ledger], Awaitable[None]]
    refusals: tuple[type[Exception], ...]

    async def look_for(self, exchange: Exchange) -> None:
        """What the platform refuses now is looked for again by the exchange's own answer."""
        harmless: tuple[type[Exception], ...] = (*self.refusals, RateLimited, DeliveryFailed)
        ledger = self.ledgers.of(exchange)
        if ledger.mark is not None:
            with suppress(*harmless):
                await self.find(exchange, ledger)


class Ledger:
    """The ids of our messages in an exchange, in their order."""

    def __init__(self, store: InboxStore, exchange: Exchange, key: str = "") -> None:
        self._store = store
        self._exchange = exchange
        self._key = key
        self._posted = list(exchange.posted)
        self._mark = exchange.sending

    @property
    def posted(self) -> tuple[str, ...]:
        return tuple(self._posted)

    @property
    def mark(self) -> str | None:
        """Set while a message may be out there whose id is not known."""
        return self._mark

    async def clear(self) -> None:
        """To be called just before each call that the asker sees. Raises TakenOver or Displaced."""
        match await self._store.clearance(self._exchange.id, self._key):
            case "taken_over":
                raise TakenOver("answer")
            case "elsewhere":
                raise Displaced("answer")
            case "closed" if self._exchange.ending == "open":  # another process was faster
                raise Displaced("answer")

    async def intend(self, mark: str) -> None:
        self._mark = mark
        await self._keep()

    async def settle(self, id: str | None) -> None:
        """What was intended was sent, under this id, or it is known that it was not."""
        self._mark = None
        if id is not None:
            self._posted.append(id)
        await self._keep()

    async def strike(self, id: str) -> None:
        """A message of ours is gone."""
        self._posted.remove(id)
        await self._keep()

    async def _keep(self) -> None:
        await self._store.note(self._exchange.id, self._posted, self._mark)


class KeptReply:
    """Keeps the final text before it is delivered, and closes the exchange when it was."""

    def __init__(
        self,
        reply: Reply,
        store: InboxStore,
        exchange: Exchange,
        apology: str,
        *,
        revise: Callable[[Exchange, Outcome], Awaitable[Outcome]] | None = None,
    ) -> None:
        """`revise` has the last word on an outcome, before it is kept."""
        self._reply = reply
        self._revise = revise
        self._apology = apology
        self._store = store
        self._exchange = exchange
        self._revised: Outcome | None = None
        self.concluding = False
        """The final text is there: the answer is no longer to be given up for another one."""

    async def typing(self) -> None:
        await self._reply.typing()

    async def show(self, text: str) -> None:
        await self._reply.show(text)

    async def withdraw(self) -> None:
        await self._reply.withdraw()

    async def interim(self, text: str, *, keep: bool) -> None:
        await self._reply.interim(text, keep=keep)

    async def finish(self, outcome: Outcome) -> None:
        if not self.concluding:
            if self._revise is not None and self._exchange.answer is None:
                outcome = self._revised = await self._revise(self._exchange, outcome)
            self.concluding = True
            await self._store.conclude(self._exchange.id, Answer.of(outcome))
        await self._reply.finish(self._revised or outcome)
        await self._store.close(self._exchange.id, "done")

    async def apologise(self, text: str) -> None:
        del text  # the owner may have put other words in its place
        self.concluding = True
        await self._reply.apologise(self._apology)
        await self._store.close(self._exchange.id, "done")
