"""Turns the events of an answer into paced verbs on a `Reply`. Shared by all platforms; knows no chat library.

Events come as fast as a model writes, a platform takes a message or an edit a second. So the reader of the events only
notes what should be visible (`adapters.pacing`), and a pacer beside it shows the latest state when the platform allows.
The final text goes out whatever happened before it, once. This is the delivery's edge: what breaks here is logged and
becomes an apology, so that an answer never ends in silence. Time is the running event loop's own.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Protocol

import structlog

from adapters.pacing import DeliveryFailed, Lane, Limits, Pacer, RateLimited, Reply, insist
from engine import AnswerEvent, Escalated, Final, Language, Outcome, Question, detect_language

__all__ = [
    "Answers",
    "DeliveryFailed",
    "Lane",
    "Limits",
    "RateLimited",
    "Reply",
    "deliver",
    "respond",
]

log = structlog.get_logger()

APOLOGY: dict[Language, str] = {
    "ru": "Извините, не получилось ответить: что-то сломалось. Попробуйте, пожалуйста, спросить ещё раз.",
    "en": "Sorry, something broke and the answer could not be given. Please try asking again.",
}


class Answers(Protocol):
    """What delivery needs of the engine."""

    def answer(self, question: Question) -> AbstractAsyncContextManager[AsyncIterator[AnswerEvent]]: ...


async def respond(
    engine: Answers,
    question: Question,
    reply: Reply,
    *,
    pace: float,
    lane: Lane | None = None,
    limits: Limits | None = None,
) -> Outcome | None:
    """Ask the engine and deliver its answer. Returns the outcome delivered, or None when the asker got an apology.

    Raises DeliveryFailed when the platform took neither.
    """
    language = question.language or detect_language(question.text)
    lane, limits = lane or Lane(), limits or Limits()
    outcome: Outcome | None = None
    ended = False
    try:
        async with engine.answer(question) as events:
            outcome = await deliver(events, reply, pace=pace, language=language, lane=lane, limits=limits)
            ended = True
    except DeliveryFailed:
        raise
    except Exception as error:  # the delivery's edge: entering or leaving the engine broke
        log.error("delivery.engine_broken", error=type(error).__name__, exc_info=error)
        if not ended:
            await _apologise(reply, language, lane, limits)
    return outcome


async def deliver(
    events: AsyncIterator[AnswerEvent],
    reply: Reply,
    *,
    pace: float,
    language: Language,
    lane: Lane | None = None,
    limits: Limits | None = None,
) -> Outcome | None:
    """Show an answer while it is being made, `pace` seconds or more between two shows, and its final text at the end.

    `events` must have been entered by the calling task; they are read up to the final one and not closed. `lane` is to
    be shared by deliveries which a rate limit concerns together (a conversation, a workspace). Returns the outcome
    delivered, or None when the events ended or broke without one and the asker got an apology (in `language`). Raises
    DeliveryFailed when the platform took neither.
    """
    lane, limits = lane or Lane(), limits or Limits()
    pacer = Pacer(reply, pace=pace, lane=lane, limits=limits)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(pacer.run())
        try:
            outcome = await _read(events, pacer, limits)
        finally:
            pacer.close()
    if outcome is None:
        await _apologise(reply, language, lane, limits)
        return None
    try:
        await insist("finish", partial(reply.finish, outcome), lane, limits)
    except DeliveryFailed:
        await _apologise_once(reply, language, lane, limits)
        raise
    return outcome


async def _read(events: AsyncIterator[AnswerEvent], pacer: Pacer, limits: Limits) -> Outcome | None:
    try:
        async with asyncio.timeout(limits.answer):
            async for event in events:
                if not isinstance(event, Final | Escalated):
                    pacer.note(event)
                elif event.outcome.text.strip():
                    return event.outcome
                else:
                    log.error("delivery.empty_answer", outcome=event.outcome.kind)
                    return None
        log.error("delivery.no_ending")
    except Exception as error:  # the delivery's edge: whatever broke the engine, the asker gets an end
        log.error("delivery.answer_broken", error=type(error).__name__, exc_info=error)
    return None


async def _apologise(reply: Reply, language: Language, lane: Lane, limits: Limits) -> None:
    await insist("apologise", partial(reply.apologise, APOLOGY[language]), lane, limits)


async def _apologise_once(reply: Reply, language: Language, lane: Lane, limits: Limits) -> None:
    """After a final text that the platform refused: something simpler may pass, but is not worth a second siege."""
    if lane.quiet_for() > 0:
        return
    try:
        async with asyncio.timeout(limits.call):
            await reply.apologise(APOLOGY[language])
    except Exception as error:  # noqa: BLE001  the caller raises the failure that matters
        log.warning("delivery.apology_failed", error=type(error).__name__)
