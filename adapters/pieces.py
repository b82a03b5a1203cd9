"""Markdown cut to the size of messages."""

from __future__ import annotations

import re
from collections.abc import Iterator

_FENCE = re.compile(r"^ {0,3}(```+|~~~+)(.*)$", re.MULTILINE)
_TABLE_HEAD = re.compile(r"\|[^\n]*\n\|[ :|-]*-[ :|-]*\n")


def split(text: str, most: int) -> Iterator[str]:
    """Cut at a paragraph, a line or a word where the latter half has one.

    A fence that is cut is opened again, and a table that is cut says again what its columns are.
    """
    opening = ""
    while text:
        room = most - len(opening) - 8
        if len(text) + len(opening) <= most:
            yield opening + text
            return
        end = _cut(text, max(room, 1))
        piece, text = opening + text[:end], text[end:]
        fence = _open_fence(piece)
        yield piece.rstrip("\n") + (f"\n{fence[0]}" if fence else "")
        opening = f"{fence[0]}{fence[1][:40]}\n" if fence else _open_table(piece, text, most // 3)


def _cut(text: str, most: int) -> int:
    for boundary in ("\n\n", "\n", " "):
        found = text.rfind(boundary, most // 2, most)
        if found >= 0:
            return found + len(boundary)
    return most


def _open_fence(text: str) -> tuple[str, str] | None:
    """The marks and the language of the fence that a text ends in."""
    opened: tuple[str, str] | None = None
    for found in _FENCE.finditer(text):
        marks, rest = found.group(1), found.group(2)
        if opened is None:
            opened = (marks[:3], rest.strip())
        elif marks.startswith(opened[0]) and not rest.strip():
            opened = None
    return opened


def _open_table(text: str, rest: str, most: int) -> str:
    """The head of the table that a text ends in, when the rest goes on with it and the head is not too long."""
    if not (text.endswith("\n") and rest.startswith("|")):
        return ""
    table = text[text.rfind("\n\n") + 1 :].lstrip("\n")
    while table and not table.startswith("|"):
        table = table.partition("\n")[2]
    head = _TABLE_HEAD.match(table)
    return head.group() if head and len(head.group()) <= most else ""
