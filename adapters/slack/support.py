"""Tickets in Slack: a thread for each in the support channel."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import structlog
from slack_sdk.errors import SlackApiError

from adapters.carrying import Carrying, SupportChatGone, check_size
from adapters.ledger import Missing, Unreachable
from adapters.mirroring import is_gone, left_in_place
from adapters.pacing import DeliveryFailed
from adapters.relays import Refused, RelayTrace
from adapters.slack.calls import Calls, ThreadGone, error_of, status_of
from adapters.slack.files import FILE_MARK, Files
from adapters.slack.formatting import Part, render
from adapters.slack.place import Place
from adapters.slack.relayed import home_key
from adapters.support_desk import SupportDesk
from engine import Relay, Ticket

log = structlog.get_logger()

MOVING = 0.05
"""Seconds."""
MOST_HEAD = 8000
"""Characters of a ticket, which is one message: a block takes 12,000."""
_PASSING = frozenset(
    "internal_error fatal_error service_unavailable request_timeout accesslimited invalid_auth not_authed "
    "token_revoked token_expired file_upload_failed".split()
)
"""What may be over by the next attempt; anything else that Slack says, it will say again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackCarrier:
    """A `Carrier` of relays: both to people and to askers."""

    support: str | None
    carrying: Carrying
    calls: Calls
    files: Files

    @property
    def desk(self) -> SupportDesk:
        return self.carrying.desk

    async def find(self, ticket: Ticket, relay: Relay, trace: RelayTrace) -> None:
        if trace.mark is not None and relay.kind != "file":
            await self.calls.find_marked(self._place(ticket, relay), trace)

    async def carry(self, ticket: Ticket, relay: Relay, trace: RelayTrace) -> None:
        try:
            await self._carry(ticket, relay, trace)
        except SlackApiError as error:
            if status_of(error) >= 500 or error_of(error) in _PASSING:
                raise
            raise Refused(error_of(error)) from error

    async def report(self, ticket: Ticket, relay: Relay, why: str, *, gone: bool) -> None:
        await self.carrying.report(ticket, relay, why, gone=gone)

    def claimed(self, ticket: Ticket, relay: Relay) -> str | None:
        """A message of ours carries its mark."""
        del ticket, relay
        return None

    async def _carry(self, ticket: Ticket, relay: Relay, trace: RelayTrace) -> None:
        if is_gone(relay):
            await self._take_away(ticket, relay, trace)
        elif relay.kind == "file":
            file: Mapping[str, Any] = relay.content["fetch"]
            check_size(file)
            await self.carrying.keep(relay, await self.files.fetch(file["ref"]["id"]))
        elif relay.kind in ("people", "word"):
            await self._to_asker(ticket, relay, trace)
        else:
            try:
                if relay.kind == "digest":
                    await self._announce(self._place(ticket, relay), relay, trace)
                else:
                    await self._to_people(ticket, relay, trace)
            except Unreachable as error:
                log.error("slack.support_unreachable")
                raise SupportChatGone from error

    async def _to_asker(self, ticket: Ticket, relay: Relay, trace: RelayTrace) -> None:
        place = Place.of(ticket.place)
        if trace.target is None:
            await self._sent(ticket, relay, place, trace)
        elif relay.version > 1 and "text" in relay.content:
            try:
                await self.calls.edit(place, trace.target, self._part(ticket, relay), ())
            except Missing as error:
                raise Refused("the message is not there any longer") from error

    async def _take_away(self, ticket: Ticket, relay: Relay, trace: RelayTrace) -> None:
        """What a workspace lets nobody delete is at least emptied."""
        if (id := trace.target) is None:
            return
        place = self._place(ticket, relay)
        try:
            if id.startswith(FILE_MARK):
                for channel, message in await self.files.messages_of(id):
                    with suppress(Missing):
                        await self.calls.delete(replace(place, channel=channel), message)
                await self.files.delete(id)
            else:
                await self.calls.delete(place, id)
        except Missing:
            with suppress(Missing):
                await self.calls.edit(place, id, render(left_in_place(relay))[0], ())
        except Unreachable as error:
            if relay.kind in ("people", "word"):
                raise
            raise SupportChatGone from error

    async def _to_people(self, ticket: Ticket, relay: Relay, trace: RelayTrace) -> None:
        if relay.kind != "head" and "message" not in (ticket.home or {}):
            ticket = await self._announced(ticket)
        place = self._place(ticket, relay)
        try:
            if trace.target is None:
                id = await self._sent(ticket, relay, place, trace)
            else:
                id = trace.target
                if relay.version > 1 and "file" not in relay.content:
                    keyboard = self.carrying.keyboard(ticket, relay)
                    await self.calls.edit(place, id, self._part(ticket, relay), keyboard)
        except ThreadGone as error:
            await self._move(ticket)
            raise DeliveryFailed("tell", retry_after=MOVING) from error
        except Missing as error:
            if relay.kind != "head":
                raise Refused("the message is not there any longer") from error
            await self._move(ticket)
            await self._announced(await self.desk.tickets.ticket(ticket.id) or ticket)
            return
        if relay.kind == "head":
            await self._house(ticket, id)

    async def _announce(self, place: Place, relay: Relay, trace: RelayTrace) -> None:
        text, keyboard = await self.carrying.digest(relay)
        part = render(text, MOST_HEAD)[0]
        if trace.target is None:
            await self.calls.send(place, part, keyboard, trace)
            return
        try:
            await self.calls.edit(place, trace.target, part, keyboard)
        except Missing as error:
            raise Refused("the message is not there any longer") from error

    async def _sent(self, ticket: Ticket, relay: Relay, place: Place, trace: RelayTrace) -> str:
        part = self._part(ticket, relay)
        if "file" in relay.content:
            body = await self.carrying.file(ticket, relay)
            if not isinstance(body, str):
                return await self.files.send(place, relay.content["file"], body, trace)
            part = render(body)[0]
        return await self.calls.send(place, part, self.carrying.keyboard(ticket, relay), trace)

    async def _house(self, ticket: Ticket, id: str) -> None:
        channel = (ticket.home or {}).get("channel", self.support)
        await self.desk.tickets.anchor(self.desk.name, home_key(channel, id), ticket.id)
        await self.desk.tickets.house(ticket.id, {"channel": channel, "message": id})

    async def _announced(self, ticket: Ticket) -> Ticket:
        """A ticket whose first message is gone gets another one."""
        head = await self.desk.tickets.relay(f"head:{ticket.id}")
        if head is None:
            raise Refused("the ticket has no first message")
        gone = (ticket.home or {}).get("gone")
        trace = RelayTrace(self.desk, replace(head, target=None) if head.target == gone else head)
        await self.find(ticket, head, trace)
        if trace.target is None:
            await self._sent(ticket, head, self._place(ticket, head), trace)
        assert trace.target is not None, "it was sent"
        await self._house(ticket, trace.target)
        return await self.desk.tickets.ticket(ticket.id) or ticket

    async def _move(self, ticket: Ticket) -> None:
        """The thread was deleted: go on in a new one, with the ticket on top; what was to be said is said there."""
        log.warning("slack.thread_deleted", ticket=ticket.id)
        gone = (ticket.home or {}).get("message")
        await self.desk.tickets.house(ticket.id, {"channel": self.support, "gone": gone})
        text = self.carrying.texts("topic_deleted", self.carrying.language_of(ticket))
        await self.desk.tell_people(ticket, text, f"moved:{ticket.id}:{gone}")

    def _place(self, ticket: Ticket, relay: Relay) -> Place:
        if relay.kind in ("people", "word"):
            return Place.of(ticket.place)
        home: Mapping[str, Any] = ticket.home or {}
        channel = home.get("channel", self.support)
        if channel is None:
            raise Refused("there is no support channel")
        root = "" if relay.kind in ("head", "digest") else str(home.get("message", ""))
        return Place(channel=channel, thread=root, message=root, fixed=True)

    def _part(self, ticket: Ticket, relay: Relay) -> Part:
        most = MOST_HEAD if relay.kind == "head" else None
        text = self.carrying.text(ticket, relay)
        return next(iter(render(text, most) if most else render(text)), Part("…"))
