"""Messages of Telegram as relays keep them: where they are, and what can be said again elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiogram.types import Message

from adapters.telegram.formatting import MOST_UNITS, Entity, Part
from adapters.telegram.place import Place


def content_of(message: Message) -> dict[str, Any]:
    entities = message.entities or message.caption_entities or ()
    return {
        "chat": message.chat.id,
        "message": message.message_id,
        "text": message.text or message.caption or "",
        "captioned": message.text is None,
        "entities": [
            {
                "kind": one.type,
                "offset": one.offset,
                "length": one.length,
                "url": one.url,
                "language": one.language,
            }
            for one in entities
            if one.type not in ("mention", "text_mention", "hashtag", "cashtag", "bot_command", "custom_emoji")
        ],
    }


def key_of(message: Message) -> str:
    """The same for a message and its later wordings."""
    return f"telegram:{message.chat.id}:{message.message_id}"


def source_of(content: Mapping[str, Any]) -> tuple[int, int] | None:
    """Chat and message; None for what comes from elsewhere."""
    return (content["chat"], content["message"]) if "message" in content else None


def part_of(content: Mapping[str, Any]) -> Part:
    text = content.get("text", "")
    assert len(text) <= MOST_UNITS
    return Part(text, tuple(Entity(**one) for one in content.get("entities", ())))


def home_keys(place: Place, message: int | None) -> list[str]:
    """What a message in the support chat may be mapped by: what it answers, then its topic."""
    keys = [f"message:{place.chat}:{message}"] if message else []
    return [*keys, f"topic:{place.chat}:{place.topic}"] if place.topic is not None else keys
