"""Walks an HTML tree once, without recursion, since pages nest thousands deep, and writes down what it passes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from selectolax.lexbor import LexborNode

from engine.ingest.items import Item, table_rows
from engine.ingest.parsers.inline import link, superscript
from engine.ingest.parsers.layout import is_mark, mark_of, unfold_layout

_HEADINGS = {f"h{depth}": depth for depth in range(1, 7)}
_BLOCKS = frozenset(
    "address article blockquote body caption center dd details dialog div dl dt fieldset figcaption figure h1 h2 h3 h4"
    " h5 h6 hgroup hr html legend li main menu ol p pre section summary table tbody td tfoot th thead tr ul".split()
)
_STRONG = frozenset({"b", "strong"})
_CODE = frozenset({"code", "kbd", "samp", "tt"})
_SPACE = re.compile(r"[ \t\n\r\f\v\u00a0]+")
_SPACE_RUN = re.compile(r" {2,}")
_EDGE = re.compile(r" ?\n ?")
_PILCROW = re.compile(r"\s*¶$")
_ROWS_TO_LOOK_AT = 40
_ADMONITIONS = frozenset("note warning tip caution important danger hint attention admonition callout sidebar".split())

Visit = Literal["enter", "leave"]


@dataclass(slots=True)
class _Span:
    """Inline markup that is open: where its text began, and what becomes of it when it closes."""

    tag: str
    start: int
    address: str = ""


@dataclass(slots=True)
class _Table:
    rows: list[list[str]] = field(default_factory=list[list[str]])
    spans: dict[int, tuple[int, str]] = field(default_factory=dict[int, tuple[int, str]])
    """Of a column: how many further rows a cell reaches down, and its text."""
    columns_to_span: int = 1
    rows_to_span: int = 1


class Walker:
    def __init__(self, raised: frozenset[str]) -> None:
        self._raised = raised
        self._items: list[Item] = []
        self._text: list[str] = []
        self._spans: list[_Span] = []
        self._lists: list[int | None] = []
        self._mark = ""
        self._term = ""
        self._anchor: str | None = None
        self._tables: list[_Table] = []
        self._code: list[str] | None = None
        self._used_anchors: set[str] = set()
        self._in_heading = False
        self._layout_tables = 0
        """How many tables are open that only place text."""

    def read(self, root: LexborNode) -> list[Item]:
        stack: list[tuple[Visit, LexborNode]] = [("enter", root)]
        while stack:
            visit, node = stack.pop()
            if visit == "leave":
                self._leave(node)
                continue
            if self._is_text(node):
                continue
            self._enter(node)
            stack.append(("leave", node))
            children = list(node.iter(include_text=True))
            stack.extend(("enter", child) for child in reversed(children))
        self._flush()
        return self._items

    def _is_text(self, node: LexborNode) -> bool:
        if node.tag == "-text":
            text = node.text_content or ""
            if self._code is not None:
                self._code.append(text)
            else:
                self._text.append(_SPACE.sub(" ", text))
            return True
        return node.tag is None or node.tag.startswith(("-", "!", "_"))

    def _enter(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if self._code is not None:
            if tag == "br":
                self._code.append("\n")
        elif tag == "br":
            self._text.append(" " if self._in_heading or self._tables else "\n")
        elif tag == "img":
            self._text.append(node.attributes.get("alt") or "")
        elif tag in _BLOCKS:
            self._enter_block(tag, node)
        elif tag in _STRONG or tag in _CODE or tag == "sup" or self._is_raised(node):
            kind = "sup" if tag == "sup" or self._is_raised(node) else tag
            self._spans.append(_Span(kind, len(self._text)))
        elif tag == "a":
            self._note_anchor(node)
            self._spans.append(_Span(tag, len(self._text), node.attributes.get("href") or ""))

    def _leave(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if self._code is not None:
            if tag == "pre":
                self._close_code()
        elif tag in _BLOCKS:
            self._leave_block(tag, node)
        elif (tag in _STRONG or tag in _CODE or tag in ("a", "sup") or self._is_raised(node)) and self._spans:
            self._close_span(self._spans.pop())

    def _is_raised(self, node: LexborNode) -> bool:
        return bool(self._raised) and not self._raised.isdisjoint((node.attributes.get("class") or "").split())

    def _close_span(self, span: _Span) -> None:
        if span.start > len(self._text):
            return
        inner = "".join(self._text[span.start :])
        bare = inner.strip()
        if not bare or (self._in_heading and span.tag != "sup"):
            return
        lead = inner[: len(inner) - len(inner.lstrip())]
        tail = inner[len(inner.rstrip()) :]
        if span.tag == "sup":
            text = superscript("".join(self._text[: span.start]), bare)
            lead = ""
        elif span.tag == "a":
            # A place in the same page is named in the text anyway.
            text = bare if span.address.startswith("#") or self._tables else link(bare, span.address)
        elif self._tables or "\n" in bare or "`" in bare or "**" in bare:
            text = bare
        else:
            sign = "**" if span.tag in _STRONG else "`"
            text = f"{sign}{bare}{sign}"
        self._text[span.start :] = [f"{lead}{text}{tail}"]

    def _enter_block(self, tag: str, node: LexborNode) -> None:
        if self._tables and tag not in ("table", "tr", "td", "th", "caption"):
            self._text.append(" ")  # inside a cell everything is one line
            if tag == "li":
                self._text.append("• ")
            return
        if not self._tables:
            self._flush()
        self._note_anchor(node)
        if tag in _HEADINGS:
            self._in_heading = True
        elif tag in ("ul", "menu"):
            self._lists.append(None)
        elif tag == "ol":
            self._lists.append(_number(node.attributes.get("start")))
        elif tag == "li":
            self._begin_item()
        elif tag == "pre":
            self._code = []
        else:
            self._enter_table(tag, node)

    def _leave_block(self, tag: str, node: LexborNode) -> None:
        if self._tables and tag not in ("table", "tr", "td", "th", "caption"):
            self._text.append(" ")
            return
        if tag in _HEADINGS:
            self._heading(_HEADINGS[tag], node)
        elif tag in ("ul", "ol", "menu"):
            self._flush()
            if self._lists:
                self._lists.pop()
        elif tag == "dt":
            text = self._take_text()
            self._term = f"{self._term}, {text}" if self._term and text else self._term or text
        elif tag in ("table", "tr", "td", "th", "caption"):
            self._leave_table(tag)
        else:
            self._flush()
            if tag in ("dd", "dl"):
                self._flush_term()
            elif tag == "li":
                self._mark = ""

    def _begin_item(self) -> None:
        if not self._lists:
            self._mark = "- "
            return
        number = self._lists[-1]
        self._mark = "- " if number is None else f"{number}. "
        if number is not None:
            self._lists[-1] = number + 1

    def _heading(self, depth: int, node: LexborNode) -> None:
        text = _PILCROW.sub("", " ".join(self._take_text().split()))
        self._in_heading = False
        if text and _is_admonition(node):
            self._add_text(f"**{text}**")
        elif text:
            self._items.append(Item(kind="heading", text=text, depth=depth, anchor=self._anchor_of(node)))
        self._anchor = None

    def _anchor_of(self, heading: LexborNode) -> str | None:
        """A heading's own id, or one inside it, one just before it, or that of the section it opens."""
        inside = heading.css_first("[id]")
        anchor = heading.attributes.get("id") or (inside.attributes.get("id") if inside else None) or self._anchor
        if anchor is None:
            anchor = next((name for name in _ids_above(heading) if name not in self._used_anchors), None)
        if anchor is not None:
            self._used_anchors.add(anchor)
        return anchor

    def _note_anchor(self, node: LexborNode) -> None:
        """An id with no text between it and a heading or paragraph is the anchor of that."""
        name = node.attributes.get("id") or (node.attributes.get("name") if node.tag == "a" else None)
        if name:
            self._anchor = name

    def _take_text(self) -> str:
        text = _EDGE.sub("\n", _SPACE_RUN.sub(" ", "".join(self._text))).strip()
        self._text.clear()
        self._spans.clear()
        return text

    def _flush(self) -> None:
        text = self._take_text()
        if not text:
            return
        if self._layout_tables and is_mark(text):
            self._mark = mark_of(text)  # a cell with nothing but a list mark: what follows is the item
            return
        if self._term:
            text = f"{_strong(self._term)} — {text}"
            self._term = ""
        self._add_text(text)

    def _flush_term(self) -> None:
        """A term without a description stands alone."""
        term, self._term = self._term, ""
        if term:
            self._add_text(_strong(term))

    def _add_text(self, text: str) -> None:
        anchor, self._anchor = self._anchor, None
        if not self._lists and not self._mark:
            self._items.append(Item(kind="paragraph", text=text, anchor=anchor))
            return
        indent = "  " * max(0, len(self._lists) - 1)
        mark, self._mark = self._mark or "  ", ""
        self._items.append(Item(kind="list_item", text=indent + mark + text.replace("\n", f"\n{indent}  ")))

    def _close_code(self) -> None:
        code = "".join(self._code or []).strip("\n").rstrip()
        self._code = None
        if not code.strip():
            return
        if self._tables:
            self._text.append(" ".join(code.split()))
        else:
            self._items.append(Item(kind="code", text=code))

    def _enter_table(self, tag: str, node: LexborNode) -> None:
        if tag == "table":
            if self._tables or not _is_layout(node):
                self._tables.append(_Table())
            else:
                self._layout_tables += 1
        elif tag == "tr" and self._tables:
            self._tables[-1].rows.append([])
        elif tag in ("td", "th") and self._tables and len(self._tables) == 1:
            self._text.clear()
            self._tables[-1].columns_to_span = _number(node.attributes.get("colspan"))
            self._tables[-1].rows_to_span = _number(node.attributes.get("rowspan"))

    def _leave_table(self, tag: str) -> None:
        if not self._tables:
            self._leave_layout(tag)
        elif tag == "table":
            table = self._tables.pop()
            if not self._tables:
                self._table(table)
        elif len(self._tables) > 1:
            self._text.append(" ")
        elif tag == "caption":
            caption = self._take_text()
            if caption:
                self._items.append(Item(kind="paragraph", text=caption))
        elif tag in ("td", "th"):
            _add_cell(self._tables[-1], " ".join(self._take_text().split()))
        elif tag == "tr":
            _end_row(self._tables[-1])

    def _leave_layout(self, tag: str) -> None:
        self._flush()
        if tag == "tr":
            self._mark = ""
        elif tag == "table":
            self._layout_tables -= 1

    def _table(self, table: _Table) -> None:
        unfolded = unfold_layout(table.rows)
        if unfolded is None:
            text = table_rows(table.rows)
            if text:
                self._items.append(Item(kind="table", text=text))
            return
        for mark, text in unfolded:
            self._items.append(
                Item(kind="list_item", text=f"{mark_of(mark)}{text}") if mark else Item(kind="paragraph", text=text)
            )


def _is_layout(table: LexborNode) -> bool:
    """Whether a table only places text: its rows begin with list marks, or it holds headings or other tables."""
    if table.attributes.get("role") in ("presentation", "none"):
        return True
    if table.css_first("h1, h2, h3, h4, h5, h6") is not None:
        return True
    if table.css_first("th, caption, thead") is not None:
        return False
    marked = rows = 0
    for row in table.css("tr")[:_ROWS_TO_LOOK_AT]:
        cells = [" ".join(cell.text(deep=True).split()) for cell in row.iter() if cell.tag in ("td", "th")]
        filled = [cell for cell in cells if cell]
        rows += bool(filled)
        marked += len(filled) == 1 or (len(filled) == 2 and is_mark(filled[0]))
    return rows > 0 and marked == rows


def _strong(term: str) -> str:
    return term if "**" in term or "`" in term else f"**{term}**"


def _is_admonition(heading: LexborNode) -> bool:
    """The heading of a note or a warning parts no section."""
    parent = heading.parent
    return parent is not None and not _ADMONITIONS.isdisjoint((parent.attributes.get("class") or "").lower().split())


def _ids_above(node: LexborNode) -> Iterator[str]:
    parent = node.parent
    for _ in range(4):
        if parent is None:
            return
        if name := parent.attributes.get("id"):
            yield name
        parent = parent.parent


def _add_cell(table: _Table, text: str) -> None:
    if not table.rows:
        table.rows.append([])
    _fill_from_above(table)
    row = table.rows[-1]
    for column in range(len(row), len(row) + table.columns_to_span):
        row.append(text)
        if table.rows_to_span > 1:
            table.spans[column] = (table.rows_to_span - 1, text)
        text = ""


def _fill_from_above(table: _Table) -> None:
    """Put cells that reach down from rows above where they belong, so that each row says all by itself."""
    row = table.rows[-1]
    while len(row) in table.spans:
        left, text = table.spans.pop(len(row))
        row.append(text)
        if left > 1:
            table.spans[len(row) - 1] = (left - 1, text)


def _end_row(table: _Table) -> None:
    if table.rows:
        _fill_from_above(table)


def _number(value: str | None) -> int:
    digits = (value or "").strip()
    return min(int(digits), 100) if digits.isdecimal() and len(digits) < 6 and int(digits) > 0 else 1
