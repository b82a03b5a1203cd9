"""The visible sheets of a workbook as text, read with calamine after a look at what the file would unpack to."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    PasswordError,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from engine.errors import SourceError
from engine.ingest.parsers.spreadsheet_tables import Grid

Value = int | float | str | bool | time | date | datetime | timedelta

MEGABYTES = 200
"""Most that a workbook may unpack to."""
_PARTS = 10_000
_CELLS = 20_000_000
_BLOCK = 1 << 20
_OVERLAP = 32
_ZIP = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_SHEET_PART = re.compile(r"^xl/worksheets/[^/]+\.xml$", re.IGNORECASE)
_PLACE = re.compile(rb"\sr=[\"']([A-Z]{1,3})(\d{1,7})[\"']")
_DAMAGED = "is damaged and can't be opened; save it anew from the program it was made with"
_PROTECTED = "is protected by a password; save it without one"
_EXACT = 1e15


def read_sheets(path: str, data: bytes) -> Iterator[tuple[str, Grid | None]]:
    """Name and cells of each sheet, None instead of a hidden one's cells. Raises SourceError."""
    if not data.strip(b" \t\r\n\x00\xef\xbb\xbf\xfe\xff"):
        raise SourceError(path, "empty file")
    if data.startswith(_OLE) and _ENCRYPTED in data:
        raise SourceError(path, _PROTECTED)
    if data.startswith(_ZIP):
        _check_size(path, data)
    elif not data.startswith(_OLE):
        raise SourceError(path, "is no spreadsheet, whatever its name says; save it as XLSX")
    try:
        with CalamineWorkbook.from_filelike(io.BytesIO(data)) as workbook:
            for about in workbook.sheets_metadata:
                if about.typ == SheetTypeEnum.WorkSheet:
                    is_visible = about.visible == SheetVisibleEnum.Visible
                    yield about.name, _grid(workbook.get_sheet_by_name(about.name)) if is_visible else None
    except PasswordError as error:
        raise SourceError(path, _PROTECTED) from error
    except (CalamineError, OSError, ValueError) as error:
        raise SourceError(path, _DAMAGED) from error


def _check_size(path: str, data: bytes) -> None:
    """What the parts say of their size, then what they really unpack to; and how far apart a sheet's cells stand."""
    limit = MEGABYTES << 20
    too_much = f"unpacks to more than {MEGABYTES} MB; split it into smaller files"
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
            if any(part.flag_bits & 1 for part in parts):
                raise SourceError(path, _PROTECTED)
            if len(parts) > _PARTS or sum(part.file_size for part in parts) > limit:
                raise SourceError(path, too_much)
            left = limit
            for part in parts:
                left -= _unpack(path, archive, part, left)
                if left < 0:
                    raise SourceError(path, too_much)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        raise SourceError(path, _DAMAGED) from error


def _unpack(path: str, archive: zipfile.ZipFile, part: zipfile.ZipInfo, left: int) -> int:
    """The part's true size, counted until there is too much of it."""
    size = 0
    is_sheet = _SHEET_PART.match(part.filename) is not None
    columns, rows = _Extent(), _Extent()
    tail = b""
    with archive.open(part) as stream:
        while size <= left and (block := stream.read(_BLOCK)):
            size += len(block)
            if not is_sheet:
                continue
            for match in _PLACE.finditer(tail + block):
                columns.add(_column(match.group(1)))
                rows.add(int(match.group(2)))
            tail = block[-_OVERLAP:]
    if columns.width * rows.width > _CELLS:
        raise SourceError(path, "has cells that stand too far apart; remove the ones far below or to the right")
    return size


class _Extent:
    def __init__(self) -> None:
        self._first = self._last = 0

    def add(self, place: int) -> None:
        self._first = min(self._first or place, place)
        self._last = max(self._last, place)

    @property
    def width(self) -> int:
        return self._last - self._first + 1 if self._last else 0


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _grid(sheet: CalamineSheet) -> Grid:
    """Cells merged downwards are repeated, so that each row says all by itself."""
    rows = [[shown(value) for value in row] for row in sheet.to_python(skip_empty_area=True)]
    top, left = sheet.start or (0, 0)
    spread: dict[int, list[tuple[int, int]]] = {}
    for (first_row, first_column), (last_row, last_column) in sheet.merged_cell_ranges or ():
        row, column = first_row - top, first_column - left
        if not (0 <= row < len(rows) and 0 <= column < len(rows[row])):
            continue
        if last_column > first_column:
            spread.setdefault(row, []).append((column, last_column - left))
        elif rows[row][column]:
            for below in range(row + 1, min(last_row - top + 1, len(rows))):
                if column < len(rows[below]):
                    rows[below][column] = rows[row][column]
    return Grid(rows, spread)


def shown(value: Value) -> str:
    """A cell as people read it: 1 for 1.0, ISO dates, no time at midnight."""
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case float():
            return str(int(value)) if value.is_integer() and abs(value) < _EXACT else f"{value:.12g}"
        case datetime():
            is_day = (value.hour, value.minute, value.second) == (0, 0, 0)
            return value.date().isoformat() if is_day else value.isoformat(sep=" ", timespec="minutes")
        case time():
            return value.isoformat(timespec="seconds" if value.second else "minutes")
        case _:
            return str(value).strip()
