"""One exchange from its question to the last word delivered: the same for every chat platform."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

import structlog

from adapters.delivery import Answers, DeliveryFailed, Lane, Limits, respond
from adapters.escalation import Escalation
from adapters.inbox import InboxStore
from adapters.ledger import Displaced, KeptReply, Ledger, Ledgers, PlatformReply, TakenOver, Unreachable
from adapters.pacing import insist
from adapters.texts import Texts
from engine import Answer, Exchange, Language, Outcome, Question, Standing, detect_language

log = structlog.get_logger()

PUBLIC = frozenset({"public"})
MOST_ATTEMPTS = 20
"""An exchange that has ended the process this often gets an apology instead."""
PAUSING_SECONDS = 5.0


class Platform(Protocol):
    def reply(self, exchange: Exchange, ledger: Ledger, language: Language) -> PlatformReply: ...

    def lane(self, exchange: Exchange) -> Lane: ...

    def pace(self, exchange: Exchange) -> float: ...

    async def own_words(self, exchange: Exchange, standing: Standing, language: Language) -> str | None:
        """What we say ourselves to a command or a message without text; None when it is a question to the engine."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What all answers on one platform share."""

    engine: Answers
    store: InboxStore
    ledgers: Ledgers
    platform: Platform
    texts: Texts = field(default_factory=Texts)
    limits: Limits = field(default_factory=Limits)
    audience: frozenset[str] = PUBLIC
    chosen: Callable[[Exchange], Awaitable[Language | None]] | None = None
    """The asker's own choice of language, where that is kept for more than a conversation."""
    history: int = 6
    escalation: Escalation | None = None
    """None when there are no people to pass questions to."""
    pauses: Sequence[float] = (30.0, 60.0, 300.0, 900.0)
    """Between the sieges for a final text that the platform did not take."""


class ExchangeAnswer:
    """An `Answering` of the reception."""

    def __init__(self, desk: Desk, exchange: Exchange) -> None:
        self._desk = desk
        self._exchange = exchange
        self._ledger = desk.ledgers.of(exchange)
        self._language = exchange.language or detect_language(exchange.text)
        self._reply: PlatformReply | None = None
        self._kept: KeptReply | None = None

    @property
    def concluding(self) -> bool:
        return self._kept is not None and self._kept.concluding

    async def run(self) -> None:
        """Raises Displaced when another process has the conversation."""
        exchange, store = self._exchange, self._desk.store
        standing = await store.standing(exchange.conversation)
        if standing.language is None and self._desk.chosen is not None:
            standing = replace(standing, language=await self._desk.chosen(exchange))
        self._language = _language(exchange, standing)
        reply = self._reply = self._desk.platform.reply(exchange, self._ledger, self._language)
        revise = self._desk.escalation.after if self._desk.escalation else None
        self._kept = KeptReply(reply, store, exchange, self._desk.texts("apology", self._language), revise=revise)
        try:
            await self._ledger.clear()
            await self._deliver(standing, self._kept)
        except TakenOver:
            log.info("answer.taken_over", exchange=exchange.id)
            await _try("abandon", reply.abandon(), self._desk.limits.call)
            await store.close(exchange.id, "dropped")
        except Unreachable:
            log.info("answer.unreachable", exchange=exchange.id)
            await store.lose(exchange.conversation)
            await store.close(exchange.id, "undelivered")

    async def pause(self) -> None:
        if self._reply is None or self.concluding or self._exchange.answer is not None:
            return

        async def say(reply: PlatformReply) -> None:
            await self._ledger.clear()
            await reply.pause(self._desk.texts("back_soon", self._language))

        await _try("pause", say(self._reply), PAUSING_SECONDS)

    async def _deliver(self, standing: Standing, kept: KeptReply) -> None:
        """Until the platform has taken the last word, or cannot be hoped to."""
        pauses = iter(self._desk.pauses)
        while True:
            try:
                return await self._attempt(standing, kept)
            except (TakenOver, Displaced, Unreachable):
                raise
            except DeliveryFailed as failure:
                pause = next(pauses, None)
                if pause is None:
                    log.error("answer.undelivered", exchange=self._exchange.id)
                    return await self._desk.store.close(self._exchange.id, "undelivered")
                await asyncio.sleep(max(pause, failure.retry_after or 0.0))

    async def _attempt(self, standing: Standing, kept: KeptReply) -> None:
        exchange = await self._desk.store.exchange(self._exchange.id) or self._exchange
        lane, limits = self._desk.platform.lane(exchange), self._desk.limits
        finish: Outcome | None = exchange.answer.outcome(str(exchange.id)) if exchange.answer else None
        if finish is None:
            words = await self._desk.platform.own_words(exchange, standing, self._language)
            if words is None and self._desk.escalation is not None:
                words = await self._desk.escalation.before(exchange, standing, self._language)
            finish = Answer(text=words, language=self._language).outcome(str(exchange.id)) if words else None
        if finish is not None:
            return await insist("finish", partial(kept.finish, finish), lane, limits)
        if await self._desk.store.begin(exchange.id) > MOST_ATTEMPTS:
            log.error("answer.too_many_attempts", exchange=exchange.id)
            return await insist("apologise", partial(kept.apologise, ""), lane, limits)
        question = Question(
            text=exchange.text,
            id=str(exchange.id),
            conversation=exchange.conversation,
            history=await self._desk.store.history(exchange.conversation, self._desk.history),
            language=standing.language,
            audience=self._desk.audience,
            beyond_faq=exchange.rating == "not_helpful",
        )
        pace = self._desk.platform.pace(exchange)
        await respond(self._desk.engine, question, kept, pace=pace, lane=lane, limits=limits)
        return None


async def _try(verb: str, work: Coroutine[Any, Any, None], seconds: float) -> None:
    """What is done for good manners at the end of an answer, and is no harm if it fails."""
    try:
        async with asyncio.timeout(seconds):
            await work
    except Exception as error:  # noqa: BLE001  the delivery's edge: there is nothing after it
        log.warning("answer.last_step_failed", verb=verb, error=type(error).__name__)


def _language(exchange: Exchange, standing: Standing) -> Language:
    """What we speak: as chosen, else as the question is written, else as the platform says the asker does."""
    if standing.language:
        return standing.language
    if any(letter.isalpha() for letter in exchange.text):
        return detect_language(exchange.text)
    return exchange.language or "en"
