"""Opens a PDF and reads its pages one by one. All calls of PDFium are here and in `pdf_glyphs`; pages close at once."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from engine.errors import SourceError
from engine.ingest.parsers.pdf_glyphs import Box, Span, read_spans
from engine.ingest.parsers.pdf_rules import read_drawings

MOST_PAGES = 10_000
_MOST_BOOKMARKS = 20_000
_BOOKMARK_DEPTH = 12
_MOST_LINKS = 2_000
_PASSWORD = 4
_SECURITY = 5


@dataclass(frozen=True, slots=True)
class PdfPage:
    """Coordinates are in points, from the lower left corner of the page as it is read."""

    number: int
    width: float
    height: float
    spans: list[Span]
    rules: list[Box]
    """Straight lines drawn on the page: a box without height or width."""
    links: list[Box]
    """Places that lead to another place in the same document."""
    pictured: bool
    """It shows a picture."""


@dataclass(frozen=True, slots=True)
class Bookmark:
    depth: int
    """1 is the topmost."""
    title: str
    page: int | None
    top: float | None
    """How high on the page it points."""


class PdfFile:
    """One open document. Raises SourceError for what cannot be opened; `close` it, or use `opened`."""

    def __init__(self, path: str, data: bytes) -> None:
        import pypdfium2  # type: ignore[import-untyped]

        if not data.strip(b" \t\r\n\x00\xef\xbb\xbf\xfe\xff"):
            raise SourceError(path, "empty file")
        if b"%PDF-" not in data[:1024]:
            raise SourceError(path, "is not a PDF: it does not begin like one")
        self._error: type[Exception] = pypdfium2.PdfiumError
        try:
            self._document: Any = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            raise SourceError(path, _why_not_opened(error.err_code)) from error
        self.path = path

    def __len__(self) -> int:
        return len(self._document)

    def close(self) -> None:
        self._document.close()

    @property
    def title(self) -> str:
        return " ".join(str(self._document.get_metadata_value("Title")).split())

    def pages(self) -> Iterator[PdfPage | int]:
        """Every page in turn; only its number when it is damaged."""
        for index in range(len(self)):
            try:
                page = self._document[index]
            except self._error:
                yield index + 1
                continue
            try:
                yield self._read(page, index + 1)
            except self._error:
                yield index + 1
            finally:
                page.close()

    def bookmarks(self) -> list[Bookmark]:
        """The document's outline in reading order; [] when it has none."""
        found: list[Bookmark] = []
        for mark in self._document.get_toc(max_depth=_BOOKMARK_DEPTH):
            title = " ".join(mark.get_title().replace("\x00", "").split())
            place = mark.get_dest()
            page = place.get_index() if place else None
            if title:
                found.append(Bookmark(mark.level + 1, title, None if page is None else page + 1, _top(place)))
            if len(found) >= _MOST_BOOKMARKS:
                break
        return found

    def _read(self, page: Any, number: int) -> PdfPage:
        left, bottom, right, top = page.get_bbox()
        text = page.get_textpage()
        try:
            spans, turn = read_spans(text)
        finally:
            text.close()
        frame = Box(left, bottom, right, top)
        turned = frame.turned(turn)
        width, height = turned.x1 - turned.x0, turned.y1 - turned.y0
        for span in spans:
            span.move(-turned.x0, -turned.y0)
        drawn, pictured = read_drawings(page)

        def placed(boxes: list[Box]) -> list[Box]:
            moved = (box.turned(turn).moved(-turned.x0, -turned.y0) for box in boxes)
            return [box for box in moved if _is_near_page(box, width, height)]

        shown = [span for span in spans if span.x1 >= 0 and -width <= span.x0 <= width and 0 <= span.y <= height]
        return PdfPage(number, width, height, shown, placed(drawn), placed(self._links(page)), pictured)

    def _links(self, page: Any) -> list[Box]:
        import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

        found: list[Box] = []
        position, link, place = ctypes.c_int(0), pdfium.FPDF_LINK(), pdfium.FS_RECTF()
        while len(found) < _MOST_LINKS and pdfium.FPDFLink_Enumerate(page, position, link):
            if pdfium.FPDFLink_GetDest(self._document, link) and pdfium.FPDFLink_GetAnnotRect(link, place):
                found.append(Box(place.left, place.bottom, place.right, place.top))
        return found


@contextmanager
def opened(path: str, data: bytes) -> Iterator[PdfFile]:
    file = PdfFile(path, data)
    try:
        yield file
    finally:
        file.close()


def _why_not_opened(code: int | None) -> str:
    if code == _PASSWORD:
        return "is protected by a password; save it without one"
    if code == _SECURITY:
        return "is encrypted in a way that cannot be read; save it without protection"
    return "is damaged or cut short; save it anew"


def _is_near_page(box: Box, width: float, height: float) -> bool:
    """Not so for places far away, and for numbers that are none."""
    return -width <= box.x0 <= box.x1 <= 2 * width and -height <= box.y0 <= box.y1 <= 2 * height


def _top(place: Any) -> float | None:
    if place is None:
        return None
    _, values = place.get_view()
    return float(values[1]) if len(values) >= 2 and values[1] else None
