"""What people do in the support chat: write in tickets, tap their buttons."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

import structlog
from aiogram import Bot
from aiogram.exceptions import TelegramBadRequest
from aiogram.types import CallbackQuery, Message, User

from adapters.desk_people import DeskPeople
from adapters.digest import GapTap
from adapters.telegram.calls import FAILURES, Calls
from adapters.telegram.config import TelegramConfig
from adapters.telegram.formatting import render
from adapters.telegram.place import Place
from adapters.telegram.relayed import home_keys, key_of, said_of
from adapters.ticket_buttons import LEARNING, TicketTap
from engine import Ticket

log = structlog.get_logger()

Act = Callable[[], Awaitable[None]]
_COMMAND = re.compile(r"/faq(?:@\w+)?(?:\s+|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    bot: Bot
    config: TelegramConfig
    shared: DeskPeople
    calls: Calls

    def are_at(self, chat: int) -> bool:
        return self.config.support is not None and chat == self.config.support.chat

    async def wrote(self, message: Message) -> Act | None:
        """In the support chat. Kept when this returns; what belongs to no ticket is theirs alone."""
        sender = message.from_user
        if sender is None or (sender.is_bot and message.sender_chat is None) or _is_service(message):
            return None
        text, who = message.text or message.caption or "", _who(message, sender)
        ticket = await self._ticket(message)
        if (command := _COMMAND.match(text)) is not None:
            return partial(self._command, message, text[command.end() :], who, ticket)
        if ticket is None:
            return None
        replied = message.reply_to_message
        if replied is None or not await self.shared.rewrote(ticket, str(replied.message_id), text, *who):
            await self.shared.wrote(ticket, said_of(message, self.shared.desk.name), text, *who)
        return None

    async def edited(self, message: Message) -> None:
        text, replied, sender = message.text or message.caption or "", message.reply_to_message, message.from_user
        ticket = await self._ticket(message) if replied is not None else None
        if ticket is None or replied is None or sender is None:
            rewrote = False
        else:
            rewrote = await self.shared.rewrote(ticket, str(replied.message_id), text, *_who(message, sender))
        if not rewrote:
            await self.shared.edited(said_of(message, self.shared.desk.name), text)

    async def tapped(self, query: CallbackQuery, tap: TicketTap) -> Act:
        """Kept when this returns; what is returned tells who tapped. What takes a moment is done there, too."""
        if query.message is None or not self.are_at(query.message.chat.id):
            return partial(self._say, query, self.shared.texts("gone", "en"))
        if tap.verb in LEARNING:
            return partial(self._learn, query, tap)
        said = await self.shared.tapped(tap, str(query.from_user.id), _name(query.from_user))
        return partial(self._say, query, said)

    async def gap_tapped(self, query: CallbackQuery, tap: GapTap) -> Act:
        """The same for a digest."""
        if query.message is None or not self.are_at(query.message.chat.id):
            return partial(self._say, query, self.shared.texts("digest_gone", "en"))
        return partial(self._say, query, await self.shared.gap_tapped(tap, _name(query.from_user)))

    async def _learn(self, query: CallbackQuery, tap: TicketTap) -> None:
        await self._say(query, await self.shared.learned(tap, str(query.from_user.id), _name(query.from_user)))

    async def _command(self, message: Message, text: str, who: tuple[str, str], ticket: Ticket | None) -> None:
        topic = message.message_thread_id if message.is_topic_message else None
        place = Place(chat=message.chat.id, message=message.message_id, topic=topic, private=False)
        answered = message.reply_to_message
        replied = key_of(answered.chat.id, answered.message_id) if answered is not None else ""
        for part in render(await self.shared.commanded(text, *who, ticket, replied)):
            await self.calls.say(place, part)

    async def _ticket(self, message: Message) -> Ticket | None:
        replied = message.reply_to_message
        topic = message.message_thread_id if message.is_topic_message else None
        place = Place(chat=message.chat.id, message=message.message_id, topic=topic)
        ours = replied is not None and replied.from_user is not None and replied.from_user.id == self.bot.id
        keys = home_keys(place, replied.message_id if replied is not None else None)
        return await self.shared.desk.anchored(keys, ours=ours)

    async def _say(self, query: CallbackQuery, text: str) -> None:
        await self.bot.answer_callback_query(query.id, text=text)


async def is_member(bot: Bot, config: TelegramConfig, person: str) -> bool:
    """Whether somebody is in the support chat. Chats that write there, and whoever cannot be asked about, are."""
    if config.support is None or not person.isdigit():
        return True
    try:
        member = await bot.get_chat_member(config.support.chat, int(person))
    except TelegramBadRequest as error:
        return "not found" not in error.message.lower()
    except FAILURES:
        return True
    return member.status not in ("left", "kicked")


def _who(message: Message, sender: User) -> tuple[str, str]:
    """Id and name: of the channel, or group, in whose name somebody writes."""
    if (chat := message.sender_chat) is not None:
        return str(chat.id), chat.title or chat.full_name
    return str(sender.id), _name(sender)


def _is_service(message: Message) -> bool:
    """Somebody joined, a topic was made: not something that was written."""
    return message.content_type in (
        "forum_topic_created", "forum_topic_edited", "forum_topic_closed", "forum_topic_reopened", "pinned_message",
        "new_chat_members", "left_chat_member", "new_chat_title", "new_chat_photo",
    )  # fmt: skip


def _name(user: User) -> str:
    return user.full_name or str(user.id)
