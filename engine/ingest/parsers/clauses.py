"""Contracts whose clauses are nested ordered lists: item 3 under item 6 is clause 6.3. Used for Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from markdown_it.token import Token

from engine.ingest.items import Item, plain
from engine.ingest.parsers.inline import markdown_inline
from engine.ingest.promotion import split_run_in

_SHARE_OF_TEXT = 0.7
_ENOUGH = 4
_CLAUSE_LEVELS = 2
_MARKED_TITLE = re.compile(r"^\*\*([^*]{2,90}?)[.:]?\*\*[.:]?\s*")
_HEADER_SPAN = re.compile(r"<span\b[^>]*class\s*=\s*[\"'][^\"']*\bheader", re.IGNORECASE)
_SPAN_ID = re.compile(r"<span\b[^>]*\bid\s*=\s*[\"']([^\"']+)[\"']", re.IGNORECASE)
_QUOTES = "\"“«„'"
_DEPTH = 20


@dataclass(slots=True)
class _Clause:
    number: str
    anchor: str | None = None
    title: str = ""
    blocks: list[Item] = field(default_factory=list[Item])
    begun: bool = False


def is_contract(tokens: Sequence[Token]) -> bool:
    """Most of the text stands in ordered lists at the top level, whose items have titles or items of their own."""
    inside = total = titled = items = headings = 0
    depth = 0
    for index, token in enumerate(tokens):
        if token.type == "ordered_list_open":
            depth += 1
        elif token.type == "ordered_list_close":
            depth -= 1
        elif token.type == "heading_open":
            headings += 1
        elif token.type == "list_item_open" and depth == 1 and token.level == 1:
            items += 1
            titled += _has_title_or_items(tokens, index)
        elif token.type == "inline":
            total += len(token.content)
            inside += len(token.content) if depth else 0
    return items >= _ENOUGH and headings <= items and titled >= items * 0.7 and inside >= total * _SHARE_OF_TEXT


def _has_title_or_items(tokens: Sequence[Token], index: int) -> bool:
    """Whether a top-level item begins with a marked title or holds an ordered list."""
    first = next((token for token in tokens[index : index + 4] if token.type == "inline"), None)
    if first is not None and (first.content.startswith("**") or _HEADER_SPAN.match(first.content)):
        return True
    level = tokens[index].level
    for token in tokens[index + 1 :]:
        if token.type == "list_item_close" and token.level == level:
            return False
        if token.type == "ordered_list_open":
            return True
    return False


def clause_items(tokens: Sequence[Token]) -> list[Item]:
    return _ClauseReader().read(tokens)


class _ClauseReader:
    def __init__(self) -> None:
        self._items: list[Item] = []
        self._counters: list[int] = []
        """Numbers of the items being read in the ordered lists that are open; -1 for a bullet list."""
        self._clause: _Clause | None = None
        self._mark = ""
        self._in_heading: Token | None = None

    def read(self, tokens: Sequence[Token]) -> list[Item]:
        for token in tokens:
            self._take(token)
        self._close()
        return self._items

    def _take(self, token: Token) -> None:
        match token.type:
            case "ordered_list_open":
                self._counters.append(int(token.attrGet("start") or 1) - 1)
            case "bullet_list_open":
                self._counters.append(-1)
            case "ordered_list_close" | "bullet_list_close":
                self._counters.pop()
                if not self._counters:
                    self._close()
            case "list_item_open":
                self._begin_item()
            case "heading_open":
                self._close()
                self._in_heading = token
            case "heading_close":
                self._in_heading = None
            case "inline":
                self._inline(token)
            case "fence" | "code_block":
                self._add(Item(kind="code", text=token.content.rstrip("\n")))

    def _begin_item(self) -> None:
        if self._counters[-1] < 0:
            self._mark = "- "
            return
        self._counters[-1] += 1
        if len(self._counters) <= _CLAUSE_LEVELS and min(self._counters) >= 0:
            self._close()
            self._clause = _Clause(".".join(map(str, self._counters)))
        else:
            self._mark = f"{self._counters[-1]}. "

    def _inline(self, token: Token) -> None:
        text = markdown_inline(token.children or [])
        if self._in_heading is not None:
            self._items.append(Item(kind="heading", text=text, depth=int(self._in_heading.tag[1])))
        elif self._clause is not None and not self._clause.begun:
            self._begin_clause(self._clause, token.content, text)
        elif text:
            self._add_text(text)

    def _begin_clause(self, clause: _Clause, source: str, text: str) -> None:
        clause.begun = True
        anchor = _SPAN_ID.search(source)
        clause.anchor = anchor.group(1) if anchor else None
        marked = _MARKED_TITLE.match(text)
        if marked and not marked.group(1).startswith(tuple(_QUOTES)):
            clause.title, rest = plain(marked.group(1)), text[marked.end() :]
        elif text.startswith((*_QUOTES, "**")):
            rest = text
        elif _HEADER_SPAN.match(source):
            clause.title, rest = self._header_title(source, text)
        elif len(text) <= 90 and "." not in text and text.count(" ") < 10:
            clause.title, rest = text.rstrip("."), ""
        else:
            clause.title, rest = split_run_in(text)
        if rest.strip():
            self._add_text(rest.strip())

    def _header_title(self, source: str, text: str) -> tuple[str, str]:
        """The text of `<span class="header">` is the title."""
        end = source.find("</span>")
        title = source[source.index(">") + 1 : end].strip() if end > 0 else ""
        if not title or "<" in title or not text.startswith(title):
            return split_run_in(text)
        return title.rstrip(".:"), text[len(title) :]

    def _add_text(self, text: str) -> None:
        nested = max(0, len(self._counters) - _CLAUSE_LEVELS - 1)
        kind_is_item = bool(self._mark)
        line = "  " * nested + self._mark + text
        self._mark = ""
        self._add(Item(kind="list_item" if kind_is_item else "paragraph", text=line if kind_is_item else text))

    def _add(self, item: Item) -> None:
        if self._clause is not None:
            self._clause.blocks.append(item)
        else:
            self._items.append(item)

    def _close(self) -> None:
        clause, self._clause = self._clause, None
        if clause is None:
            return
        depth = _DEPTH + clause.number.count(".")
        title = clause.title or clause.number
        self._items.append(Item(kind="heading", text=title, depth=depth, anchor=clause.anchor, number=clause.number))
        self._items.extend(clause.blocks)
