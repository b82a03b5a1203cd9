"""Carries out what a desk has to say on its platform: in order for each ticket, each once, whatever happens between."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import suppress
from typing import Protocol

import structlog

from adapters.digest import NO_TICKET
from adapters.ledger import Unreachable
from adapters.pacing import DeliveryFailed, Limits, RateLimited
from adapters.support_desk import SupportDesk
from engine import RefdeskError, Relay, Ticket

log = structlog.get_logger()

LOOKED_FOR_EVERY = 5.0
"""Seconds after which what another process has kept is found at the latest."""
FAILED_PAUSE = 2.0
_NONE = Ticket(desk="", conversation="", asker="", question="", language="en", reason="rule")
"""Of what belongs to no ticket."""


class Refused(Exception):
    """The platform will not take this, now or later; the text says why, for people."""


class RelayTrace:
    """The mark and the id of one relay, kept as they change."""

    def __init__(self, desk: SupportDesk, relay: Relay) -> None:
        self._tickets, self._relay = desk.tickets, relay
        self.target, self.mark = relay.target, relay.mark

    async def clear(self) -> None:
        """People are not silenced by people."""

    async def intend(self, mark: str) -> None:
        self.mark = mark
        await self._tickets.note(self._relay.id, self.target, mark)

    async def settle(self, id: str | None) -> None:
        self.mark, self.target = None, id or self.target
        await self._tickets.note(self._relay.id, self.target, None)


class Carrier(Protocol):
    """What a platform does with a relay. Raises RateLimited, Unreachable, Refused, or whatever its library raises."""

    async def find(self, ticket: Ticket, relay: Relay, trace: RelayTrace) -> None:
        """Look for what an earlier process may have sent."""
        ...

    async def carry(self, ticket: Ticket, relay: Relay, trace: RelayTrace) -> None:
        """Send it when the trace has no target, else change what was sent."""
        ...

    async def report(self, ticket: Ticket, relay: Relay, why: str, *, gone: bool) -> None:
        """Tell people that it could not be delivered."""
        ...


class RelayRunner:
    def __init__(self, desk: SupportDesk, carrier: Carrier, limits: Limits | None = None) -> None:
        self._desk, self._carrier, self._limits = desk, carrier, limits or Limits()

    async def find_lost(self) -> None:
        """Before anything new is said."""
        for relay in await self._desk.tickets.due(self._desk.name):
            ticket = await self._ticket(relay.ticket)
            if relay.mark is not None and ticket is not None:
                try:
                    await self._carrier.find(ticket, relay, RelayTrace(self._desk, relay))
                except Exception as error:  # noqa: BLE001  the delivery's edge: it is looked for again before it is sent
                    log.warning("relays.not_looked_for", relay=relay.id, error=type(error).__name__)

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            self._desk.news.clear()
            try:
                pause = await self.round()
            except RefdeskError as error:
                log.error("relays.store_failed", error=type(error).__name__, exc_info=error)
                pause = FAILED_PAUSE
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._desk.news.wait()

    async def round(self) -> float:
        """Carry out all that is due; returns how long to wait for more, at most."""
        by_ticket: defaultdict[int, list[Relay]] = defaultdict(list)
        for relay in await self._desk.tickets.due(self._desk.name):
            by_ticket[relay.ticket].append(relay)
        pauses = await asyncio.gather(*(self._through(ticket, some) for ticket, some in by_ticket.items()))
        return min((pause for pause in pauses if pause is not None), default=LOOKED_FOR_EVERY)

    async def _through(self, id: int, relays: list[Relay]) -> float | None:
        """One ticket's relays in their order. How long to wait, when one could not be carried out."""
        for relay in relays:
            ticket = await self._ticket(id)  # the one before may have housed it
            if ticket is None:
                continue
            try:
                trace = RelayTrace(self._desk, relay)
                if trace.mark is not None:  # an attempt before this one may have sent it
                    await self._carrier.find(ticket, relay, trace)
                async with asyncio.timeout(self._limits.call):
                    await self._carrier.carry(ticket, relay, trace)
            except RateLimited as limit:
                return limit.retry_after
            except Unreachable:
                await self._give_up(ticket, relay, "unreachable", gone=True)
            except DeliveryFailed as failure:
                return failure.retry_after or FAILED_PAUSE
            except Refused as refusal:
                await self._give_up(ticket, relay, str(refusal), gone=False)
            except RefdeskError:
                raise
            except Exception as error:  # the delivery's edge: any failure of a platform is one attempt
                log.warning("relays.attempt_failed", relay=relay.id, error=type(error).__name__, exc_info=error)
                return FAILED_PAUSE
            else:
                await self._desk.tickets.done(relay.id, relay.version)
        return None

    async def _ticket(self, id: int) -> Ticket | None:
        return await self._desk.tickets.ticket(id) if id != NO_TICKET else _NONE

    async def _give_up(self, ticket: Ticket, relay: Relay, why: str, *, gone: bool) -> None:
        log.warning("relays.undeliverable", ticket=ticket.id, kind=relay.kind)
        # The report first: should the process die in between, it is only made again, under the same key.
        await self._carrier.report(ticket, relay, why, gone=gone)
        await self._desk.tickets.fail(relay.id, why)
