"""What people do in a support chat: write in tickets, tap their buttons. The same on every platform."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from adapters.digest import Digests, GapTap
from adapters.learning import Learning
from adapters.said import Said
from adapters.support_desk import SupportDesk
from adapters.texts import Texts
from adapters.ticket_buttons import TicketTap
from engine import Language, RefdeskError, Ticket, detect_language

log = structlog.get_logger()


async def _is_there(person: str) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskPeople:
    desk: SupportDesk
    texts: Texts
    language: Language | None = None
    """What people are spoken to in; the asker's language when None."""
    remark: str = "//"
    """What begins a remark that stays among people."""
    learning: Learning | None = None
    digests: Digests | None = None
    is_there: Callable[[str], Awaitable[bool]] = _is_there
    """Whether somebody is in the support chat still."""

    def language_of(self, ticket: Ticket) -> Language:
        return self.language or ticket.language

    async def wrote(self, ticket: Ticket, said: Said, text: str, by: str, name: str) -> None:
        """In a ticket. Kept when this returns."""
        if text.lstrip().startswith(self.remark):
            return
        if await self._answered(ticket, said, by, name):
            return
        fresh = await self._freed(ticket, name)
        if await self._answered(fresh, said, by, name):
            return
        why = "not_sent_closed" if fresh.state == "closed" else "not_sent_taken"
        await self.desk.tell_people(ticket, self.texts(why, self.language_of(ticket)), f"unsent:{said.key}")

    async def rewrote(self, ticket: Ticket, message: str, text: str, by: str, name: str) -> bool:
        """In reply to a message of ours; True when that is a draft, which has other words now."""
        if self.learning is None or text.lstrip().startswith(self.remark):
            return False
        return await self.learning.rewritten(ticket, message, text, by, name, self.language_of(ticket))

    async def commanded(self, text: str, by: str, name: str, ticket: Ticket | None, replied: str = "") -> str:
        """`/faq`, given without it; returns what is said to it, as Markdown. `replied` is the key of the message that
        the command answers, if it does. For a task of its own: it may take a moment."""
        language = self.language or (ticket.language if ticket else detect_language(text))
        if self.learning is None:
            return self.texts("no_learning", language)
        try:
            if ticket is not None and text.split() == ["draft"]:
                said = await self.learning.tapped("draft", ticket, replied, by, name, language)
                return self.texts(said, language)
            return await self.learning.command(text, by, name, language)
        except RefdeskError as error:
            return self._failed(error, language)

    async def learned(self, tap: TicketTap, by: str, name: str) -> str:
        """The same as `tapped`, for a task of its own."""
        try:
            return await self.tapped(tap, by, name)
        except RefdeskError as error:
            return self._failed(error, self.language or "en")

    def _failed(self, error: RefdeskError, language: Language) -> str:
        log.error("desk.learning_failed", error=type(error).__name__, exc_info=error)
        return self.texts("apology", language)

    async def edited(self, said: Said, text: str) -> None:
        """An edit is mirrored, whenever it comes."""
        if not text.lstrip().startswith(self.remark):
            await self.desk.amend(said)

    async def deleted(self, key: str) -> None:
        """So is a deletion, whoever did it."""
        await self.desk.retract(key)

    async def tapped(self, tap: TicketTap, by: str, name: str) -> str:
        """Kept when this returns: what who tapped is told."""
        ticket = await self.desk.tickets.ticket(tap.ticket)
        if ticket is None:
            return self.texts("gone", self.language or "en")
        return self.texts(await self._do(tap, ticket, by, name), self.language_of(ticket))

    async def gap_tapped(self, tap: GapTap, name: str) -> str:
        """In a digest. Kept when this returns: what who tapped is told."""
        if self.digests is None:
            return self.texts("digest_gone", self.language or "en")
        said = await self.digests.tapped(tap, name, self.language)
        self.desk.news.set()
        return said

    async def _do(self, tap: TicketTap, ticket: Ticket, by: str, name: str) -> str:
        match tap.verb:
            case "take":
                return "done" if await self._take(ticket, by, name) else await self._why_not(ticket)
            case "back":
                return "done" if await self.desk.give_back(ticket) else await self._why_not(ticket)
            case "close":
                return await self._close(ticket, name)
            case "off":
                return await self._off_topic(ticket, name)
            case "faq":
                return await self._answer_with(ticket, tap.choice, by, name)
            case _:
                if self.learning is None:
                    return "no_learning"
                return await self.learning.tapped(tap.verb, ticket, tap.choice, by, name, self.language_of(ticket))

    async def _close(self, ticket: Ticket, name: str) -> str:
        if not await self.desk.close(ticket, "answered", name):
            return "already_closed"
        if self.learning is not None:
            await self.learning.closed(ticket, self.language_of(ticket))
        return "done"

    async def _answered(self, ticket: Ticket, said: Said, by: str, name: str) -> bool:
        answered = await self.desk.answered(ticket, said, by, name)
        if answered and self.learning is not None:
            await self.learning.answered(ticket, self.language_of(ticket))
        return answered

    async def _take(self, ticket: Ticket, by: str, name: str) -> bool:
        return await self.desk.take(ticket, by, name) or await self.desk.take(await self._freed(ticket, name), by, name)

    async def _off_topic(self, ticket: Ticket, name: str) -> str:
        closed = await self.desk.close(ticket, "off_topic", name)
        fresh = await self.desk.tickets.ticket(ticket.id)
        if not closed and (fresh is None or fresh.closing != "off_topic"):
            return "already_closed"
        # Also when it was closed before: a process may have died before it said so.
        await self.desk.tell_asker(ticket, self.texts("off_topic_said", ticket.language), f"off:{ticket.id}")
        return "done" if closed else "already_closed"

    async def _answer_with(self, ticket: Ticket, choice: str, by: str, name: str) -> str:
        nearest = ticket.tried.get("nearest", ())
        if not choice.isdigit() or int(choice) >= len(nearest):
            return "gone"
        if not await self._take(ticket, by, name):
            fresh = await self.desk.tickets.ticket(ticket.id)
            again = fresh is not None and fresh.state == "closed" and await self.desk.close(ticket, "answered", name)
            return "done" if again else await self._why_not(ticket)
        await self.desk.tell_asker(ticket, nearest[int(choice)]["answer"], f"faq:{ticket.id}:{choice}")
        await self.desk.close(ticket, "answered", name)
        if self.learning is not None:
            await self.learning.answered_with(ticket, int(choice), self.language_of(ticket))
        return "done"

    async def _freed(self, ticket: Ticket, name: str) -> Ticket:
        """The ticket as it is now; taken from somebody who has left the support chat."""
        fresh = await self.desk.tickets.ticket(ticket.id) or ticket
        if fresh.state != "taken" or await self.is_there(fresh.taken_by):
            return fresh
        await self.desk.release(fresh, name)
        text = self.texts("holder_left", self.language_of(fresh))
        await self.desk.tell_people(fresh, text, f"left:{fresh.id}:{fresh.taken_by}")
        return await self.desk.tickets.ticket(ticket.id) or fresh

    async def _why_not(self, ticket: Ticket) -> str:
        fresh = await self.desk.tickets.ticket(ticket.id)
        return "already_closed" if fresh is None or fresh.state == "closed" else "already_taken"
