"""What happens in tickets: opened, taken, answered, given back, closed. Knows no platform, only what is kept.

Whatever is to be shown anywhere is kept as a relay first; the desk's platforms carry relays out (see `RelayRunner`).
Each step may be done again when the process died within it: it then goes on where it stopped.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from typing import Any

import structlog

from adapters.inbox import InboxStore
from adapters.mirroring import deleted, is_gone, rewritten
from adapters.said import Said, fetching, file_key, piece_key
from adapters.tickets import TicketStore
from engine import Closing, Relay, RelayKind, Ticket

log = structlog.get_logger()

HUMAN_HOLDS = timedelta(hours=8)
KNOWN_WITHIN = 5.0
_SHOWN = ("head", "asker", "note")


class Bells:
    """Rung when a desk of this process has something to carry out."""

    def __init__(self) -> None:
        self._events: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)

    def of(self, desk: str) -> asyncio.Event:
        return self._events[desk]


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportDesk:
    """One desk's view of tickets: those of its own askers, and those that its people answer."""

    name: str
    """The desk of this platform's askers, such as `telegram:12345`."""
    people: str
    """The desk whose support chat its tickets go to; the same unless people are on another platform."""
    tickets: TicketStore
    inbox: InboxStore
    holds: timedelta = HUMAN_HOLDS
    """After so long without a word of theirs, the bot has the conversation again."""
    bells: Bells = field(default_factory=Bells)

    @property
    def news(self) -> asyncio.Event:
        return self.bells.of(self.name)

    async def anchored(self, keys: Sequence[str], *, ours: bool) -> Ticket | None:
        """The ticket of the first key that has one. `ours` says that somebody answers a message of ours there.

        One that has just been sent, perhaps by a process that died then, is given time to be known.
        """
        time = asyncio.get_running_loop().time
        until = time() + KNOWN_WITHIN
        while True:
            due = ours and any(one.kind in _SHOWN for one in await self.tickets.due(self.name))
            found = await self.tickets.anchored(self.name, keys)
            if found is not None or not due or time() > until:
                return found
            await asyncio.sleep(KNOWN_WITHIN / 50)

    async def open(self, ticket: Ticket) -> tuple[Ticket, bool]:
        opened, new = await self.tickets.open(ticket)
        await self._say(
            Relay(ticket=opened.id, to=self.people, key=_head(opened), kind="head", content={"state": "open"})
        )
        return opened, new

    async def heard(self, conversation: str, said: Said) -> bool:
        """The asker wrote; True when it joined a ticket."""
        ticket = await self.tickets.latest(conversation)
        if ticket is None or ticket.state == "closed":
            return False
        if said.number <= float(ticket.place.get("message") or 0):
            return True  # it is what the ticket was opened with
        await self._pass_on(ticket, await self._shown_on(ticket), said, "asker")
        return True

    async def answered(self, ticket: Ticket, said: Said, by: str, name: str) -> bool:
        """People wrote to the asker. Whoever answers has the ticket. False when it is closed, or somebody else's."""
        if await self._known(said) is None:
            if ticket.state == "closed":
                return False
            if not await self.take(ticket, by, name):
                return False
        await self._pass_on(ticket, ticket.desk, said, "people")
        return True

    async def amend(self, said: Said) -> None:
        """A message that was passed on has other words or files now."""
        for relay in rewritten(said, await self._made_of(said.key)):
            await self._say(relay)
            await self._amend(relay.key, relay.content, relay.to)

    async def retract(self, key: str) -> None:
        """The message of this key was deleted: what was passed on of it is taken away again."""
        for relay in deleted(await self._made_of(key)):
            await self._amend(relay.key, relay.content, relay.to)

    async def take(self, ticket: Ticket, by: str, name: str) -> bool:
        if not await self.tickets.take(ticket.id, by):
            return False
        await self.inbox.hand_over(ticket.conversation, "human", self.holds)
        await self._restate(ticket, {"state": "taken", "by": name})
        return True

    async def give_back(self, ticket: Ticket) -> bool:
        """To the bot; people may take it again. False when it is closed."""
        if not await self.tickets.give_back(ticket.id):
            fresh = await self.tickets.ticket(ticket.id)
            if fresh is None or fresh.state != "open":
                return False
        await self.inbox.hand_over(ticket.conversation, "bot")
        await self._restate(ticket, {"state": "open"})
        return True

    async def release(self, ticket: Ticket, name: str) -> None:
        """Whoever had it is here no longer: it waits for somebody else."""
        if await self.tickets.give_back(ticket.id):
            log.warning("ticket.released", ticket=ticket.id)
            await self.inbox.hand_over(ticket.conversation, "queue")
            await self._restate(ticket, {"state": "open"})

    async def close(self, ticket: Ticket, closing: Closing, name: str) -> bool:
        """False when it was closed before, in another way or long ago."""
        if not await self.tickets.close(ticket.id, closing):
            return await self._close_again(ticket, closing, name)
        await self._end(ticket, closing, name)
        log.info("ticket.closed", ticket=ticket.id, closing=closing)
        return True

    async def tell_asker(self, ticket: Ticket, text: str, key: str) -> None:
        await self._say(Relay(ticket=ticket.id, to=ticket.desk, key=key, kind="word", content={"text": text}))

    async def tell_people(self, ticket: Ticket, text: str, key: str, buttons: object = ()) -> None:
        content = {"text": text, "buttons": buttons}
        await self._say(Relay(ticket=ticket.id, to=await self._shown_on(ticket), key=key, kind="note", content=content))

    async def show_people(self, ticket: Ticket, text: str, key: str, buttons: object = ()) -> None:
        """The same, and in the place of what they were told under the key before."""
        await self.tell_people(ticket, text, key, buttons)
        await self._amend(key, {"text": text, "buttons": buttons}, await self._shown_on(ticket))

    async def _close_again(self, ticket: Ticket, closing: Closing, name: str) -> bool:
        """When the process died in the middle of it."""
        head, latest = await self.tickets.relay(_head(ticket)), await self.tickets.latest(ticket.conversation)
        if head is None or head.content.get("state") == "closed":
            return False
        if latest is None or (latest.id, latest.closing) != (ticket.id, closing):
            return False
        await self._end(ticket, closing, name)
        return True

    async def _end(self, ticket: Ticket, closing: Closing, name: str) -> None:
        await self.inbox.hand_over(ticket.conversation, "bot")
        await self._restate(ticket, {"state": "closed", "closing": closing, "by": name})

    async def _shown_on(self, ticket: Ticket) -> str:
        """The desk that has the ticket: settings may have changed since it was opened."""
        head = await self.tickets.relay(_head(ticket))
        return self.people if head is None else head.to

    async def _known(self, said: Said) -> Relay | None:
        """The first of the relays that were made of it."""
        return await self.tickets.relay(said.key) or await self.tickets.relay(file_key(said.key, 1))

    async def _made_of(self, key: str) -> list[Relay]:
        """All relays of the message of this key."""
        made = []
        for keys_of in (_pieces, _files):
            for number in count(1):
                found = [await self.tickets.relay(one) for one in keys_of(key, number)]
                made += [one for one in found if one is not None]
                if found[-1] is None:
                    break
        return made

    async def _pass_on(self, ticket: Ticket, to: str, said: Said, kind: RelayKind) -> None:
        known = await self._known(said)
        if known is not None and is_gone(known):  # told again, after it was deleted
            return
        for relay in said.relays(ticket.id, to, kind):
            await self._say(relay)

    async def _restate(self, ticket: Ticket, content: Mapping[str, Any]) -> None:
        head = await self.tickets.relay(_head(ticket))
        await self._amend(_head(ticket), content, self.people if head is None else head.to)

    async def _amend(self, key: str, content: Mapping[str, Any], to: str) -> None:
        if await self.tickets.amend(key, content):
            self.bells.of(to).set()

    async def _say(self, relay: Relay) -> None:
        if await self.tickets.say(relay):
            self.bells.of(relay.to).set()


def _pieces(key: str, number: int) -> tuple[str, ...]:
    return (piece_key(key, number),)


def _files(key: str, number: int) -> tuple[str, ...]:
    return fetching(file_key(key, number)), file_key(key, number)


def _head(ticket: Ticket) -> str:
    return f"head:{ticket.id}"
