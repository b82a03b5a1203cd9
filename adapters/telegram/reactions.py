"""A reaction to an answer in Telegram: the asker's 👍 or 👎 rates it, as a tap on a button does."""

from __future__ import annotations

from dataclasses import dataclass

from aiogram.types import MessageReactionUpdated, ReactionTypeEmoji

from adapters.buttons import Keyboard, Tap, Verb, may_be_rated
from adapters.inbox import InboxStore
from adapters.taps import Act, Taps, is_under
from adapters.telegram.calls import Calls
from adapters.telegram.place import Place
from engine import Answer, Exchange, Language

LOOKED_BACK = 200
"""Exchanges of the desk; a reaction to an older answer is passed over."""
_MEANING: dict[str, Verb] = {"👍": "up", "👎": "down"}


async def reacted(reaction: MessageReactionUpdated, store: InboxStore, taps: Taps, calls: Calls) -> Act | None:
    """Keep what a reaction says of an answer. None when it rates nothing: another emoji, another message, others."""
    verb = _meant(reaction)
    if verb is None:
        return None
    tapped = TelegramReacted(reaction=reaction, calls=calls)
    for exchange in await store.latest(LOOKED_BACK):
        if tapped.is_at(exchange) and exchange.sending is None and is_under(exchange, tapped.message):
            rates = may_be_rated(exchange) and tapped.is_asker(exchange)
            return await taps.take(tapped, Tap(verb, exchange.id).data()) if rates else None
    return None


def _meant(reaction: MessageReactionUpdated) -> Verb | None:
    """What was added; a reaction that is taken back says nothing."""
    before, now = (
        {one.emoji for one in many if isinstance(one, ReactionTypeEmoji)}
        for many in (reaction.old_reaction, reaction.new_reaction)
    )
    return next((verb for emoji, verb in _MEANING.items() if emoji in now - before), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramReacted:
    """Nothing can be said to whoever reacted alone: only the buttons under the answer change."""

    reaction: MessageReactionUpdated
    calls: Calls

    @property
    def message(self) -> str:
        return str(self.reaction.message_id)

    @property
    def language(self) -> Language:
        user = self.reaction.user
        return "ru" if user is not None and (user.language_code or "").startswith("ru") else "en"

    def is_at(self, exchange: Exchange) -> bool:
        return Place.of(exchange.place).chat == self.reaction.chat.id

    def is_asker(self, exchange: Exchange) -> bool:
        """Never who reacts as a chat: nobody can tell who that is."""
        return self.reaction.user is not None and self.reaction.user.id == Place.of(exchange.place).asker

    async def say(self, text: str) -> None: ...

    async def show_apart(self, text: str) -> None: ...

    async def change(self, exchange: Exchange, said: str, under: Keyboard) -> None:
        await self.calls.buttons(Place.of(exchange.place), self.message, under)

    async def extend(self, exchange: Exchange, answer: Answer, under: Keyboard) -> bool:
        return False

    async def close(self, exchange: Exchange, said: str) -> None: ...
