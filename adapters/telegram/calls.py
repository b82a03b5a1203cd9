"""Telegram's calls that change a chat, with its refusals understood.

not modified           success
message not found      Missing: whoever asked sends anew
entities refused       the same text without them
thread not found       the same without a thread
chat migrated          the same in the new chat, from then on
blocked, chat gone     Unreachable
too many requests      RateLimited, with the server's own deadline
anything else          as it is: it may have been done, or not
"""

from __future__ import annotations

import asyncio
import itertools
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar
from weakref import WeakValueDictionary

import structlog
from aiogram import Bot
from aiogram.exceptions import (
    AiogramError,
    ClientDecodeError,
    TelegramAPIError,
    TelegramBadRequest,
    TelegramForbiddenError,
    TelegramMigrateToChat,
    TelegramNotFound,
    TelegramRetryAfter,
)
from aiogram.types import (
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    LinkPreviewOptions,
    MessageEntity,
    ReplyParameters,
)

from adapters.buttons import Keyboard
from adapters.delivery import RateLimited
from adapters.ledger import Missing, Trace, Unreachable
from adapters.telegram.formatting import Entity, Part
from adapters.telegram.place import Place

log = structlog.get_logger()
T = TypeVar("T")

SEARCHED_IDS = 30
"""How many ids after the last known one are tried when a message of ours may be out there."""

LINGERING = 3.0
"""Seconds for which a message that is being sent is waited for after its answer was given up."""

_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)
_NOT_MODIFIED = "message is not modified"
_MISSING = (
    "message to edit not found",
    "message can't be edited",
    "message to delete not found",
    "message can't be deleted",
    "message_id_invalid",
    "message identifier is not specified",
)
_ENTITIES = ("can't parse entities", "entity", "entities")
_THREAD = ("message thread not found", "topic_deleted", "topic_id_invalid")
_GONE = (
    "chat not found",
    "user not found",
    "peer_id_invalid",
    "business connection",
    "have no rights",
    "not enough rights",
)


FAILURES = (TelegramAPIError, ClientDecodeError)
"""Whatever a call may end in: refused, not arrived, or answered with what the library cannot read."""


def reason(error: AiogramError) -> str:
    """In a few words, for people; never a whole response."""
    return error.message if isinstance(error, TelegramAPIError) else type(error).__name__


class TopicGone(Exception):
    """The topic was deleted, and the place is to be in no other one."""


class _NotModified(Exception):
    pass


Send = Callable[[int, "int | None", Part], Awaitable[str]]
Probe = Callable[[str], Awaitable[None]]
"""Tries whether a message with this id is ours; raises Missing when it is not."""


async def _none_known(chat: int) -> frozenset[str]:
    del chat
    return frozenset()


class Calls:
    """Whoever sends in a chat has it for that time, of all processes: see `adapters.claims`."""

    def __init__(self, bot: Bot, known: Callable[[int], Awaitable[frozenset[str]]] = _none_known) -> None:
        """`known` tells the ids of all our messages in a chat, whichever process sent them, but for those lost."""
        self._bot, self._known = bot, known
        self._moved: dict[int, int] = {}
        self._no_topics: set[tuple[int, int]] = set()
        self._latest: dict[int, int] = {}
        self._sending: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._lost: defaultdict[int, list[tuple[Trace, Place, Probe]]] = defaultdict(list)

    def seen(self, chat: int, message: int) -> None:
        """Message ids only grow: what we send later is beyond all that were seen."""
        space = _space(chat)
        self._latest[space] = max(message, self._latest.get(space, 0))

    async def send(self, place: Place, part: Part, keyboard: Keyboard, trace: Trace, *, quote: bool) -> str:
        """Send a message and have the trace keep its id, whatever happens in between."""
        sending = partial(self._message, place, keyboard, place.message if quote else None)
        return await self.traced(place, part, sending, trace, partial(self._blank, place))

    async def traced(self, place: Place, part: Part, sending: Send, trace: Trace, probe: Probe) -> str:
        """Whatever `sending` sends; `probe` finds it when its id was lost."""
        async with self._turn(place.chat):
            await self._find_lost(place.chat)
            await trace.clear()
            await trace.intend(str(max(place.message, self._latest.get(_space(place.chat), 0))))
            self._lost[place.chat].append((trace, place, probe))
            # What is given up while it is being sent arrives all the same: better to hear under which id.
            call = asyncio.create_task(self._sent(place, part, sending, trace))
            try:
                return await asyncio.shield(call)
            except asyncio.CancelledError:
                await asyncio.wait({call}, timeout=LINGERING)
                call.cancel()
                await asyncio.gather(call, return_exceptions=True)
                raise

    async def _sent(self, place: Place, part: Part, sending: Send, trace: Trace) -> str:
        try:
            id = await self._understood(place, part, sending)
        except (RateLimited, Unreachable, TelegramBadRequest, Missing, TopicGone):
            await self._found(place.chat, trace, None)
            raise
        self.seen(place.chat, int(id))
        await self._found(place.chat, trace, id)
        return id

    async def copy(
        self, place: Place, source: tuple[int, int], keyboard: Keyboard, trace: Trace, quoted: int | None
    ) -> str:
        """A message of anybody's, with all that is in it, as our own."""

        async def copy(chat: int, topic: int | None, part: Part) -> str:
            del part
            sent = await self._bot.copy_message(
                chat_id=chat,
                from_chat_id=source[0],
                message_id=source[1],
                message_thread_id=topic,
                reply_parameters=_quoting(quoted),
                reply_markup=_markup(keyboard),
            )
            return str(sent.message_id)

        return await self.traced(place, Part(""), copy, trace, partial(self._touch, place, keyboard))

    async def post(self, place: Place, part: Part, keyboard: Keyboard, trace: Trace, quoted: int | None) -> str:
        """A message that is found again by a touch, and not overwritten then."""
        sending = partial(self._message, place, keyboard, quoted)
        return await self.traced(place, part, sending, trace, partial(self._touch, place, keyboard))

    async def say(self, place: Place, part: Part) -> None:
        """A message that nobody looks for when it is lost."""
        await self._understood(place, part, partial(self._message, place, (), place.message))

    async def caption(self, place: Place, id: str, part: Part) -> None:
        """Raises Missing."""

        async def edit(chat: int, topic: int | None, part: Part) -> None:
            del topic
            await self._bot.edit_message_caption(
                chat_id=chat, message_id=int(id), caption=part.text, caption_entities=_entities(part)
            )

        with suppress(_NotModified):
            await self._understood(place, part, edit)

    async def open_topic(self, chat: int, name: str) -> int | None:
        """None where the chat has no topics, or we may not make one."""

        async def create(chat: int, topic: int | None, part: Part) -> int:
            del topic, part
            return (await self._bot.create_forum_topic(chat_id=chat, name=name)).message_thread_id

        try:
            return await self._understood(Place(chat=chat, message=0), Part(""), create)
        except (TelegramBadRequest, Unreachable) as error:
            log.info("telegram.no_topic", error=type(error).__name__)
            return None

    async def rename_topic(self, place: Place, name: str) -> None:
        async def rename(chat: int, topic: int | None, part: Part) -> None:
            del part
            await self._bot.edit_forum_topic(chat_id=chat, message_thread_id=topic or 0, name=name)

        with suppress(_NotModified):
            await self._understood(place, Part(""), rename)

    async def edit(self, place: Place, id: str, part: Part, keyboard: Keyboard) -> None:
        """Raises Missing."""

        async def edit(chat: int, topic: int | None, part: Part) -> None:
            del topic
            await self._bot.edit_message_text(
                text=part.text,
                chat_id=chat,
                message_id=int(id),
                business_connection_id=place.business,
                entities=_entities(part),
                link_preview_options=_NO_PREVIEW,
                reply_markup=_markup(keyboard),
            )

        with suppress(_NotModified):
            await self._understood(place, part, edit)

    async def buttons(self, place: Place, id: str, keyboard: Keyboard) -> None:
        """Raises Missing."""

        async def change(chat: int, topic: int | None, part: Part) -> None:
            del topic, part
            await self._bot.edit_message_reply_markup(
                chat_id=chat,
                message_id=int(id),
                business_connection_id=place.business,
                reply_markup=_markup(keyboard),
            )

        with suppress(_NotModified):
            await self._understood(place, Part(""), change)

    async def delete(self, place: Place, id: str) -> None:
        """Raises Missing."""

        async def delete(chat: int, topic: int | None, part: Part) -> None:
            del topic, part
            if place.business:
                await self._bot.delete_business_messages(business_connection_id=place.business, message_ids=[int(id)])
            else:
                await self._bot.delete_message(chat_id=chat, message_id=int(id))

        await self._understood(place, Part(""), delete)

    async def typing(self, place: Place) -> None:
        async def act(chat: int, topic: int | None, part: Part) -> None:
            del part
            await self._bot.send_chat_action(
                chat_id=chat, action="typing", message_thread_id=topic, business_connection_id=place.business
            )

        await self._understood(place, Part(""), act)

    async def draft(self, place: Place, id: int, part: Part) -> None:
        async def draft(chat: int, topic: int | None, part: Part) -> None:
            await self._bot.send_message_draft(
                chat_id=chat, draft_id=id, text=part.text, entities=_entities(part), message_thread_id=topic
            )

        await self._understood(place, part, draft)

    async def find(self, place: Place, trace: Trace, probe: Probe | None = None) -> None:
        """Look for a message that an earlier attempt, or process, may have sent, and adopt it."""
        async with self._turn(place.chat):
            others = [one for one in self._lost[place.chat] if one[0] != trace]
            self._lost[place.chat] = [*others, (trace, place, probe or partial(self._blank, place))]
            await self._find_lost(place.chat)

    async def find_posted(self, place: Place, keyboard: Keyboard, trace: Trace) -> None:
        """The same for what `copy` and `post` sent."""
        await self.find(place, trace, partial(self._touch, place, keyboard))

    def _turn(self, chat: int) -> asyncio.Lock:
        """Sends in one chat go one after another, so that a lost one is the only one that is looked for."""
        return self._sending.setdefault(chat, asyncio.Lock())

    async def _find_lost(self, chat: int) -> None:
        for trace, _, probe in list(self._lost[chat]):
            await self._found(chat, trace, await self._search(chat, trace, probe))

    async def _search(self, chat: int, trace: Trace, probe: Probe) -> str | None:
        """The only question that Telegram answers about a message is whether we can edit it: not one that is known."""
        if trace.mark is None:
            return None
        known = await self._known(chat)
        later = (id for id in itertools.count(int(trace.mark) + 1) if str(id) not in known)
        for id in itertools.islice(later, SEARCHED_IDS):
            try:
                await probe(str(id))
            except Missing:
                continue
            log.info("telegram.message_adopted")
            return str(id)
        return None

    async def _blank(self, place: Place, id: str) -> None:
        await self.edit(place, id, Part("…"), ())

    async def _touch(self, place: Place, keyboard: Keyboard, id: str) -> None:
        await self.buttons(place, id, keyboard)

    async def _found(self, chat: int, trace: Trace, id: str | None) -> None:
        if trace.mark is not None:
            await trace.settle(id)
        self._lost[chat] = [one for one in self._lost[chat] if one[0] != trace]
        if not self._lost[chat]:
            del self._lost[chat]

    async def _message(
        self, place: Place, keyboard: Keyboard, quoted: int | None, chat: int, topic: int | None, part: Part
    ) -> str:
        sent = await self._bot.send_message(
            chat_id=chat,
            text=part.text,
            business_connection_id=place.business,
            message_thread_id=topic,
            entities=_entities(part),
            link_preview_options=_NO_PREVIEW,
            reply_parameters=_quoting(quoted),
            reply_markup=_markup(keyboard),
        )
        return str(sent.message_id)

    async def _understood(self, place: Place, part: Part, call: Callable[[int, int | None, Part], Awaitable[T]]) -> T:
        while True:
            chat, topic = self._moved.get(place.chat, place.chat), place.topic
            if topic is not None and (chat, topic) in self._no_topics:
                topic = None
            try:
                return await call(chat, topic, part)
            except TelegramRetryAfter as error:
                raise RateLimited(error.retry_after) from error
            except TelegramMigrateToChat as error:
                self._moved[place.chat] = error.migrate_to_chat_id
            except TelegramForbiddenError as error:
                raise Unreachable("write") from error
            except (TelegramBadRequest, TelegramNotFound) as error:
                said = error.message.lower()
                if _NOT_MODIFIED in said:
                    raise _NotModified from error
                if any(one in said for one in _MISSING):
                    raise Missing(error.message) from error
                if any(one in said for one in _GONE):
                    raise Unreachable("write") from error
                if topic is not None and any(one in said for one in _THREAD):
                    if place.fixed:
                        raise TopicGone(error.message) from error
                    self._no_topics.add((chat, topic))
                elif part.entities and any(one in said for one in _ENTITIES):
                    log.warning("telegram.entities_refused", reason=error.message)
                    part = part.plain
                else:
                    raise


def _space(chat: int) -> int:
    """Supergroups and channels count their messages themselves, all other chats of a bot together."""
    return chat if chat < -1_000_000_000_000 else 0


def _quoting(message: int | None) -> ReplyParameters | None:
    return ReplyParameters(message_id=message, allow_sending_without_reply=True) if message else None


def _entities(part: Part) -> list[MessageEntity] | None:
    return [_entity(entity) for entity in part.entities] or None


def _entity(entity: Entity) -> MessageEntity:
    return MessageEntity(
        type=entity.kind, offset=entity.offset, length=entity.length, url=entity.url, language=entity.language
    )


def _markup(keyboard: Keyboard) -> InlineKeyboardMarkup | None:
    if not keyboard:
        return None
    rows = [[InlineKeyboardButton(text=text, callback_data=data) for text, data in row] for row in keyboard]
    return InlineKeyboardMarkup(inline_keyboard=rows)
