"""When tickets were opened, as reports read it, on both databases."""

from __future__ import annotations

from engine import Ticket
from engine.providers.state.database import Database
from engine.providers.state.events import SqlEvents
from engine.providers.state.tickets import SqlTickets
from engine.tickets import TicketReason

_OPENED: tuple[tuple[str, TicketReason], ...] = (("c", "missed"), ("d", "asked"))


async def test_tickets_are_read_without_texts(state_url: str) -> None:
    async with Database.open(state_url) as database:
        tickets, events = SqlTickets(database), SqlEvents(database)
        for conversation, reason in _OPENED:
            await tickets.open(
                Ticket(
                    desk="telegram:1", conversation=conversation, asker="7", question="?", language="en", reason=reason
                )
            )
        assert [one.reason for one in await events.tickets("2020-01-01")] == ["missed", "asked"]
        assert all(one.opened_at > "2020" for one in await events.tickets("2020-01-01"))
        assert await events.tickets("2999-01-01") == ()
