"""Tables as documents: CSV, and the sheets of a workbook. Rows keep their columns' names wherever they are cut."""

from __future__ import annotations

from dataclasses import replace

from engine.errors import SourceError
from engine.ingest.items import Item
from engine.ingest.outline import assemble
from engine.ingest.parsers.csv_rows import read_rows
from engine.ingest.parsers.decoding import decode
from engine.ingest.parsers.spreadsheet_tables import Grid, grid_items
from engine.types import ParsedDocument

_MOST_NAMED = 5


def parse_csv(path: str, data: bytes) -> ParsedDocument:
    """Raises SourceError for empty and binary files."""
    items = grid_items(Grid(read_rows(path, decode(path, data))), depth=2)
    if not items:
        raise SourceError(path, "has no rows with text")
    return assemble(items, path=path)


def parse_xlsx(path: str, data: bytes) -> ParsedDocument:
    """XLSX, XLSM, XLSB, XLS or ODS. Hidden sheets are left out, with a remark: a reader of the file does not see them.

    Macros are not run, links to other files not followed; of a formula the value is read that was saved with it.
    Raises SourceError for files that are damaged, empty, protected by a password or unpack to too much.
    """
    from engine.ingest.parsers.spreadsheet_workbook import read_sheets  # loads a compiled library

    items: list[Item] = []
    sheets = list(read_sheets(path, data))
    filled = [(name, found) for name, grid in sheets if grid is not None and (found := grid_items(grid, depth=2))]
    hidden = [name for name, grid in sheets if grid is None]
    if not filled:
        raise SourceError(path, "has no visible sheet with text")
    for name, found in filled:
        if len(filled) > 1 or not _is_unnamed(name):
            items.append(Item(kind="heading", text=name.strip(), depth=1))
        items.extend(found)
    return replace(assemble(items, path=path), remarks=_remarks(hidden))


def _remarks(hidden: list[str]) -> tuple[str, ...]:
    """A few of many names are enough for the file's editor."""
    named = ", ".join(f"“{name.strip()}”" for name in hidden[:_MOST_NAMED])
    more = f" and {len(hidden) - _MOST_NAMED} more" if len(hidden) > _MOST_NAMED else ""
    return (f"hidden sheets are not read: {named}{more}; unhide what should be",) if hidden else ()


def _is_unnamed(name: str) -> bool:
    """Whether a sheet has the name that the program gave it: "Sheet1", "Лист 1"."""
    return name.strip().rstrip("0123456789 ").lower() in ("sheet", "лист", "table", "таблица", "")
