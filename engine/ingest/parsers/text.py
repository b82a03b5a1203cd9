"""Plain text: numbered and underlined headings, the layout of RFCs, pages with running heads, a contents page."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.ingest.items import Item
from engine.ingest.numbering import is_worded_heading, rank, split_heading
from engine.ingest.outline import assemble
from engine.ingest.parsers.decoding import decode
from engine.ingest.parsers.markdown import parse_markdown_text
from engine.ingest.parsers.text_clauses import split_at_clauses
from engine.ingest.parsers.text_layout import Line, layout_of, without_contents
from engine.ingest.promotion import BELOW_MARKED
from engine.types import ParsedDocument

_MARKDOWN = re.compile(r"^(?:#{1,6} \S|\|? ?:?-{3,}:? ?\|)", re.MULTILINE)
_UNDERLINE = re.compile(r"^([=\-~^#*+])\1{2,}$")
_RULE = re.compile(r"^[-=_*~#\s]{3,}$")
_ITEM = re.compile(r"^(?:[-*•+o]|\(?\d{1,3}[.)]|\(?[a-zа-я][.)])\s+\S", re.IGNORECASE)
_BULLET = re.compile(r"^[*•+o]\s+")
_COLUMNS = re.compile(r"\S {3,}\S")
_DRAWN = re.compile(r"[|+]{1}[-=]{2,}|[─│┌└├]|^\s*[|+].*[|+]\s*$|::=|^\S+\s+=\s|;\s|[{}<>]{2}")
_HYPHENATED = re.compile(r"[^\W\d_]-$")
_HEADING_LENGTH = 160
_MARKED_HEADING_LENGTH = 400
"""Of headings that their number at the margin or their underline marks."""
_MARKED_HEADING_LINES = 5
_ENOUGH_UNDERLINED = 3
_ENOUGH_NUMBERED = 5
_TITLE_INDENT = 6
_TITLE_SEARCH = 60


def parse_text(path: str, data: bytes) -> ParsedDocument:
    text = decode(path, data)
    if len(_MARKDOWN.findall(text[:200_000])) >= 2:
        return parse_markdown_text(path, text)
    layout = layout_of(text)
    groups = _groups(without_contents(layout.lines))
    if not layout.indented:
        groups = split_at_clauses(groups)
    title = _title(groups)
    underlined = [group[0].text for group in groups if _is_underlined(group)]
    numbered = sum(bool(split_heading(text).number) for text in underlined)
    reader = _Reader(
        indented=layout.indented,
        all_underlined=numbered >= _ENOUGH_UNDERLINED,
        underlines=numbered >= _ENOUGH_UNDERLINED or not _is_numbered_at_margin(groups, layout.indented),
    )
    for index, group in enumerate(groups):
        reader.take(group, groups[index + 1] if index + 1 < len(groups) else None)
    return assemble(reader.items, path=path, page_title=title)


def _groups(lines: Sequence[Line]) -> list[list[Line]]:
    groups: list[list[Line]] = []
    previous_blank = True
    for line in lines:
        if not line.text:
            previous_blank = True
            continue
        if previous_blank:
            groups.append([])
        groups[-1].append(line)
        previous_blank = False
    return groups


def _title(groups: Sequence[Sequence[Line]]) -> str:
    """A centred line near the start, or the first line when it stands alone."""
    seen = 0
    for group in groups:
        seen += len(group) + 1
        if seen > _TITLE_SEARCH:
            break
        if len(group) <= 3 and all(line.indent >= _TITLE_INDENT and not _COLUMNS.search(line.text) for line in group):
            text = " ".join(line.text for line in group)
            if not set(text) <= set("-=*~ "):
                return text
    first = groups[0] if groups else []
    if first and split_heading(first[0].text).number:
        return ""
    if len(first) == 1 and len(first[0].text) <= 100 and first[0].text[-1] not in ".;:,":
        return first[0].text
    if len(first) == 2 and _UNDERLINE.match(first[1].text):
        return first[0].text
    return ""


def _is_underlined(group: Sequence[Line]) -> bool:
    return (
        len(group) >= 2 and _UNDERLINE.match(group[1].text) is not None and len(group[0].text) <= _MARKED_HEADING_LENGTH
    )


def _is_numbered_at_margin(groups: Sequence[Sequence[Line]], indented: bool) -> bool:
    """Headings are known by their numbers alone, so that an underline belongs to a sample."""
    found = sum(
        not group[0].indent and not _is_underlined(group) and "." in split_heading(group[0].text).number
        for group in groups
    )
    return indented and found >= _ENOUGH_NUMBERED


class _Reader:
    def __init__(self, *, indented: bool, all_underlined: bool, underlines: bool) -> None:
        self._indented = indented
        """The text stands indented, so that what stands at the margin is a heading."""
        self._all_underlined = all_underlined
        """Numbered headings have underlines, so that other numbered lines are list items."""
        self._takes_underlines = underlines
        self._underlines: list[str] = []
        self.items: list[Item] = []

    def take(self, group: list[Line], following: list[Line] | None) -> None:
        if _is_underlined(group):
            if self._takes_underlines:
                self._underlined(group)
            else:
                self._body(group)
        elif self._is_heading(group, following):
            text = " ".join(line.text for line in group)
            depth = BELOW_MARKED + rank(split_heading(text))
            self.items.append(Item(kind="heading", text=text, depth=depth, page=group[0].page))
        elif self._opens_with_heading(group):
            self.take(group[:1], group[1:])
            self.take(group[1:], following)
        else:
            self._body(group)

    def _underlined(self, group: list[Line]) -> None:
        sign = group[1].text[0]
        if sign not in self._underlines:
            self._underlines.append(sign)
        text, depth = group[0].text, self._underlines.index(sign) + 1
        self.items.append(Item(kind="heading", text=text, depth=depth, page=group[0].page))
        if group[2:]:
            self.take(group[2:], None)

    def _is_heading(self, group: list[Line], following: list[Line] | None) -> bool:
        text = " ".join(line.text for line in group)
        if group[0].indent or _COLUMNS.search(group[0].text):
            return False
        heading = split_heading(text)
        marked = self._indented and "." in heading.number
        if len(text) > (_MARKED_HEADING_LENGTH if marked else _HEADING_LENGTH):
            return False
        if len(group) > (_MARKED_HEADING_LINES if marked else 3):
            return False
        if self._indented:
            if any(line.indent for line in group[1:]) and not heading.number:
                return False
            return bool(heading.number) or self._is_unnumbered_heading(text, following)
        if len(group) > 1 or text[-1] in ".;:,":
            return False
        if is_worded_heading(text):
            return True
        if self._all_underlined:
            return False
        if not heading.number or not heading.title[:1].isupper():
            return _is_shouted(text)
        # "1. Do this", one after the other, is a list; a heading has text of its own below it.
        return "." in heading.number or (following is not None and not _ITEM.match(following[0].text))

    def _is_unnumbered_heading(self, text: str, following: list[Line] | None) -> bool:
        """ "Abstract", "Authors' Addresses": short, at the margin, with indented text below."""
        return (
            len(text) <= 70
            and text[0].isupper()
            and text[-1] not in ".;:,"
            and following is not None
            and following[0].indent > 0
        )

    def _opens_with_heading(self, group: list[Line]) -> bool:
        """A numbered line at the margin whose text follows without a blank line, indented."""
        first = group[0]
        return (
            self._indented
            and len(group) > 1
            and not first.indent
            and all(line.indent for line in group[1:])
            and bool(split_heading(first.text).number)
            and first.text[-1] not in ".;:,"
        )

    def _body(self, group: list[Line]) -> None:
        page = group[0].page
        if all(_RULE.match(line.text) for line in group):
            return
        if _is_drawn(group):
            margin = min(line.indent for line in group)
            code = "\n".join(" " * (line.indent - margin) + line.text for line in group)
            self.items.append(Item(kind="code", text=code, page=page))
        elif _ITEM.match(group[0].text):
            for item in _list_items(group):
                self.items.append(Item(kind="list_item", text=item, page=page))
        else:
            self.items.append(Item(kind="paragraph", text=_joined(group), page=page))


def _is_shouted(text: str) -> bool:
    letters = [letter for letter in text if letter.isalpha()]
    return len(letters) >= 5 and len(text) <= 100 and all(letter.isupper() for letter in letters) and " " in text


def _is_drawn(group: list[Line]) -> bool:
    """Whether line ends matter: columns, drawings, grammars; not so in paragraphs that are only set ragged."""
    if len(group) == 1 and not _COLUMNS.search(group[0].text):
        return False
    aligned = sum(bool(_COLUMNS.search(line.text) or _DRAWN.search(line.text)) for line in group)
    return aligned >= max(1, len(group) * 0.5)


def _list_items(group: list[Line]) -> list[str]:
    margin = group[0].indent
    items: list[list[Line]] = []
    for line in group:
        if not items or _ITEM.match(line.text):
            items.append([line])
        else:
            items[-1].append(line)
    return ["  " * min(3, max(0, (item[0].indent - margin) // 2)) + _BULLET.sub("- ", _joined(item)) for item in items]


def _joined(group: Sequence[Line]) -> str:
    text = group[0].text
    for line in group[1:]:
        text += line.text if _HYPHENATED.search(text) and line.text[:1].islower() else f" {line.text}"
    return text
