"""What people are asked to do for an asker, and what goes back and forth between them and the asker.

A *ticket* is one conversation that people are to look into, from the moment it is opened until it is closed. What is
said in it is carried by *relays*: each is kept before it is sent, and sent until its place has it, once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.types import Language

TicketReason = Literal["missed", "asked", "not_helpful", "not_it", "rule", "promised"]
"""A miss, a wish for a human, two answers that did not help, "that is not it" twice, a rule of the owner's, or an
answer that says that it goes to people."""
TicketState = Literal["open", "taken", "closed"]
Closing = Literal["answered", "off_topic", "forgotten"]
RelayKind = Literal["head", "asker", "people", "note", "word", "file", "digest"]
"""The ticket itself, what the asker wrote, what people wrote, a word to people, a word of the bot's to the asker, a
file that is to be fetched for another platform; and, of no ticket, the weekly digest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    desk: str
    """The bot that was asked, such as `telegram:12345`."""
    conversation: str
    asker: str
    question: str
    language: Language
    reason: TicketReason
    detail: str = ""
    """Which word, domain or chat of the owner's rule it was."""
    name: str = ""
    exchange: int = 0
    place: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Where it was asked; JSON that only the asker's platform reads."""
    tried: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the bot found; JSON, see `engine.conversations.tried`."""
    state: TicketState = "open"
    taken_by: str = ""
    closing: Closing | None = None
    home: Mapping[str, Any] | None = None
    """Where people see it; JSON that only their platform reads."""
    opened_at: str = ""
    """ISO 8601, UTC; given by the store, like `id`."""
    id: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Relay:
    """Something to be shown on the other side, or to be changed there."""

    ticket: int
    to: str
    """The desk that carries it out."""
    key: str
    """The same whenever the same thing is to be said again."""
    kind: RelayKind
    content: Mapping[str, Any]
    """JSON. With `gone`, what was sent is to be taken away, or to show this text where the platform keeps it."""
    version: int = 1
    done: int = 0
    """The version that the other side has."""
    target: str | None = None
    """The platform's id of what was sent."""
    mark: str | None = None
    """Left before it is sent and taken away with its id: when it is found, something may be out there."""
    failure: str = ""
    id: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Farewell:
    """What people are told when an asker wants to be forgotten."""

    note: str
    """In a ticket that was open."""
    removed: str
    """Where something that the asker wrote cannot be taken away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What there was of somebody."""

    questions: int
    tickets_closed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """Who may carry out what a desk has to say; a living holder's `beat` grows."""

    holder: str
    beat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedTicket:
    """When a conversation went to people, and why: for reports."""

    opened_at: str
    reason: TicketReason
