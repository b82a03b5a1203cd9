"""Word files that are none, or are damaged or hostile: a clear reason, little time, nothing fetched, nothing run."""

from __future__ import annotations

import io
import struct
import sys
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from engine.errors import SourceError
from engine.ingest.parsers.docx import parse_docx
from engine.types import ParsedDocument
from tests.docx_files import NAMESPACES, abstract, archive, docx, instance, level, p, table

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def reason(data: bytes) -> str:
    with pytest.raises(SourceError) as caught:
        parse_docx("a.docx", data)
    assert caught.value.path == "a.docx"
    return caught.value.reason


def parsed(data: bytes) -> ParsedDocument:
    return parse_docx("a.docx", data)


def with_document(xml: str | bytes, **parts: str | bytes) -> bytes:
    return archive({"word/document.xml": xml, **parts})


def document(body: str, before: str = "") -> str:
    return f'<?xml version="1.0"?>{before}<w:document {NAMESPACES}><w:body>{body}</w:body></w:document>'


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "empty file"),
        (b" \r\n\t", "empty file"),
        (b"\xef\xbb\xbf", "empty file"),
        (OLE + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le") + b"\0" * 600, "is protected by a password"),
        (OLE + b"\0" * 600 + "WordDocument".encode("utf-16-le"), "is in the old .doc format"),
        (b"{\\rtf1\\ansi text}", "is an RTF file"),
        (b"<html><body>text</body></html>", "is no Word file"),
        (b"plain text", "is no Word file"),
        (docx(p("text"))[:-300], "is damaged or cut short"),
        (docx(p("text"))[:40], "is damaged or cut short"),
        (archive({"a.txt": "text"}), "holds no document"),
        (archive({"xl/workbook.xml": "<a/>"}), "is a spreadsheet"),
        (archive({"ppt/presentation.xml": "<a/>"}), "is a presentation"),
        (with_document("<w:document"), "holds broken XML"),
        (with_document(""), "holds broken XML"),
        (docx(p(), table([""])), "holds no text"),
    ],
)
def test_files_that_are_no_readable_word_files(data: bytes, expected: str) -> None:
    assert expected in reason(data)


def test_a_part_locked_by_a_password_is_named() -> None:
    data = bytearray(docx(p("text")))
    for sign, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(sign)
        while at >= 0:
            data[at + offset] |= 1
            at = data.find(sign, at + 1)
    assert "protected by a password" in reason(bytes(data))


@pytest.mark.parametrize("spoiled", [b"\0", b"\xff" * 20])
def test_damaged_bytes_are_noticed(spoiled: bytes) -> None:
    data = docx(p("text" * 100))
    at = data.find(b"word/document.xml") + 60
    assert "damaged" in reason(data[:at] + spoiled + data[at + len(spoiled) :])


# --- bombs ------------------------------------------------------------------------------------------------------------


def bomb(megabytes: int) -> bytes:
    filler = " " * (1024 * 1024)
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as written,
        written.open("word/document.xml", "w", force_zip64=True) as part,
    ):
        part.write(document(p("text")).removesuffix("</w:document>").encode())
        for _ in range(megabytes):
            part.write(filler.encode())
        part.write(b"</w:document>")
    return stream.getvalue()


def lying(data: bytes, claimed: int) -> bytes:
    """The same archive, whose headers claim another unpacked size for every part."""
    changed = bytearray(data)
    at = changed.find(b"PK\x01\x02")
    while at >= 0:
        struct.pack_into("<L", changed, at + 24, claimed)
        at = changed.find(b"PK\x01\x02", at + 1)
    return bytes(changed)


def test_zip_bombs_are_refused_before_they_unpack() -> None:
    data = bomb(120)
    assert len(data) < 1024 * 1024
    tracemalloc.start()
    try:
        assert "unpacks to more than a document should" in reason(data)
        assert tracemalloc.get_traced_memory()[1] < 20 * 1024 * 1024
    finally:
        tracemalloc.stop()


def test_zip_bombs_with_lying_headers_unpack_no_further_than_they_claim() -> None:
    data = lying(bomb(60), 1000)
    tracemalloc.start()
    try:
        assert "damaged" in reason(data)
        assert tracemalloc.get_traced_memory()[1] < 20 * 1024 * 1024
    finally:
        tracemalloc.stop()


def test_archives_of_very_many_parts_are_refused() -> None:
    assert "more than any Word file" in reason(archive({f"{number}": "" for number in range(20_001)}))


def test_packings_that_word_does_not_use_are_refused() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_LZMA) as written:
        written.writestr("word/document.xml", document(p("text")))
    assert "is packed as no Word file is" in reason(stream.getvalue())


# --- hostile XML ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("part", ["word/document.xml", "docProps/core.xml"])
def test_document_types_are_refused(tmp_path: Path, part: str, encoding: str) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    kind = f'<!DOCTYPE w:document [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
    xml = document(p("<w:r><w:t>&x;</w:t></w:r>"), kind).replace("?>", f' encoding="{encoding}"?>', 1).encode(encoding)
    assert "document type" in reason(archive({"word/document.xml": document(p("text")), part: xml}))


def test_entities_that_multiply_are_refused() -> None:
    laughs = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    kind = f'<!DOCTYPE w:document [<!ENTITY a0 "ha">{laughs}]>'
    assert "document type" in reason(with_document(document(p("<w:r><w:t>&a11;</w:t></w:r>"), kind)))


def test_a_document_outside_the_file_is_not_fetched(tmp_path: Path) -> None:
    outside = tmp_path / "document.xml"
    outside.write_text(document(p("secret")))
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    relations = (
        f'<Relationships xmlns="{package}"><Relationship Id="a" Type="{kind}/officeDocument" '
        f'Target="{outside.as_uri()}" TargetMode="External"/></Relationships>'
    )
    assert "holds no document" in reason(archive({"_rels/.rels": relations}))
    climbing = relations.replace(outside.as_uri(), "../" * 20 + str(outside)).replace(' TargetMode="External"', "")
    assert "holds no document" in reason(archive({"_rels/.rels": climbing}))
    linked = docx(
        p("text", f'<w:hyperlink r:id="x"><w:r><w:t>{outside}</w:t></w:r></w:hyperlink>'), links={"x": "http://[bad"}
    )
    assert "secret" not in str(parsed(linked))


@pytest.mark.parametrize("depth", [300, 20_000])
@pytest.mark.parametrize("name", ["smartTag", "sdt"])
def test_absurd_nesting_is_refused(name: str, depth: int) -> None:
    body = f"<w:{name}>" * depth + p("text") + f"</w:{name}>" * depth
    assert "nested too deeply" in reason(with_document(document(body)))


def test_deep_nesting_is_read() -> None:
    nested = p("innermost")
    for _ in range(60):
        nested = table([nested + p()])
    assert "innermost" in str(parsed(with_document(document(nested))).sections)


def test_macros_are_only_ballast() -> None:
    data = archive(
        {
            "word/document.xml": document(p("Правила работы с дверью.")),
            "word/vbaProject.bin": b"\0Attribut\0e VB_Nam" * 100,
        }
    )
    assert "Правила" in str(parsed(data))


def test_strict_files_are_read_as_usual_ones() -> None:
    strict = document(p("Rent", style="H1") + p("Keys")).replace(
        "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "http://purl.oclc.org/ooxml/wordprocessingml/main",
    )
    assert "Keys" in str(parsed(with_document(strict)))


@pytest.mark.parametrize(
    "broken",
    [
        '<w:p><w:pPr><w:numPr><w:ilvl w:val="x"/><w:numId/></w:numPr><w:outlineLvl w:val="-3"/></w:pPr></w:p>',
        '<w:p><w:r><w:sym w:char="zz"/><w:sym/><w:fldChar/><w:footnoteReference w:id="9"/></w:r></w:p>',
        '<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="999999999"/><w:vMerge/></w:tcPr></w:tc></w:tr><w:tr/></w:tbl>',
        '<w:p><w:pPr><w:pStyle w:val="nowhere"/><w:outlineLvl w:val="99999999999999"/></w:pPr></w:p>',
        "<w:p><w:r><w:rPr><w:sz w:val='big'/><w:b w:val=''/></w:rPr><w:t/></w:r></w:p><x:y xmlns:x='z'/>",
    ],
)
def test_values_out_of_place_do_no_harm(broken: str) -> None:
    numbering = abstract(0, level(0, "decimal", "%1"), level(77, "decimal", "%9")) + instance(1, 5)
    assert "text" in str(parsed(docx(broken, p("text"), p("more", num=(1, 0)), numbering=numbering)))


def test_the_work_grows_with_the_length_and_no_faster() -> None:
    def calls(paragraphs: int) -> int:
        numbering = abstract(0, level(0, "decimal", "%1."), level(1, "decimal", "%1.%2.")) + instance(1, 0)
        texts = (f"Арендатор {number} вносит плату вовремя." for number in range(paragraphs))
        data = docx(*(p(text, num=(1, at % 9 and 1)) for at, text in enumerate(texts)), numbering=numbering)
        count = 0

        def note(_frame: object, event: str, _argument: object) -> None:
            nonlocal count
            count += event in ("call", "c_call")

        sys.setprofile(note)
        try:
            assert len(parsed(data).sections) == paragraphs + 1
        finally:
            sys.setprofile(None)
        return count

    assert calls(2000) < 4.2 * calls(500)
