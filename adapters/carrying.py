"""What carriers of all platforms do alike: what a ticket looks like, whom failures are told, how files come along."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import structlog

from adapters.buttons import Keyboard
from adapters.digest import Digests
from adapters.mirroring import is_gone
from adapters.pacing import DeliveryFailed
from adapters.relays import Refused
from adapters.said import MOST_FILE, fetching, literal, sized
from adapters.support_desk import SupportDesk
from adapters.texts import Texts
from adapters.ticket_buttons import head_buttons, note_buttons
from adapters.ticket_page import page
from engine import Language, Relay, Ticket

log = structlog.get_logger()

FETCHED_EVERY = 0.5


class SupportChatGone(DeliveryFailed):
    """Nobody can be told anything: it is tried again later."""

    def __init__(self) -> None:
        super().__init__("tell", retry_after=30.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrying:
    desk: SupportDesk
    texts: Texts
    language: Language | None = None
    remark: str = "//"
    digests: Digests | None = None

    def language_of(self, ticket: Ticket) -> Language:
        return self.language or ticket.language

    def text(self, ticket: Ticket, relay: Relay) -> str:
        """As Markdown."""
        if relay.kind == "head":
            return page(ticket, relay.content, self.texts, self.language_of(ticket), self.remark)
        return str(relay.content.get("text", ""))

    def keyboard(self, ticket: Ticket, relay: Relay) -> Keyboard:
        language = self.language_of(ticket)
        if relay.kind == "head":
            return head_buttons(ticket, relay.content, self.texts, language)
        return note_buttons(ticket, relay.content, self.texts, language) if relay.kind == "note" else ()

    async def digest(self, relay: Relay) -> tuple[str, Keyboard]:
        """As Markdown, with its buttons. Raises Refused where digests are not shown."""
        if self.digests is None:
            raise Refused("there are no digests here")
        return await self.digests.page(relay)

    async def file(self, ticket: Ticket, relay: Relay) -> bytes | str:
        """What is to be sent: the file, or a text that says why it did not come. Raises DeliveryFailed to wait."""
        body = await self.desk.tickets.file(relay.key)
        if body is not None:
            return body
        fetched = await self.desk.tickets.relay(fetching(relay.key))
        if fetched is not None and not fetched.failure and fetched.done < fetched.version:
            raise DeliveryFailed("fetch", retry_after=FETCHED_EVERY)
        language = ticket.language if relay.kind == "people" else self.language_of(ticket)
        return self._not_passed_on(relay.content["file"], fetched.failure if fetched else "", language)

    async def keep(self, relay: Relay, body: bytes) -> None:
        """What the relay `file` is for."""
        if len(body) > MOST_FILE:
            raise Refused("too_big")
        await self.desk.tickets.keep_file(relay.content["fetch"]["key"], body)

    async def report(self, ticket: Ticket, relay: Relay, why: str, *, gone: bool) -> None:
        """Tell whoever sent it that it was not delivered."""
        if is_gone(relay):
            log.info("relays.copy_stays", ticket=ticket.id)
        elif relay.kind == "file":
            await self._report_file(ticket, relay, why)
        elif relay.kind in ("people", "word"):
            if gone:
                await self.desk.inbox.lose(ticket.conversation)
            language = self.language_of(ticket)
            text = self.texts("undelivered_gone", language) if gone else self.texts("undelivered", language, why=why)
            await self.desk.tell_people(ticket, text, f"failed:{relay.id}:{relay.version}")

    async def _report_file(self, ticket: Ticket, relay: Relay, why: str) -> None:
        fetch: Mapping[str, Any] = relay.content["fetch"]
        key = f"failed:{relay.id}:{relay.version}"
        if fetch["kind"] == "people":
            await self.desk.tell_people(ticket, self._not_passed_on(fetch, why, self.language_of(ticket)), key)
        else:
            await self.desk.tell_asker(ticket, self._not_passed_on(fetch, why, ticket.language), key)

    def _not_passed_on(self, file: Mapping[str, Any], why: str, language: Language) -> str:
        named = literal(f"{file['name']} ({sized(file['size'])})" if file["size"] else str(file["name"]))
        if why == "too_big":
            return self.texts("file_too_big", language, file=named, most=sized(MOST_FILE))
        return self.texts("file_lost", language, file=named)


def check_size(file: Mapping[str, Any]) -> None:
    """Raises Refused for a file that is known to be too big to be fetched."""
    if file["size"] > MOST_FILE:
        raise Refused("too_big")
