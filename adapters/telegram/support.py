"""Tickets in Telegram: a topic for each in the support chat, or a thread of replies where it has no topics."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import structlog
from aiogram.exceptions import TelegramBadRequest

from adapters.carrying import Carrying, SupportChatGone, check_size
from adapters.ledger import Missing, Unreachable
from adapters.mirroring import is_bare, is_gone, left_in_place
from adapters.relays import Refused, RelayTrace
from adapters.support_desk import SupportDesk
from adapters.telegram.calls import Calls, TopicGone, reason
from adapters.telegram.config import TelegramConfig
from adapters.telegram.files import Files
from adapters.telegram.formatting import Part, render
from adapters.telegram.lanes import Lanes
from adapters.telegram.place import Place
from adapters.telegram.relayed import home_keys, part_of, source_of
from adapters.ticket_page import title
from engine import Relay, Ticket

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramCarrier:
    """A `Carrier` of relays: both to people and to askers."""

    config: TelegramConfig
    carrying: Carrying
    calls: Calls
    files: Files
    lanes: Lanes

    @property
    def desk(self) -> SupportDesk:
        return self.carrying.desk

    async def find(self, ticket: Ticket, relay: Relay, trace: RelayTrace) -> None:
        keyboard = self.carrying.keyboard(ticket, relay)
        if relay.kind == "digest":
            _, keyboard = await self.carrying.digest(relay)
        await self.calls.find_posted(self._place(ticket, relay), keyboard, trace)

    async def carry(self, ticket: Ticket, relay: Relay, trace: RelayTrace) -> None:
        if is_gone(relay):
            return await self._take_away(ticket, relay, trace)
        if relay.kind == "file":
            return await self._fetch(relay)
        if relay.kind in ("people", "word"):
            return await self._to_asker(ticket, relay, trace)
        try:
            if relay.kind == "digest":
                return await self._announce(self._place(ticket, relay), relay, trace)
            await self._to_people(ticket, relay, trace)
        except TopicGone:
            await self._move(ticket)
            await self._to_people(await self._fresh(ticket), replace(relay, target=None), trace)
        except Unreachable as error:
            log.error("telegram.support_unreachable")
            raise SupportChatGone from error

    async def report(self, ticket: Ticket, relay: Relay, why: str, *, gone: bool) -> None:
        await self.carrying.report(ticket, relay, why, gone=gone)

    def claimed(self, ticket: Ticket, relay: Relay) -> str | None:
        return None if relay.kind == "file" else str(self._place(ticket, relay).chat)

    async def _fetch(self, relay: Relay) -> None:
        file: Mapping[str, Any] = relay.content["fetch"]
        check_size(file)
        try:
            body = await self.files.fetch(file["ref"]["file_id"])
        except TelegramBadRequest as error:
            raise Refused("too_big" if "too big" in error.message.lower() else reason(error)) from error
        await self.carrying.keep(relay, body)

    async def _to_asker(self, ticket: Ticket, relay: Relay, trace: RelayTrace) -> None:
        place = Place.of(ticket.place)
        quoted = None if place.private else place.message
        try:
            if trace.target is not None:
                if relay.version > 1 or is_bare(relay):
                    await self._change(place, trace.target, relay, self._part(ticket, relay))
                return
            self.lanes.of(place.chat, private=place.private).spend()
            await self._sent(ticket, relay, place, trace, quoted)
        except TelegramBadRequest as error:
            raise Refused(reason(error)) from error
        except Missing as error:
            raise Refused("the message is not there any longer") from error

    async def _take_away(self, ticket: Ticket, relay: Relay, trace: RelayTrace) -> None:
        """What Telegram lets nobody delete, as after 48 hours, is at least emptied; a picture stays then."""
        if (id := trace.target) is None:
            return
        place, left = self._place(ticket, relay), Part(left_in_place(relay))
        ways = (
            partial(self.calls.delete, place, id),
            partial(self.calls.edit, place, id, left, ()),
            partial(self.calls.caption, place, id, left),
        )
        for way in ways:
            try:
                await way()
            except (Missing, TelegramBadRequest):
                continue
            except Unreachable as error:
                if relay.kind in ("people", "word"):
                    raise
                raise SupportChatGone from error
            return
        log.info("telegram.copy_stays", ticket=ticket.id)

    async def _to_people(self, ticket: Ticket, relay: Relay, trace: RelayTrace) -> None:
        if relay.kind == "head" and ticket.home is None:
            ticket = await self._settle(ticket)
        place, id = self._place(ticket, relay), trace.target
        if id is None:
            self.lanes.of(place.chat, private=False).spend()
            id = await self._sent(ticket, relay, place, trace, None if relay.kind == "head" else place.message)
        elif relay.version > 1 or is_bare(relay):
            await self._changed(ticket, relay, place, id)
        await self._anchor(ticket, place, id, head=relay.kind == "head")

    async def _changed(self, ticket: Ticket, relay: Relay, place: Place, id: str) -> None:
        """What people see of it. What cannot be changed any longer holds up nothing."""
        part = self._part(ticket, relay)
        try:
            if relay.kind == "asker":
                return await self._change(place, id, relay, part)
            await self.calls.edit(place, id, part, self.carrying.keyboard(ticket, relay))
            if relay.kind == "head" and not ticket.question and (ticket.home or {}).get("own"):
                name = title(ticket, self.carrying.texts, self.carrying.language_of(ticket))
                with suppress(Unreachable, TopicGone):  # the right to manage topics may be gone
                    await self.calls.rename_topic(place, name)
        except TelegramBadRequest as error:
            raise Refused(reason(error)) from error
        except Missing as error:
            raise Refused("the message is not there any longer") from error

    async def _announce(self, place: Place, relay: Relay, trace: RelayTrace) -> None:
        text, keyboard = await self.carrying.digest(relay)
        try:
            if trace.target is not None:
                return await self.calls.edit(place, trace.target, render(text)[0], keyboard)
            self.lanes.of(place.chat, private=False).spend()
            await self.calls.post(place, render(text)[0], keyboard, trace, None)
        except (TelegramBadRequest, Missing) as error:
            raise Refused(type(error).__name__) from error

    async def _sent(self, ticket: Ticket, relay: Relay, place: Place, trace: RelayTrace, quoted: int | None) -> str:
        part, keyboard = self._part(ticket, relay), self.carrying.keyboard(ticket, relay)
        if "file" in relay.content:
            body = await self.carrying.file(ticket, relay)
            if not isinstance(body, str):
                if place.business is not None:
                    raise Refused("files cannot be sent there")
                return await self.files.send(place, relay.content["file"], body, trace, quoted)
            part = render(body)[0]
        elif (source := source_of(relay.content)) is not None and place.business is None:
            return await self._copied(relay, place, source, part, trace, quoted)
        if not part.text:
            raise Refused("this kind of message cannot be sent there")
        return await self.calls.post(place, part, keyboard, trace, quoted)

    async def _copied(
        self, relay: Relay, place: Place, source: tuple[int, int], part: Part, trace: RelayTrace, quoted: int | None
    ) -> str:
        """What cannot be copied to people is at least said to them in words."""
        try:
            id = await self.calls.copy(place, source, (), trace, quoted)
            if is_bare(relay):
                await self.calls.caption(place, id, Part(""))
            return id
        except (TelegramBadRequest, Missing):
            if relay.kind != "asker":
                raise
            return await self.calls.post(place, part if part.text else Part("…"), (), trace, quoted)

    async def _change(self, place: Place, id: str, relay: Relay, part: Part) -> None:
        if relay.content.get("native", {}).get("captioned"):
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
            name = title(ticket, self.carrying.texts, self.carrying.language_of(ticket))
            own = await self.calls.open_topic(support.chat, name)
        if own is not None:  # first: what has a home is not settled again
            await self.desk.tickets.anchor(self.desk.name, f"topic:{support.chat}:{own}", ticket.id)
        await self.desk.tickets.house(ticket.id, {"chat": support.chat, "topic": own or topic, "own": own is not None})
        return await self._fresh(ticket)

    async def _move(self, ticket: Ticket) -> None:
        """The topic was deleted: go on in a new one, with the ticket on top."""
        log.warning("telegram.topic_deleted", ticket=ticket.id)
        moved = await self._settle(replace(ticket, home=None))
        text = self.carrying.texts("topic_deleted", self.carrying.language_of(ticket))
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
        topic = home.get("topic", self.config.support.topic if self.config.support else None)
        # In a shared topic, and without one, a ticket is a thread of replies to its head.
        quoted = 0 if home.get("own") else home.get("message", 0)
        return Place(chat=chat, message=quoted, topic=topic, private=False, fixed=bool(home.get("own")))

    def _part(self, ticket: Ticket, relay: Relay) -> Part:
        if native := relay.content.get("native"):
            return part_of(native)
        return next(iter(render(self.carrying.text(ticket, relay))), Part(""))
