"""The weekly digest in Telegram's support chat: sent, changed, tapped."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from aiogram import Bot
from aiogram.exceptions import TelegramBadRequest
from aiogram.types import CallbackQuery

from adapters.digest import Digests, GapTap
from adapters.ledger import Missing, Unreachable
from adapters.pacing import DeliveryFailed
from adapters.relays import Refused, RelayTrace
from adapters.support_desk import SupportDesk
from adapters.telegram.calls import Calls
from adapters.telegram.config import TelegramConfig
from adapters.telegram.formatting import render
from adapters.telegram.lanes import Lanes
from adapters.telegram.place import Place
from engine import Relay


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramDigests:
    bot: Bot
    config: TelegramConfig
    desk: SupportDesk
    calls: Calls
    lanes: Lanes
    digests: Digests

    async def find(self, relay: Relay, trace: RelayTrace) -> None:
        _, keyboard = await self.digests.page(relay)
        await self.calls.find_posted(self._place(), keyboard, trace)

    async def carry(self, relay: Relay, trace: RelayTrace) -> None:
        place = self._place()
        text, keyboard = await self.digests.page(relay)
        part = render(text)[0]
        try:
            if trace.target is not None:
                return await self.calls.edit(place, trace.target, part, keyboard)
            self.lanes.of(place.chat, private=False).spend()
            await self.calls.post(place, part, keyboard, trace, None)
        except Unreachable as error:  # the whole chat is: it is tried again later
            raise DeliveryFailed("tell") from error
        except (TelegramBadRequest, Missing) as error:
            raise Refused(type(error).__name__) from error

    async def tapped(self, query: CallbackQuery, tap: GapTap) -> Callable[[], Awaitable[None]]:
        """Kept when this returns; what is returned tells who tapped."""
        here = query.message is not None and query.message.chat.id == self._place().chat
        name = query.from_user.full_name or str(query.from_user.id)
        said = self.digests.gone()
        if here:
            said = await self.digests.tapped(tap, name, self.config.support_language)
            self.desk.news.set()
        return partial(self._say, query, said)

    def _place(self) -> Place:
        support = self.config.support
        assert support is not None  # else there are no people to be shown a digest
        return Place(chat=support.chat, message=0, topic=support.topic, private=False)

    async def _say(self, query: CallbackQuery, text: str) -> None:
        await self.bot.answer_callback_query(query.id, text=text)
