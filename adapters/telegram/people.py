"""What people do in the support chat: write in tickets, tap their buttons."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

import structlog
from aiogram import Bot
from aiogram.types import CallbackQuery, Message, User

from adapters.learning import Learning
from adapters.support_desk import SupportDesk
from adapters.telegram.config import TelegramConfig
from adapters.telegram.place import Place
from adapters.telegram.relayed import content_of, home_keys, key_of
from adapters.telegram.ticket_buttons import TicketTap
from adapters.texts import Texts
from engine import Language, Ticket

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    bot: Bot
    config: TelegramConfig
    desk: SupportDesk
    texts: Texts
    learning: Learning | None = None

    def are_at(self, chat: int) -> bool:
        return self.config.support is not None and chat == self.config.support.chat

    async def wrote(self, message: Message) -> None:
        """In the support chat. Kept when this returns; what belongs to no ticket is theirs alone."""
        sender = message.from_user
        if sender is None or (sender.is_bot and message.sender_chat is None) or _is_service(message):
            return
        if (message.text or message.caption or "").startswith(self.config.remark):
            return
        ticket = await self._ticket(message)
        if ticket is None:
            return
        name, by = _name(sender), str(sender.id)
        if await self.desk.answered(ticket, key_of(message), content_of(message), by, name):
            return
        fresh = await self.desk.tickets.ticket(ticket.id) or ticket
        why = "not_sent_closed" if fresh.state == "closed" else "not_sent_taken"
        await self.desk.tell_people(ticket, self.texts(why, self._language(ticket)), f"unsent:{key_of(message)}")

    async def edited(self, message: Message) -> None:
        """An edit is mirrored, whenever it comes."""
        if not (message.text or message.caption or "").startswith(self.config.remark):
            await self.desk.amend(key_of(message), content_of(message))

    async def tapped(self, query: CallbackQuery, tap: TicketTap) -> Callable[[], Awaitable[None]]:
        """Kept when this returns; what is returned tells who tapped."""
        here = query.message is not None and self.are_at(query.message.chat.id)
        ticket = await self.desk.tickets.ticket(tap.ticket) if here else None
        if ticket is None:
            return partial(self._say, query, self.texts("gone", "en"))
        said = await self._do(tap, ticket, query.from_user)
        return partial(self._say, query, self.texts(said, self._language(ticket)))

    async def _do(self, tap: TicketTap, ticket: Ticket, user: User) -> str:
        by, name = str(user.id), _name(user)
        match tap.verb:
            case "take":
                done = await self.desk.take(ticket, by, name)
                return "done" if done else await self._why_not(ticket)
            case "back":
                return "done" if await self.desk.give_back(ticket) else await self._why_not(ticket)
            case "close":
                return "done" if await self.desk.close(ticket, "answered", name) else "already_closed"
            case "off":
                if not await self.desk.close(ticket, "off_topic", name):
                    return "already_closed"
                said = self.texts("off_topic_said", ticket.language)
                await self.desk.tell_asker(ticket, said, f"off:{ticket.id}")
                return "done"
            case "faq":
                return await self._answer_with(ticket, tap.choice, by, name)
            case _:
                if self.learning is None:
                    return "no_learning"
                return await self.learning.tapped(tap.verb, ticket, tap.choice, by, name, self._language(ticket))

    async def _answer_with(self, ticket: Ticket, choice: str, by: str, name: str) -> str:
        nearest = ticket.tried.get("nearest", ())
        if not choice.isdigit() or int(choice) >= len(nearest):
            return "gone"
        if not await self.desk.take(ticket, by, name):
            return await self._why_not(ticket)
        await self.desk.tell_asker(ticket, nearest[int(choice)]["answer"], f"faq:{ticket.id}:{choice}")
        await self.desk.close(ticket, "answered", name)
        return "done"

    async def _why_not(self, ticket: Ticket) -> str:
        fresh = await self.desk.tickets.ticket(ticket.id)
        return "already_closed" if fresh is None or fresh.state == "closed" else "already_taken"

    async def _ticket(self, message: Message) -> Ticket | None:
        replied = message.reply_to_message
        topic = message.message_thread_id if message.is_topic_message else None
        place = Place(chat=message.chat.id, message=message.message_id, topic=topic)
        return await self.desk.tickets.anchored(
            self.desk.name, home_keys(place, replied.message_id if replied is not None else None)
        )

    async def _say(self, query: CallbackQuery, text: str) -> None:
        await self.bot.answer_callback_query(query.id, text=text)

    def _language(self, ticket: Ticket) -> Language:
        return self.config.support_language or ticket.language


def _is_service(message: Message) -> bool:
    """Somebody joined, a topic was made: not something that was written."""
    return message.content_type in (
        "forum_topic_created", "forum_topic_edited", "forum_topic_closed", "forum_topic_reopened", "pinned_message",
        "new_chat_members", "left_chat_member", "new_chat_title", "new_chat_photo",
    )  # fmt: skip


def _name(user: User) -> str:
    return user.full_name or str(user.id)
