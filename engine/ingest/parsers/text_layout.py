"""The lines of a plain text without what its pages repeat: running heads, page numbers, the contents page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from engine.ingest.numbering import split_heading

_PAGE_NUMBER = re.compile(r"\[Page (\d{1,5})\]\s*$|^\s*-\s*(\d{1,5})\s*-\s*$")
_DIGITS = re.compile(r"\d+")
_CONTENTS = re.compile(r"^(?:table of contents|contents|содержание|оглавление)$", re.IGNORECASE)
_LEADER = re.compile(r"(?:\s?\.){3,}\s*\w{0,6}$|\s{2,}\d{1,4}$")
_REPEATED = 3
_LONGEST_CONTENTS = 3000


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    """Without indent and trailing white space; "" for a blank line."""
    indent: int
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    lines: list[Line]
    indented: bool
    """Most of the text stands indented, as in RFCs."""


def layout_of(text: str) -> Layout:
    lines = _without_running_lines(text.expandtabs(8).split("\f"))
    full = [line for line in lines if line.text]
    at_margin = sum(line.indent == 0 for line in full)
    return Layout(lines, indented=len(full) >= 8 and at_margin < len(full) * 0.4)


def without_contents(lines: list[Line]) -> list[Line]:
    """The lines without the contents page: from its title to where its first entry comes again as a heading."""
    for start, line in enumerate(lines):
        if _CONTENTS.match(line.text):
            end = _end_of_contents(lines, start + 1)
            return lines[:start] + lines[end:]
    return lines


def _end_of_contents(lines: Sequence[Line], start: int) -> int:
    first = next((line for line in lines[start:] if line.text), None)
    if first is None:
        return start
    wanted = _entry(first.text)
    position = start + lines[start:].index(first) + 1
    for index in range(position, min(len(lines), start + _LONGEST_CONTENTS)):
        if lines[index].text and lines[index].indent == 0 and _entry(lines[index].text) == wanted:
            return index
    # It never comes again: the contents end with the last line that looks like an entry.
    end = start
    for index in range(start, min(len(lines), start + _LONGEST_CONTENTS)):
        text = lines[index].text
        if text and not _LEADER.search(text):
            break
        end = index + 1
    return end


def _entry(text: str) -> tuple[str, str]:
    """What an entry and its heading have in common: number and beginning of the title."""
    heading = split_heading(_LEADER.sub("", text))
    return heading.number, heading.title.casefold()[:12].strip()


def _without_running_lines(pages: Sequence[str]) -> list[Line]:
    numbered = any("[Page " in page for page in pages)
    repeated = _repeated_at_edges(pages, least=2 if numbered else _REPEATED)
    lines: list[Line] = []
    for number, page in enumerate(pages, start=1):
        marker = _PAGE_NUMBER.search(page.rstrip())
        printed = next((int(group) for group in marker.groups() if group), number) if marker else number
        of_page = [_line(raw, printed if len(pages) > 1 else None) for raw in page.split("\n")]
        kept = [
            line
            for line in of_page
            if not (numbered and _PAGE_NUMBER.search(line.text)) and _shape(line.text) not in repeated
        ]
        if number > 1:
            _join_pages(lines, kept)
        else:
            lines.extend(kept)
    return lines


def _repeated_at_edges(pages: Sequence[str], least: int) -> frozenset[str]:
    """Shapes of first and last lines that enough pages have in common."""
    shapes: Counter[str] = Counter()
    for page in pages:
        full = [line for line in page.split("\n") if line.strip()]
        shapes.update({_shape(line) for line in full[:2] + full[-2:]})
    least = max(least, len(pages) // 3)
    return frozenset(shape for shape, count in shapes.items() if count >= least and shape)


def _shape(text: str) -> str:
    return _DIGITS.sub("0", " ".join(text.split()))


def _line(raw: str, page: int | None) -> Line:
    text = raw.strip()
    return Line(text, len(raw) - len(raw.lstrip()) if text else 0, page)


def _join_pages(lines: list[Line], page: list[Line]) -> None:
    """A paragraph that goes on over the page break stays one; else a blank line parts the pages."""
    while lines and not lines[-1].text:
        lines.pop()
    start = next((index for index, line in enumerate(page) if line.text), len(page))
    page = page[start:]
    goes_on = (
        bool(lines and page)
        and page[0].text[:1].islower()
        and lines[-1].text[-1:] not in ".;:!?"
        and page[0].indent == lines[-1].indent
    )
    if lines and not goes_on:
        lines.append(Line("", 0))
    lines.extend(page)
