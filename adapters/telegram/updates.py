"""Manners: which messages are for the bot, and what of them is the question.

    private, business    every message of a person
    groups               a mention, a reply to the bot, a command of ours, or a topic set to auto-answer
    never                bots (ourselves too), service messages, posts forwarded by Telegram itself

A message edited within a minute is answered anew; an edit that changes nothing is recognised by the inbox.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from aiogram.types import Message, Update, User

from adapters.telegram.config import Spot
from adapters.telegram.place import Place
from engine import Inbound, Language

COMMANDS = ("start", "help", "ask", "human", "language", "forget")

EDITED_WITHIN = 60
GENERAL_TOPIC = 1
"""Its id, by which it must not be addressed."""
LONG_PASTE = 3500
"""Clients cut long texts into messages of about 4,096 characters."""
FEW_WORDS = 4

_COMMAND = re.compile(r"/([A-Za-z0-9_]{1,32})(?:@([A-Za-z0-9_]+))?(?:\s+|$)")
_UNREAD = {
    "photo": "photo",
    "document": "document",
    "voice": "voice",
    "video": "video",
    "video_note": "video",
    "audio": "audio",
    "location": "place",
    "venue": "place",
    "contact": "contact",
}


@dataclass(frozen=True, slots=True)
class TakenByHuman:
    """The owner of a business account wrote in the conversation themselves."""

    conversation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    desk: str
    me: User
    auto_answer: frozenset[Spot] = frozenset()
    support: Spot | None = None

    def read(self, update: Update) -> Inbound | TakenByHuman | None:
        """What is to be answered, if anything is."""
        if (message := update.message or update.business_message) is not None:
            return self._message(message)
        if (message := update.edited_message or update.edited_business_message) is not None:
            return self._edited(message)
        return None

    def _edited(self, message: Message) -> Inbound | TakenByHuman | None:
        if message.edit_date is None:
            return None
        if message.edit_date - int(message.date.timestamp()) > EDITED_WITHIN:
            return None
        found = self._message(message)
        if not isinstance(found, Inbound):
            return None
        key = f"edit:{message.chat.id}:{message.message_id}:{message.edit_date}"
        return Inbound(
            key=key,
            amends=found.key,
            conversation=found.conversation,
            asker=found.asker,
            text=found.text,
            place=found.place,
            command=found.command,
            unread=found.unread,
            language=found.language,
            whole=True,
            sent_at=found.sent_at,
        )

    def _message(self, message: Message) -> Inbound | TakenByHuman | None:
        if self._is_at_support(message) or self._is_machine(message):
            return None
        place = self._place(message)
        conversation = self._conversation(place)
        if place.business is not None and place.asker != place.chat:
            return TakenByHuman(conversation)
        said = message.text or message.caption or ""
        unread = tuple(dict.fromkeys(name for kind, name in _UNREAD.items() if getattr(message, kind) is not None))
        command, text = self._command(said, place)
        if command is None and not place.private and not self._is_addressed(message, said, place):
            return None
        if command is None:
            text = self._without_mention(said)
            if said and not text and not unread and message.reply_to_message is not None:
                text = _text_of(message.reply_to_message)  # "@bot" alone, as a reply to somebody's question
        if command is None and not text and not unread:
            return None
        return Inbound(
            key=_key(message, text),
            conversation=conversation,
            asker=str(place.asker),
            text=text,
            place=place.stored(),
            command=command or "",
            unread=unread,
            language=_language(message.from_user),
            whole=command is not None or _is_whole(message, text),
            sent_at=message.date.timestamp(),
        )

    def _is_machine(self, message: Message) -> bool:
        if message.via_bot is not None or message.is_automatic_forward or message.sender_business_bot is not None:
            return True
        if message.sender_chat is not None:  # an anonymous administrator, or somebody as their channel
            return False
        return message.from_user is None or message.from_user.is_bot

    def _is_at_support(self, message: Message) -> bool:
        return self.support is not None and message.chat.id == self.support.chat

    def _is_addressed(self, message: Message, said: str, place: Place) -> bool:
        answered = message.reply_to_message
        if answered is not None and answered.from_user is not None and answered.from_user.id == self.me.id:
            return True
        if Spot(chat=place.chat) in self.auto_answer or Spot(chat=place.chat, topic=place.topic) in self.auto_answer:
            return bool(said) and not said.startswith("/")
        return any(self._mentions(message, said))

    def _mentions(self, message: Message, said: str) -> Iterator[bool]:
        for entity in message.entities or message.caption_entities or ():
            if entity.type == "mention":
                yield entity.extract_from(said).lower() == f"@{(self.me.username or '').lower()}"
            elif entity.type == "text_mention":
                yield entity.user is not None and entity.user.id == self.me.id

    def _command(self, said: str, place: Place) -> tuple[str | None, str]:
        found = _COMMAND.match(said)
        if found is None:
            return None, ""
        name, to = found.group(1).lower(), found.group(2)
        if to is not None and to.lower() != (self.me.username or "").lower():
            return None, ""
        if name not in COMMANDS:
            return ("help", "") if place.private and place.business is None else (None, "")
        return name, said[found.end() :].strip()

    def _without_mention(self, said: str) -> str:
        name = re.escape(self.me.username or "")
        return re.sub(rf"(?<!\w)@{name}(?!\w)[,:]?\s*", "", said, flags=re.IGNORECASE).strip() if name else said.strip()

    def _place(self, message: Message) -> Place:
        sender = message.sender_chat or message.from_user
        assert sender is not None, "a machine's otherwise"
        topic = message.message_thread_id if message.is_topic_message else None
        name = message.sender_chat.title if message.sender_chat else message.from_user and message.from_user.full_name
        return Place(
            chat=message.chat.id,
            message=message.message_id,
            topic=None if topic == GENERAL_TOPIC else topic,
            business=message.business_connection_id,
            private=message.chat.type == "private",
            asker=sender.id,
            name=name or "",
        )

    def _conversation(self, place: Place) -> str:
        """In a group each asker has their own, in each topic: one's long answer holds up nobody else."""
        if place.private:
            return f"{self.desk}:{place.business or ''}:{place.chat}"
        return f"{self.desk}:{place.chat}:{place.topic or ''}:{place.asker}"


def chat_of(desk: str, conversation: str) -> str:
    """All conversations of a chat are answered by one process at a time: see `Calls`."""
    first, second, *in_group = conversation.removeprefix(f"{desk}:").split(":")
    return first if in_group else second


def _key(message: Message, text: str) -> str:
    if message.media_group_id is not None and not text:
        return f"album:{message.chat.id}:{message.media_group_id}"  # ten photos are mentioned once
    return f"message:{message.business_connection_id or ''}:{message.chat.id}:{message.message_id}"


def _is_whole(message: Message, text: str) -> bool:
    """Whether this is likely to be all of a question. A fragment waits a moment for the rest of it."""
    if message.forward_origin is not None or message.media_group_id is not None or len(text) > LONG_PASTE:
        return False
    return text.rstrip().endswith("?") or len(text.split()) >= FEW_WORDS


def _text_of(message: Message) -> str:
    return (message.text or message.caption or "").strip()


def _language(user: User | None) -> Language | None:
    code = (user.language_code or "")[:2] if user else ""
    return {"ru": "ru", "en": "en"}.get(code)  # type: ignore[return-value]
