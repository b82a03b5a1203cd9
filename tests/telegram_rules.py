"""What a Bot API server of ours reads from a request, and what it refuses about it."""

from __future__ import annotations

import json
from typing import Any

from tests.telegram_faults import Json, Params, Refusal

MOST_UNITS = 4096


def decoded(value: Any) -> Any:
    """Numbers, objects and booleans come as text; a message's text must stay what it is."""
    try:
        decoded = json.loads(value)
    except (ValueError, TypeError):
        return value
    return decoded if isinstance(decoded, dict | list | int) and not isinstance(decoded, str) else value


def content_of(params: Params) -> Json:
    text = str(params.get("text", ""))
    if not text.strip():
        raise Refusal(400, "Bad Request: message text is empty")
    size = len(text.encode("utf-16-le")) // 2
    if size > MOST_UNITS:
        raise Refusal(400, "Bad Request: message is too long")
    entities = params.get("entities")
    for entity in entities or ():
        if entity["length"] <= 0 or entity["offset"] + entity["length"] > size:
            raise Refusal(400, "Bad Request: can't parse entities: entity out of bounds")
    found: Json = {"text": text}
    if entities:
        found["entities"] = entities
    if params.get("reply_markup"):
        found["reply_markup"] = params["reply_markup"]
        for row in params["reply_markup"]["inline_keyboard"]:
            for button in row:
                if not 1 <= len(button["callback_data"].encode()) <= 64:
                    raise Refusal(400, "Bad Request: BUTTON_DATA_INVALID")
    return found
