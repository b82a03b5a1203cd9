"""CSV: delimiters, quotes and headers of every kind; rows that chunks keep whole under their columns' names."""

from __future__ import annotations

import csv
import io
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import SourceError
from engine.ingest.chunking import chunk
from engine.ingest.parsers.csv_rows import read_rows, sniff_delimiter
from engine.ingest.parsers.spreadsheet import parse_csv
from engine.policy import ChunkPolicy
from engine.types import Chunk, Collection, Domain, ParsedDocument


def parsed(text: str, path: str = "price-list.csv") -> ParsedDocument:
    return parse_csv(path, text.encode())


def texts(document: ParsedDocument) -> list[str]:
    return [block.text for section in document.sections for block in section.blocks]


def chunks(document: ParsedDocument) -> tuple[Chunk, ...]:
    place = Domain(id="d", title="D"), Collection(id="c", title="C")
    return chunk(
        document,
        document="d/c/a.csv",
        revision="1",
        domain=place[0],
        collection=place[1],
        policy=ChunkPolicy(),
        language="en",
    )[0]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1251"])
def test_any_delimiter_and_encoding(delimiter: str, encoding: str) -> None:
    rows = [["Тариф", "Цена", "Примечание"], ["Базовый", "10,5", "для дома; и дачи"], ["Полный", "20", 'слово "да"']]
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter).writerows(rows)
    document = parse_csv("a.csv", buffer.getvalue().encode(encoding))
    assert texts(document) == [
        "| Тариф | Цена | Примечание |\n| --- | --- | --- |\n| Базовый | 10,5 | для дома; и дачи |\n"
        '| Полный | 20 | слово "да" |'
    ]
    assert document.title == "a"


def test_decimal_commas_are_no_delimiters() -> None:
    assert sniff_delimiter("1,5;2,5\n3,5;4,5\n") == ";"
    assert sniff_delimiter("one column\nonly\n") == ","
    assert texts(parsed("sep=;\na;b,c\nd;e,f\n"))[0].startswith("| a | b,c |")


def test_quoted_line_ends_stay_in_their_cell() -> None:
    assert texts(parsed('Question,Answer\n"How\nlong?","Ten\n\ndays"\n'))[0].endswith("| How long? | Ten days |")


def test_a_quote_that_is_never_closed_costs_one_cell() -> None:
    rows = "".join(f"{number},value {number}\n" for number in range(20_000))
    found = texts(parsed(f'Name,Value\n7" pipe,"open\n{rows}'))[0]
    assert found.endswith("| 19999 | value 19999 |")


def test_ragged_rows_empty_and_doubled_names() -> None:
    assert texts(parsed("Plan,Price,Price,\nBasic,1,2,x,more\nPro,3\n")) == [
        "| Plan | Price | Price (2) | Column 4 | Column 5 |\n| --- | --- | --- | --- | --- |\n"
        "| Basic | 1 | 2 | x | more |\n| Pro | 3 |  |  |  |"
    ]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Plan,Price\nBasic,10\n", True),
        ("Country,2021,2022\nNorway,1,2\n", True),
        ("Basic,10\nPro,20\n", False),
        ("2024-01-01,fee\n2024-02-01,fee\n", False),
        ("yes,Basic\nyes,Pro\n", False),
        ("https://a.example,site\nhttps://b.example,shop\n", False),
    ],
)
def test_a_first_row_of_data_names_nothing(text: str, named: bool) -> None:
    header = texts(parsed(text))[0].split("\n")[0]
    assert (header == "| Column 1 | Column 2 |") is not named
    assert all(cell in texts(parsed(text))[0] for cell in text.replace("\n", ",").strip(",").split(","))


def test_names_of_columns_are_in_the_language_of_the_table() -> None:
    assert texts(parsed("Базовый,10\nПолный,20\n"))[0].startswith("| Столбец 1 | Столбец 2 |")


def test_every_chunk_names_its_columns_and_keeps_rows_whole() -> None:
    rows = "".join(f"Plan number {at},{at} roubles a month,until the end of year {at}\n" for at in range(300))
    found = chunks(parsed("Plan,Price,Term\n" + rows))
    assert len(found) > 5
    assert all(one.text.startswith("| Plan | Price | Term |\n") for one in found)
    lines = [line for one in found for line in one.text.split("\n")[2:]]
    assert lines == [f"| Plan number {at} | {at} roubles a month | until the end of year {at} |" for at in range(300)]


def test_wide_rows_are_written_out_with_their_names() -> None:
    names = [f"A rather long name of column {at}" for at in range(30)]
    text = ",".join(names) + "\n" + "\n".join(",".join(f"value {row}-{at}" for at in range(30)) for row in range(9))
    found = chunks(parsed(text))
    for row in range(9):
        for at in range(30):
            holding = [one for one in found if f"{names[at]}: value {row}-{at}" in one.text]
            assert len(holding) == 1 or at == 0  # the first value stands above each part of its row
            assert f"{names[0]}: value {row}-0" in holding[0].text


def test_counted_rows_are_sections() -> None:
    document = parsed("No,Rule,Fine\n1,Parking,10\n1.1,Parking at night,20\n2,Noise,30\n")
    assert [(one.number, one.title, one.level) for one in document.sections[1:]] == [
        ("1", "Parking", 1),
        ("1.1", "Parking at night", 2),
        ("2", "Noise", 1),
    ]


@pytest.mark.parametrize("text", ["Version,Date\n1.1,a\n1.2,b\n1.3,c\n", "Sum,Name\n1,a\n2,b\n1,c\n"])
def test_amounts_and_versions_are_no_sections(text: str) -> None:
    assert len(parsed(text).sections) == 1


@pytest.mark.parametrize("data", [b"", b"\n\n", b",,,\n,,\n", b"PK\x03\x04"])
def test_files_without_text_are_reported(data: bytes) -> None:
    with pytest.raises(SourceError):
        parse_csv("a.csv", data)


def test_lines_as_no_table_has_them_are_reported() -> None:
    with pytest.raises(SourceError, match="it is no table"):
        read_rows("a.csv", "a,b\n" + "x" * 200_000)


def test_a_hundred_thousand_rows() -> None:
    """Takes a second; anything worse than linear would run into the time limit of tests."""
    found = texts(parsed("Id,Name,Value\n" + "".join(f"id-{at},name {at},value {at}\n" for at in range(100_000))))
    assert found[0].count("\n") == 100_001


@given(
    st.lists(
        st.lists(st.text("абв xyz,;|\t\"'\n", min_size=0, max_size=8), min_size=2, max_size=4), min_size=1, max_size=8
    )
)
def test_no_word_is_lost(rows: list[list[str]]) -> None:
    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows)
    text = buffer.getvalue()
    if not text.strip():
        return
    expected = Counter(letter for letter in text if letter.isalpha())
    try:
        document = parsed(text)
        found = "".join([*texts(document), *(section.title for section in document.sections)])
    except SourceError:
        assert not expected
        return
    assert not expected - Counter(found)  # column names may come several times
