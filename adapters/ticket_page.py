"""A ticket as people see it: Markdown, for every platform."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adapters.texts import Texts
from engine import Language, Ticket

TITLE_CHARACTERS = 100
BUTTON_CHARACTERS = 40


def title(ticket: Ticket, texts: Texts, language: Language) -> str:
    question = " ".join(ticket.question.split()) or texts("text_removed", language)
    return texts("ticket_title", language, id=ticket.id, question=question)[:TITLE_CHARACTERS]


def page(ticket: Ticket, content: Mapping[str, Any], texts: Texts, language: Language, prefix: str) -> str:
    """`content` is the head's relay: the ticket's state, and whose it is."""
    tried = ticket.tried
    reason = texts(f"reason_{ticket.reason}", language)
    parts = [
        _state(content, texts, language),
        texts(
            "ticket_head",
            language,
            id=ticket.id,
            reason=reason.format(detail=ticket.detail),
            asker=_plain(ticket.name or (ticket.asker if ticket.question else "—")),
            spoken=ticket.language,
            question=_quoted(ticket.question or texts("text_removed", language)),
        ),
        *_section("ticket_said", [_turn(*turn) for turn in tried.get("said", ())], texts, language),
    ]
    if why := tried.get("why"):
        parts.append(texts("ticket_why", language, why=texts(f"why_{why}", language)))
    if route := tried.get("route"):
        parts.append(texts("ticket_route", language, route=_plain(" → ".join(route))))
    parts += _section("ticket_passages", [_passage(one) for one in tried.get("passages", ())], texts, language)
    nearest = [f"- {one['score']:.2f} {_plain(one['question'])}" for one in tried.get("nearest", ())]
    parts += _section("ticket_nearest", nearest, texts, language)
    parts.append(texts("ticket_how", language, prefix=prefix))
    return "\n\n".join(parts)


def _state(content: Mapping[str, Any], texts: Texts, language: Language) -> str:
    match content.get("state"):
        case "taken":
            return texts("state_taken", language, by=_plain(content.get("by", "")))
        case "closed":
            return texts(f"state_{content.get('closing', 'answered')}", language, by=_plain(content.get("by", "")))
        case _:
            return texts("state_open", language)


def _section(name: str, lines: list[str], texts: Texts, language: Language) -> list[str]:
    return ["\n".join([texts(name, language), *lines])] if lines else []


def _turn(question: str, answer: str) -> str:
    return f"> {_quoted(question)}\n\n{answer}" if answer else f"> {_quoted(question)}"


def _passage(one: Mapping[str, Any]) -> str:
    section = f" {one['section']}" if one["section"] else ""
    return f"- {one['score']:.2f} `{one['document']}`{section} {_plain(one['title'])}"


def _quoted(text: str) -> str:
    return _plain(text).replace("\n", "\n> ")


def _plain(text: str) -> str:
    """With whatever Markdown would read as its own escaped."""
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>#~|" else letter for letter in text)
