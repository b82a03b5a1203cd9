"""An answer as it stays before its asker."""

from __future__ import annotations

from adapters.texts import Texts
from engine import Answer, Exchange


def final_text(exchange: Exchange, answer: Answer, texts: Texts) -> str:
    """In Markdown; it says which attachments of the question were not read."""
    text = answer.text
    if exchange.unread and text and exchange.text.strip() and not exchange.command:
        kinds = ", ".join(texts(kind, answer.language) for kind in exchange.unread)
        text = f"{text.rstrip()}\n\n{texts('unread', answer.language, kinds=kinds)}"
    return text
