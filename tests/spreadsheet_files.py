"""Workbooks for tests, written part by part; a sheet is rows of cells, or the XML of its own."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

Cell = str | int | float | None

_SPACES = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
DATE = 's="1"'
"""Attributes of a cell whose number is a date."""


@dataclass(frozen=True)
class Sheet:
    name: str
    rows: Sequence[Sequence[Cell]] = ()
    merged: Sequence[str] = ()
    state: str = "visible"
    cells: str = ""
    """XML of `<row>` elements, instead of `rows`."""


def workbook(*sheets: Sheet, **parts: bytes) -> bytes:
    """`parts` are further files of the archive."""
    listed = "".join(
        f'<sheet name="{escape(one.name)}" sheetId="{at}" state="{one.state}" r:id="rId{at}"/>'
        for at, one in enumerate(sheets, start=1)
    )
    relations = "".join(
        f'<Relationship Id="rId{at}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{at}.xml"/>'
        for at in range(1, len(sheets) + 1)
    )
    styles = f'<Relationship Id="rId99" Type="{_OFFICE}/styles" Target="styles.xml"/>'
    files = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook {_SPACES} xmlns:r="{_OFFICE}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{relations}{styles}'
        "</Relationships>",
        "xl/styles.xml": f'<styleSheet {_SPACES}><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
        "</styleSheet>",
    }
    for at, one in enumerate(sheets, start=1):
        files[f"xl/worksheets/sheet{at}.xml"] = _sheet(one)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        for name, data in parts.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def _sheet(sheet: Sheet) -> str:
    rows = sheet.cells or "".join(
        f'<row r="{at}">' + "".join(_cell(place, at, value) for place, value in enumerate(row)) + "</row>"
        for at, row in enumerate(sheet.rows, start=1)
    )
    merged = "".join(f'<mergeCell ref="{area}"/>' for area in sheet.merged)
    merges = f"<mergeCells>{merged}</mergeCells>" if merged else ""
    return f"<worksheet {_SPACES}><sheetData>{rows}</sheetData>{merges}</worksheet>"


def _cell(column: int, row: int, value: Cell) -> str:
    place = f'r="{chr(ord("A") + column)}{row}"'
    if value is None:
        return ""
    if isinstance(value, str):
        return f'<c {place} t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f"<c {place}><v>{value}</v></c>"
