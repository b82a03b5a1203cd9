"""A draft of a FAQ entry as editors see it in the support chat: Markdown, and the buttons below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from adapters.said import literal
from adapters.texts import Texts
from engine import Language
from engine.matching.drafts import FaqDraft
from engine.text.personal import Specific

Buttons = list[list[str]]
"""Verb, choice, what the caption is about."""

SHOWN_CHARACTERS = 1500
"""Of the answer, so that the page is one message on every platform."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What is known of a draft beside its texts."""

    specifics: Sequence[Specific] = ()
    trouble: Sequence[str] = ()
    """Why it was not approved, each reason in one line."""
    insist: str = ""
    """The choice by which it is approved all the same."""
    entry: str = ""
    undone_by: str | None = None


def draft_page(draft: FaqDraft, look: Look, texts: Texts, language: Language) -> tuple[str, Buttons]:
    parts = [texts("draft_head", language, id=draft.id, state=_state(draft, look, texts, language))]
    if draft.state == "expired":
        return parts[0], []
    waiting = draft.state == "open"
    if waiting:
        parts += _listed("draft_trouble", look.trouble, texts, language)
        found = [f"{texts(f'specific_{one.kind}', language)}: {literal(one.text)}" for one in look.specifics]
        parts += _listed("draft_specifics", found, texts, language)
        near = [f"{one.score:.2f} {literal(one.question)} ({literal(one.entry)})" for one in draft.near]
        parts += _listed("draft_near", near, texts, language)
    parts += [texts("draft_question", language, question=literal(question)) for question in draft.questions]
    parts.append(f"{texts('draft_answer', language)}\n\n{_shortened(draft.answer)}")
    if waiting:
        parts.append(texts("draft_how", language))
    return "\n\n".join(parts), _buttons(draft, look)


def _state(draft: FaqDraft, look: Look, texts: Texts, language: Language) -> str:
    if look.undone_by is not None:
        return texts("draft_undone", language, by=literal(look.undone_by))
    values: dict[str, Any] = {"by": literal(draft.decided_by), "entry": literal(look.entry)}
    text = texts(f"draft_{draft.state}", language)
    return text.format(**values) if "{" in text else text


def _listed(name: str, lines: Sequence[str], texts: Texts, language: Language) -> list[str]:
    return ["\n".join([texts(name, language), *(f"- {line}" for line in lines)])] if lines else []


def _shortened(answer: str) -> str:
    return answer if len(answer) <= SHOWN_CHARACTERS else f"{answer[:SHOWN_CHARACTERS]}…"


def _buttons(draft: FaqDraft, look: Look) -> Buttons:
    seen = f"{draft.id}.{draft.version}"
    if draft.state in ("approved", "merged") and look.undone_by is None:
        return [["undo", seen, ""]]
    if draft.state != "open":
        return []
    first = ["force", look.insist, ""] if look.insist else ["good", seen, ""]
    merges = [["merge", f"{seen}.{place}", one.question] for place, one in enumerate(draft.near)]
    return [first, *merges, ["bad", seen, ""]]
