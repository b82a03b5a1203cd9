"""Buttons of tickets: `t`, a verb, the ticket, sometimes a choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from adapters.buttons import MOST_BYTES, Keyboard
from adapters.texts import Texts
from adapters.ticket_page import BUTTON_CHARACTERS
from engine import Language, Ticket

TicketVerb = Literal["take", "back", "close", "off", "faq", "draft", "good", "merge", "force", "bad", "undo"]
LEARNING: frozenset[TicketVerb] = frozenset({"draft", "good", "merge", "force", "bad", "undo"})
"""Those that take a moment: the gate is tried."""
_CAPTIONS: dict[TicketVerb, str] = {
    "take": "take",
    "back": "give_back",
    "close": "close_ticket",
    "off": "off_topic",
    "faq": "answer_with",
    "draft": "make_entry",
    "good": "approve_entry",
    "merge": "merge_wording",
    "force": "insist_entry",
    "bad": "discard_entry",
    "undo": "undo_entry",
}


@dataclass(frozen=True, slots=True)
class TicketTap:
    verb: TicketVerb
    ticket: int
    choice: str = ""

    def data(self) -> str:
        data = ":".join(part for part in ("t", self.verb, str(self.ticket), self.choice) if part)
        assert len(data.encode()) <= MOST_BYTES
        return data


def read_ticket_tap(data: str) -> TicketTap | None:
    """None for what is no ticket's."""
    kind, _, rest = data.partition(":")
    verb, _, rest = rest.partition(":")
    ticket, _, choice = rest.partition(":")
    known = next((one for one in get_args(TicketVerb) if one == verb), None)
    if kind != "t" or known is None or not (ticket.isascii() and ticket.isdigit() and len(ticket) < 19):
        return None
    return TicketTap(known, int(ticket), choice)


def head_buttons(ticket: Ticket, content: Mapping[str, Any], texts: Texts, language: Language) -> Keyboard:
    if content.get("state") == "closed":
        return ()
    first = _button("take" if content.get("state") != "taken" else "back", ticket, texts, language)
    rows = [(first, _button("close", ticket, texts, language)), (_button("off", ticket, texts, language),)]
    for number, pair in enumerate(ticket.tried.get("nearest", ())):
        rows.append((_button("faq", ticket, texts, language, str(number), question=pair["question"]),))
    return tuple(rows)


def note_buttons(ticket: Ticket, content: Mapping[str, Any], texts: Texts, language: Language) -> Keyboard:
    """As the note names them: verb, choice, what the caption is about."""
    return tuple(
        (_button(verb, ticket, texts, language, choice, question=about),) for verb, choice, about in _named(content)
    )


def _named(content: Mapping[str, Any]) -> list[tuple[TicketVerb, str, str]]:
    return [(verb, choice, about) for verb, choice, about in content.get("buttons", ())]


def _button(
    verb: TicketVerb, ticket: Ticket, texts: Texts, language: Language, choice: str = "", *, question: str = ""
) -> tuple[str, str]:
    text = texts(_CAPTIONS[verb], language)
    if "{question}" in text:
        text = text.format(question=question)[:BUTTON_CHARACTERS]
    return text, TicketTap(verb, ticket.id, choice).data()
