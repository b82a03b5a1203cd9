"""Where tickets are kept, and what goes back and forth in them: the port.

Platforms share it: the asker may be on one and the people on another. The state database implements it,
`tests/fake_tickets.py` does so in memory, and both keep the same contract.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from engine import Closing, Lease, Relay, Ticket


class TicketStore(Protocol):
    """Each method is one transaction. Raises KnowledgeError or ProviderError when the database does not work."""

    async def open(self, ticket: Ticket) -> tuple[Ticket, bool]:
        """The conversation's open ticket, and whether it is a new one. There is never a second one."""
        ...

    async def ticket(self, id: int) -> Ticket | None: ...

    async def latest(self, conversation: str) -> Ticket | None:
        """The last ticket of a conversation, whatever became of it."""
        ...

    async def take(self, ticket: int, by: str) -> bool:
        """False when it is closed, or somebody else's."""
        ...

    async def give_back(self, ticket: int) -> bool:
        """Nobody's again, but open. False when it was not taken."""
        ...

    async def close(self, ticket: int, closing: Closing) -> bool:
        """False when it was closed before."""
        ...

    async def house(self, ticket: int, home: Mapping[str, Any]) -> None:
        """Where people see it from now on."""
        ...

    async def anchor(self, desk: str, key: str, ticket: int) -> None:
        """What is written at this place belongs to the ticket."""
        ...

    async def anchored(self, desk: str, keys: Sequence[str]) -> Ticket | None:
        """The ticket of the first key that has one."""
        ...

    async def say(self, relay: Relay) -> bool:
        """Keep what is to be said. False when its key is known."""
        ...

    async def amend(self, key: str, content: Mapping[str, Any]) -> bool:
        """Change what was, or is to be, said. False when there is nothing to change."""
        ...

    async def due(self, to: str) -> tuple[Relay, ...]:
        """What a desk has still to carry out, in the order in which it was said."""
        ...

    async def note(self, relay: int, target: str | None, mark: str | None) -> None: ...

    async def done(self, relay: int, version: int) -> None: ...

    async def fail(self, relay: int, version: int, why: str) -> None:
        """It is not to be tried again, unless it is amended, or has been since that version."""
        ...

    async def relay(self, key: str) -> Relay | None: ...

    async def sent(self, to: str, limit: int) -> tuple[Relay, ...]:
        """The latest that a desk has sent, newest first."""
        ...

    async def relays(self, ticket: int) -> tuple[Relay, ...]: ...

    async def keep_file(self, key: str, body: bytes) -> None:
        """A file for the relay of this key, until that one is done or has failed; of one that is, none is kept."""
        ...

    async def file(self, key: str) -> bytes | None: ...

    async def lease(self, desk: str, holder: str, stale: Lease | None = None) -> Lease:
        """Take or keep what one process at a time may do for a desk; returns who has it now.

        It is taken from another holder only when that one's lease is still as `stale` says.
        """
        ...

    async def release(self, desk: str, holder: str) -> None: ...
