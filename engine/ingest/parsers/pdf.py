"""PDF with text: sections by its outline, else by the look of its headings, else page by page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.errors import SourceError
from engine.ingest.items import Item
from engine.ingest.numbering import split_heading
from engine.ingest.outline import assemble
from engine.ingest.parsers.pdf_blocks import BlockReader
from engine.ingest.parsers.pdf_file import MOST_PAGES, PdfFile, opened
from engine.ingest.parsers.pdf_headings import body_of, styled_headings
from engine.ingest.parsers.pdf_legibility import PageKinds, mended
from engine.ingest.parsers.pdf_lines import Line, lines_of
from engine.ingest.parsers.pdf_number_words import with_chapter_numbers
from engine.ingest.parsers.pdf_outline import FoundHeading, letters, outline_headings, with_finer
from engine.ingest.parsers.pdf_running import PageLines, without_contents, without_running_lines
from engine.ingest.parsers.pdf_words import Vocabulary
from engine.types import ParsedDocument

_TITLE_SIZE = 1.15
_TITLE_LENGTH = 200
_TITLE_LINES = 4
_TITLE_WORDS = 3
_SEARCHED = 10


def parse_pdf(path: str, data: bytes, *, use_outline: bool = True) -> ParsedDocument:
    """Raises SourceError for what cannot be opened or holds no text; pages without text are named in the remarks.

    Without `use_outline` sections are found by the look of the headings alone.
    """
    with opened(path, data) as file:
        if len(file) > MOST_PAGES:
            raise SourceError(path, f"has {len(file)} pages, more than {MOST_PAGES}; split it")
        pages, kinds = _read_pages(file)
        bookmarks = file.bookmarks() if use_outline else []
        named = file.title
    reason = kinds.why_useless()
    if reason:
        raise SourceError(path, reason)
    lines = with_chapter_numbers(
        mended(without_contents([line for page in without_running_lines(pages) for line in page.lines]))
    )
    if not lines:
        raise SourceError(path, "holds no text besides its contents pages and running heads")
    body = body_of(lines)
    title = _title(named, lines, body.size, frozenset(letters(mark.title) for mark in bookmarks))
    headings = styled_headings(lines, body, title)
    marked = outline_headings(bookmarks, lines)
    if marked:
        headings = with_finer(marked, headings, pages=lines[-1].page)
    if not title and _names_document(headings, lines):
        title, headings = headings[0].text, headings[1:]
    items = _items(lines, headings, body.pitch)
    document = assemble(items, path=path, title=title)
    if len(document.sections) == 1 and lines[0].page != lines[-1].page:
        document = assemble(_page_by_page(items), path=path, title=title)
    return replace(document, remarks=(*document.remarks, *kinds.remarks()))


def _read_pages(file: PdfFile) -> tuple[list[PageLines], PageKinds]:
    pages: list[PageLines] = []
    kinds = PageKinds()
    for page in file.pages():
        if isinstance(page, int):
            kinds.damaged.append(page)
            continue
        lines = lines_of(page)
        kinds.note(page.number, [line.text + line.table for line in lines], pictured=page.pictured)
        if page.number not in kinds.unreadable:
            pages.append(PageLines(page.number, page.height, lines))
    return pages, kinds


def _title(named: str, lines: Sequence[Line], body_size: float, entries: frozenset[str]) -> str:
    """The file's own title when its first pages show it; else the biggest letters on the first page, if much bigger.

    `entries` of the outline are sections and no titles.
    """
    first = [line for line in lines if line.page == lines[0].page and not line.table]
    opening = letters(" ".join(line.text for line in lines[:80]))
    if len(letters(named)) > 3 and letters(named) in opening:
        return named
    biggest = max((line.size for line in first), default=0.0)
    if biggest >= _TITLE_SIZE * body_size:
        shown = [line for line in first if line.size > 0.95 * biggest]
        text = " ".join(line.text for line in shown)
        fits = len(shown) <= _TITLE_LINES and len(text) <= _TITLE_LENGTH and letters(text) not in entries
        fits = fits and not split_heading(text).number
        if fits and not _is_repeated(biggest, lines, len(shown)):
            return text
    return named if " " in named and not named.lower().endswith((".doc", ".docx", ".dvi", ".tex", ".pdf")) else ""


def _names_document(headings: Sequence[FoundHeading], lines: Sequence[Line]) -> bool:
    """Whether the first heading, on the first page and alone without a number, is rather the title of the whole."""
    if not headings or headings[0].page != lines[0].page or len(headings[0].text.split()) < _TITLE_WORDS:
        return False
    numbered = [bool(heading.number or split_heading(heading.text).number) for heading in headings[:_SEARCHED]]
    return not numbered[0] and len(numbered) > 1 and all(numbered[1:])


def _is_repeated(size: float, lines: Sequence[Line], count: int) -> bool:
    """Whether letters of that size come again: then it is a heading like others."""
    return sum(line.size > 0.95 * size for line in lines) > count


def _items(lines: Sequence[Line], headings: Sequence[FoundHeading], pitch: float) -> list[Item]:
    reader = BlockReader(Vocabulary(line.text for line in lines), pitch)
    position = 0
    for heading in headings:
        reader.lines(lines[position : heading.start])
        reader.heading(heading)
        position = heading.start + heading.count
    reader.lines(lines[position:])
    reader.close()
    return reader.items


def _page_by_page(items: Sequence[Item]) -> list[Item]:
    """A document without headings: each page is a section."""
    text = "".join(item.text for item in items[:50]).lower()
    word = "Страница" if sum("а" <= letter <= "я" for letter in text) > 0.3 * len(text) else "Page"
    parted: list[Item] = []
    page: int | None = None
    for item in items:
        if item.page != page:
            page = item.page
            parted.append(Item(kind="heading", text=f"{word} {page}", depth=1, page=page, number=""))
        parted.append(item)
    return parted
