"""Tickets in memory; passes the same contract suite as the real ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from engine import Closing, Lease, Relay, Ticket


@dataclass
class FakeTickets:
    tickets: dict[int, Ticket] = field(default_factory=dict[int, Ticket])
    anchors: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    kept: dict[int, Relay] = field(default_factory=dict[int, Relay])
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    leases: dict[str, Lease] = field(default_factory=dict[str, Lease])

    async def open(self, ticket: Ticket) -> tuple[Ticket, bool]:
        for one in self.tickets.values():
            if one.conversation == ticket.conversation and one.state != "closed":
                return one, False
        id = len(self.tickets) + 1
        self.tickets[id] = replace(ticket, id=id, state="open", closing=None, opened_at=datetime.now(UTC).isoformat())
        return self.tickets[id], True

    async def ticket(self, id: int) -> Ticket | None:
        return self.tickets.get(id)

    async def latest(self, conversation: str) -> Ticket | None:
        return next((one for one in reversed(self.tickets.values()) if one.conversation == conversation), None)

    async def take(self, ticket: int, by: str) -> bool:
        found = self.tickets[ticket]
        if found.state == "closed" or (found.state == "taken" and found.taken_by != by):
            return False
        self.tickets[ticket] = replace(found, state="taken", taken_by=by)
        return True

    async def give_back(self, ticket: int) -> bool:
        taken = self.tickets[ticket].state == "taken"
        if taken:
            self.tickets[ticket] = replace(self.tickets[ticket], state="open", taken_by="")
        return taken

    async def close(self, ticket: int, closing: Closing) -> bool:
        if self.tickets[ticket].state == "closed":
            return False
        self.tickets[ticket] = replace(self.tickets[ticket], state="closed", closing=closing)
        return True

    async def house(self, ticket: int, home: Mapping[str, Any]) -> None:
        self.tickets[ticket] = replace(self.tickets[ticket], home=dict(home))

    async def anchor(self, desk: str, key: str, ticket: int) -> None:
        self.anchors[desk, key] = ticket

    async def anchored(self, desk: str, keys: Sequence[str]) -> Ticket | None:
        found = next((self.anchors[desk, key] for key in keys if (desk, key) in self.anchors), None)
        return None if found is None else self.tickets[found]

    async def say(self, relay: Relay) -> bool:
        if any(one.key == relay.key for one in self.kept.values()):
            return False
        id = len(self.kept) + 1
        self.kept[id] = replace(relay, id=id)
        return True

    async def amend(self, key: str, content: Mapping[str, Any]) -> bool:
        found = next((one for one in self.kept.values() if one.key == key), None)
        if found is None or found.content == dict(content):
            return False
        self.kept[found.id] = replace(found, content=dict(content), version=found.version + 1, failure="")
        return True

    async def due(self, to: str) -> tuple[Relay, ...]:
        return tuple(one for one in self.kept.values() if one.to == to and one.done < one.version and not one.failure)

    async def note(self, relay: int, target: str | None, mark: str | None) -> None:
        self.kept[relay] = replace(self.kept[relay], target=target, mark=mark)

    async def done(self, relay: int, version: int) -> None:
        self.kept[relay] = replace(self.kept[relay], done=version)
        self.files.pop(self.kept[relay].key, None)

    async def fail(self, relay: int, version: int, why: str) -> None:
        if self.kept[relay].version == version:
            self.kept[relay] = replace(self.kept[relay], failure=why)
        self.files.pop(self.kept[relay].key, None)

    async def relay(self, key: str) -> Relay | None:
        return next((one for one in self.kept.values() if one.key == key), None)

    async def keep_file(self, key: str, body: bytes) -> None:
        found = await self.relay(key)
        if found is not None and found.done < found.version and not found.failure:
            self.files[key] = body

    async def file(self, key: str) -> bytes | None:
        return self.files.get(key)

    async def lease(self, desk: str, holder: str, stale: Lease | None = None) -> Lease:
        held = self.leases.get(desk)
        if held is None or held.holder == holder or held == stale:
            self.leases[desk] = Lease(holder=holder, beat=held.beat + 1 if held else 1)
        return self.leases[desk]

    async def release(self, desk: str, holder: str) -> None:
        if desk in self.leases and self.leases[desk].holder == holder:
            del self.leases[desk]

    async def sent(self, to: str, limit: int) -> tuple[Relay, ...]:
        found = [one for one in reversed(self.kept.values()) if one.to == to and one.target is not None]
        return tuple(found[:limit])

    async def relays(self, ticket: int) -> tuple[Relay, ...]:
        return tuple(one for one in self.kept.values() if one.ticket == ticket)
