"""What a Slack refuses, and how it says so: published limits and error names, and the faults of a test."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.faults import Fault as Fault
from tests.faults import Json as Json
from tests.faults import Made as Made
from tests.faults import Params as Params

MOST_UPDATE, MOST_POST, MOST_MARKDOWN, MOST_SECTION, MOST_BLOCKS, MOST_STREAM = 4000, 40_000, 12_000, 3000, 13_200, 3000


@dataclass(frozen=True)
class Refusal(Exception):
    error: str
    status: int = 200
    retry_after: int | None = None


@dataclass
class Channel:
    id: str
    member: bool = True
    messages: dict[str, Json] = field(default_factory=dict[str, Json])


def too_many(seconds: int) -> Fault:
    return Fault(Refusal("ratelimited", 429, seconds))


def broken(status: int = 502) -> Fault:
    return Fault(Refusal("internal_error", status))


def refused(error: str) -> Fault:
    return Fault(Refusal(error))


def once(method: str, fault: Fault) -> Callable[[str, Params], Fault | None]:
    """The fault of the first call of a method."""
    left = [fault]

    def faults(called: str, params: Params) -> Fault | None:
        return left.pop() if called == method and left else None

    return faults


def shown(message: Json) -> str:
    """What a client shows of a message."""
    found = [block["text"] for block in message.get("blocks") or () if block["type"] == "markdown"]
    return "\n".join(found) if found else str(message["text"])


def check_content(params: Params, most: int) -> None:
    """Slack's published limits."""
    blocks = params.get("blocks") or []
    if not str(params.get("text", "")).strip() and not blocks:
        raise Refusal("no_text")
    if len(str(params.get("text", ""))) > most:
        raise Refusal("msg_too_long")
    if len(blocks) > 50 or any(block["type"] == "markdown" and len(block["text"]) > MOST_MARKDOWN for block in blocks):
        raise Refusal("invalid_blocks")
    if any(block["type"] == "section" and len(block["text"]["text"]) > MOST_SECTION for block in blocks):
        raise Refusal("invalid_blocks")
    if len(json.dumps(blocks, ensure_ascii=False)) > MOST_BLOCKS:
        raise Refusal("msg_blocks_too_long")
