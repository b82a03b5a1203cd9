"""What a tap on a button does. It is kept first, then answered; again or after a restart, it does the same."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial

import structlog
from aiogram import Bot
from aiogram.types import CallbackQuery, InaccessibleMessage

from adapters import buttons
from adapters.buttons import Keyboard, Tap, read_tap
from adapters.delivery import DeliveryFailed, RateLimited, language_of
from adapters.escalation import Escalation
from adapters.inbox import InboxStore
from adapters.reception import Reception
from adapters.sources import with_sources
from adapters.telegram.calls import FAILURES, Calls, Missing
from adapters.telegram.formatting import render
from adapters.telegram.place import Place
from adapters.texts import Texts
from engine import Exchange, Inbound, Language

log = structlog.get_logger()

Act = Callable[[], Awaitable[None]]
ALERT_CHARACTERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Taps:
    bot: Bot
    store: InboxStore
    calls: Calls
    reception: Reception
    texts: Texts
    human: bool
    escalation: Escalation | None = None

    async def take(self, query: CallbackQuery) -> Act:
        """Keep what the tap says. What is returned tells the asker, and may be done later."""
        tap = read_tap(query.data or "")
        exchange = await self.store.exchange(tap.exchange) if tap else None
        language = _language(query, exchange)
        if tap is None or exchange is None:
            return partial(self._say, query, self.texts("gone", language))
        if not _is_theirs(query, exchange, tap):
            return partial(self._say, query, self.texts("not_yours", language))
        return await self._do(query, tap, exchange, language)

    async def _do(self, query: CallbackQuery, tap: Tap, exchange: Exchange, language: Language) -> Act:
        match tap.verb:
            case "up":
                await self.store.rate(exchange.id, "helpful")
                return self._change(query, exchange, language, "thanks", self._unrated(exchange, language))
            case "down":
                await self.store.rate(exchange.id, "not_helpful", exchange.reason)
                await self._unhelpful(exchange, language)
                reasons = buttons.reasons(exchange, self.texts, language)
                return self._change(query, exchange, language, "what_was_wrong", reasons)
            case "why":
                reason = tap.choice if tap.choice in buttons.REASONS else ""
                await self.store.rate(exchange.id, "not_helpful", reason)
                return self._change(query, exchange, language, "thanks", self._unrated(exchange, language))
            case "src":
                return partial(self._sources, query, exchange, language)
            case "human":
                await self.reception.accept(_call_for_human(exchange))
                return partial(self._say, query, "")
            case "lang":
                return await self._choose_language(query, exchange, tap.choice)
            case "again":
                if exchange.answer is None or exchange.answer.kind == "failed":
                    await self.reception.again(exchange)
                return partial(self._say, query, "")

    async def _unhelpful(self, exchange: Exchange, language: Language) -> None:
        """A stored answer that did not help: the documents are asked instead. The second time, people are."""
        if self.escalation is not None:
            await self.escalation.rated(exchange, language)
        first = exchange.rating != "not_helpful"
        if first and exchange.answer is not None and exchange.answer.kind == "faq_direct":
            await self.reception.again(exchange)

    def _unrated(self, exchange: Exchange, language: Language) -> Keyboard:
        return buttons.keyboard(exchange, self.texts, language, human=self.human, rating=False)

    def _change(self, query: CallbackQuery, exchange: Exchange, language: Language, said: str, under: Keyboard) -> Act:
        async def act() -> None:
            await self._say(query, self.texts(said, language))
            if message := _message_id(query):
                await self.calls.buttons(Place.of(exchange.place), message, under)

        return act

    async def _sources(self, query: CallbackQuery, exchange: Exchange, language: Language) -> None:
        """Below the answer, where it still fits there; otherwise in a box of their own."""
        message = _message_id(query)
        if exchange.answer is None or not exchange.answer.citations or message is None:
            return await self._say(query, self.texts("no_sources", language))
        under = buttons.keyboard(
            exchange, self.texts, language, human=self.human, rating=exchange.rating is None, sources=False
        )
        shown = render(exchange.answer.text)
        parts = render(with_sources(exchange.answer, self.texts))
        if len(parts) > max(1, len(shown)) or message != (exchange.posted or (message,))[-1]:
            listed = with_sources(replace(exchange.answer, text=""), self.texts)
            return await self._say(query, listed, alert=True)
        await self._say(query, "")
        return await self.calls.edit(Place.of(exchange.place), message, parts[-1], under)

    async def _choose_language(self, query: CallbackQuery, exchange: Exchange, choice: str) -> Act:
        chosen: Language | None = {"ru": "ru", "en": "en"}.get(choice)  # type: ignore[assignment]
        await self.store.speak(exchange.conversation, chosen)
        said = "language_chosen" if chosen else "language_free"
        text = self.texts(said, chosen or _language(query, exchange))

        async def act() -> None:
            await self._say(query, text)
            if message := _message_id(query):
                await self.calls.edit(Place.of(exchange.place), message, render(text)[0], ())

        return act

    async def _say(self, query: CallbackQuery, text: str, *, alert: bool = False) -> None:
        await self.bot.answer_callback_query(query.id, text=text[:ALERT_CHARACTERS] or None, show_alert=alert)


async def carry_out(act: Act) -> None:
    """A tap's answer that Telegram refuses, because it is too old or the message is gone, harms nobody."""
    try:
        await act()
    except (*FAILURES, RateLimited, DeliveryFailed, Missing) as error:
        log.warning("telegram.tap_not_answered", error=type(error).__name__)


def _is_theirs(query: CallbackQuery, exchange: Exchange, tap: Tap) -> bool:
    """Data can be made up, and in a group anybody can tap. Sources are for all who can read the answer."""
    place = Place.of(exchange.place)
    here = query.message is not None and query.message.chat.id == place.chat
    return here and (tap.verb == "src" or query.from_user.id == place.asker or _is_anonymous(place))


def _is_anonymous(place: Place) -> bool:
    """An anonymous administrator asked; nobody can tell who taps."""
    return not place.private and place.asker < 0


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


def _message_id(query: CallbackQuery) -> str | None:
    if query.message is None or isinstance(query.message, InaccessibleMessage):
        return None
    return str(query.message.message_id)


def _language(query: CallbackQuery, exchange: Exchange | None) -> Language:
    if exchange is not None and exchange.answer is not None:
        return exchange.answer.language
    if exchange is not None and exchange.text.strip():
        return language_of(exchange.text)
    return "ru" if (query.from_user.language_code or "").startswith("ru") else "en"
