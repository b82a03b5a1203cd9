"""What people do in the support channel: write in the threads of tickets, tap their buttons."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from adapters.desk_people import DeskPeople
from adapters.digest import GapTap
from adapters.said import Said
from adapters.slack.calls import Calls
from adapters.slack.config import Me
from adapters.slack.events import READ_SUBTYPES, readable
from adapters.slack.formatting import render
from adapters.slack.names import Names
from adapters.slack.relayed import deleted_message, edited_message, home_key, key_of, said_of
from adapters.slack.taps import SlackTapped
from adapters.ticket_buttons import LEARNING, TicketTap
from engine import Ticket

IGNORED = frozenset({"USLACKBOT"})

Act = Callable[[], Awaitable[None]]
_COMMAND = re.compile(r"\s*/?faq(?:\s+|$)", re.IGNORECASE)
_REMEMBERED = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    me: Me
    support: str | None
    """Their channel; None when tickets are answered on another platform."""
    shared: DeskPeople
    names: Names
    calls: Calls
    commands: dict[str, None] = field(default_factory=dict[str, None])
    """The latest ones that were carried out."""

    def are_at(self, channel: object) -> bool:
        return self.support is not None and channel == self.support

    async def keep(self, event: Mapping[str, Any]) -> Act | None:
        """Something happened in the support channel. Kept when this returns; what belongs to no ticket is theirs. What
        is returned may be done later."""
        if (gone := deleted_message(event)) is not None:
            await self.shared.deleted(key_of(str(self.support), gone))
            await self._head_deleted(gone)
        elif (message := edited_message(event)) is not None:
            await self.shared.edited(self._said(message), _text(message, self.me))
        elif event.get("subtype") in READ_SUBTYPES:
            return await self._wrote(event)
        return None

    async def tapped(self, tapped: SlackTapped, tap: TicketTap) -> Act:
        """Kept when this returns; what is returned tells who tapped."""
        if not self.are_at(tapped.place.channel):
            return partial(tapped.say, self.shared.texts("gone", "en"))
        name = await self.names.of(tapped.user)
        if tap.verb in LEARNING:
            return partial(self._learn, tapped, tap, name)
        return partial(tapped.say, await self.shared.tapped(tap, tapped.user, name))

    async def _learn(self, tapped: SlackTapped, tap: TicketTap, name: str) -> None:
        await tapped.say(await self.shared.learned(tap, tapped.user, name))

    async def gap_tapped(self, tapped: SlackTapped, tap: GapTap) -> Callable[[], Awaitable[None]]:
        """The same for a digest."""
        if not self.are_at(tapped.place.channel):
            return partial(tapped.say, self.shared.texts("digest_gone", "en"))
        return partial(tapped.say, await self.shared.gap_tapped(tap, await self.names.of(tapped.user)))

    async def _wrote(self, event: Mapping[str, Any]) -> Act | None:
        user = event.get("user")
        if not isinstance(user, str) or user == self.me.user or user in IGNORED:
            return None
        ours = event.get("parent_user_id", self.me.user) == self.me.user  # perhaps, when it is not told
        ticket = await self._ticket(str(event.get("thread_ts") or ""), ours=ours)
        if event.get("bot_id") and not await self.names.is_person(user):
            return None
        if (command := self._command_in(event)) is not None:
            return partial(self._command, event, command, user, ticket)
        if ticket is None:
            return None
        await self.shared.wrote(ticket, self._said(event), _text(event, self.me), user, await self.names.of(user))
        return None

    def _command_in(self, event: Mapping[str, Any]) -> str | None:
        """What follows `@bot faq`: Slack takes what begins with a slash for its own."""
        if f"<@{self.me.user}>" not in str(event.get("text") or ""):
            return None
        found = _COMMAND.match(_text(event, self.me))
        return None if found is None else _text(event, self.me)[found.end() :]

    async def _command(self, event: Mapping[str, Any], text: str, user: str, ticket: Ticket | None) -> None:
        ts = str(event.get("ts"))
        if ts in self.commands:  # a mention comes as two events
            return
        self.commands[ts] = None
        if len(self.commands) > _REMEMBERED:
            del self.commands[next(iter(self.commands))]
        said = await self.shared.commanded(text, user, await self.names.of(user), ticket)
        for part in render(said):
            await self.calls.tell(str(self.support), part, thread=str(event.get("thread_ts") or ts))

    async def _head_deleted(self, ts: str) -> None:
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
