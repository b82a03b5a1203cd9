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
        if self.native is not None and to == self.desk:
            # In Markdown too, for whoever makes something else of it.
            content = {"native": dict(self.native), "markdown": self.markdown}
            return [Relay(ticket=ticket, to=to, key=self.key, kind=kind, content=content)]
        pieces = list(split(self.markdown, MOST_PIECE)) if self.markdown.strip() else []
        if not pieces and not self.files:
            pieces = [NOTHING]
        texts = [
            Relay(ticket=ticket, to=to, key=self.piece_key(number), kind=kind, content={"text": piece})
            for number, piece in enumerate(pieces, 1)
        ]
        files = [self._file(number, one, ticket, to, kind) for number, one in enumerate(self.files, 1)]
        return [*texts, *(relay for pair in files for relay in pair)]

    def piece_key(self, number: int) -> str:
        return self.key if number == 1 else f"{self.key}#{number}"

    def file_key(self, number: int) -> str:
        return f"{self.key}:file:{number}"

    def _file(self, number: int, file: Attached, ticket: int, to: str, kind: RelayKind) -> list[Relay]:
        key = self.file_key(number)
        told = {"name": file.name, "size": file.size, "mime": file.mime}
        fetched = {**told, "ref": dict(file.ref), "key": key, "kind": kind}
        return [
            Relay(ticket=ticket, to=self.desk, key=fetching(key), kind="file", content={"fetch": fetched}),
            Relay(ticket=ticket, to=to, key=key, kind=kind, content={"file": told}),
        ]


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
