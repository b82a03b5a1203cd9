"""Where messages are kept before they are acknowledged, and answers before they are delivered: the port.

All platforms share it. The state database implements it, `tests/fake_inbox.py` does so in memory, and both keep the
same contract. A store belongs to one *desk*, a platform's bot: what other bots have stored is not seen through it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Protocol

from adapters.claims import ClaimStore
from engine import Answer, Clearance, Exchange, Farewell, Inbound, Language, Owner, Rating, Standing, Turn


class InboxStore(Protocol):
    """Each method is one transaction. Raises KnowledgeError or ProviderError when the database does not work."""

    @property
    def claims(self) -> ClaimStore:
        """Of the process that this store belongs to."""
        ...

    async def accept(self, message: Inbound) -> Inbound | None:
        """Keep a message, and give it its id. None when its key is known: it has been delivered before."""
        ...

    async def amend(self, message: Inbound) -> tuple[Inbound, Exchange | None] | None:
        """Change the wording of the message that `message.amends` names, and open its exchange again if it has one.

        None when there is nothing to do: the same wording, a repeat, or no such message.
        """
        ...

    async def waiting(self) -> tuple[Inbound, ...]:
        """Messages that no exchange has been made of, in the order of arrival."""
        ...

    async def unfinished(self) -> tuple[Exchange, ...]:
        """Open exchanges in the order of their making."""
        ...

    async def open(self, messages: Sequence[Inbound]) -> Exchange:
        """Make one exchange of the messages: their texts in lines, the place of the last one.

        Raises AlreadyOpened when one of them belongs to an exchange.
        """
        ...

    async def join(self, exchange: int, messages: Sequence[Inbound]) -> Exchange:
        """Add messages, or none, to an exchange, whose answer is then to be made anew.

        Raises AlreadyOpened as `open` does.
        """
        ...

    async def begin(self, exchange: int) -> int:
        """Count an attempt at an answer; returns how many there were, with this one."""
        ...

    async def note(self, exchange: int, posted: Sequence[str], sending: str | None) -> None: ...

    async def conclude(self, exchange: int, answer: Answer) -> None:
        """Of an open exchange: one that another process has closed keeps its answer."""
        ...

    async def close(self, exchange: int, ending: str) -> None: ...

    async def stop(self, conversation: str) -> bool:
        """Whoever reads it wants no more of the answer that is made there, in whichever process. False when none is."""
        ...

    async def clearance(self, exchange: int, key: str) -> Clearance:
        """What may be shown in an exchange; `key` is where it is answered, as it is claimed."""
        ...

    async def posted_at(self, name: str, value: int) -> frozenset[str]:
        """Ids of all messages that the desk is known to have sent to places that have this under the name."""
        ...

    async def exchange(self, id: int) -> Exchange | None: ...

    async def history(self, conversation: str, limit: int) -> tuple[Turn, ...]:
        """The latest questions with their answers, oldest first. Commands, blocks and failures are not among them."""
        ...

    async def recent(self, conversation: str, limit: int) -> tuple[Exchange, ...]:
        """The latest questions that are done with, oldest first, with how they were answered and rated."""
        ...

    async def latest(self, limit: int) -> tuple[Exchange, ...]:
        """The desk's latest exchanges, newest first, whatever became of them."""
        ...

    async def standing(self, conversation: str) -> Standing: ...

    async def hand_over(self, conversation: str, owner: Owner, lasting: timedelta | None = None) -> bool:
        """True when that changed the owner. After `lasting` the bot has the conversation again.

        What was said to a human, and not begun to be answered, is not for the bot that has it from then on.
        """
        ...

    async def speak(self, conversation: str, language: Language | None) -> None: ...

    async def lose(self, conversation: str) -> None:
        """The asker cannot be reached any longer."""
        ...

    async def rate(self, exchange: int, rating: Rating, reason: str = "") -> None: ...

    async def forget(self, asker: str, farewell: Farewell) -> None:
        """Remove all texts of an asker, in tickets too, of which open ones are closed; that it was said, and how it was
        rated, stays."""
        ...
