"""What a tap on a button does. It is kept first, then answered; again or after a restart, it does the same.

The same for every platform: what one can show to whoever tapped is its `Tapped`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import structlog

from adapters import buttons
from adapters.buttons import Keyboard, Tap, read_tap
from adapters.delivery import DeliveryFailed, RateLimited
from adapters.escalation import Escalation
from adapters.inbox import InboxStore
from adapters.reception import Reception
from adapters.sources import with_sources
from adapters.texts import Texts
from engine import Answer, Exchange, Inbound, Language, detect_language

log = structlog.get_logger()

Act = Callable[[], Awaitable[None]]


class Tapped(Protocol):
    """Who tapped under which message, and what can be shown there."""

    @property
    def language(self) -> Language:
        """To be spoken to whoever tapped when the exchange does not say."""
        ...

    def is_at(self, exchange: Exchange) -> bool:
        """In the chat of the exchange: what a button carries can be made up."""
        ...

    def is_asker(self, exchange: Exchange) -> bool: ...

    async def say(self, text: str) -> None:
        """A word to whoever tapped, and nobody else. An empty one: the tap has arrived."""
        ...

    async def show_apart(self, text: str) -> None:
        """The same for something longer, in Markdown."""
        ...

    async def change(self, exchange: Exchange, said: str, under: Keyboard) -> None:
        """Say it, and put these buttons under the message that was tapped."""
        ...

    async def extend(self, exchange: Exchange, answer: Answer, under: Keyboard) -> bool:
        """Show a longer answer where the exchange's is. False when it has no room there, and nothing was done."""
        ...

    async def close(self, exchange: Exchange, said: str) -> None:
        """Say it in the place of the message that was tapped."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Taps:
    store: InboxStore
    reception: Reception
    texts: Texts
    human: bool
    """Whether there are people to be asked."""
    escalation: Escalation | None = None

    async def take(self, tapped: Tapped, data: str) -> Act:
        """Keep what the tap says. What is returned tells whoever tapped, and may be done later."""
        tap = read_tap(data)
        exchange = await self.store.exchange(tap.exchange) if tap else None
        language = _language(tapped, exchange)
        if tap is None or exchange is None:
            return partial(tapped.say, self.texts("gone", language))
        # Sources are for all who can read the answer.
        if not tapped.is_at(exchange) or (tap.verb != "src" and not tapped.is_asker(exchange)):
            return partial(tapped.say, self.texts("not_yours", language))
        return await self._do(tapped, tap, exchange, language)

    async def _do(self, tapped: Tapped, tap: Tap, exchange: Exchange, language: Language) -> Act:
        match tap.verb:
            case "up":
                await self.store.rate(exchange.id, "helpful")
                return self._thanks(tapped, exchange, language)
            case "down":
                return await self._unhelpful(tapped, exchange, language)
            case "why":
                reason = tap.choice if tap.choice in buttons.REASONS else ""
                await self.store.rate(exchange.id, "not_helpful", reason)
                return self._thanks(tapped, exchange, language)
            case "src":
                return partial(self._sources, tapped, exchange, language)
            case "human":
                await self.reception.accept(_call_for_human(exchange))
            case "lang" if exchange.command == "language":
                return await self._choose_language(tapped, exchange, tap.choice)
            case "again" if exchange.answer is None or exchange.answer.kind == "failed":
                await self.reception.again(exchange)
        return partial(tapped.say, "")

    async def _unhelpful(self, tapped: Tapped, exchange: Exchange, language: Language) -> Act:
        """A stored answer that did not help: the documents are asked instead. The second time, people are."""
        first = exchange.rating != "not_helpful"
        await self.store.rate(exchange.id, "not_helpful", exchange.reason)
        if self.escalation is not None:
            await self.escalation.rated(exchange, language)
        if first and exchange.answer is not None and exchange.answer.kind == "faq_direct":
            await self.reception.again(exchange)
            return partial(tapped.say, self.texts("asking_documents", language))
        reasons = buttons.reasons(exchange, self.texts, language)
        return partial(tapped.change, exchange, self.texts("what_was_wrong", language), reasons)

    def _thanks(self, tapped: Tapped, exchange: Exchange, language: Language) -> Act:
        under = buttons.keyboard(exchange, self.texts, language, human=self.human, rating=False)
        return partial(tapped.change, exchange, self.texts("thanks", language), under)

    async def _sources(self, tapped: Tapped, exchange: Exchange, language: Language) -> None:
        """Below the answer, where they still fit there; otherwise apart."""
        answer = exchange.answer
        if answer is None or not answer.citations:
            return await tapped.say(self.texts("no_sources", language))
        rating = exchange.rating is None
        under = buttons.keyboard(exchange, self.texts, language, human=self.human, rating=rating, sources=False)
        if not await tapped.extend(exchange, replace(answer, text=with_sources(answer, self.texts)), under):
            await tapped.show_apart(with_sources(replace(answer, text=""), self.texts))
        return None

    async def _choose_language(self, tapped: Tapped, exchange: Exchange, choice: str) -> Act:
        chosen: Language | None = {"ru": "ru", "en": "en"}.get(choice)  # type: ignore[assignment]
        await self.store.speak(exchange.conversation, chosen)
        said = "language_chosen" if chosen else "language_free"
        return partial(tapped.close, exchange, self.texts(said, chosen or _language(tapped, exchange)))


def is_under(exchange: Exchange, message: str) -> bool:
    """Whether the buttons of an answer are under this message of it: the last one, which may have no id yet."""
    return exchange.sending is not None or message in exchange.posted[-1:]


class Acts:
    """What was kept and is answered beside the taking of more: each is owned until it ends."""

    def __init__(self, refusals: tuple[type[Exception], ...]) -> None:
        """`refusals` are those of the platform that harm nobody."""
        self._refusals = refusals
        self._acts: set[asyncio.Task[None]] = set()

    def later(self, act: Act) -> None:
        task = asyncio.create_task(carry_out(act, self._refusals))
        self._acts.add(task)
        task.add_done_callback(self._acts.discard)

    async def aclose(self, seconds: float) -> None:
        """Give them some time, then end them."""
        acts = list(self._acts)
        if acts:
            await asyncio.wait(acts, timeout=seconds)
        for act in acts:
            act.cancel()
        await asyncio.gather(*acts, return_exceptions=True)


async def carry_out(act: Act, refusals: tuple[type[Exception], ...]) -> None:
    """A tap's answer that the platform refuses, because it is too late or the message is gone, harms nobody."""
    harmless: tuple[type[Exception], ...] = (*refusals, RateLimited, DeliveryFailed)
    try:
        await act()
    except harmless as error:
        log.warning("tap.not_answered", error=type(error).__name__)


def _call_for_human(exchange: Exchange) -> Inbound:
    return Inbound(
        key=f"human:{exchange.id}",
        conversation=exchange.conversation,
        asker=exchange.asker,
        text=exchange.text,
        place=exchange.place,
        command="human",
        language=exchange.language,
    )


def _language(tapped: Tapped, exchange: Exchange | None) -> Language:
    if exchange is not None and exchange.answer is not None:
        return exchange.answer.language
    if exchange is not None and exchange.text.strip():
        return detect_language(exchange.text)
    return tapped.language
