"""A PDF's own outline, laid over its lines: where each entry stands on its page, and the number before it there."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.ingest.numbering import is_inside, split_heading
from engine.ingest.parsers.pdf_file import Bookmark
from engine.ingest.parsers.pdf_lines import Line

_WORDS = r"глава|раздел|часть|приложение|статья|chapter|part|appendix|annex|section|article|schedule"
_LABEL = re.compile(
    rf"^(?P<label>(?:(?:{_WORDS})\s+)?(?:\d{{1,3}}(?:\.\d{{1,3}})*|[A-ZА-Я](?:\.\d{{1,3}})*|[IVXLC]{{1,7}}))"
    r"[.:)]?(?:\s+|$)(?P<rest>.*)$",
    re.IGNORECASE,
)
_NOT_LETTERS = re.compile(r"[\W_\u02b0-\u02ff]+")
_MOST_LINES = 7
_ENOUGH = 3
_SPARSE = 2
"""Pages for each entry: an outline with fewer entries names the chapters alone."""
_SHORTENED = 0.8
_LEAST_SHOWN = 12


@dataclass(frozen=True, slots=True)
class FoundHeading:
    start: int
    """Index of its first line in the document."""
    count: int
    """Of its lines; 0 when it stands nowhere as text."""
    text: str
    depth: int
    page: int | None
    number: str | None = None


def outline_headings(bookmarks: Sequence[Bookmark], lines: Sequence[Line]) -> list[FoundHeading]:
    """Headings in the order of the document; [] when the outline says too little to be trusted."""
    pages = [line.page for line in lines]
    starts = [_starts(line.text) for line in lines]
    found: list[FoundHeading] = []
    matched = 0
    after = 0
    for mark in bookmarks:
        if mark.page is None:
            continue
        heading = _on_page(mark, lines, pages, starts, after)
        matched += heading.count > 0
        found.append(heading)
        after = heading.start + heading.count
    if len(found) < _ENOUGH or matched < len(found) * 0.4:
        return []
    return found


def _on_page(
    mark: Bookmark, lines: Sequence[Line], pages: Sequence[int], starts: Sequence[tuple[str, ...]], after: int
) -> FoundHeading:
    page = mark.page or 1
    wanted = letters(mark.title)
    best: tuple[float, FoundHeading] | None = None
    for number in (page, page + 1, page - 1):
        first, last = bisect_left(pages, number), bisect_left(pages, number + 1)
        for index in range(max(first, after), last):
            if not wanted.startswith(starts[index]):
                continue
            heading, quality = _at(mark, lines, index, last)
            if heading is None:
                continue
            distance = abs(lines[index].y - mark.top) / 1000 if mark.top and number == page else 0.0
            if best is None or quality + distance < best[0]:
                best = (quality + distance, heading)
        if best is not None:
            return best[1]
    start = bisect_left(pages, page)
    while mark.top and start < len(lines) and lines[start].page == page and lines[start].y > mark.top:
        start += 1
    return FoundHeading(max(start, after), 0, mark.title, mark.depth, page)


def _at(mark: Bookmark, lines: Sequence[Line], index: int, end: int) -> tuple[FoundHeading | None, float]:
    """The entry as a heading when it begins at this line, and how badly it fits: 0 is exact."""
    wanted = letters(mark.title)
    if not wanted:
        return None, 0.0
    joined = ""
    for count in range(1, min(_MOST_LINES, end - index) + 1):
        joined = f"{joined} {lines[index + count - 1].text}".strip()
        for label, rest in _readings(joined):
            if letters(rest) == wanted:
                return _heading(mark, label, rest, lines[index], index, count), 0.0 if label else 0.001
        if len(letters(joined)) > len(wanted) + 12:
            break
    label, rest = _readings(lines[index].text)[-1]
    shown = letters(rest)
    shorter, longer = sorted((shown, wanted), key=len)
    if len(shown) >= _LEAST_SHOWN and longer.startswith(shorter) and len(shorter) >= _SHORTENED * len(longer):
        return _heading(mark, label, mark.title, lines[index], index, 1), 1.0
    return None, 0.0


def _starts(text: str) -> tuple[str, ...]:
    """How a title may begin that stands on this line."""
    return tuple(letters(rest)[:8] for _, rest in _readings(text))


def _readings(text: str) -> list[tuple[str, str]]:
    """A line as it is, and as a number with a title."""
    match = _LABEL.match(text)
    return [("", text)] if match is None else [("", text), (match.group("label"), match.group("rest"))]


def _heading(mark: Bookmark, label: str, shown: str, line: Line, index: int, count: int) -> FoundHeading:
    title = mark.title if mark.title != mark.title.lower() else shown
    number: str | None = None
    if label and not split_heading(title).number:
        if " " in label:
            title = f"{label}. {title}"
        else:
            number = label
    return FoundHeading(index, count, title, mark.depth, line.page, number)


def letters(text: str) -> str:
    """Letters and digits alone, for comparing a title in the outline with what the page shows."""
    return _NOT_LETTERS.sub("", unicodedata.normalize("NFKC", text).casefold())


def with_finer(marked: Sequence[FoundHeading], styled: Sequence[FoundHeading], *, pages: int) -> list[FoundHeading]:
    """An outline of the chapters alone, with the headings under them that show by their look.

    Numbered ones belong under the entry whose number theirs begins with; unnumbered ones count when there are several.
    """
    if pages < _SPARSE * len(marked):
        return list(marked)
    unnumbered = [one for one in styled if not _number(one)]
    found = list(marked)
    position = 0
    taken = {index for one in marked for index in range(one.start, one.start + max(1, one.count))}
    for one in styled:
        while position < len(marked) and marked[position].start <= one.start:
            position += 1
        above = marked[position - 1] if position else None
        number = _number(one)
        belongs = is_inside(number, _number(above)) if number and above else not number and len(unnumbered) >= _ENOUGH
        if belongs and taken.isdisjoint(range(one.start, one.start + one.count)):
            found.append(replace(one, depth=above.depth + 1 if above else 1))
    return sorted(found, key=lambda one: one.start)


def _number(heading: FoundHeading) -> str:
    return heading.number or split_heading(heading.text).number
