"""Tables that are no tables: publishers set numbered points in two columns, the mark in the first one."""

from __future__ import annotations

import re

_MARK = re.compile(r"^(?:\(?(?:\d{1,4}(?:\.\d{1,3})*|[ivxlcm]{1,6}|[a-zа-я]{1,2})[).]|[-–—•▪·*])$", re.IGNORECASE)
_BULLETS = frozenset("-–—•▪·*")


def is_mark(text: str) -> bool:
    """Whether a cell holds nothing but a list mark: "(a)", "1.", "—"."""
    return _MARK.match(text.strip()) is not None


def mark_of(mark: str) -> str:
    """The mark as text lines carry it."""
    mark = mark.strip()
    return "- " if mark in _BULLETS else f"{mark} "


def unfold_layout(rows: list[list[str]]) -> list[tuple[str, str]] | None:
    """(mark, text) of each row when every row is a marked point or holds one cell; None for a real table."""
    filled = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    filled = [row for row in filled if row]
    if not filled or any(len(row) > 2 or (len(row) == 2 and not is_mark(row[0])) for row in filled):
        return None
    if all(len(row) == 1 for row in filled) and len(filled) > 1 and max(map(len, rows)) > 1:
        return None
    return [(row[0], row[1]) if len(row) == 2 else ("", row[0]) for row in filled]
