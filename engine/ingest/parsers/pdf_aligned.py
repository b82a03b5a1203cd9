"""Tables without rules: lines whose parts stand one under the other."""

from __future__ import annotations

from collections.abc import Sequence

from engine.ingest.parsers.layout import is_mark
from engine.ingest.parsers.pdf_lines import Line

_LEAST_ROWS = 3
_MOST_ROWS = 300
_COLUMN_GAP = 0.8
_LONGEST_CELL = 90


def aligned_table(lines: Sequence[Line], start: int) -> tuple[list[list[str]], int]:
    """The rows of a table that begins at a line, and how many lines it takes; ([], 0) when there is none."""
    if not _is_row(lines[start]):
        return [], 0
    end = start
    last_row = start
    while end < min(len(lines), start + _MOST_ROWS) and _may_belong(lines[start], lines[end]):
        if _is_row(lines[end]):
            last_row = end
        elif end - last_row > 1:
            break
        end += 1
    taken = lines[start : last_row + 1]
    if sum(map(_is_row, taken)) < _LEAST_ROWS:
        return [], 0
    columns = _columns(taken)
    if len(columns) < 2:
        return [], 0
    rows = _rows(taken, columns)
    filled = sum(bool(cell) for row in rows for cell in row)
    if len(rows) < _LEAST_ROWS or filled < 0.5 * len(rows) * len(columns):
        return [], 0
    return rows, len(taken)


def _is_row(line: Line) -> bool:
    """Several parts with wide gaps between them, none of them a list mark or a line of running text."""
    if len(line.cells) < 2 or line.font.mono or is_mark(line.cells[0][2]):
        return False
    return any(
        right[0] - left[1] > 1.5 * line.size for left, right in zip(line.cells, line.cells[1:], strict=False)
    ) and all(len(text) <= _LONGEST_CELL for _, _, text in line.cells)


def _may_belong(first: Line, line: Line) -> bool:
    return (
        not line.table
        and not line.note
        and line.page == first.page
        and line.left == first.left
        and (line is first or line.drop_above < 3 * line.size)
    )


def _columns(lines: Sequence[Line]) -> list[tuple[float, float]]:
    """Where cells stand, as intervals that no cell bridges."""
    spans = sorted((left, right) for line in lines for left, right, _ in line.cells)
    columns: list[tuple[float, float]] = []
    gap = _COLUMN_GAP * lines[0].size
    for left, right in spans:
        if columns and left < columns[-1][1] + gap:
            columns[-1] = (columns[-1][0], max(columns[-1][1], right))
        else:
            columns.append((left, right))
    return columns


def _rows(lines: Sequence[Line], columns: Sequence[tuple[float, float]]) -> list[list[str]]:
    rows: list[list[str]] = []
    for line in lines:
        cells = [""] * len(columns)
        for left, _, text in line.cells:
            column = max(index for index, (start, _) in enumerate(columns) if start <= left + 0.1)
            cells[column] = f"{cells[column]} {text}".strip()
        if rows and not _is_row(line) and not cells[0]:
            rows[-1] = [f"{above} {below}".strip() for above, below in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
    return rows
