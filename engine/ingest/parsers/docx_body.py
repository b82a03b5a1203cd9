"""Walks the body of a Word document in its order: paragraphs with what they look like, tables, text boxes, notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from engine.ingest.parsers.docx_numbering import Label, Numbering, read_numbering
from engine.ingest.parsers.docx_package import WordFile
from engine.ingest.parsers.docx_styles import Role, Styles, read_styles
from engine.ingest.parsers.docx_text import InlineReader, Line, Piece, fields_balance, is_contents_block
from engine.ingest.parsers.docx_xml import MC, Element, W, alternative, child, number, value

_TRANSPARENT = frozenset(W + name for name in ("ins", "moveTo", "smartTag", "customXml", "sdtContent"))
_WIDEST_CELL = 100


@dataclass(frozen=True, slots=True)
class Paragraph:
    line: Line
    label: Label | None
    level: int | None
    """Of a heading that the file marks as one: 1 is the topmost."""
    role: Role
    align: str


@dataclass(frozen=True, slots=True)
class Cell:
    blocks: list[Block]
    columns: int = 1
    continues: bool = False
    """The lower part of a cell that reaches down over rows."""


@dataclass(frozen=True, slots=True)
class Table:
    rows: list[list[Cell]]


Block = Paragraph | Table


def read_body(word: WordFile) -> list[Block]:
    styles = read_styles(word.styles)
    reader = _BodyReader(word, styles, read_numbering(word.numbering, styles.list_links()))
    body = child(word.document, "body")
    return reader.read(body if body is not None else word.document)


@dataclass(slots=True)
class _BodyReader:
    word: WordFile
    styles: Styles
    numbering: Numbering
    _inline: InlineReader = field(init=False)
    _notes: Mapping[tuple[str, str], Element] = field(init=False)
    _joined: list[Piece] = field(default_factory=list[Piece])
    """Text of paragraphs whose end was deleted: it begins the next one."""

    def __post_init__(self) -> None:
        balance = fields_balance(self.word.document)
        self._inline = InlineReader(self.styles, self.word.links, fields_balance=balance)
        self._notes = {
            (part, note.get(W + "id") or ""): note for part, root in self.word.notes.items() for note in root
        }

    def read(self, parent: Iterable[Element]) -> list[Block]:
        blocks: list[Block] = []
        for node in _flat(parent):
            if node.tag == W + "p":
                blocks.extend(self._paragraph(node))
            elif node.tag == W + "tbl":
                blocks.append(self._table(node))
        return blocks

    def _paragraph(self, node: Element) -> Iterator[Block]:
        properties = child(node, "pPr")
        line = self._inline.read(node)
        line.pieces[:0] = self._joined
        self._joined = []
        mark = child(properties, "rPr")
        if mark is not None and (child(mark, "del") is not None or child(mark, "moveFrom") is not None):
            self._joined = line.pieces
            return
        role = self.styles.role(properties)
        hidden = not line.pieces and len(node) > 1 and self.styles.run_look(properties, mark).hidden
        label = None if hidden else self.styles.label(properties, self.numbering)
        says_something = label is not None or any(piece.text.strip() for piece in line.pieces)
        if says_something and not line.in_contents and role != "contents":
            yield Paragraph(line, label, self.styles.heading_level(properties), role, self.styles.align(properties))
        for box in line.boxes:
            yield from self.read(box)
        for note in line.notes:
            yield from self._note(note)

    def _note(self, key: tuple[str, str]) -> Iterator[Block]:
        """A footnote's text in brackets, after the paragraph that names it."""
        element = self._notes.get(key)
        if element is None:
            return
        blocks = [block for block in self.read(element) if isinstance(block, Paragraph) and block.line.pieces]
        if blocks:
            first = blocks[0].line.pieces
            first[:1] = [Piece("["), replace(first[0], text=first[0].text.lstrip())]
            blocks[-1].line.pieces.append(Piece("]"))
        for block in blocks:
            yield Paragraph(block.line, block.label, None, "", "left")

    def _table(self, node: Element) -> Table:
        rows: list[list[Cell]] = []
        for row in _flat(node):
            properties = child(row, "trPr")
            if row.tag != W + "tr" or (properties is not None and child(properties, "del") is not None):
                continue
            before = min(number(value(properties, "gridBefore")) or 0, _WIDEST_CELL)
            cells = [self._cell(cell) for cell in _flat(row) if cell.tag == W + "tc"]
            rows.append([Cell([], max(before, 0)), *cells] if before > 0 else cells)
        return Table(rows)

    def _cell(self, node: Element) -> Cell:
        properties = child(node, "tcPr")
        if child(properties, "cellDel") is not None:
            return Cell([])
        merge = child(properties, "vMerge")
        columns = number(value(properties, "gridSpan")) or 1
        return Cell(
            self.read(node),
            min(max(columns, 1), _WIDEST_CELL),
            continues=merge is not None and merge.get(W + "val") != "restart",
        )


def _flat(parent: Iterable[Element]) -> Iterator[Element]:
    """Children, with those of content controls and tracked insertions in their place."""
    for node in parent:
        if node.tag in _TRANSPARENT:
            yield from _flat(node)
        elif node.tag == W + "sdt":
            if not is_contents_block(node):
                yield from _flat(node)
        elif node.tag == MC + "AlternateContent":
            yield from _flat(alternative(node))
        else:
            yield node
