"""PDF files that cannot be read, or not wholly: a clear reason, and no other error."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import SourceError
from engine.ingest.parsers.pdf import parse_pdf
from tests.pdf_files import PdfBuilder


def small() -> PdfBuilder:
    builder = PdfBuilder(title="Rules")
    for number in (1, 2):
        page = builder.page()
        page.text(60, 780, f"{number} Heading of it", size=14, look="bold")
        page.lines(60, 750, "The tenant pays in time.", "The owner mends what breaks.")
        page.rule(60, 700, 300, 700)
        page.link(60, 740, 100, 760, 1)
        builder.bookmark(1, "Heading of it", number, 790)
    return builder


WHOLE = small().build()


def reason(data: bytes) -> str:
    with pytest.raises(SourceError) as caught:
        parse_pdf("folder/a.pdf", data)
    assert caught.value.path == "folder/a.pdf"
    return caught.value.reason


def test_files_that_cannot_be_opened() -> None:
    assert "password" in reason(small().build(password="secret"))
    assert "not a PDF" in reason(b"PK\x03\x04 and more of it")
    assert reason(b"") == "empty file"
    assert "damaged" in reason(b"%PDF-1.5\n" + b"x" * 300)


def test_an_encrypted_file_that_opens_without_a_password_is_read() -> None:
    document = parse_pdf("a.pdf", small().build(password=""))
    assert [one.number for one in document.sections[1:]] == ["1", "2"]


def test_a_scan_is_reported() -> None:
    builder = PdfBuilder()
    for _ in range(3):
        builder.page().picture()
    assert reason(builder.build()).startswith("holds no text, probably a scan")
    blank = PdfBuilder()
    blank.page()
    assert "blank" in reason(blank.build())


def test_pages_without_text_are_named() -> None:
    builder = PdfBuilder()
    for number in range(1, 8):
        page = builder.page()
        if number in (2, 4, 5, 6):
            page.picture()
        elif number != 7:
            page.lines(60, 780, f"Page {number} tells of something.")
    document = parse_pdf("a.pdf", builder.build())
    assert document.remarks == ("pages 2, 4-6 hold no text, probably scans; run text recognition (OCR) on them",)


def test_fonts_without_a_map_to_letters_are_reported() -> None:
    builder = PdfBuilder()
    builder.page().lines(60, 780, *["\ue001\ue002\ue003\ue004\ue005\ue006" * 6] * 5)
    assert "unreadable" in reason(builder.build())
    builder.page().lines(60, 780, "This page can be read.")
    [remark] = parse_pdf("a.pdf", builder.build()).remarks
    assert remark.startswith("page 1 holds an unreadable text layer")


def test_too_many_pages() -> None:
    builder = PdfBuilder()
    for _ in range(10_001):
        builder.page()
    assert "10001 pages" in reason(builder.build())


def test_a_cut_file_is_read_as_far_as_it_goes_or_reported() -> None:
    for length in range(0, len(WHOLE), 997):
        with suppress(SourceError):
            assert parse_pdf("a.pdf", WHOLE[:length]).sections


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(20, len(WHOLE) - 1), st.integers(0, 255)), min_size=1, max_size=40))
def test_damage_anywhere_is_survived(changes: list[tuple[int, int]]) -> None:
    data = bytearray(WHOLE)
    for place, byte in changes:
        data[place] = byte
    with suppress(SourceError):
        assert parse_pdf("a.pdf", bytes(data)).sections


def test_letters_far_from_the_page_cost_nothing() -> None:
    builder = small()
    for place in (1e9, -1e9, 1e30):
        builder.pages[0].lines(place, 700, "far away from it all")
        builder.pages[0].lines(60, place, "far above or below it all")
    builder.page(width=1e7, height=1e7).lines(60, 780, *["A page as big as a country"] * 20)
    document = parse_pdf("a.pdf", builder.build())
    assert not any("far" in block.text for one in document.sections for block in one.blocks)
