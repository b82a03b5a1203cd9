"""What happened in chats, as reports read it, on both databases."""

from __future__ import annotations

from engine import Answer, Inbound, Ticket
from engine.providers.state.database import Database
from engine.providers.state.events import SqlEvents
from engine.providers.state.inbox import SqlInbox
from engine.providers.state.tickets import SqlTickets
from engine.types import OutcomeKind


async def test_tickets_and_ratings_are_read_without_texts(state_url: str) -> None:
    async with Database.open(state_url) as database:
        inbox, tickets, events = SqlInbox(database, "telegram:1"), SqlTickets(database), SqlEvents(database)

        async def asked(key: str, kind: OutcomeKind) -> int:
            message = await inbox.accept(Inbound(key=key, conversation="c", asker="7", text=key))
            assert message is not None
            exchange = await inbox.open([message])
            await inbox.conclude(exchange.id, Answer(text="A", language="en", kind=kind))
            return exchange.id

        first, second, _ = [await asked(key, kind) for key, kind in _ASKED]
        await inbox.rate(first, "helpful")
        await inbox.rate(second, "not_helpful", "wrong")
        for number, conversation in enumerate(("c", "d"), 1):
            ticket = Ticket(
                desk="telegram:1", conversation=conversation, asker="7", question="?", language="en",
                reason="missed" if number == 1 else "asked", exchange=number,
            )  # fmt: skip
            await tickets.open(ticket)
        ratings = await events.ratings("2020-01-01")
        assert [(one.kind, one.rating) for one in ratings] == [("faq_direct", "helpful"), ("answered", "not_helpful")]
        assert all(one.asked_at > "2020" for one in ratings)
        assert [one.reason for one in await events.tickets("2020-01-01")] == ["missed", "asked"]
        assert await events.ratings("2999-01-01") == ()
        assert await events.tickets("2999-01-01") == ()


_ASKED: tuple[tuple[str, OutcomeKind], ...] = (("One?", "faq_direct"), ("Two?", "answered"), ("Three?", "missed"))
