"""Carries out what a desk has to say on its platform: in order for each ticket, each once, whatever happens between."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Protocol

import structlog

from adapters.claims import Claims
from adapters.digest import NO_TICKET
from adapters.lease import SECONDS, DeskLease
from adapters.ledger import Unreachable
from adapters.pacing import DeliveryFailed, Limits, RateLimited
from adapters.support_desk import SupportDesk
from engine import RefdeskError, Relay, Ticket

log = structlog.get_logger()

LOOKED_FOR_EVERY = 1.0
"""Seconds after which what another process has kept is found at the latest."""
FAILED_PAUSE = 2.0
ELSEWHERE_PAUSE = 0.3
"""While another process answers where something is to be said."""
_NONE = Ticket(desk="", conversation="", asker="", question="", language="en", reason="rule")
"""Of what belongs to no ticket."""


class Refused(Exception):
    """The platform will not take this, now or later; the text says why, for people."""


class RelayTrace:
    """The mark and the id of one relay, kept as they change."""

    def __init__(self, desk: SupportDesk, relay: Relay) -> None:
        self._tickets, self._relay = desk.tickets, relay
        self.target, self.mark = relay.target, relay.mark

    def __eq__(self, other: object) -> bool:
        """Each attempt has one of its own, and they are looked for once."""
        return isinstance(other, RelayTrace) and other._relay.id == self._relay.id

    def __hash__(self) -> int:
        return hash(self._relay.id)

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

    def claimed(self, ticket: Ticket, relay: Relay) -> str | None:
        """What is to be claimed while it is sent; None where nobody else's message can be taken for it."""
        ...


@asynccontextmanager
async def carried_out(runner: RelayRunner | None) -> AsyncIterator[None]:
    """Relays are carried out until the block ends; what is still due then is due in the next process."""
    task = asyncio.create_task(runner.run()) if runner is not None else None
    try:
        yield
    finally:
        if task is not None:
            task.cancel()
            await asyncio.wait({task})


class RelayRunner:
    def __init__(
        self,
        desk: SupportDesk,
        carrier: Carrier,
        limits: Limits | None = None,
        *,
        lease_seconds: float = SECONDS,
        claims: Claims | None = None,
    ) -> None:
        self._claims = claims
        self._desk, self._carrier, self._limits = desk, carrier, limits or Limits()
        self._lease = DeskLease(desk.tickets, desk.name, lease_seconds)
        self._carrying: asyncio.Task[float] | None = None

    async def begin(self) -> None:
        """Before anything new is said: what an earlier process may have sent is looked for.

        That one's lease is waited for. Another process that has it, and lives, does all this itself.
        """
        if await self._lease.wait():
            await self._find_lost()

    async def run(self) -> None:
        """Until cancelled."""
        beating = asyncio.create_task(self._beat())
        try:
            while True:
                self._desk.news.clear()
                try:
                    pause = await self._turn()
                except RefdeskError as error:
                    log.error("relays.store_failed", error=type(error).__name__, exc_info=error)
                    pause = FAILED_PAUSE
                with suppress(TimeoutError):
                    async with asyncio.timeout(pause):
                        await self._desk.news.wait()
        finally:
            beating.cancel()
            await asyncio.wait({beating})
            with suppress(RefdeskError):
                await self._lease.release()

    async def _turn(self) -> float:
        if not self._lease.held:
            if not await self._lease.attempt():
                return self._lease.seconds / 8
            await self._find_lost()
        carrying = self._carrying = asyncio.create_task(self.round())
        try:
            await asyncio.wait({carrying})
        finally:
            carrying.cancel()
            await asyncio.wait({carrying})
        return FAILED_PAUSE if carrying.cancelled() else carrying.result()

    async def _beat(self) -> None:
        """Keep the lease. When that fails for too long, nothing more is sent: another process may have begun to."""
        while True:
            await asyncio.sleep(self._lease.seconds / 8)
            if (self._carrying is None or self._carrying.done()) and not self._lease.held:
                continue  # the next turn takes it again, and looks around first
            try:
                await self._lease.attempt()
            except RefdeskError as error:
                log.error("relays.lease_not_kept", error=type(error).__name__)
            if not self._lease.held and self._carrying is not None:
                self._carrying.cancel()

    async def _find_lost(self) -> None:
        for relay in await self._desk.tickets.due(self._desk.name):
            ticket = await self._ticket(relay.ticket)
            if relay.mark is not None and ticket is not None:
                try:
                    async with self._alone(ticket, relay) as alone:
                        if alone:
                            await self._carrier.find(ticket, relay, RelayTrace(self._desk, relay))
                except Exception as error:  # noqa: BLE001  the delivery's edge: it is looked for again before it is sent
                    log.warning("relays.not_looked_for", relay=relay.id, error=type(error).__name__)

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
                async with self._alone(ticket, relay) as alone:
                    if not alone:
                        return ELSEWHERE_PAUSE
                    await self._carry(ticket, relay)
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

    @asynccontextmanager
    async def _alone(self, ticket: Ticket, relay: Relay) -> AsyncIterator[bool]:
        """Where it goes, no other process says anything meanwhile. False when one does now."""
        key = self._carrier.claimed(ticket, relay) if self._claims is not None else None
        if self._claims is None or key is None:
            yield True
            return
        async with self._claims.on(key) as had:
            yield had

    async def _carry(self, ticket: Ticket, relay: Relay) -> None:
        trace = RelayTrace(self._desk, relay)
        if trace.mark is not None:  # an attempt before this one may have sent it
            await self._carrier.find(ticket, relay, trace)
        async with asyncio.timeout(self._limits.call):
            await self._carrier.carry(ticket, relay, trace)

    async def _ticket(self, id: int) -> Ticket | None:
        return await self._desk.tickets.ticket(id) if id != NO_TICKET else _NONE

    async def _give_up(self, ticket: Ticket, relay: Relay, why: str, *, gone: bool) -> None:
        log.warning("relays.undeliverable", ticket=ticket.id, kind=relay.kind)
        # The report first: should the process die in between, it is only made again, under the same key.
        await self._carrier.report(ticket, relay, why, gone=gone)
        await self._desk.tickets.fail(relay.id, relay.version, why)
