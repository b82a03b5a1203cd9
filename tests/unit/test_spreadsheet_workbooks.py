"""Workbooks: sheets as sections, cells as people see them, and files that are no good."""

from __future__ import annotations

import zipfile
from io import BytesIO

import pytest

from engine.errors import SourceError
from engine.ingest.parsers.spreadsheet import parse_xlsx
from engine.ingest.parsers.spreadsheet_workbook import MEGABYTES
from engine.types import ParsedDocument
from tests.spreadsheet_files import DATE, Cell, Sheet, workbook


def outline(document: ParsedDocument) -> list[tuple[int, str, str]]:
    return [(one.level, one.number, one.title) for one in document.sections[1:]]


def texts(document: ParsedDocument) -> list[str]:
    return [block.text for section in document.sections for block in section.blocks]


PRICES = Sheet("Prices", [["Plan", "Price"], ["Basic", 10], ["Pro", 20.5]])


def test_each_sheet_is_a_section_and_a_table() -> None:
    document = parse_xlsx("rates.xlsx", workbook(PRICES, Sheet("Terms", [["Term", "Meaning"], ["Seat", "One user"]])))
    assert document.title == "rates"
    assert outline(document) == [(1, "", "Prices"), (1, "", "Terms")]
    assert texts(document) == [
        "| Plan | Price |\n| --- | --- |\n| Basic | 10 |\n| Pro | 20.5 |",
        "| Term | Meaning |\n| --- | --- |\n| Seat | One user |",
    ]


def test_a_sheet_named_by_the_program_is_no_section() -> None:
    document = parse_xlsx("our-rates.xlsx", workbook(Sheet("Лист1", PRICES.rows)))
    assert document.title == "our rates"
    assert outline(document) == []


@pytest.mark.parametrize("state", ["hidden", "veryHidden"])
def test_hidden_sheets_are_left_out_and_named(state: str) -> None:
    document = parse_xlsx("a.xlsx", workbook(Sheet("Old", [["Secret", "B"], ["x", "y"]], state=state), PRICES))
    assert "Secret" not in "".join(texts(document))
    assert document.remarks == ("hidden sheets are not read: “Old”; unhide what should be",)
    assert parse_xlsx("a.xlsx", workbook(PRICES)).remarks == ()
    many = parse_xlsx("a.xlsx", workbook(*(Sheet(f"Old {n}", state=state) for n in range(8)), PRICES))
    assert many.remarks[0].endswith("“Old 4” and 3 more; unhide what should be")
    with pytest.raises(SourceError, match="no visible sheet with text"):
        parse_xlsx("a.xlsx", workbook(Sheet("Old", [["Secret", "B"], ["x", "y"]], state=state)))


def test_numbers_and_dates_are_as_people_see_them() -> None:
    cells = (
        '<row r="1"><c r="A1" t="inlineStr"><is><t>When</t></is></c>'
        '<c r="B1" t="inlineStr"><is><t>Sum</t></is></c></row>'
        f'<row r="2"><c r="A2" {DATE}><v>45292</v></c><c r="B2"><v>1</v></c></row>'
        f'<row r="3"><c r="A3" {DATE}><v>45292.5</v></c><c r="B3"><v>0.30000000000000004</v></c></row>'
        '<row r="4"><c r="A4" t="b"><v>1</v></c><c r="B4"><f>SUM(B2:B3)</f><v>1.3</v></c></row>'
    )
    document = parse_xlsx("a.xlsx", workbook(Sheet("Sheet1", cells=cells)))
    assert texts(document)[0].split("\n")[2:] == [
        "| 2024-01-01 | 1 |",
        "| 2024-01-01 12:00 | 0.3 |",
        "| TRUE | 1.3 |",
    ]


def test_cells_merged_downwards_are_repeated() -> None:
    rows: list[list[Cell]] = [["City", "Street"], ["Tula", "Lenina"], [None, "Mira"], ["Omsk", "Lesnaya"]]
    document = parse_xlsx("a.xlsx", workbook(Sheet("Sheet1", rows, merged=["A2:A3"])))
    assert "| Tula | Mira |" in texts(document)[0]


def test_a_header_of_two_rows_is_joined() -> None:
    rows: list[list[Cell]] = [["Plan", "Price", None], [None, "Net", "Gross"], ["Basic", 10, 12]]
    document = parse_xlsx("a.xlsx", workbook(Sheet("Sheet1", rows, merged=["B1:C1", "A1:A2"])))
    assert texts(document)[0].split("\n")[0] == "| Plan | Price: Net | Price: Gross |"
    assert len(texts(document)[0].split("\n")) == 3


def test_several_tables_on_a_sheet_are_parted_by_empty_rows() -> None:
    rows: list[list[Cell]] = [
        ["Table 1. Prices", None],
        ["Plan", "Price"],
        ["Basic", 10],
        [None, None],
        ["City", "Office"],
        ["Tula", "Lenina 1"],
        [None, None],
        ["Omsk", "Mira 2"],
    ]
    document = parse_xlsx("a.xlsx", workbook(Sheet("Sheet1", rows)))
    assert texts(document) == [
        "Table 1. Prices",
        "| Plan | Price |\n| --- | --- |\n| Basic | 10 |",
        "| City | Office |\n| --- | --- |\n| Tula | Lenina 1 |",
        "| City | Office |\n| --- | --- |\n| Omsk | Mira 2 |",
    ]
    assert [(one.kind, one.label) for one in document.objects] == [("table", "1")]


def test_a_row_with_one_cell_above_others_begins_a_group() -> None:
    rows: list[list[Cell]] = [
        ["Plan", "Price", "Term"],
        ["For home", None, None],
        ["A", 1, 2],
        ["For business", None, None],
        ["B", 3, 4],
    ]
    document = parse_xlsx("a.xlsx", workbook(PRICES, Sheet("Plans", rows)))
    assert outline(document) == [(1, "", "Prices"), (1, "", "Plans"), (2, "", "For home"), (2, "", "For business")]
    assert texts(document)[-1] == "| Plan | Price | Term |\n| --- | --- | --- |\n| B | 3 | 4 |"


def test_rows_counted_like_clauses_are_sections() -> None:
    rows: list[list[Cell]] = [
        ["№", "Услуга", "Цена"],
        ["1", "Аренда", 10],
        ["1.1", "Аренда зала", 5],
        ["2", "Связь", 7],
    ]
    document = parse_xlsx("a.xlsx", workbook(Sheet("Лист1", rows)))
    assert outline(document) == [(1, "1", "Аренда"), (2, "1.1", "Аренда зала"), (1, "2", "Связь")]
    assert texts(document) == ["Цена: 10", "Цена: 5", "Цена: 7"]


# --- files that are no good -----------------------------------------------------------------------------------------


def test_a_truncated_file_is_reported() -> None:
    with pytest.raises(SourceError, match="damaged"):
        parse_xlsx("a.xlsx", workbook(PRICES)[:-200])


@pytest.mark.parametrize("data", [b"", b"  \n"])
def test_an_empty_file_is_reported(data: bytes) -> None:
    with pytest.raises(SourceError, match="empty file"):
        parse_xlsx("a.xlsx", data)


@pytest.mark.parametrize("data", [b"Plan,Price\nBasic,10\n", b"<html><body>x</body></html>"])
def test_other_files_named_like_workbooks_are_reported(data: bytes) -> None:
    with pytest.raises(SourceError, match="is no spreadsheet"):
        parse_xlsx("a.xlsx", data)


def test_another_archive_is_reported() -> None:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.txt", "text")
    with pytest.raises(SourceError, match="damaged"):
        parse_xlsx("a.xlsx", buffer.getvalue())


def test_a_protected_file_is_reported() -> None:
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le") + bytes(600)
    with pytest.raises(SourceError, match="protected by a password"):
        parse_xlsx("a.xlsx", data)


def test_a_bomb_is_not_unpacked() -> None:
    data = workbook(PRICES, **{"xl/media/bomb.bin": bytes(MEGABYTES + 1 << 20)})
    assert len(data) < 1 << 20
    with pytest.raises(SourceError, match=f"more than {MEGABYTES} MB"):
        parse_xlsx("a.xlsx", data)


def test_a_bomb_that_hides_its_size_is_not_unpacked() -> None:
    data = bytearray(workbook(PRICES, **{"xl/media/bomb.bin": bytes(MEGABYTES + 1 << 20)}))
    with zipfile.ZipFile(BytesIO(data)) as archive:
        true_size = archive.getinfo("xl/media/bomb.bin").file_size.to_bytes(4, "little")
    lied = bytes(data).replace(true_size, (100).to_bytes(4, "little"))
    with pytest.raises(SourceError, match=f"more than {MEGABYTES} MB|damaged"):
        parse_xlsx("a.xlsx", lied)


def test_cells_at_the_far_ends_are_reported() -> None:
    cells = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    with pytest.raises(SourceError, match="too far apart"):
        parse_xlsx("a.xlsx", workbook(Sheet("Sheet1", cells=cells)))


def test_external_entities_are_not_read() -> None:
    cells = '<row r="1"><c r="A1" t="inlineStr"><is><t>&passwd;</t></is></c></row>'
    data = workbook(Sheet("Sheet1", cells=cells))
    evil = b'<!DOCTYPE x [<!ENTITY passwd SYSTEM "file:///etc/passwd">]>'
    buffer = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            new.writestr(name, (evil if "sheet1" in name else b"") + old.read(name))
    try:
        document = parse_xlsx("a.xlsx", buffer.getvalue())
    except SourceError:
        return
    assert "root:" not in "".join(texts(document))
