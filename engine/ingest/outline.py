"""From the flat items that a parser finds to the section tree of a document.

A parser says what stands where: headings with the depth their format gives them, paragraphs, list items, tables, code.
Here headings without a format of their own are recognised (see `promotion`), numbers are taken off, parents are found.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from engine.ingest.items import Item, plain
from engine.ingest.numbering import Heading, HeadingKind, is_inside, split_heading
from engine.ingest.objects import find_objects
from engine.ingest.promotion import BELOW_MARKED, promote_headings
from engine.types import Block, ParsedDocument, Section

_TITLE_WORDS = re.compile(
    r"кодекс|конституци|закон|договор|правила|положени|регламент|инструкци|устав|порядок"
    r"|\b(?:directive|regulation|agreement|policy|terms|act|rules)\b",
    re.IGNORECASE,
)
_BOLD_LINE = re.compile(r"^\*\*[^*\n]{2,120}\*\*$")
_TITLE_LENGTH = 120
_HEADING_LENGTH = 600
_SEARCHED_FOR_TITLE = 12


@dataclass(slots=True)
class _Open:
    """A section being filled; `depth` is the format's, `level` counts from the top of the tree."""

    heading: Heading
    full: str
    depth: int
    level: int
    parent: int | None
    page: int | None
    anchor: str | None
    blocks: list[Block] = field(default_factory=list[Block])


def assemble(items: Sequence[Item], *, path: str, title: str = "", page_title: str = "") -> ParsedDocument:
    """`title` is what the file says of itself and wins; `page_title` (HTML's) is often a site's name."""
    items = promote_headings([item for item in items if item.text.strip()])
    items, heading_title, anchor = _take_title(items)
    name = title or heading_title or _guess_title(items, page_title) or _stem(path)
    if len(items) > 1 and items[0].kind == "paragraph" and plain(items[0].text) == plain(name):
        items = items[1:]
    sections = _tree(items, anchor)
    kept = _kinds_kept(sections)
    done = tuple(
        Section(
            number=one.heading.number,
            title=_shorten(one.full if one.heading.kind in kept else one.heading.title, _HEADING_LENGTH),
            level=one.level,
            parent=one.parent,
            page=one.page,
            anchor=one.anchor,
            blocks=tuple(one.blocks),
        )
        for one in sections
    )
    appendices = [
        (index, one.heading.number, one.heading.title)
        for index, one in enumerate(sections)
        if one.heading.kind == "appendix"
    ]
    name = _shorten(plain(name), _TITLE_LENGTH)
    return ParsedDocument(title=name, sections=done, objects=find_objects(name, done, appendices))


def _take_title(items: list[Item]) -> tuple[list[Item], str, str | None]:
    """The only topmost heading, when it comes first and has no number, is the document's title, not a section."""
    headings = [item for item in items if item.kind == "heading"]
    if not headings:
        return items, "", None
    first = headings[0]
    alone = first.depth == 1 and not any(item.depth == 1 for item in headings[1:])
    if not alone or first.number or split_heading(plain(first.text)).number:
        return items, "", None
    rest = [item for item in items if item is not first]
    return rest, plain(first.text) if _is_informative(first.text) else "", first.anchor


def _guess_title(items: Sequence[Item], page_title: str) -> str:
    if _is_informative(page_title) and " " in page_title.strip():
        return page_title
    opening: list[Item] = []
    for item in items[:_SEARCHED_FOR_TITLE]:
        if item.kind == "heading":
            break
        opening.append(item)
    if opening and _BOLD_LINE.match(opening[0].text.strip()):
        return opening[0].text
    named = next((text for text in map(_as_title, opening) if text and _TITLE_WORDS.search(text)), "")
    return named or (page_title if _is_informative(page_title) else "")


def _as_title(item: Item) -> str:
    text = plain(item.text)
    fits = item.kind == "paragraph" and 0 < len(text) <= 300 and text[0] != "(" and text[-1] not in ".;:,"
    return text if fits else ""


def _is_informative(title: str) -> bool:
    """ "32002L0058" and "EUR-Lex - 32002L0058 - EN" say nothing to a person, "Glossary" does."""
    text = plain(title)
    words = [word for word in text.split() if sum(letter.isalpha() for letter in word) > 2]
    without_digits = [word for word in words if not any(letter.isdigit() for letter in word)]
    return len(without_digits) > 1 if any(letter.isdigit() for letter in text) else bool(text)


def _tree(items: Sequence[Item], anchor: str | None) -> list[_Open]:
    """Sections in reading order; the one before the first heading comes first, even when it is empty."""
    sections = [_Open(Heading("", ""), "", 0, 0, None, items[0].page if items else None, anchor)]
    stack: list[int] = []
    for item in items:
        if item.kind != "heading":
            sections[-1].blocks.append(Block(kind=item.kind, text=item.text, page=item.page))
            continue
        text = plain(item.text)
        heading = split_heading(text)
        if item.number is not None:
            heading = Heading(item.number, "" if text == item.number else text)
        while stack and not _belongs_under(heading, item.depth, sections[stack[-1]]):
            stack.pop()
        parent = stack[-1] if stack else None
        level = 1 if parent is None else sections[parent].level + 1
        stack.append(len(sections))
        sections.append(_Open(heading, text, item.depth, level, parent, item.page, item.anchor))
    return sections


def _belongs_under(heading: Heading, depth: int, above: _Open) -> bool:
    """Deeper headings belong under; so does 7.2 under 7, when a format gives both the same depth."""
    if above.depth == depth:
        return is_inside(heading.number, above.heading.number)
    if above.heading.kind == "appendix" and depth > BELOW_MARKED and not heading.number:
        return False  # "Authors' Addresses" after the appendices
    return above.depth < depth


def _kinds_kept(sections: Sequence[_Open]) -> frozenset[HeadingKind]:
    """The kinds whose titles keep their word and number, as "Глава 2. Жильё": those that share numbers with others.

    A law has both an article 2 and a chapter 2. Their most frequent kind goes by its number alone.
    """
    counts: Counter[HeadingKind] = Counter()
    owners: dict[str, set[HeadingKind]] = {}
    for one in sections:
        if one.heading.number:
            counts[one.heading.kind] += 1
            owners.setdefault(one.heading.number, set()).add(one.heading.kind)
    main = counts.most_common(1)[0][0] if counts else ""
    clashing = {kind for kinds in owners.values() if len(kinds) > 1 for kind in kinds}
    return frozenset(clashing - {main, ""})


def _stem(path: str) -> str:
    return PurePosixPath(path).stem.replace("_", " ").replace("-", " ").strip() or path


def _shorten(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    return text[:length].rsplit(" ", 1)[0].rstrip(" ,;:—–-") + "…"
