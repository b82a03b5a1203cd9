"""What happens in tickets: opened, taken, answered, given back, closed. Knows no platform, only what is kept.

Whatever is to be shown anywhere is kept as a relay first; the desk's platforms carry relays out (see `RelayRunner`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import structlog

from adapters.inbox import InboxStore
from adapters.tickets import TicketStore
from engine import Closing, Relay, RelayKind, Ticket

log = structlog.get_logger()

HUMAN_HOLDS = timedelta(hours=8)


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportDesk:
    """One desk's view of tickets: those of its own askers, and those that its people answer."""

    name: str
    """The desk of this platform's askers, such as `telegram:12345`."""
    people: str
    """The desk whose support chat tickets go to; the same unless people are on another platform."""
    tickets: TicketStore
    inbox: InboxStore
    holds: timedelta = HUMAN_HOLDS
    """After so long without a word of theirs, the bot has the conversation again."""
    news: asyncio.Event = field(default_factory=asyncio.Event)

    async def open(self, ticket: Ticket) -> tuple[Ticket, bool]:
        opened, new = await self.tickets.open(ticket)
        # Said again after a restart in between: the key tells it apart.
        await self._say(opened, self.people, f"head:{opened.id}", "head", {"state": "open"})
        return opened, new

    async def heard(self, conversation: str, key: str, content: Mapping[str, Any]) -> bool:
        """The asker wrote; True when it joined a ticket."""
        ticket = await self.tickets.latest(conversation)
        if ticket is None or ticket.state == "closed":
            return False
        await self._say(ticket, self.people, key, "asker", content)
        return True

    async def answered(self, ticket: Ticket, key: str, content: Mapping[str, Any], by: str, name: str) -> bool:
        """People wrote to the asker. Whoever answers has the ticket. False when it is closed."""
        if ticket.state == "closed":
            return False
        has_it = (ticket.state, ticket.taken_by) == ("taken", by)
        if not has_it and not await self.take(ticket, by, name):
            return False
        await self.inbox.hand_over(ticket.conversation, "human", self.holds)
        await self._say(ticket, ticket.desk, key, "people", content)
        return True

    async def amend(self, key: str, content: Mapping[str, Any]) -> None:
        if await self.tickets.amend(key, content):
            self.news.set()

    async def take(self, ticket: Ticket, by: str, name: str) -> bool:
        if not await self.tickets.take(ticket.id, by):
            return False
        await self.inbox.hand_over(ticket.conversation, "human", self.holds)
        await self._restate(ticket, {"state": "taken", "by": name})
        return True

    async def give_back(self, ticket: Ticket) -> bool:
        if not await self.tickets.give_back(ticket.id):
            return False
        await self.inbox.hand_over(ticket.conversation, "bot")
        await self._restate(ticket, {"state": "open"})
        return True

    async def close(self, ticket: Ticket, closing: Closing, name: str) -> bool:
        if not await self.tickets.close(ticket.id, closing):
            return False
        await self.inbox.hand_over(ticket.conversation, "bot")
        await self._restate(ticket, {"state": "closed", "closing": closing, "by": name})
        log.info("ticket.closed", ticket=ticket.id, closing=closing)
        return True

    async def tell_asker(self, ticket: Ticket, text: str, key: str) -> None:
        await self._say(ticket, ticket.desk, key, "word", {"text": text})

    async def tell_people(self, ticket: Ticket, text: str, key: str, buttons: object = ()) -> None:
        await self._say(ticket, self.people, key, "note", {"text": text, "buttons": buttons})

    async def _restate(self, ticket: Ticket, content: Mapping[str, Any]) -> None:
        await self.amend(f"head:{ticket.id}", content)

    async def _say(self, ticket: Ticket, to: str, key: str, kind: RelayKind, content: Mapping[str, Any]) -> None:
        if await self.tickets.say(Relay(ticket=ticket.id, to=to, key=key, kind=kind, content=content)):
            self.news.set()
