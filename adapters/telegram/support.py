"""Tickets in Telegram: a topic for each in the support chat, or a thread of replies where it has no topics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import structlog
from aiogram.exceptions import TelegramBadRequest

from adapters.buttons import Keyboard
from adapters.ledger import Unreachable
from adapters.pacing import DeliveryFailed
from adapters.relays import Refused, RelayTrace
from adapters.support_desk import SupportDesk
from adapters.telegram.calls import Calls, Missing, TopicGone, reason
from adapters.telegram.config import TelegramConfig
from adapters.telegram.digests import TelegramDigests
from adapters.telegram.formatting import Part, render
from adapters.telegram.lanes import Lanes
from adapters.telegram.place import Place
from adapters.telegram.relayed import home_keys, part_of, source_of
from adapters.telegram.ticket_buttons import head_buttons, note_buttons
from adapters.texts import Texts
from adapters.ticket_page import page, title
from engine import Language, Relay, Ticket

log = structlog.get_logger()


class SupportChatGone(DeliveryFailed):
    """Nobody can be told anything: it is tried again later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramCarrier:
    """A `Carrier` of relays: both to people and to askers."""

    config: TelegramConfig
    desk: SupportDesk
    calls: Calls
    lanes: Lanes
    texts: Texts
    digests: TelegramDigests | None = None

    async def find(self, ticket: Ticket, relay: Relay, trace: RelayTrace) -> None:
        if relay.kind == "digest":
            await self._digests.find(relay, trace)
        else:
            await self.calls.find_posted(self._place(ticket, relay), self._keyboard(ticket, relay), trace)

    async def carry(self, ticket: Ticket, relay: Relay, trace: RelayTrace) -> None:
        if relay.kind == "digest":
            return await self._digests.carry(relay, trace)
        if relay.kind in ("people", "word"):
            return await self._to_asker(ticket, relay, trace)
        try:
            await self._to_people(ticket, relay, trace)
        except TopicGone:
            await self._move(ticket)
            await self._to_people(await self._fresh(ticket), replace(relay, target=None), trace)
        except Unreachable as error:
            log.error("telegram.support_unreachable")
            raise SupportChatGone("tell") from error

    async def report(self, ticket: Ticket, relay: Relay, why: str, *, gone: bool) -> None:
        if relay.kind not in ("people", "word"):
            return
        if gone:
            await self.desk.inbox.lose(ticket.conversation)
        language = self._language(ticket)
        text = self.texts("undelivered_gone", language) if gone else self.texts("undelivered", language, why=why)
        await self.desk.tell_people(ticket, text, f"failed:{relay.id}:{relay.version}")

    @property
    def _digests(self) -> TelegramDigests:
        if self.digests is None:
            raise Refused("there are no digests here")
        return self.digests

    async def _to_asker(self, ticket: Ticket, relay: Relay, trace: RelayTrace) -> None:
        place = Place.of(ticket.place)
        part = render(relay.content["text"])[0] if relay.kind == "word" else part_of(relay.content)
        source = source_of(relay.content)
        try:
            if trace.target is not None:
                if relay.version > 1:
                    await self._change(place, trace.target, relay, part)
                return
            self.lanes.of(place.chat, private=place.private).spend()
            if source is not None and place.business is None:
                await self.calls.copy(place, source, (), trace, None if place.private else place.message)
            elif part.text:
                await self.calls.post(place, part, (), trace, None if place.private else place.message)
            else:
                raise Refused("this kind of message cannot be sent there")
        except TelegramBadRequest as error:
            raise Refused(reason(error)) from error
        except Missing as error:
            raise Refused("the message is not there any longer") from error

    async def _to_people(self, ticket: Ticket, relay: Relay, trace: RelayTrace) -> None:
        if relay.kind == "head" and ticket.home is None:
            ticket = await self._settle(ticket)
        place, part = self._place(ticket, relay), self._part(ticket, relay)
        keyboard = self._keyboard(ticket, relay)
        id = trace.target
        if id is None:
            id = await self._sent(ticket, relay, place, part, trace)
        elif relay.version > 1 and relay.kind == "asker":
            await self._change(place, id, relay, part)
        elif relay.version > 1:
            await self.calls.edit(place, id, part, keyboard)
        await self._anchor(ticket, place, id, head=relay.kind == "head")

    async def _sent(self, ticket: Ticket, relay: Relay, place: Place, part: Part, trace: RelayTrace) -> str:
        self.lanes.of(place.chat, private=False).spend()
        quoted = None if relay.kind == "head" else place.message
        if relay.kind == "asker" and (source := source_of(relay.content)) is not None:
            return await self._copied(place, source, part, trace, quoted)
        return await self.calls.post(place, part, self._keyboard(ticket, relay), trace, quoted)

    async def _copied(
        self, place: Place, source: tuple[int, int], part: Part, trace: RelayTrace, quoted: int | None
    ) -> str:
        """What cannot be copied is at least said in words."""
        try:
            return await self.calls.copy(place, source, (), trace, quoted)
        except (TelegramBadRequest, Missing):
            return await self.calls.post(place, part if part.text else Part("…"), (), trace, quoted)

    async def _change(self, place: Place, id: str, relay: Relay, part: Part) -> None:
        if relay.content.get("captioned"):
            await self.calls.caption(place, id, part)
        else:
            await self.calls.edit(place, id, part, ())

    async def _settle(self, ticket: Ticket) -> Ticket:
        """Find a home for a ticket: a topic of its own, if the chat has topics."""
        support = self.config.support
        if support is None:
            raise Refused("there is no support chat")
        topic = support.topic
        own = None
        if topic is None:
            own = await self.calls.open_topic(support.chat, title(ticket, self.texts, self._language(ticket)))
        await self.desk.tickets.house(ticket.id, {"chat": support.chat, "topic": own or topic, "own": own is not None})
        if own is not None:
            await self.desk.tickets.anchor(self.desk.name, f"topic:{support.chat}:{own}", ticket.id)
        return await self._fresh(ticket)

    async def _move(self, ticket: Ticket) -> None:
        """The topic was deleted: go on in a new one, with the ticket on top."""
        log.warning("telegram.topic_deleted", ticket=ticket.id)
        moved = await self._settle(replace(ticket, home=None))
        text = self.texts("topic_deleted", self._language(ticket))
        await self.desk.tell_people(moved, text, f"moved:{ticket.id}:{(moved.home or {}).get('topic')}")
        head = next((one for one in await self.desk.tickets.relays(ticket.id) if one.kind == "head"), None)
        if head is not None:
            trace = RelayTrace(self.desk, replace(head, target=None, mark=None))
            await self._to_people(moved, replace(head, target=None), trace)

    async def _anchor(self, ticket: Ticket, place: Place, id: str, *, head: bool) -> None:
        for key in home_keys(replace(place, topic=None), int(id)):
            await self.desk.tickets.anchor(self.desk.name, key, ticket.id)
        if head:
            await self.desk.tickets.house(ticket.id, {**(ticket.home or {}), "message": int(id)})

    async def _fresh(self, ticket: Ticket) -> Ticket:
        return await self.desk.tickets.ticket(ticket.id) or ticket

    def _place(self, ticket: Ticket, relay: Relay) -> Place:
        if relay.kind in ("people", "word"):
            return Place.of(ticket.place)
        home: Mapping[str, Any] = ticket.home or {}
        chat = home.get("chat", self.config.support.chat if self.config.support else 0)
        topic = home.get("topic")
        # In a shared topic, and without one, a ticket is a thread of replies to its head.
        quoted = 0 if home.get("own") else home.get("message", 0)
        return Place(chat=chat, message=quoted, topic=topic, private=False, fixed=bool(home.get("own")))

    def _part(self, ticket: Ticket, relay: Relay) -> Part:
        match relay.kind:
            case "head":
                text = page(ticket, relay.content, self.texts, self._language(ticket), self.config.remark)
                return render(text)[0]
            case "asker":
                return part_of(relay.content)
            case _:
                return render(relay.content.get("text", ""))[0]

    def _keyboard(self, ticket: Ticket, relay: Relay) -> Keyboard:
        language = self._language(ticket)
        if relay.kind == "head":
            return head_buttons(ticket, relay.content, self.texts, language)
        return note_buttons(ticket, relay.content, self.texts, language) if relay.kind == "note" else ()

    def _language(self, ticket: Ticket) -> Language:
        return self.config.support_language or ticket.language
