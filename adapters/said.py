"""What a person wrote on one platform, as it is carried to another: Markdown in pieces, and files.

Each piece and each file is a relay, so a message of its own, sent once. A file is fetched first, by a relay to the desk
where it was sent, and kept in the store; so the two platforms may well be served by two processes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from adapters.pieces import split
from engine import Relay, RelayKind

MOST_FILE = 20 * 2**20
"""Bytes: what a bot may fetch from Telegram, and what the store is asked to hold."""
MOST_PIECE = 2000
"""Characters, all of which may be two UTF-16 units; below every platform's limit."""
NOTHING = "…"

_SPECIAL = re.compile(r"[\\`*\[\]~|]|(?<!\w)_|_(?!\w)")
_LEADING = re.compile(r"^([ \t]*)(#{1,6}(?=\s|$)|>|[-+](?=\s|$)|={1,}(?=[ \t]*$)|-{2,}(?=[ \t]*$))", re.MULTILINE)
_NUMBERED = re.compile(r"^([ \t]*\d{1,9})([.)])(?=\s|$)", re.MULTILINE)
_INDENTED = re.compile(r"^[ \t]{4,}", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    name: str
    size: int = 0
    """In bytes; 0 when it is not known."""
    mime: str = ""
    ref: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """JSON by which its own platform gives it out."""
    id: str = ""
    """The same for the same file, whenever it is told of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    desk: str
    """The bot that was told."""
    key: str
    """The same for a message and its later wordings."""
    number: float = 0.0
    """What is written later in the same chat has a greater one; as `message` in a place."""
    markdown: str = ""
    files: tuple[Attached, ...] = ()
    native: Mapping[str, Any] | None = None
    """JSON by which its own platform can say exactly the same once more, in one message; None when it cannot."""

    def relays(self, ticket: int, to: str, kind: RelayKind) -> list[Relay]:
        """All that has to be done so that `to` says it, in order."""
        if self.is_native(to):
            return [self.copied(self.key, ticket, to, kind)]
        files = [self.file(number, one, ticket, to, kind) for number, one in enumerate(self.files, 1)]
        return [*self.texts(ticket, to, kind), *(relay for pair in files for relay in pair)]

    def is_native(self, to: str) -> bool:
        return self.native is not None and to == self.desk

    def copied(self, key: str, ticket: int, to: str, kind: RelayKind) -> Relay:
        """The whole, which is native there."""
        # In Markdown too, for whoever makes something else of it.
        content = {"native": dict(self.native or {}), "markdown": self.markdown}
        content["files"] = [file.id for file in self.files]
        return Relay(ticket=ticket, to=to, key=key, kind=kind, content=content)

    def texts(self, ticket: int, to: str, kind: RelayKind) -> list[Relay]:
        pieces = list(split(self.markdown, MOST_PIECE)) if self.markdown.strip() else []
        if not pieces and not self.files:
            pieces = [NOTHING]
        return [
            Relay(ticket=ticket, to=to, key=piece_key(self.key, number), kind=kind, content={"text": piece})
            for number, piece in enumerate(pieces, 1)
        ]

    def file(self, number: int, file: Attached, ticket: int, to: str, kind: RelayKind) -> list[Relay]:
        """It is fetched first, then sent."""
        key = file_key(self.key, number)
        told = {"name": file.name, "size": file.size, "mime": file.mime, "id": file.id}
        fetched = {**told, "ref": dict(file.ref), "key": key, "kind": kind}
        return [
            Relay(ticket=ticket, to=self.desk, key=fetching(key), kind="file", content={"fetch": fetched}),
            Relay(ticket=ticket, to=to, key=key, kind=kind, content={"file": told}),
        ]


def piece_key(key: str, number: int) -> str:
    """Of a piece of the message of this key, from 1 on."""
    return key if number == 1 else f"{key}#{number}"


def file_key(key: str, number: int) -> str:
    """Of one of its files."""
    return f"{key}:file:{number}"


def fetching(key: str) -> str:
    """The key of the relay that fetches the file which the relay of this key carries."""
    return f"fetch:{key}"


def literal(text: str) -> str:
    """Text as Markdown that shows just that text."""
    text = _INDENTED.sub(lambda found: "\N{NO-BREAK SPACE}" * len(found.group()), text)
    return _NUMBERED.sub(r"\1\\\2", _LEADING.sub(r"\1\\\2", _SPECIAL.sub(r"\\\g<0>", text)))


def wrapped(text: str, marks: str) -> str:
    """Between marks, which stand at letters and never at spaces."""
    inner = text.strip()
    if not inner:
        return text
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{before}{marks}{inner}{marks[::-1]}{after}"


def sized(bytes: int) -> str:
    return f"{bytes / 2**20:.1f} MB" if bytes >= 2**20 else f"{max(1, round(bytes / 1024))} KB"
