"""From an answer of people's to an entry of the FAQ: a draft by one tap, looked over, approved. The port."""

from __future__ import annotations

from typing import Protocol

from engine import Language, Ticket


class Learning(Protocol):
    async def tapped(self, verb: str, ticket: Ticket, choice: str, by: str, name: str, language: Language) -> str:
        """Carry out `draft`, `good`, `merge` or `bad`; returns the name of the text that says how it went."""
        ...
