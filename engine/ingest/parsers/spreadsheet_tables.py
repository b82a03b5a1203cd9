"""From a sheet's cells to items: its tables, what stands above them, and rows that a number names.

An ordinary table becomes Markdown rows, which chunks repeat the header of. Rows too wide for that are written as
"Column: value; Column: value". Rows whose first column counts them as "1.2" are sections, which a reference finds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from engine.ingest.items import Item, table_rows
from engine.ingest.parsers.spreadsheet_header import column_names, is_header

Row = list[str]

_WIDEST_HEADER = 300
_WIDEST_ROW = 700
"""Characters; about what a chunk holds twice and once. Beyond them rows are written out with their columns' names."""
_GROUP_LENGTH = 150
_LEAST_COLUMNS_FOR_GROUPS = 3
_NUMBER = re.compile(r"^\d{1,4}(?:\.\d{1,3})*\.?$")
_NUMBER_HEADER = re.compile(
    r"^(?:№|no\.?|#|n|num(?:ber)?|item|clause|section|пункт|раздел|статья|номер|п\.?\s*[/.]?\s*п\.?)"
    r"(?:\s*(?:п\.?\s*[/.]?\s*п\.?|пункта|раздела|строки))?$",
    re.IGNORECASE,
)
_MOST_SECTIONS = 2000
_TITLE_LENGTH = 100


@dataclass(frozen=True, slots=True)
class Grid:
    """A sheet's cells as text."""

    rows: Sequence[Row]
    spread: dict[int, list[tuple[int, int]]] = field(default_factory=dict[int, list[tuple[int, int]]])
    """Of a row: first and last column of its cells that are merged sideways."""


@dataclass(frozen=True, slots=True)
class _Table:
    header: Row
    rows: list[Row]


def grid_items(grid: Grid, *, depth: int) -> list[Item]:
    """`depth` is that of the topmost heading which may come of it."""
    items: list[Item] = []
    columns = _filled_columns(grid.rows)
    if len(columns) == 1:
        return [Item(kind="paragraph", text=_joined(row)) for row in grid.rows if _joined(row)]
    header: Row = []
    for start, end in _regions(grid.rows):
        rows = [[_cell(grid.rows[at], column) for column in columns] for at in range(start, end)]
        lead = _lead_rows(rows)
        items.extend(Item(kind="paragraph", text=_joined(row)) for row in rows[:lead])
        rows = rows[lead:]
        if not rows:
            continue
        merged = [
            (columns.index(a), len(columns) - 1 if b not in columns else columns.index(b))
            for a, b in grid.spread.get(start + lead, ())
            if a in columns
        ]
        if not header or merged or (len(rows) > 1 and is_header(rows)):
            header, rows = column_names(rows, merged)
        items.extend(_table_items(_Table(header, rows), depth))
    return items


def _regions(rows: Sequence[Row]) -> Iterator[tuple[int, int]]:
    """Runs of rows between empty ones."""
    start: int | None = None
    for at, row in enumerate(rows):
        filled = any(cell.strip() for cell in row)
        if filled and start is None:
            start = at
        elif not filled and start is not None:
            yield start, at
            start = None
    if start is not None:
        yield start, len(rows)


def _filled_columns(rows: Sequence[Row]) -> list[int]:
    return sorted({column for row in rows for column, cell in enumerate(row) if cell.strip()})


def _cell(row: Row, column: int) -> str:
    return row[column] if column < len(row) else ""


def _lead_rows(rows: Sequence[Row]) -> int:
    """How many rows at the top hold a single cell: a title or a remark above the table, or all the text there is."""
    return next((at for at, row in enumerate(rows) if sum(bool(cell.strip()) for cell in row) > 1), len(rows))


def _joined(row: Row) -> str:
    return " ".join(cell.strip() for cell in row if cell.strip())


def _table_items(table: _Table, depth: int) -> list[Item]:
    if not table.rows:
        return [Item(kind="paragraph", text=", ".join(name for name in table.header if name))]
    if _is_numbered(table):
        return _sections(table, depth)
    items: list[Item] = []
    run: list[Row] = []
    for at, row in enumerate(table.rows):
        if not _is_group(table, at):
            run.append(row)
            continue
        items.extend(_rows_items(table.header, run))
        run = []
        items.append(Item(kind="heading", text=_joined(row), depth=depth))
    items.extend(_rows_items(table.header, run))
    return items


def _is_group(table: _Table, at: int) -> bool:
    """A row with its first cell alone, above rows with more: "Plans for business"."""
    row = table.rows[at]
    if len(row) < _LEAST_COLUMNS_FOR_GROUPS or not row[0].strip() or any(cell.strip() for cell in row[1:]):
        return False
    following = table.rows[at + 1] if at + 1 < len(table.rows) else []
    is_words = any(letter.isalpha() for letter in row[0]) and len(row[0]) <= _GROUP_LENGTH
    return is_words and sum(bool(cell.strip()) for cell in following) > 1


def _rows_items(header: Row, rows: list[Row]) -> list[Item]:
    if not rows:
        return []
    narrow = sum(map(len, header)) <= _WIDEST_HEADER and all(sum(map(len, row)) <= _WIDEST_ROW for row in rows)
    if narrow:
        return [Item(kind="table", text=table_rows([header, *rows]))]
    return [Item(kind="list_item", text=f"- {record}") for row in rows for record in _records(header, row)]


def _records(header: Row, row: Row) -> Iterator[str]:
    """A row as "Column: value; ...", a very long one in parts that each begin with its first value."""
    pairs = [f"{name}: {' '.join(cell.split())}" for name, cell in zip(header, row, strict=True) if cell.strip()]
    if not pairs:
        return
    key = pairs[0] if len(pairs[0]) <= _TITLE_LENGTH else ""
    part = ""
    for pair in pairs:
        if part and part != key and len(part) + len(pair) > _WIDEST_ROW:
            yield part
            part = key
        part = f"{part}; {pair}" if part else pair
    yield part


def _is_numbered(table: _Table) -> bool:
    """Whether the first column counts the rows as clauses are counted: "1.2", or 1, 2, 3 under "№"."""
    numbers = [row[0].strip().rstrip(".") for row in table.rows]
    if len(numbers) < 2 or len(numbers) > _MOST_SECTIONS or len(table.header) < 2:
        return False
    if not all(_NUMBER.match(number) for number in numbers) or len(set(numbers)) < len(numbers):
        return False
    if _NUMBER_HEADER.match(table.header[0].strip()):
        return True
    whole = {number for number in numbers if "." not in number}
    children = sum(number.rpartition(".")[0] in whole for number in numbers if "." in number)
    return children > 0 and children >= (len(numbers) - len(whole)) / 2  # else they may be versions or amounts


def _sections(table: _Table, depth: int) -> list[Item]:
    items: list[Item] = []
    for row in table.rows:
        number = row[0].strip().rstrip(".")
        title = " ".join(row[1].split())
        is_title = 0 < len(title) <= _TITLE_LENGTH and any(letter.isalpha() for letter in title)
        items.append(
            Item(
                kind="heading",
                text=title if is_title else number,
                depth=depth + 1 + number.count("."),
                number=number,
            )
        )
        first = 2 if is_title else 1
        for record in _records(table.header[first:], row[first:]):
            items.append(Item(kind="paragraph", text=record))
    return items
