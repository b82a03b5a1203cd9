"""Small Word files for tests, written as raw XML, as Word would have saved them; and what the parser makes of them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

from engine.ingest.parsers.docx import parse_docx
from engine.types import ParsedDocument

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMESPACES = " ".join(
    f'xmlns:{prefix}="{name}"'
    for prefix, name in {
        "w": _WORD,
        "r": _OFFICE,
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
        "v": "urn:schemas-microsoft-com:vml",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
        "w14": "http://schemas.microsoft.com/office/word/2010/wordml",
    }.items()
)
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_TYPES = {
    "document": "document.main",
    "styles": "styles",
    "numbering": "numbering",
    "footnotes": "footnotes",
    "endnotes": "endnotes",
}


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def bold(text: str) -> str:
    return run(text, "<w:b/>")


def p(*runs: str, style: str = "", num: tuple[int, int] | None = None, align: str = "", properties: str = "") -> str:
    """A paragraph; a run that is not XML is plain text. `num` is (instance, level)."""
    inside = "".join(one if one.startswith("<") else run(one) for one in runs)
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    listed = f'<w:numPr><w:ilvl w:val="{num[1]}"/><w:numId w:val="{num[0]}"/></w:numPr>' if num else ""
    aligned = f'<w:jc w:val="{align}"/>' if align else ""
    return f"<w:p><w:pPr>{named}{listed}{aligned}{properties}</w:pPr>{inside}</w:p>"


def level(index: int, style: str, text: str, *, start: int = 1, more: str = "") -> str:
    """`more` stands between format and text, as `<w:lvlRestart w:val="0"/>`."""
    return (
        f'<w:lvl w:ilvl="{index}"><w:start w:val="{start}"/><w:numFmt w:val="{style}"/>{more}'
        f'<w:lvlText w:val="{text}"/><w:lvlJc w:val="left"/></w:lvl>'
    )


def abstract(list_id: int, *levels: str, more: str = "") -> str:
    kind = '<w:multiLevelType w:val="multilevel"/>'
    return f'<w:abstractNum w:abstractNumId="{list_id}">{kind}{more}{"".join(levels)}</w:abstractNum>'


def instance(num_id: int, list_id: int, *, starts: Mapping[int, int] | None = None, overrides: str = "") -> str:
    changed = "".join(
        f'<w:lvlOverride w:ilvl="{index}"><w:startOverride w:val="{start}"/></w:lvlOverride>'
        for index, start in (starts or {}).items()
    )
    return f'<w:num w:numId="{num_id}"><w:abstractNumId w:val="{list_id}"/>{changed}{overrides}</w:num>'


def style(
    key: str,
    name: str,
    *,
    base: str = "",
    properties: str = "",
    runs: str = "",
    kind: str = "paragraph",
    more: str = "",
) -> str:
    based = f'<w:basedOn w:val="{base}"/>' if base else ""
    return (
        f'<w:style w:type="{kind}" w:styleId="{key}"{more}><w:name w:val="{name}"/>{based}'
        f"<w:pPr>{properties}</w:pPr><w:rPr>{runs}</w:rPr></w:style>"
    )


HEADINGS = "".join(
    style(f"H{depth}", f"heading {depth}", base="N", properties=f'<w:outlineLvl w:val="{depth - 1}"/>')
    for depth in range(1, 7)
)
NORMAL = style("N", "Normal", more=' w:default="1"')


def table(*rows: Sequence[str]) -> str:
    """Rows of cells; a cell is text or XML: paragraphs, `<w:tcPr>` before them."""
    written = (
        "<w:tr>" + "".join(f"<w:tc>{cell if cell.startswith('<') else p(cell)}</w:tc>" for cell in row) + "</w:tr>"
        for row in rows
    )
    return f"<w:tbl>{''.join(written)}</w:tbl>"


def field(code: str, result: str) -> str:
    """A complex field with what Word last showed of it."""
    return (
        f'<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> {escape(code)} </w:instrText></w:r>'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{result if result.startswith("<") else run(result)}'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def docx(
    *body: str,
    numbering: str = "",
    styles: str = "",
    title: str = "",
    footnotes: str = "",
    links: Mapping[str, str] | None = None,
    document: str | None = None,
) -> bytes:
    """A file of these paragraphs and tables. `document` replaces the whole part."""
    main = document or f"{_HEAD}<w:document {NAMESPACES}><w:body>{''.join(body)}</w:body></w:document>"
    parts = {
        "document": main,
        "styles": f"{_HEAD}<w:styles {NAMESPACES}>{NORMAL}{HEADINGS}{styles}</w:styles>",
        "numbering": f"{_HEAD}<w:numbering {NAMESPACES}>{numbering}</w:numbering>",
        "footnotes": f"{_HEAD}<w:footnotes {NAMESPACES}>{footnotes}</w:footnotes>",
    }
    relations = "".join(
        f'<Relationship Id="p{name}" Type="{_OFFICE}/{name}" Target="{name}.xml"/>'
        for name in parts
        if name != "document"
    )
    relations += "".join(
        f'<Relationship Id="{key}" Type="{_OFFICE}/hyperlink" Target="{escape(address)}" TargetMode="External"/>'
        for key, address in (links or {}).items()
    )
    return archive(
        {
            "[Content_Types].xml": _content_types(parts),
            "_rels/.rels": _relations(
                f'<Relationship Id="main" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/>'
            ),
            "word/_rels/document.xml.rels": _relations(relations),
            "docProps/core.xml": f'{_HEAD}<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
            f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{escape(title)}</dc:title></cp:coreProperties>',
            **{f"word/{name}.xml": text for name, text in parts.items()},
        }
    )


def archive(parts: Mapping[str, str | bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as written:
        for name, text in parts.items():
            written.writestr(name, text)
    return stream.getvalue()


def _relations(inside: str) -> str:
    return f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{inside}</Relationships>'


def _content_types(parts: Mapping[str, str]) -> str:
    word = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    overrides = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{word}.{_TYPES[name]}+xml"/>' for name in parts
    )
    return (
        f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>'
    )


def parsed(data: bytes) -> ParsedDocument:
    return parse_docx("folder/some-file.docx", data)


def outline(document: ParsedDocument) -> list[tuple[int, str, str]]:
    return [(one.level, one.number, one.title) for one in document.sections[1:]]


def blocks(document: ParsedDocument, section: int = 0) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in document.sections[section].blocks]


def text_of(*body: str, numbering: str = "", styles: str = "") -> str:
    return "\n".join(text for _, text in blocks(parsed(docx(*body, numbering=numbering, styles=styles))))
