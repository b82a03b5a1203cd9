"""The lines of a PDF page in reading order, column by column, with raised numbers written on the line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.ingest.parsers.inline import superscript
from engine.ingest.parsers.pdf_columns import Region, regions
from engine.ingest.parsers.pdf_file import PdfPage
from engine.ingest.parsers.pdf_glyphs import Box, Font, Span
from engine.ingest.parsers.pdf_tables import ruled_tables

_GAP = 0.9
_SPACE = 0.22
_ENOUGH_LINES = 5
_RAISED_SIZE = 0.86
_RAISED_BY = 0.12
_SAME_LINE = 0.55
_NOTE_SIZE = 0.95
_DRAWN_RULE = re.compile(r"^[_=\-–—\s]{4,}$")
_CLOSING = re.compile(r"[.,;:!?)»”]")
_LEANING_DASH = re.compile(r"(?<=\s)—(?=[^\W\d_])")
"""A dash from another font, with a space before it alone."""
_UNIT = re.compile(r"(?:^|[\s\d(/])(?:м|см|мм|км|дм|m|cm|mm|km|ft|in|s)$")
_POWER = re.compile(r"(?:\b10|[×·*]\s?\d+)$")


@dataclass(slots=True)
class Segment:
    """Text on one line without a wide gap inside."""

    spans: list[Span]
    table: str = ""
    x0: float = 0.0
    x1: float = 0.0
    y: float = 0.0
    size: float = 0.0
    length: int = 0

    def measure(self) -> None:
        weights: Counter[tuple[float, float]] = Counter()
        for span in self.spans:
            weights[span.size, span.y] += len(span.text)
        if "".join(span.text for span in self.spans).isupper():
            self.size, self.y = max(weights)  # small capitals
        else:
            self.size, self.y = weights.most_common(1)[0][0]
        self.x0, self.x1 = min(span.x0 for span in self.spans), max(span.x1 for span in self.spans)
        self.length = sum(weights.values())


@dataclass(slots=True)
class Line:
    text: str
    x0: float
    x1: float
    y: float
    size: float
    font: Font
    page: int
    left: float
    """Of its column."""
    right: float
    bold_start: str = ""
    """What it begins with in bold, when not all of it is."""
    cells: list[tuple[float, float, str]] = field(default_factory=list[tuple[float, float, str]])
    """Its parts with wide gaps between them."""
    table: str = ""
    linked: bool = False
    """Most of it leads to another place in the document."""
    note: str = ""
    """The mark of the footnote that it begins."""
    drop_above: float = 0.0
    """Distance to the line above it in its column; 0 for the first."""


def lines_of(page: PdfPage) -> list[Line]:
    tables, spans = ruled_tables(page)
    segments = _segments(spans)
    for box, rows in tables:
        segments.append(Segment([], rows, box.x0, box.x1, box.y1, 10.0, len(rows)))
    usual = _usual_size(segments)
    notes = {mark for segment in segments if (mark := _note_mark(segment, usual))}
    lines: list[Line] = []
    for region in regions(segments):
        lines.extend(_lines_of_region(region, page, _Notes(notes, usual)))
    return lines


@dataclass(frozen=True, slots=True)
class _Notes:
    marks: set[str]
    """Of the footnotes on the page."""
    usual: float
    """Size of most letters on the page."""


def _usual_size(segments: Sequence[Segment]) -> float:
    sizes: Counter[float] = Counter()
    for segment in segments:
        sizes[segment.size] += segment.length
    return sizes.most_common(1)[0][0] if sizes else 10.0


def _segments(spans: Sequence[Span]) -> list[Segment]:
    """Spans follow each other in the order of the file, which keeps raised numbers at their words."""
    segments: list[Segment] = []
    for span in spans:
        if segments and _goes_on(segments[-1].spans[-1], span):
            segments[-1].spans.append(span)
        else:
            segments.append(Segment([span]))
    for segment in segments:
        segment.measure()
    return segments


def _goes_on(before: Span, span: Span) -> bool:
    size = max(before.size, span.size)
    gap = span.x0 - before.x1
    return abs(span.y - before.y) < _SAME_LINE * size and -0.5 * size < gap < _GAP * size


def _note_mark(segment: Segment, usual: float) -> str:
    """A footnote begins with a raised number, or in small print with a number set close to its text."""
    if len(segment.spans) < 2 or not segment.spans[0].text.isdigit():
        return ""
    first, second = segment.spans[:2]
    close = (
        segment.size < _NOTE_SIZE * usual
        and len(first.text) < 3
        and not second.spaced
        and second.text[:1].isalpha()
        and second.x0 - first.x1 < _SPACE * second.size
    )
    return first.text if close or _is_raised(first, segment) else ""


def _is_raised(span: Span, segment: Segment) -> bool:
    return span.size < _RAISED_SIZE * segment.size and span.y > segment.y + _RAISED_BY * segment.size


def _lines_of_region(region: Region[Segment], page: PdfPage, notes: _Notes) -> list[Line]:
    rows: list[list[Segment]] = []
    for segment in sorted(region.segments, key=lambda one: (-one.y, one.x0)):
        if rows and _same_row(rows[-1][0], segment):
            rows[-1].append(segment)
        else:
            rows.append([segment])
    lines: list[Line] = []
    for row in rows:
        line = _line(sorted(row, key=lambda one: one.x0), region, page, notes)
        if (line.text and not _DRAWN_RULE.match(line.text)) or line.table:
            line.drop_above = lines[-1].y - line.y if lines else 0.0
            lines.append(line)
    _set_right_edge(lines)
    return lines


def _set_right_edge(lines: Sequence[Line]) -> None:
    """Where lines of running text end; a few that jut out do not count."""
    ends = sorted(line.x1 for line in lines)
    if len(ends) >= _ENOUGH_LINES:
        edge = ends[int(len(ends) * 0.9)]
        for line in lines:
            line.right = max(line.x1, edge)


def _same_row(first: Segment, other: Segment) -> bool:
    return not (first.table or other.table) and first.y - other.y < 0.4 * min(first.size, other.size)


def _line(row: list[Segment], region: Region[Segment], page: PdfPage, notes: _Notes) -> Line:
    if row[0].table:
        only = row[0]
        font = Font("", bold=False, italic=False, mono=False)
        return Line(
            "", only.x0, only.x1, only.y, only.size, font, page.number, region.left, region.right, table=only.table
        )
    main = max(row, key=lambda one: one.length)
    spans = [span for segment in row for span in segment.spans]
    cells: list[tuple[float, float, str]] = []
    for segment in row:
        text = _text(segment, notes)
        if text:
            cells.append((segment.x0, segment.x1, text))
    text = " ".join(cell[2] for cell in cells)
    return Line(
        text=text,
        x0=row[0].x0,
        x1=row[-1].x1,
        y=main.y,
        size=main.size,
        font=_font(spans, main),
        page=page.number,
        left=region.left,
        right=region.right,
        bold_start=_bold_start(spans),
        cells=cells,
        linked=bool(page.links) and _is_linked(row, main, page.links),
        note=_note_mark(row[0], notes.usual),
    )


def _text(segment: Segment, notes: _Notes) -> str:
    text = ""
    mark = _note_mark(segment, notes.usual)
    for position, span in enumerate(segment.spans):
        if position == 0 and mark:
            continue
        if _is_raised(span, segment):
            text += "" if position == 0 else _raised(text, span.text, notes.marks)
            continue
        before = segment.spans[position - 1] if position else None
        spaced = before is not None and (span.spaced or span.x0 - before.x1 > _SPACE * span.size)
        if before is not None and _is_raised(before, segment) and _CLOSING.match(span.text):
            spaced = False
        text += f" {span.text}" if spaced and text else span.text
    return _LEANING_DASH.sub("— ", text.strip())


def _raised(before: str, raised: str, notes: set[str]) -> str:
    """Marks of footnotes are dropped; numbers of articles, powers and units stay."""
    raised = raised.strip()
    if not raised[:1].isdigit():
        return raised if raised[:1].isalpha() and len(raised) < 4 else ""
    written = superscript(before, raised)
    if raised in notes:
        return ""
    if written.startswith("."):
        return written
    if written.startswith("^"):
        return written if _POWER.search(before) else ""
    return written if _UNIT.search(before) else ""


def _font(spans: Sequence[Span], main: Segment) -> Font:
    letters: Counter[Font] = Counter()
    for span in spans:
        if not _is_raised(span, main):
            letters[span.font] += len(span.text)
    name = letters.most_common(1)[0][0].name if letters else ""
    total = sum(letters.values()) or 1

    def share(chosen: Sequence[Font]) -> float:
        return sum(letters[font] for font in chosen) / total

    return Font(
        name,
        bold=share([font for font in letters if font.bold]) > 0.9,
        italic=share([font for font in letters if font.italic]) > 0.9,
        mono=share([font for font in letters if font.mono]) > 0.9,
    )


def _bold_start(spans: Sequence[Span]) -> str:
    text = ""
    for position, span in enumerate(spans):
        if not span.font.bold:
            return text.strip()
        gap = position and span.x0 - spans[position - 1].x1 > _SPACE * span.size
        text += f" {span.text}" if span.spaced or gap else span.text
    return ""


def _is_linked(row: Sequence[Segment], main: Segment, links: Sequence[Box]) -> bool:
    x0, x1, y = row[0].x0, row[-1].x1, main.y + 0.3 * main.size
    covered = sum(max(0.0, min(x1, box.x1) - max(x0, box.x0)) for box in links if box.y0 <= y <= box.y1)
    return covered > 0.6 * (x1 - x0)
