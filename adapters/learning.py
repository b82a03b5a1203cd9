"""From an answer of people's to an entry of the FAQ: a draft by one tap, looked over, approved. The port.

Platforms call it and show what it has kept as notes in tickets; it knows none of them.
"""

from __future__ import annotations

from typing import Protocol

from engine import Language, Ticket


class Learning(Protocol):
    """`by` is the platform's id of a person, `name` what they are called; `language` is spoken to people."""

    async def tapped(self, verb: str, ticket: Ticket, choice: str, by: str, name: str, language: Language) -> str:
        """Carry out `draft`, `good`, `merge`, `force`, `bad` or `undo`; returns the name of the text that says how it
        went. With `draft`, the choice is the key of the one message it is to be made of, `near.` and a place for the
        entry that the answer was taken from, or all answers if empty.
        Takes a moment: the gate is tried."""
        ...

    async def answered(self, ticket: Ticket, language: Language) -> None:
        """People have answered: a draft may be made of it. Offered once in a ticket."""
        ...

    async def closed(self, ticket: Ticket, language: Language) -> None:
        """The same, where no draft was made until then."""
        ...

    async def answered_with(self, ticket: Ticket, place: int, language: Language) -> None:
        """The answer was the entry at this place of what is nearest: the question may become a wording of it."""
        ...

    async def rewritten(self, ticket: Ticket, message: str, text: str, by: str, name: str, language: Language) -> bool:
        """A reply to a message in a ticket; False when that message, by its platform's id, is no draft."""
        ...

    async def command(self, text: str, by: str, name: str, language: Language) -> str:
        """`/faq`, with what follows it; returns what is said to it, as Markdown."""
        ...
