"""A tap in Telegram: who tapped under which message, and what can be shown there."""

from __future__ import annotations

from dataclasses import dataclass

from aiogram import Bot
from aiogram.types import CallbackQuery, InaccessibleMessage

from adapters.buttons import Keyboard
from adapters.chat_reply import final_text
from adapters.taps import is_under
from adapters.telegram.calls import Calls
from adapters.telegram.formatting import pages, render
from adapters.telegram.place import Place
from adapters.texts import Texts
from engine import Answer, Exchange, Language

ALERT_CHARACTERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramTapped:
    query: CallbackQuery
    bot: Bot
    calls: Calls
    texts: Texts

    @property
    def language(self) -> Language:
        return "ru" if (self.query.from_user.language_code or "").startswith("ru") else "en"

    def is_at(self, exchange: Exchange) -> bool:
        return self.query.message is not None and self.query.message.chat.id == Place.of(exchange.place).chat

    def is_asker(self, exchange: Exchange) -> bool:
        place = Place.of(exchange.place)
        anonymous = not place.private and place.asker < 0  # an administrator asked; nobody can tell who taps
        return self.query.from_user.id == place.asker or anonymous

    async def say(self, text: str) -> None:
        await self._answer(text)

    async def show_apart(self, text: str) -> None:
        await self._answer(text, alert=True)

    async def change(self, exchange: Exchange, said: str, under: Keyboard) -> None:
        await self.say(said)
        if self._message is not None:
            await self.calls.buttons(Place.of(exchange.place), self._message, under)

    async def extend(self, exchange: Exchange, answer: Answer, under: Keyboard) -> bool:
        assert exchange.answer is not None
        shown, parts = (pages(final_text(exchange, one, self.texts)) for one in (exchange.answer, answer))
        if self._message is None or not is_under(exchange, self._message) or len(parts) > len(shown):
            return False
        await self.say("")
        await self.calls.edit(Place.of(exchange.place), self._message, parts[-1], under)
        return True

    async def close(self, exchange: Exchange, said: str) -> None:
        await self.say(said)
        if self._message is not None:
            await self.calls.edit(Place.of(exchange.place), self._message, render(said)[0], ())

    @property
    def _message(self) -> str | None:
        if self.query.message is None or isinstance(self.query.message, InaccessibleMessage):
            return None
        return str(self.query.message.message_id)

    async def _answer(self, text: str, *, alert: bool = False) -> None:
        await self.bot.answer_callback_query(self.query.id, text=text[:ALERT_CHARACTERS] or None, show_alert=alert)
