"""Reads one string field of a JSON object while the object is still being written."""

from __future__ import annotations

import json
import re
from typing import Literal

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_OTHER = re.compile(r'[^"{}\[\]:,]+')
_PLAIN = re.compile(r'[^"\\]+')
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([^u]))", re.DOTALL)
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_LONGEST_ESCAPE = len(r"\ud83d\ude00")


class OpenString:
    """Feed it what a model says, in pieces; it returns what is new of the field's text.

    What stands before the object, and objects without the field, are passed over. Names are compared without case.
    """

    def __init__(self, field: str) -> None:
        self._field = field
        self._rest = ""
        self._state: Literal["seeking", "inside", "closed"] = "seeking"
        self._depth = 0
        self._key: str | None = None
        self._at_value = False
        self.text = ""

    @property
    def found(self) -> bool:
        return self._state != "seeking"

    @property
    def closed(self) -> bool:
        """The string has ended: what was read is all of it."""
        return self._state == "closed"

    def feed(self, piece: str) -> str:
        if self._state == "closed":
            return ""
        self._rest += piece
        if self._state == "seeking":
            self._seek()
        new = self._read() if self._state == "inside" else ""
        self.text += new
        return new

    def _seek(self) -> None:
        at = 0
        while at < len(self._rest) and self._state == "seeking":
            if self._depth == 0:
                start = self._rest.find("{", at)
                at = len(self._rest) if start == -1 else start + 1
                self._depth = 0 if start == -1 else 1
                self._key, self._at_value = None, False
            elif self._rest[at] == '"':
                if self._depth == 1 and self._at_value and self._key == self._field:
                    self._state = "inside"
                    at += 1
                elif string := _STRING.match(self._rest, at):
                    self._note_string(string.group())
                    at = string.end()
                else:
                    break
            else:
                at = self._pass_over(at)
        self._rest = self._rest[at:]

    def _note_string(self, string: str) -> None:
        if self._depth == 1 and not self._at_value:
            try:
                self._key = str(json.loads(string, strict=False)).strip().casefold()
            except json.JSONDecodeError:
                self._key = None

    def _pass_over(self, at: int) -> int:
        if other := _OTHER.match(self._rest, at):
            return other.end()
        match self._rest[at]:
            case "{" | "[":
                self._depth += 1
            case "}" | "]":
                self._depth -= 1
            case ":" if self._depth == 1:
                self._at_value = True
            case "," if self._depth == 1:
                self._at_value = False
            case _:
                pass
        return at + 1

    def _read(self) -> str:
        read, at = "", 0
        while at < len(self._rest):
            if plain := _PLAIN.match(self._rest, at):
                read += plain.group()
                at = plain.end()
            elif self._rest[at] == '"':
                self._state = "closed"
                at = len(self._rest)
            elif (escape := self._escape(at)) is not None:
                character, at = escape
                read += character
            else:
                break
        self._rest = self._rest[at:]
        return read

    def _escape(self, at: int) -> tuple[str, int] | None:
        """The character that an escape stands for and where it ends; None while it is not whole."""
        match = _ESCAPE.match(self._rest, at)
        if match is None:
            broken = len(self._rest) - at >= len(r"\u0000")
            return ("\ufffd", at + 2) if broken else None
        code, letter = match.groups()
        if letter is not None:
            return _ESCAPED.get(letter, letter), match.end()
        if not 0xD800 <= int(code, 16) <= 0xDFFF:
            return chr(int(code, 16)), match.end()
        second = _ESCAPE.match(self._rest, match.end())
        if second is None and len(self._rest) - at < _LONGEST_ESCAPE and '"' not in self._rest[match.end() :]:
            return None
        if second and second[1] and int(code, 16) < 0xDC00 <= int(second[1], 16) <= 0xDFFF:
            pair = 0x10000 + ((int(code, 16) - 0xD800) << 10) + (int(second[1], 16) - 0xDC00)
            return chr(pair), second.end()
        return "\ufffd", match.end()
