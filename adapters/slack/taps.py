"""A tap in Slack: who tapped under which message, and what can be shown there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adapters.buttons import Keyboard
from adapters.chat_reply import final_text
from adapters.slack.calls import Calls
from adapters.slack.formatting import Part, pages, render
from adapters.slack.place import Place
from adapters.taps import is_under
from adapters.texts import Texts
from engine import Answer, Exchange, Language


def data_of(body: Mapping[str, Any]) -> str:
    """What the button carries."""
    return str((body.get("actions") or [{}])[0].get("value") or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackTapped:
    user: str
    place: Place
    """Its message is the one that was tapped."""
    calls: Calls
    texts: Texts
    language: Language = "en"

    @classmethod
    def of(cls, body: Mapping[str, Any], calls: Calls, texts: Texts) -> SlackTapped:
        container, message = body.get("container") or {}, body.get("message") or {}
        channel = (body.get("channel") or {}).get("id") or container.get("channel_id") or ""
        id = str(message.get("ts") or container.get("message_ts") or "")
        place = Place(channel=str(channel), thread=str(message.get("thread_ts") or id), message=id)
        return cls(user=str(body["user"]["id"]), place=place, calls=calls, texts=texts)

    def is_at(self, exchange: Exchange) -> bool:
        return exchange.place.get("channel") == self.place.channel

    def is_asker(self, exchange: Exchange) -> bool:
        return self.user == exchange.asker

    async def say(self, text: str) -> None:
        if text and self.place.channel:
            await self.calls.whisper(self.place, self.user, text)

    async def show_apart(self, text: str) -> None:
        for part in render(text):
            await self.say(part.markdown)

    async def change(self, exchange: Exchange, said: str, under: Keyboard) -> None:
        """The buttons are changed with the whole message: Slack knows no other way."""
        if exchange.answer is not None and is_under(exchange, self.place.message):
            await self._show(exchange, pages(final_text(exchange, exchange.answer, self.texts))[-1], under)
        await self.say(said)

    async def extend(self, exchange: Exchange, answer: Answer, under: Keyboard) -> bool:
        """Others who ask for more see it alone."""
        assert exchange.answer is not None
        shown, parts = (pages(final_text(exchange, one, self.texts)) for one in (exchange.answer, answer))
        if not self.is_asker(exchange) or not is_under(exchange, self.place.message) or len(parts) > len(shown):
            return False
        await self._show(exchange, parts[-1], under)
        return True

    async def close(self, exchange: Exchange, said: str) -> None:
        await self._show(exchange, render(said)[0], ())

    async def _show(self, exchange: Exchange, part: Part, under: Keyboard) -> None:
        await self.calls.edit(Place.of(exchange.place), self.place.message, part, under)
