"""What a PDF's pages repeat and its readers do not need: running heads and feet, page numbers, contents pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.ingest.parsers.pdf_lines import Line
from engine.ingest.parsers.pdf_number_words import is_chapter_word

_ZONE = 0.15
_EDGE_LINES = 5
_REPEATED = 3
_BIGGER = 1.1
_APART = 1.6
"""In units of the letter size."""
_INTEGER = re.compile(r"\b\d{1,5}\b")
_NUMBER_ONLY = re.compile(
    r"^\W*(?:page|p\.|страница|стр\.|с\.|лист)?\s*#(?:\s*(?:of|из|/|\|)\s*\d+)?[^\w#]*$", re.IGNORECASE
)
_ROMAN_ONLY = re.compile(r"^[\W_]*[ivxlc]{1,7}[\W_]*$", re.IGNORECASE)
_LEADER = re.compile(r"(?:(?:\.\s?){4,}|…{2,}|_{4,})\s*[\divxlc]{0,6}$", re.IGNORECASE)
_PAGE_END = re.compile(r"\s[\divxlc]{1,4}$")
_CONTENTS = re.compile(
    r"^(?:table of contents|contents|содержание|оглавление"
    r"|(?:list of |список )(?:tables|figures|illustrations|таблиц|рисунков|иллюстраций))[.:]?$",
    re.IGNORECASE,
)
_LEADERS_ON_PAGE = 3
_SKIPPED_IN_CONTENTS = 2
_SEARCHED = 8
_ENTRY_SIZE = 1.3
"""Letters this much bigger than the first entry's are a heading of the text."""


@dataclass(frozen=True, slots=True)
class PageLines:
    number: int
    height: float
    lines: list[Line]


def without_running_lines(pages: Sequence[PageLines]) -> list[PageLines]:
    """The pages without heads and feet, recognised by what they repeat and by the page numbers in them."""
    edges = {page.number: list(_edge_lines(page)) for page in pages}
    offsets = _number_offsets(pages, edges)
    shapes: Counter[tuple[str, int]] = Counter()
    numbered_places: Counter[int] = Counter()
    for page in pages:
        for line in edges[page.number]:
            shape = _shape(line, page.number, offsets)
            shapes[shape, _place(line)] += 1
            numbered_places[_place(line)] += "#" in shape
    least = min(_REPEATED, max(2, len(pages)))
    apart = _places_apart(pages)
    usual = _usual_size(pages)

    def runs(line: Line, number: int) -> bool:
        shape, place = _shape(line, number, offsets), _place(line)
        near = range(place - 1, place + 2)
        repeated = sum(shapes[shape, one] for one in near) >= least
        if is_chapter_word(line.text):
            return False
        if _NUMBER_ONLY.match(shape):
            return True
        if line.size > _BIGGER * usual:
            return repeated and "#" not in shape  # a heading, at the top of its page
        counted = "#" in shape and sum(numbered_places[one] for one in near) >= least
        return repeated or counted or place in apart or _ROMAN_ONLY.match(line.text) is not None

    kept: list[PageLines] = []
    for page in pages:
        dropped = {id(line) for line in edges[page.number] if runs(line, page.number)}
        lines = [line for line in page.lines if id(line) not in dropped]
        kept.append(PageLines(page.number, page.height, lines))
    return kept


def _usual_size(pages: Sequence[PageLines]) -> float:
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 10.0


def _edge_lines(page: PageLines) -> Iterator[Line]:
    ordered = sorted((line for line in page.lines if not line.table), key=lambda line: -line.y)
    for line in ordered[:_EDGE_LINES]:
        if line.y > page.height * (1 - _ZONE):
            yield line
    for line in ordered[-_EDGE_LINES:]:
        if line.y < page.height * _ZONE:
            yield line


def _places_apart(pages: Sequence[PageLines]) -> frozenset[int]:
    """Heights at which many pages begin with a line that stands well above the rest: heads that name the section."""
    seen: Counter[int] = Counter()
    apart: Counter[int] = Counter()
    for page in pages:
        ordered = sorted((line for line in page.lines if not line.table), key=lambda line: -line.y)
        first = next((line for line in ordered if line.y > page.height * (1 - _ZONE)), None)
        below = next((line for line in ordered if first and line.y < first.y - 0.5 * first.size), None)
        if first is None or below is None:
            continue
        seen[_place(first)] += 1
        apart[_place(first)] += first.y - below.y > _APART * max(first.size, below.size)
    least = max(_REPEATED + 1, len(pages) * 0.3)
    return frozenset(place for place, count in apart.items() if count >= least and count >= 0.8 * seen[place])


def _number_offsets(pages: Sequence[PageLines], edges: dict[int, list[Line]]) -> frozenset[int]:
    """By how much the printed page numbers differ from the pages' places in the file."""
    counts: Counter[int] = Counter()
    for page in pages:
        counts.update(
            {int(found) - page.number for line in edges[page.number] for found in _INTEGER.findall(line.text)}
        )
    least = max(2, min(len(pages), _REPEATED), len(pages) // 5)
    return frozenset(offset for offset, count in counts.items() if count >= least)


def _shape(line: Line, number: int, offsets: frozenset[int]) -> str:
    """The text with the page's number as "#"."""
    return _INTEGER.sub(lambda found: "#" if int(found[0]) - number in offsets else found[0], line.text)


def _place(line: Line) -> int:
    return round(line.y / 4)


def without_contents(lines: Sequence[Line]) -> list[Line]:
    """The lines of a document without its contents pages and lists of tables and figures."""
    leaders = Counter(line.page for line in lines if _LEADER.search(line.text))
    dropped = {
        index
        for index, line in enumerate(lines)
        if _LEADER.search(line.text) and leaders[line.page] >= _LEADERS_ON_PAGE
    }
    for index, line in enumerate(lines):
        if index not in dropped and _CONTENTS.match(line.text) and _opens_contents(lines, index):
            dropped.update(range(index, _end_of_contents(lines, index + 1)))
    _drop_between(lines, dropped, leaders)
    return [line for index, line in enumerate(lines) if index not in dropped]


def _opens_contents(lines: Sequence[Line], index: int) -> bool:
    return sum(_is_entry(line) for line in lines[index + 1 : index + 1 + _SEARCHED]) >= 2


def _is_entry(line: Line) -> bool:
    return bool(_LEADER.search(line.text)) or line.linked or bool(_PAGE_END.search(line.text))


def _end_of_contents(lines: Sequence[Line], start: int) -> int:
    """After the last entry; between entries there may be a line or two of a long title."""
    end = start
    size = next((line.size for line in lines[start:] if _is_entry(line)), 0.0)
    for index in range(start, len(lines)):
        if index - end > _SKIPPED_IN_CONTENTS or lines[index].size > _ENTRY_SIZE * size:
            break
        if _is_entry(lines[index]):
            end = index + 1
    return end


def _drop_between(lines: Sequence[Line], dropped: set[int], leaders: Counter[int]) -> None:
    """First lines of titles that are too long for one line, between entries."""
    for index in range(1, len(lines) - 1):
        if index in dropped or leaders[lines[index].page] < _LEADERS_ON_PAGE:
            continue
        if index - 1 in dropped and any(later in dropped for later in (index + 1, index + 2)):
            dropped.add(index)
