"""What parsers hand on: the flat run of a document's headings and blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_MARKS = re.compile(r"\*\*|__|`|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)")
_SPACE = re.compile(r"\s+")


@dataclass(slots=True)
class Item:
    kind: Literal["heading", "paragraph", "list_item", "table", "code"]
    text: str
    depth: int = 0
    """Of a heading: 1 is the topmost. Headings that were recognised by their words stand below all others."""
    anchor: str | None = None
    page: int | None = None
    number: str | None = None
    """Of a heading, when its place gives it and not its text: "6.3" is item 3 under item 6."""


def plain(text: str) -> str:
    """One line without Markdown's emphasis and links."""
    return _SPACE.sub(" ", _MARKS.sub("", _LINK.sub(r"\1", text))).strip()


def table_rows(rows: list[list[str]]) -> str:
    """Rows as a Markdown table, the first one as its header; short rows are filled up."""
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    if not rows:
        return ""
    width = max(len(row) for row in rows)
    lines = [_row(row, width) for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def _row(cells: list[str], width: int) -> str:
    clean = [_SPACE.sub(" ", cell).strip().replace("\\|", "|").replace("|", "\\|") for cell in cells]
    return "| " + " | ".join(clean + [""] * (width - len(clean))) + " |"
