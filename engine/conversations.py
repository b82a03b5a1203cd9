"""What is kept of a conversation across restarts: messages as they came in, and the exchanges made of them.

An *exchange* is one question and what was said to it. Several messages in a row can be one question. Everything that a
platform has to know to answer (its chat, its message) is its `place`, which only the platform itself reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.types import Citation, Language, Outcome, OutcomeKind, Rating

_PASSAGES = 3

Owner = Literal["bot", "queue", "human"]
"""Who answers in a conversation; while a human does, the bot is silent."""
Ending = Literal["open", "done", "dropped", "undelivered"]
Claim = Literal["fresh", "left", "theirs"]
"""What a process that wants to answer somewhere gets: the place, the place with what another one left open there, or
nothing, because another one that lives answers there."""
Clearance = Literal["clear", "taken_over", "elsewhere", "stopped", "closed"]
"""What may be shown in an exchange now: something, or nothing because a human has the conversation, because another
process has it, or because whoever reads the answer has stopped it. `closed`: nothing but what has been answered."""


class AlreadyOpened(Exception):
    """Another process has made an exchange of these messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbound:
    """A message as it came in. `key` is the same whenever a platform delivers the same message again."""

    key: str
    conversation: str
    asker: str
    text: str
    place: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """JSON; only the platform reads it."""
    command: str = ""
    """A command of ours without its slash; `text` is what followed it."""
    unread: tuple[str, ...] = ()
    """Kinds of attachments that came along and are not read."""
    language: Language | None = None
    """What the platform says of the asker's language, if it says so."""
    whole: bool = True
    """False when more is likely to follow at once: a greeting, a fragment, a piece of a long paste."""
    amends: str = ""
    """The key of an earlier message of which this is a new wording."""
    sent_at: float = 0.0
    """By the platform's clock, in seconds since 1970."""
    id: int = 0
    """Given by the store, in the order of arrival."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The final text of an exchange, kept before it is delivered so that it is never made twice."""

    text: str
    language: Language
    kind: OutcomeKind = "answered"
    citations: tuple[Citation, ...] = ()
    tried: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What led to it, as `tried` gives it."""

    @classmethod
    def of(cls, outcome: Outcome) -> Answer:
        return cls(
            text=outcome.text,
            language=outcome.language,
            kind=outcome.kind,
            citations=outcome.citations,
            tried=tried(outcome),
        )

    def outcome(self, id: str) -> Outcome:
        return Outcome(id=id, kind=self.kind, text=self.text, language=self.language, citations=self.citations)


def tried(outcome: Outcome) -> dict[str, Any]:
    """What led to an outcome, as JSON: for the people who look into it, and kept with how it was rated."""
    route, faq = outcome.route, outcome.faq
    found: dict[str, Any] = {
        "why": outcome.miss_reason,
        "route": [part for part in (route.domain, route.collection) if part] if route else [],
        "passages": [
            {
                "document": scored.chunk.document,
                "section": scored.chunk.section,
                "title": scored.chunk.section_title or scored.chunk.document_title,
                "score": round(scored.score, 3),
            }
            for scored in outcome.chunks[:_PASSAGES]
        ],
        "nearest": [
            {"entry": pair.entry, "question": pair.question, "answer": pair.answer, "score": pair.score}
            for pair in (faq.nearest if faq else ())
        ],
        "entry": faq.entry.id if faq and faq.entry and outcome.kind in ("faq_direct", "faq_adjacent") else None,
        "vetoed_by": faq.vetoed_by if faq else None,
        "passes": outcome.passes,
    }
    return {name: value for name, value in found.items() if value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    id: int
    conversation: str
    asker: str
    text: str
    place: Mapping[str, Any]
    command: str = ""
    unread: tuple[str, ...] = ()
    language: Language | None = None
    ending: Ending = "open"
    attempts: int = 0
    """How often answering it has begun; one that kills the process must not do so for ever."""
    posted: tuple[str, ...] = ()
    """The platform's ids of our messages in it, in their order."""
    sending: str | None = None
    """A mark left before a message is sent and taken away with its id: when it is found, one may be out there."""
    answer: Answer | None = None
    rating: Rating | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How things stand in a conversation."""

    owner: Owner = "bot"
    language: Language | None = None
    """Chosen by the asker."""
    unreachable: bool = False
    """The asker has blocked the bot, or the chat is gone; cleared by the next message."""
