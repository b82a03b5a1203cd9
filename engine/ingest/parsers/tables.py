"""Tables as Markdown, whatever format they come from."""

from __future__ import annotations

from collections.abc import Sequence


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells, the first one the header, as a Markdown table; "" for no cells."""
    width = max((len(row) for row in rows), default=0)
    if not width:
        return ""
    padded = [[_cell(cell) for cell in row] + [""] * (width - len(row)) for row in rows]
    lines = ["| " + " | ".join(row) + " |" for row in padded]
    lines.insert(1, "| " + " | ".join(["---"] * width) + " |")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "/")
