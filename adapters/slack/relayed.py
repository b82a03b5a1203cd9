"""Messages of Slack as relays keep them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adapters.said import Attached, Said, literal
from adapters.slack.events import READ_SUBTYPES
from adapters.slack.place import Place
from adapters.slack.rich_text import markdown_of
from engine import Exchange


def said_of(message: Mapping[str, Any], channel: str, desk: str, bot: str) -> Said:
    """`bot` is our own user: a mention of it is no part of what is said."""
    return Said(
        desk=desk,
        key=key_of(channel, str(message["ts"])),
        number=float(message["ts"]),
        markdown=markdown_of(message, bot),
        files=tuple(_attached(file) for file in message.get("files") or () if file.get("mode") != "tombstone"),
    )


def asked(exchange: Exchange, desk: str) -> Said:
    """The last message of an exchange, as far as the exchange knows it."""
    place = Place.of(exchange.place)
    key = key_of(place.channel, place.message)
    return Said(desk=desk, key=key, number=float(place.message), markdown=literal(exchange.text))


def edited_message(event: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The new wording that an event tells of; also when Slack has only added a preview to a message."""
    message: Mapping[str, Any] = event.get("message") or {}
    return message if event.get("subtype") == "message_changed" and message.get("subtype") in READ_SUBTYPES else None


def deleted_message(event: Mapping[str, Any]) -> str | None:
    """The `ts` of a message that an event tells is gone. One with a thread below it leaves a stone in its place."""
    if event.get("subtype") == "message_deleted":
        return str(event.get("deleted_ts"))
    message: Mapping[str, Any] = event.get("message") or {}
    stone = event.get("subtype") == "message_changed" and message.get("subtype") == "tombstone"
    return str(message.get("ts")) if stone else None


def key_of(channel: str, ts: str) -> str:
    """The same for a message and its later wordings."""
    return f"slack:{channel}:{ts}"


def home_key(channel: str, root: str) -> str:
    """What a message in the support channel is mapped by: the root of its thread."""
    return f"message:{channel}:{root}"


def _attached(file: Mapping[str, Any]) -> Attached:
    return Attached(
        name=str(file.get("name") or file.get("title") or "file"),
        size=int(file.get("size") or 0),
        mime=str(file.get("mimetype") or ""),
        ref={"id": str(file.get("id") or "")},
        id=str(file.get("id") or ""),
    )
