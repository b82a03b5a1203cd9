"""Which of our messages are known when a process begins."""

from __future__ import annotations

from adapters.inbox import InboxStore
from adapters.telegram.calls import Calls
from adapters.telegram.place import Place
from adapters.tickets import TicketStore
from engine import Relay, Ticket

LOOKED_AT = 500


async def see_all_sent(calls: Calls, store: InboxStore, tickets: TicketStore | None, desk: str) -> None:
    """So that none of them is ever taken for one whose id was lost: a lost one comes after all that are known."""
    for exchange in await store.latest(LOOKED_AT):
        for id in exchange.posted:
            calls.seen(Place.of(exchange.place).chat, int(id))
    for relay in await tickets.sent(desk, LOOKED_AT) if tickets is not None else ():
        ticket = await tickets.ticket(relay.ticket) if tickets is not None else None
        if ticket is not None and relay.target is not None and (chat := _chat(ticket, relay)) is not None:
            calls.seen(chat, int(relay.target))


def _chat(ticket: Ticket, relay: Relay) -> int | None:
    where = ticket.place if relay.kind in ("people", "word") else ticket.home or {}
    return where.get("chat")
