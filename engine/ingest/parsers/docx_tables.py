"""Word tables as Markdown rows; tables that only place text on the page give it back as paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.ingest.items import Item, table_rows
from engine.ingest.parsers.docx_body import Block, Cell, Paragraph, Table
from engine.ingest.parsers.layout import mark_of, unfold_layout

Flat = Paragraph | Item

_NUMBERED = re.compile(r"^\d{1,3}(?:\.\d{1,3})*\.?\s")
_LANGUAGES = 2
_ENOUGH_ROWS = 3
_CLAUSE_LENGTH = 20


def flatten(blocks: Sequence[Block]) -> Iterator[Flat]:
    for block in blocks:
        if isinstance(block, Paragraph):
            yield block
        else:
            yield from _table(block)


def _table(table: Table) -> Iterator[Flat]:
    rows = [row for row in table.rows if any(_text(cell) for cell in row)]
    if not rows:
        return
    width = max(sum(cell.columns for cell in row) for row in rows)
    if _holds_headings(rows):
        for row in rows:
            for cell in row:
                yield from flatten(cell.blocks)
        return
    if _is_parallel(rows, width):
        for column in range(width):
            for row in rows:
                yield from flatten(row[column].blocks if column < len(row) else ())
        return
    if not _is_full_width(rows[0], width):
        yield from _grid(rows)
        return
    # No header row: rows of one cell are headings and text between the parts of a form.
    part: list[list[Cell]] = []
    for row in rows:
        if _is_full_width(row, width):
            yield from _grid(part)
            part = []
            yield from flatten(row[0].blocks)
        else:
            part.append(row)
    yield from _grid(part)


def _is_full_width(row: Sequence[Cell], width: int) -> bool:
    return len(row) == 1 and (row[0].columns == width or width == 1)


def _holds_headings(rows: Sequence[Sequence[Cell]]) -> bool:
    """Whether headings stand in a table, and not only at the top of its columns."""
    if sum(sum(bool(_text(cell)) for cell in row) > 1 for row in rows) > 1:
        rows = rows[1:]
    blocks = (block for row in rows for cell in row for block in cell.blocks)
    return any(isinstance(one, Paragraph) and one.level is not None and one.line.pieces for one in blocks)


def _is_parallel(rows: Sequence[Sequence[Cell]], width: int) -> bool:
    """Whether each column is a text of numbered clauses: a contract in two languages, side by side."""
    if width != _LANGUAGES or len(rows) < _ENOUGH_ROWS:
        return False
    cells = [[cell for cell in row if _text(cell)] for row in rows]
    both = [row for row in cells if len(row) == width]
    clauses = sum(all(any(map(_is_clause, cell.blocks)) for cell in row) for row in both)
    return clauses >= _ENOUGH_ROWS and clauses * 2 >= len(rows)


def _is_clause(block: Block) -> bool:
    if not isinstance(block, Paragraph):
        return False
    text = _line(block)
    return len(text) >= _CLAUSE_LENGTH and _NUMBERED.match(text) is not None


def _grid(rows: Sequence[Sequence[Cell]]) -> Iterator[Item]:
    texts: list[list[str]] = []
    for row in rows:
        texts.append(_row(row, texts[-1] if texts else []))
    unfolded = unfold_layout(texts)
    if unfolded is None:
        text = table_rows(texts)
        if text:
            yield Item(kind="table", text=text)
        return
    for mark, text in unfolded:
        if mark and "." not in mark.strip(".)"):
            yield Item(kind="list_item", text=f"{mark_of(mark)}{text}")
        else:
            yield Item(kind="paragraph", text=f"{mark} {text}".strip())


def _row(row: Sequence[Cell], above: Sequence[str]) -> list[str]:
    """A cell over several columns stands in its first one; one that reaches down over rows is said in each."""
    texts: list[str] = []
    for cell in row:
        column = len(texts)
        text = above[column] if cell.continues and column < len(above) else _text(cell)
        texts += [text, *[""] * (cell.columns - 1)]
    return texts


def _text(cell: Cell) -> str:
    """A cell on one line; a table in it as "first: second; ..."."""
    texts: list[str] = []
    for block in cell.blocks:
        if isinstance(block, Paragraph):
            texts.append(_line(block))
        else:
            rows = (": ".join(filter(None, map(_text, row))) for row in block.rows)
            texts.append("; ".join(filter(None, rows)))
    return " ".join(filter(None, texts))


def _line(paragraph: Paragraph) -> str:
    text = paragraph.line.plain()
    if paragraph.label is None or (paragraph.label.is_bullet and not text):
        return text
    return f"{'•' if paragraph.label.is_bullet else paragraph.label.text} {text}".strip()
