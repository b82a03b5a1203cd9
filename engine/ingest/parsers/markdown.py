"""Markdown: headings, lists, tables, code and raw HTML headings; contracts written as nested lists become clauses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from engine.ingest.items import Item, plain, table_rows
from engine.ingest.outline import assemble
from engine.ingest.parsers.clauses import clause_items, is_contract
from engine.ingest.parsers.decoding import decode
from engine.ingest.parsers.html import html_items
from engine.ingest.parsers.inline import markdown_inline
from engine.ingest.parsers.layout import mark_of, unfold_layout
from engine.types import ParsedDocument

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_HEADING_ID = re.compile(r"\s*\{\s*#([^\s{}]+)[^{}]*\}\s*$")
_HTML_HEADING = re.compile(r"<h([1-6])\b([^>]*)>(.*?)</h\1\s*>", re.IGNORECASE | re.DOTALL)
_HTML_ID = re.compile(r"\bid\s*=\s*[\"']([^\"']+)[\"']", re.IGNORECASE)
_HTML_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_NOT_IN_SLUGS = re.compile(r"[^\w\- ]")
_RULE_CELL = re.compile(r"^:?-{2,}:?$")
_CONTENTS = re.compile(r"^(?:table of contents|contents|содержание|оглавление)$", re.IGNORECASE)
_PARSER = MarkdownIt("commonmark", {"html": True, "maxNesting": 60}).enable(["table", "strikethrough"])


def parse_markdown(path: str, data: bytes) -> ParsedDocument:
    return parse_markdown_text(path, decode(path, data))


def parse_markdown_text(path: str, text: str) -> ParsedDocument:
    front_title, text = _strip_front_matter(text.replace("\f", "\n"))
    tokens = _PARSER.parse(text)
    items = clause_items(tokens) if is_contract(tokens) else _Reader(tokens).read()
    return assemble(_with_anchors(_without_contents(items)), path=path, title=front_title)


def _strip_front_matter(text: str) -> tuple[str, str]:
    match = _FRONT_MATTER.match(text)
    if match is None:
        return "", text
    try:
        fields = yaml.safe_load(match.group(1))
    except yaml.YAMLError:
        fields = None
    if fields is not None and not isinstance(fields, dict):
        return "", text
    title = fields.get("title") if fields else None
    return str(title).strip() if title else "", text[match.end() :]


def _without_contents(items: list[Item]) -> list[Item]:
    """A table of contents says nothing that the headings do not."""
    kept: list[Item] = []
    inside = False
    for item in items:
        if item.kind == "heading":
            inside = _CONTENTS.match(item.text) is not None
        if not inside:
            kept.append(item)
    return kept


def _with_anchors(items: list[Item]) -> list[Item]:
    """Headings without an id of their own go by what every Markdown viewer makes of their text."""
    seen: Counter[str] = Counter()
    for item in items:
        if item.kind == "heading" and item.anchor is None and item.number is None:
            slug = _NOT_IN_SLUGS.sub("", plain(item.text).lower()).replace(" ", "-")
            item.anchor = f"{slug}-{seen[slug]}" if seen[slug] else slug
            seen[slug] += 1
    return items


class _Reader:
    """Walks the flat run of block tokens once."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._items: list[Item] = []
        self._lists: list[int | None] = []
        """Of each open list the number of its next item; None for bullets."""
        self._mark = ""
        """Of the list item just begun; its first block takes it."""
        self._rows: list[list[str]] | None = None

    def read(self) -> list[Item]:
        position = 0
        while position < len(self._tokens):
            position = self._take(position)
        return self._items

    def _take(self, position: int) -> int:
        token = self._tokens[position]
        if token.type == "heading_open":
            self._heading(token, self._tokens[position + 1])
            return position + 3
        if token.type == "table_open":
            self._rows = []
        elif token.type == "table_close":
            self._table()
        elif token.type == "tr_open" and self._rows is not None:
            self._rows.append([])
        elif token.type == "inline":
            self._inline(token)
        elif token.type in ("fence", "code_block"):
            self._items.append(Item(kind="code", text=token.content.rstrip("\n")))
        elif token.type == "html_block":
            self._html(token.content)
        else:
            self._list(token)
        return position + 1

    def _list(self, token: Token) -> None:
        if token.type == "bullet_list_open":
            self._lists.append(None)
        elif token.type == "ordered_list_open":
            self._lists.append(int(token.attrGet("start") or 1))
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            self._lists.pop()
        elif token.type == "list_item_open":
            number = self._lists[-1]
            self._mark = "- " if number is None else f"{number}. "
            if number is not None:
                self._lists[-1] = number + 1
        elif token.type == "list_item_close":
            self._mark = ""

    def _heading(self, token: Token, inline: Token) -> None:
        if token.level > 0:  # a heading inside a quote or a list does not part the document
            self._add_text(f"**{markdown_inline(inline.children or [])}**")
            return
        text, anchor = split_heading_id(markdown_inline(inline.children or []))
        self._items.append(Item(kind="heading", text=text, depth=int(token.tag[1]), anchor=anchor))

    def _inline(self, token: Token) -> None:
        text = markdown_inline(token.children or [])
        if self._rows is not None:
            self._rows[-1].append(text)
        else:
            self._add_text(text)

    def _add_text(self, text: str) -> None:
        if not text.strip():
            return
        if not self._lists:
            self._items.append(Item(kind="paragraph", text=text))
            return
        indent = "  " * (len(self._lists) - 1)
        mark = self._mark or "  "
        self._mark = ""
        self._items.append(Item(kind="list_item", text=indent + mark + text.replace("\n", f"\n{indent}  ")))

    def _table(self) -> None:
        rows, self._rows = self._rows or [], None
        # Converters that print each row as a table of its own leave a rule under each.
        rows = [row for row in rows if not all(_RULE_CELL.match(cell.strip()) for cell in row)]
        unfolded = unfold_layout(rows)
        if unfolded is None:
            self._items.append(Item(kind="table", text=table_rows(rows)))
            return
        for mark, text in unfolded:
            kind_item = Item(kind="list_item", text=f"{mark_of(mark)}{text}") if mark else Item("paragraph", text)
            self._items.append(kind_item)

    def _html(self, content: str) -> None:
        """Raw HTML: its headings are headings; what else it holds is text."""
        content = _HTML_COMMENT.sub("", content)
        start = 0
        for match in _HTML_HEADING.finditer(content):
            self._html_text(content[start : match.start()])
            anchor = _HTML_ID.search(match.group(2))
            text = _strip_tags(match.group(3))
            if text:
                depth = int(match.group(1))
                self._items.append(
                    Item(kind="heading", text=text, depth=depth, anchor=anchor.group(1) if anchor else None)
                )
            start = match.end()
        self._html_text(content[start:])

    def _html_text(self, content: str) -> None:
        if not content.strip():
            return
        self._items.extend(item for item in html_items(content) if item.text.strip())


def split_heading_id(text: str) -> tuple[str, str | None]:
    """ "Refunds {#refunds}" as title and anchor."""
    match = _HEADING_ID.search(text)
    if match is None:
        return text.rstrip("# ").strip() or text, None
    return text[: match.start()].strip(), match.group(1)


def _strip_tags(content: str) -> str:
    return " ".join(re.sub(r"<[^<>]*>", " ", content).split())
