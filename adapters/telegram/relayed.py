"""Messages of Telegram as relays keep them: to be copied where Telegram has them, to be said again elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiogram.types import Message

from adapters.said import Attached, Said, literal
from adapters.telegram.formatting import MOST_UNITS, Entity, Part
from adapters.telegram.markdown import markdown_of
from adapters.telegram.place import Place
from engine import Exchange

_NAMES = {"photo": "photo.jpg", "voice": "voice.ogg", "video": "video.mp4", "video_note": "video.mp4",
          "animation": "animation.mp4", "audio": "audio.mp3", "document": "file"}  # fmt: skip
_TYPES = {"photo": "image/jpeg", "voice": "audio/ogg", "video_note": "video/mp4"}


def said_of(message: Message, desk: str) -> Said:
    text, entities = message.text or message.caption or "", _entities(message)
    native = {
        "chat": message.chat.id,
        "message": message.message_id,
        "text": text,
        "captioned": message.text is None,
        "entities": [
            {"kind": one.kind, "offset": one.offset, "length": one.length, "url": one.url, "language": one.language}
            for one in entities
        ],
    }
    markdown = markdown_of(text, entities) or _place_of(message)
    return Said(
        desk=desk,
        key=key_of(message.chat.id, message.message_id),
        number=message.message_id,
        markdown=markdown,
        files=_files(message),
        native=native,
    )


def asked(exchange: Exchange, desk: str) -> Said:
    """The last message of an exchange, as far as the exchange knows it."""
    place = Place.of(exchange.place)
    key = key_of(place.chat, place.message)
    return Said(desk=desk, key=key, number=place.message, markdown=literal(exchange.text))


def key_of(chat: int, message: int) -> str:
    """The same for a message and its later wordings."""
    return f"telegram:{chat}:{message}"


def source_of(content: Mapping[str, Any]) -> tuple[int, int] | None:
    """Chat and message; None for what comes from elsewhere."""
    native = content.get("native")
    return (native["chat"], native["message"]) if native else None


def part_of(native: Mapping[str, Any]) -> Part:
    assert len(native["text"]) <= MOST_UNITS
    return Part(native["text"], tuple(Entity(**one) for one in native["entities"]))


def home_keys(place: Place, message: int | None) -> list[str]:
    """What a message in the support chat may be mapped by: what it answers, then its topic."""
    keys = [f"message:{place.chat}:{message}"] if message else []
    return [*keys, f"topic:{place.chat}:{place.topic}"] if place.topic is not None else keys


def _entities(message: Message) -> tuple[Entity, ...]:
    return tuple(
        Entity(one.type, one.offset, one.length, one.url, one.language)
        for one in message.entities or message.caption_entities or ()
        if one.type not in ("mention", "text_mention", "hashtag", "cashtag", "bot_command", "custom_emoji")
    )


def _files(message: Message) -> tuple[Attached, ...]:
    """At most one: an album comes as several messages."""
    if message.photo:
        return (_attached("photo", message.photo[-1]),)
    for kind in ("animation", "document", "video", "video_note", "voice", "audio"):
        if (found := getattr(message, kind)) is not None:
            return (_attached(kind, found),)
    if message.sticker is not None:
        moving = message.sticker.is_animated or message.sticker.is_video
        return (_attached("document", message.sticker, name="sticker" if moving else "sticker.webp"),)
    return ()


def _attached(kind: str, found: Any, name: str = "") -> Attached:
    return Attached(
        name=name or getattr(found, "file_name", None) or _NAMES[kind],
        size=found.file_size or 0,
        mime=getattr(found, "mime_type", None) or _TYPES.get(kind, ""),
        ref={"file_id": found.file_id},
        id=found.file_unique_id,
    )


def _place_of(message: Message) -> str:
    if message.location is not None:
        return f"📍 {message.location.latitude}, {message.location.longitude}"
    if message.contact is not None:
        person = message.contact
        return literal(f"👤 {person.first_name} {person.last_name or ''} {person.phone_number}")
    return ""
