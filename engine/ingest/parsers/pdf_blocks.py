"""Paragraphs, list items, code and tables out of the lines of a PDF."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.ingest.items import Item, table_rows
from engine.ingest.numbering import is_worded_heading
from engine.ingest.objects import read_caption
from engine.ingest.parsers.pdf_aligned import aligned_table
from engine.ingest.parsers.pdf_lines import Line
from engine.ingest.parsers.pdf_outline import FoundHeading
from engine.ingest.parsers.pdf_words import Vocabulary

_BULLETS = "•◦▪■□●○‣∙·–—\u2043\uf0b7\uf0a7\u2212*»►▶➢➤✓✔★☆❖→"
_BULLET = re.compile(rf"^[{re.escape(_BULLETS)}](?:\s+|(?=[^\W\d_]))|^[-o]\s+(?=\S)")
_PRINTED_BULLET = re.compile(r"^[•◦▪■□●○‣∙·–—\u2043\uf0b7\uf0a7]\s*\w")
"""What no program listing begins a line with."""
_MARK = re.compile(
    r"^(?:\(?\d{1,3}[.)]|\(?[a-zа-яё][.)]|\((?:[ivxl]{1,5}|[a-zа-яё])\)|[ivxl]{1,5}[.)])\s+\S", re.IGNORECASE
)
_CLAUSE = re.compile(r"^\d{1,3}(?:\.\d{1,3})+\.?\s+\S")
_BOLD_NUMBER = re.compile(r"^\d{1,3}(?:\.\d{1,3})*\.?\s+\S")
_ENDS = ".!?:;…"
_ABBREVIATED = re.compile(r"(?:^|[\s(])(?:см|п|пп|ст|ч|гл|разд|рис|табл|see|cf|sec|fig|art|no)\.$", re.IGNORECASE)
_INDENT = 0.8
_HANGING = 3.0
_DEEPEST = 3
_SLACK = 0.02
_PITCH = 1.35
_CHARACTER = 0.6
_LONGEST_TITLE = 120


class BlockReader:
    """Takes the lines between headings one by one; `items` is what they amount to."""

    def __init__(self, vocabulary: Vocabulary, pitch: float) -> None:
        self._words = vocabulary
        self._pitch = pitch
        """Usual distance of lines, in units of their letter size."""
        self._open: list[Line] = []
        self._notes: list[Item] = []
        self._note: list[Line] = []
        self._code: list[Line] = []
        self._indents: list[float] = []
        """Of the list items that are open, the outermost first."""
        self.items: list[Item] = []

    def heading(self, heading: FoundHeading) -> None:
        self.close()
        self._indents = []
        self.items.append(
            Item(kind="heading", text=heading.text, depth=heading.depth, page=heading.page, number=heading.number)
        )

    def lines(self, lines: Sequence[Line]) -> None:
        position = 0
        while position < len(lines):
            table, count = aligned_table(lines, position)
            if count:
                self._close_paragraph()
                self.items.append(Item(kind="table", text=table_rows(table), page=lines[position].page))
                position += count
                continue
            self._take(lines[position])
            position += 1

    def close(self) -> None:
        self._close_paragraph()
        self._close_note()
        self.items.extend(self._notes)
        self._notes = []

    def _take(self, line: Line) -> None:
        if line.table:
            self._close_paragraph()
            self.items.append(Item(kind="table", text=line.table, page=line.page))
        elif line.note or (self._note and self._is_in_note(line)):
            if line.note:
                self._close_note()
            self._note.append(line)
        elif line.font.mono and not _PRINTED_BULLET.match(line.text) and not self._is_mono_end(line):
            self._close_text()
            self._code.append(line)
        else:
            self._close_code()
            if self._open and self._begins(self._open[-1], line):
                self._close_text()
            self._open.append(line)

    def _is_in_note(self, line: Line) -> bool:
        last = self._note[-1]
        return line.page == last.page and line.left == last.left and line.size <= last.size * 1.03

    def _is_mono_end(self, line: Line) -> bool:
        """A word of code alone on the last line of a paragraph."""
        if not self._open or self._code:
            return False
        before = self._open[-1]
        return not self._begins(before, line) and _is_full(before, line)

    def _begins(self, before: Line, line: Line) -> bool:
        """Whether a line begins a paragraph of its own."""
        first = self._open[0]
        full = _is_full(before, line)
        if _is_marked(line) or read_caption(line.text) or is_worded_heading(line.text):
            cut = _ABBREVIATED.search(before.text) or (full and before.text[-1] not in _ENDS)
            return bool(_BULLET.match(line.text)) or not cut or line.x0 < before.x0 - line.size
        cut = full and before.text[-1] not in _ENDS
        if abs(line.size - before.size) > 0.06 * before.size or (line.font.bold != before.font.bold and not cut):
            return True
        if line.page != before.page or line.left != before.left or line.y > before.y:
            return not self._goes_on_elsewhere(before, line)
        if line.drop_above > _PITCH * self._pitch * line.size:
            return True
        if _is_marked(first):
            return line.x0 < first.x0 - 0.5 * line.size and not full  # if full, only its first line is indented
        indent = _INDENT * line.size
        if line.x0 > before.x0 + indent and len(self._open) > 1:
            return True
        return before.text[-1] in _ENDS and not full and (line.x0 >= before.x0 - indent or len(self._open) > 2)

    def _goes_on_elsewhere(self, before: Line, line: Line) -> bool:
        """A paragraph that the end of its column or page cuts in two."""
        if line.text[:1].islower() or before.text.endswith(("-", "\u00ad", ",")):
            return True
        shift = line.x0 - line.left - (before.x0 - before.left)
        hanging = _HANGING if len(self._open) == 1 and _is_marked(before) else _INDENT
        return before.text[-1] not in _ENDS and _is_full(before, line) and shift < hanging * line.size

    def _close_paragraph(self) -> None:
        self._close_text()
        self._close_code()

    def _close_text(self) -> None:
        lines, self._open = self._open, []
        if not lines:
            return
        text = self._joined(lines)
        bullet = _BULLET.match(text)
        page = lines[0].page
        if bullet and text[bullet.end() :]:
            text = f"{self._indent(lines[0])}- {text[bullet.end() :]}"
            self.items.append(Item(kind="list_item", text=text, page=page))
        elif _MARK.match(text) and not _CLAUSE.match(text) and not lines[0].bold_start:
            self.items.append(Item(kind="list_item", text=self._indent(lines[0]) + text, page=page))
        else:
            if self._indents and lines[0].x0 - lines[0].left < self._indents[0] + lines[0].size:
                self._indents = []
            self.items.append(Item(kind="paragraph", text=_with_bold_number(text, lines[0]), page=page))

    def _indent(self, line: Line) -> str:
        """White space for an item that stands deeper than the one before it."""
        place = line.x0 - line.left
        while self._indents and place < self._indents[-1] - 0.5 * line.size:
            self._indents.pop()
        if not self._indents or place > self._indents[-1] + 0.5 * line.size:
            self._indents.append(place)
        return "  " * min(_DEEPEST, len(self._indents) - 1)

    def _joined(self, lines: Sequence[Line]) -> str:
        text = lines[0].text
        for line in lines[1:]:
            text = self._words.join(text, line.text)
        return text.replace("\u00ad", "")

    def _close_code(self) -> None:
        lines, self._code = self._code, []
        if not lines:
            return
        margin = min(line.x0 for line in lines)
        text = ""
        for position, line in enumerate(lines):
            far = position and line.page == lines[position - 1].page and line.drop_above > 1.6 * self._pitch * line.size
            columns = round((line.x0 - margin) / (_CHARACTER * line.size))
            text += ("\n\n" if far else "\n" if position else "") + " " * columns + line.text
        self.items.append(Item(kind="code", text=text, page=lines[0].page))

    def _close_note(self) -> None:
        lines, self._note = self._note, []
        if lines:
            self._notes.append(Item(kind="paragraph", text=self._joined(lines), page=lines[0].page))


def _is_marked(line: Line) -> bool:
    return bool(_BULLET.match(line.text) or _MARK.match(line.text) or _CLAUSE.match(line.text))


def _is_full(line: Line, following: Line) -> bool:
    """Whether the first word of the following line would not have fitted any more."""
    word = following.text.partition(" ")[0]
    letter = (line.x1 - line.x0) / max(1, len(line.text))
    return line.x1 + (len(word) + 1) * letter > line.right - _SLACK * (line.right - line.left)


def _with_bold_number(text: str, line: Line) -> str:
    """ "2. Cloud Service" in bold at the start of a paragraph is its heading."""
    start = line.bold_start.rstrip(".:")
    if line.font.bold and line.text == text and len(text) < _LONGEST_TITLE:
        start = text.rstrip(".:")
    if not start or not _BOLD_NUMBER.match(text) or not text.startswith(start):
        return text
    return f"**{start}**{text[len(start) :]}"
