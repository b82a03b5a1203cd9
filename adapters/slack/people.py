"""What people do in the support channel: write in the threads of tickets, tap their buttons."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from adapters.desk_people import DeskPeople
from adapters.said import Said
from adapters.slack.config import Me
from adapters.slack.events import READ_SUBTYPES, readable
from adapters.slack.names import Names
from adapters.slack.relayed import edited_message, home_key, said_of
from adapters.slack.taps import SlackTapped
from adapters.ticket_buttons import TicketTap
from engine import Ticket

IGNORED = frozenset({"USLACKBOT"})


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    me: Me
    support: str | None
    """Their channel; None when tickets are answered on another platform."""
    shared: DeskPeople
    names: Names

    def are_at(self, channel: object) -> bool:
        return self.support is not None and channel == self.support

    async def keep(self, event: Mapping[str, Any]) -> None:
        """Something happened in the support channel. Kept when this returns; what belongs to no ticket is theirs."""
        match event.get("subtype"):
            case "message_changed":
                if (message := edited_message(event)) is not None:
                    await self.shared.edited(self._said(message), _text(message, self.me))
            case "message_deleted":
                await self._deleted(str(event.get("deleted_ts")))
            case subtype if subtype in READ_SUBTYPES:
                await self._wrote(event)

    async def tapped(self, tapped: SlackTapped, tap: TicketTap) -> Callable[[], Awaitable[None]]:
        """Kept when this returns; what is returned tells who tapped."""
        if not self.are_at(tapped.place.channel):
            return partial(tapped.say, self.shared.texts("gone", "en"))
        return partial(tapped.say, await self.shared.tapped(tap, tapped.user, await self.names.of(tapped.user)))

    async def _wrote(self, event: Mapping[str, Any]) -> None:
        user = event.get("user")
        if not isinstance(user, str) or user == self.me.user or user in IGNORED:
            return
        ours = event.get("parent_user_id") == self.me.user
        ticket = await self._ticket(str(event.get("thread_ts") or ""), ours=ours)
        if ticket is None or (event.get("bot_id") and not await self.names.is_person(user)):
            return
        await self.shared.wrote(ticket, self._said(event), _text(event, self.me), user, await self.names.of(user))

    async def _deleted(self, ts: str) -> None:
        """The ticket itself was: it begins a new thread."""
        ticket, tickets = await self._ticket(ts), self.shared.desk.tickets
        if ticket is None or ticket.state == "closed" or (ticket.home or {}).get("message") != ts:
            return
        await tickets.house(ticket.id, {"channel": self.support, "gone": ts})
        text = self.shared.texts("topic_deleted", self.shared.language_of(ticket))
        await self.shared.desk.tell_people(ticket, text, f"moved:{ticket.id}:{ts}")

    async def _ticket(self, root: str, *, ours: bool = False) -> Ticket | None:
        keys = [home_key(str(self.support), root)]
        return await self.shared.desk.anchored(keys, ours=ours) if root else None

    def _said(self, message: Mapping[str, Any]) -> Said:
        return said_of(message, str(self.support), self.shared.desk.name, self.me.user)


def _text(message: Mapping[str, Any], me: Me) -> str:
    return readable(str(message.get("text") or "").replace(f"<@{me.user}>", ""))
