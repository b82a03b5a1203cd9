"""What a tap on a button does. It is kept first, then answered; again or after a restart, it does the same."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import structlog

from adapters import buttons
from adapters.buttons import Keyboard, Tap, read_tap
from adapters.delivery import DeliveryFailed, RateLimited, language_of
from adapters.inbox import InboxStore
from adapters.reception import Reception
from adapters.slack.calls import FAILURES, Calls, Missing
from adapters.slack.formatting import Part, render
from adapters.slack.place import Place
from adapters.slack.reply import final_parts
from adapters.sources import with_sources
from adapters.texts import Texts
from engine import Exchange, Inbound, Language

log = structlog.get_logger()

Act = Callable[[], Awaitable[None]]


async def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Tapped:
    """Who tapped where."""

    user: str
    channel: str
    message: str
    thread: str

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Tapped:
        container, message = body.get("container") or {}, body.get("message") or {}
        channel = (body.get("channel") or {}).get("id") or container.get("channel_id") or ""
        id = str(message.get("ts") or container.get("message_ts") or "")
        return cls(str(body["user"]["id"]), str(channel), id, str(message.get("thread_ts") or id))


@dataclass(frozen=True, slots=True, kw_only=True)
class Taps:
    store: InboxStore
    calls: Calls
    reception: Reception
    texts: Texts
    human: bool

    async def take(self, body: Mapping[str, Any]) -> Act:
        """Keep what the tap says. What is returned tells the asker, and may be done later."""
        tap = read_tap(str((body.get("actions") or [{}])[0].get("value") or ""))
        tapped = Tapped.of(body)
        exchange = await self.store.exchange(tap.exchange) if tap else None
        if tap is None or exchange is None:
            return partial(self._say, tapped, self.texts("gone", "en"))
        language = _language(exchange)
        if exchange.place.get("channel") != tapped.channel or (tap.verb != "src" and tapped.user != exchange.asker):
            return partial(self._say, tapped, self.texts("not_yours", language))
        return await self._do(tapped, tap, exchange, language)

    async def _do(self, tapped: Tapped, tap: Tap, exchange: Exchange, language: Language) -> Act:
        match tap.verb:
            case "up":
                await self.store.rate(exchange.id, "helpful")
                return self._change(tapped, exchange, language, "thanks", self._unrated(exchange, language))
            case "down":
                await self.store.rate(exchange.id, "not_helpful", exchange.reason)
                reasons = buttons.reasons(exchange, self.texts, language)
                return self._change(tapped, exchange, language, "what_was_wrong", reasons)
            case "why":
                reason = tap.choice if tap.choice in buttons.REASONS else ""
                await self.store.rate(exchange.id, "not_helpful", reason)
                return self._change(tapped, exchange, language, "thanks", self._unrated(exchange, language))
            case "src":
                return partial(self._sources, tapped, exchange, language)
            case "human":
                await self.reception.accept(_call_for_human(exchange))
                return _nothing
            case "again":
                if exchange.answer is None or exchange.answer.kind == "failed":
                    await self.reception.again(exchange)
                return _nothing
            case "lang":
                return _nothing  # chosen in the app's Home

    def _unrated(self, exchange: Exchange, language: Language) -> Keyboard:
        return buttons.keyboard(exchange, self.texts, language, human=self.human, rating=False)

    def _change(self, tapped: Tapped, exchange: Exchange, language: Language, said: str, under: Keyboard) -> Act:
        async def act() -> None:
            await self._show(tapped, exchange, under)
            await self._say(tapped, self.texts(said, language))

        return act

    async def _show(self, tapped: Tapped, exchange: Exchange, under: Keyboard, part: Part | None = None) -> None:
        """The buttons are changed with the whole message: Slack knows no other way."""
        if exchange.answer is None or not exchange.posted or tapped.message != exchange.posted[-1]:
            return
        shown = part or final_parts(exchange, exchange.answer, self.texts)[-1]
        await self.calls.edit(Place.of(exchange.place), tapped.message, shown, under)

    async def _sources(self, tapped: Tapped, exchange: Exchange, language: Language) -> None:
        """Below the answer, where it still fits there; otherwise to the one who asked for them."""
        answer = exchange.answer
        if answer is None or not answer.citations:
            return await self._say(tapped, self.texts("no_sources", language))
        under = buttons.keyboard(
            exchange, self.texts, language, human=self.human, rating=exchange.rating is None, sources=False
        )
        full = replace(answer, text=with_sources(answer, self.texts))
        shown, parts = final_parts(exchange, answer, self.texts), final_parts(exchange, full, self.texts)
        if len(parts) > len(shown) or tapped.user != exchange.asker:
            for part in render(with_sources(replace(answer, text=""), self.texts)):
                await self._say(tapped, part.markdown)
            return None
        return await self._show(tapped, exchange, under, parts[-1])

    async def _say(self, tapped: Tapped, text: str) -> None:
        if tapped.channel:
            place = Place(channel=tapped.channel, thread=tapped.thread, message=tapped.message)
            await self.calls.whisper(place, tapped.user, text)


async def carry_out(act: Act) -> None:
    """A tap's answer that Slack refuses harms nobody."""
    try:
        await act()
    except (*FAILURES, RateLimited, DeliveryFailed, Missing) as error:
        log.warning("slack.tap_not_answered", error=type(error).__name__)


def _call_for_human(exchange: Exchange) -> Inbound:
    return Inbound(
        key=f"human:{exchange.id}",
        conversation=exchange.conversation,
        asker=exchange.asker,
        text=exchange.text,
        place=exchange.place,
        command="human",
    )


def _language(exchange: Exchange) -> Language:
    return exchange.answer.language if exchange.answer else language_of(exchange.text)
