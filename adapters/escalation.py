"""When a conversation goes to people, and what its asker is told of that at once. Shared by all platforms."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import structlog

from adapters.asking import asks_for_human, promises_human
from adapters.inbox import InboxStore
from adapters.ledger import TakenOver
from adapters.office_hours import OfficeHours, shown
from adapters.said import Said
from adapters.support_desk import SupportDesk
from adapters.texts import Texts
from engine import LANGUAGES, Exchange, Language, Outcome, Standing, Ticket, TicketReason, rejects, tried

log = structlog.get_logger()

TWICE = 2
_RECENT = 6
_SHOWN_CHARACTERS = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerRules:
    """What always goes to people: questions with one of the words (whole words or phrases), of a domain, in a chat."""

    words: tuple[str, ...] = ()
    domains: frozenset[str] = frozenset()
    chats: frozenset[str] = frozenset()
    """Conversations, or what they begin with."""
    misses: bool = True
    """Whether a question that nobody could answer goes to people by itself."""

    def of_question(self, text: str, conversation: str) -> str | None:
        """The word or chat by which a question goes to people unanswered."""
        folded = text.casefold().replace("ё", "е")
        for word in self.words:
            if re.search(rf"(?<!\w){re.escape(word.casefold().replace('ё', 'е'))}(?!\w)", folded):
                return word
        parts = conversation.split(":")
        return next((chat for chat in self.chats if chat == conversation or chat in parts), None)


async def _asker(exchange: Exchange) -> str:
    return exchange.asker


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalation:
    inbox: InboxStore
    desk: SupportDesk
    texts: Texts
    hours: OfficeHours = field(default_factory=OfficeHours)
    rules: OwnerRules = field(default_factory=OwnerRules)
    name_of: Callable[[Exchange], Awaitable[str]] = _asker
    """How people are told who asks."""
    said_in: Callable[[Exchange, str], Said] | None = None
    """What was said in an exchange, to a desk."""
    now: Callable[[], datetime] = _now

    async def before(self, exchange: Exchange, standing: Standing, language: Language) -> str | None:
        """What is said instead of asking the engine; None when it is to be asked."""
        await self._join(exchange)
        if standing.owner != "bot" or exchange.command == "ask" or not exchange.text.strip():
            return None
        if asks_for_human(exchange.text):
            return await self.wanted(exchange, language)
        if (rule := self.rules.of_question(exchange.text, exchange.conversation)) is not None:
            return await self._passed_on(exchange, "rule", language, detail=rule)
        if rejects(exchange.text) and await self._rejected_before(exchange):
            return await self._passed_on(exchange, "not_it", language)
        return None

    async def called(self, exchange: Exchange, standing: Standing, language: Language) -> str:
        """The asker calls for a human by a button or a command; while one is waited for, they are told so again."""
        if standing.owner == "queue":
            return self.texts("human_waiting", language)
        return await self.wanted(exchange, language)

    async def waiting(self, exchange: Exchange, language: Language) -> str:
        """What is said, once, to those who write while they wait for people. Raises TakenOver when it was said."""
        await self._join(exchange)
        ticket = await self.desk.tickets.latest(exchange.conversation)
        since = ticket.exchange if ticket else 0
        holding = {self.texts("human_waiting", one) for one in LANGUAGES}
        recent = await self.inbox.recent(exchange.conversation, _RECENT)
        if any(one.answer and one.answer.text in holding for one in recent if since <= one.id != exchange.id):
            raise TakenOver("hold")
        return self.texts("human_waiting", language)

    async def wanted(self, exchange: Exchange, language: Language) -> str:
        """The asker wants a human."""
        return await self._passed_on(exchange, "asked", language)

    async def after(self, exchange: Exchange, outcome: Outcome) -> Outcome:
        """The outcome as it is delivered: with a word about people when it goes to them."""
        reason: TicketReason | None = None
        detail = ""
        if outcome.kind == "missed" and outcome.miss_reason != "not_a_question" and self.rules.misses:
            reason = "missed"
        elif outcome.route is not None and outcome.route.domain in self.rules.domains:
            reason, detail = "rule", outcome.route.domain or ""
        if reason is None and outcome.kind != "blocked" and promises_human(outcome.text):
            reason = "promised"
        if reason is None:
            return outcome
        asked = replace(exchange, answer=None)
        ticket, new = await self._open(asked, reason, outcome.language, detail=detail, outcome=outcome)
        if not new and ticket.exchange != exchange.id:
            return outcome
        notice = self._notice("passed_on_too" if reason == "rule" else "passed_on", outcome.language)
        return replace(outcome, text=f"{outcome.text.rstrip()}\n\n{notice}")

    async def rated(self, exchange: Exchange, language: Language) -> None:
        """After an answer was rated as not helpful: the second one goes to people.

        It may be rated before it is known to have arrived, so it counts whether its exchange has ended or not.
        """
        last = await self.desk.tickets.latest(exchange.conversation)
        if last is not None and last.state != "closed":
            if (last.exchange, last.reason) == (exchange.id, "not_helpful"):
                await self._hold(last, language)  # again, as a process may have died before this
            return
        since = last.exchange if last else 0
        recent = await self.inbox.recent(exchange.conversation, _RECENT)
        unhelpful = {one.id for one in recent if one.rating == "not_helpful"} | {exchange.id}
        if sum(id > since for id in unhelpful) < TWICE:
            return
        ticket, new = await self._open(exchange, "not_helpful", language)
        if new:
            await self._hold(ticket, language)

    async def _hold(self, ticket: Ticket, language: Language) -> None:
        if ticket.state == "open":
            await self.inbox.hand_over(ticket.conversation, "queue")
        await self.desk.tell_asker(ticket, self._notice("passed_on", language), f"notice:{ticket.id}")

    async def _passed_on(
        self, exchange: Exchange, reason: TicketReason, language: Language, *, detail: str = ""
    ) -> str:
        ticket, new = await self._open(exchange, reason, language, detail=detail)
        await self.inbox.hand_over(exchange.conversation, "queue")
        if not new and ticket.exchange != exchange.id:
            return self.texts("human_waiting", language)
        return self._notice("passed_on", language)

    async def _join(self, exchange: Exchange) -> None:
        """What came while the ticket was being opened joins it too."""
        if self.said_in is not None and not exchange.command and exchange.text.strip():
            await self.desk.heard(exchange.conversation, self.said_in(exchange, self.desk.name))

    async def _rejected_before(self, exchange: Exchange) -> bool:
        recent = [one for one in await self.inbox.recent(exchange.conversation, TWICE) if one.id < exchange.id]
        return bool(recent) and rejects(recent[-1].text)

    async def _open(
        self,
        exchange: Exchange,
        reason: TicketReason,
        language: Language,
        *,
        detail: str = "",
        outcome: Outcome | None = None,
    ) -> tuple[Ticket, bool]:
        recent = [
            one for one in await self.inbox.recent(exchange.conversation, _RECENT) if one.id < exchange.id and one.text
        ]
        found = tried(outcome) if outcome else _last_tried(exchange, recent)
        found["said"] = [
            [one.text[:_SHOWN_CHARACTERS], one.answer.text[:_SHOWN_CHARACTERS] if one.answer else ""]
            for one in [*recent, *([exchange] if exchange.answer else [])]
        ]
        own = exchange.text if not asks_for_human(exchange.text) and not rejects(exchange.text) else ""
        asked = next((one.text for one in reversed(recent) if not rejects(one.text)), "")
        question = own or asked or exchange.text
        ticket, new = await self.desk.open(
            Ticket(
                desk=self.desk.name,
                conversation=exchange.conversation,
                asker=exchange.asker,
                question=question,
                language=language,
                reason=reason,
                detail=detail,
                name=await self.name_of(exchange),
                exchange=exchange.id,
                place=exchange.place,
                tried=found,
            )
        )
        if new:
            log.info("ticket.opened", ticket=ticket.id, reason=reason, language=language)
        return ticket, new

    def _notice(self, name: str, language: Language) -> str:
        now = self.now()
        opening = self.hours.next_opening(now)
        if not self.hours.spans:
            when = self.texts("people_soon", language)
        elif opening is None:
            when = ""
        elif opening <= now:
            when = self.texts("people_here", language)
        else:
            when = self.texts("people_from", language, when=shown(opening, language))
        return f"{self.texts(name, language)} {when}".strip()


def _last_tried(exchange: Exchange, recent: list[Exchange]) -> dict[str, object]:
    answered = next((one.answer for one in reversed([*recent, exchange]) if one.answer and one.answer.tried), None)
    return dict(answered.tried) if answered else {}
