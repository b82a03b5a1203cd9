"""HTML: the main part without navigation; headings with their anchors, lists, tables, code, raised article numbers."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from engine.ingest.items import Item
from engine.ingest.outline import assemble
from engine.ingest.parsers.decoding import decode
from engine.ingest.parsers.html_walk import Walker
from engine.types import ParsedDocument

_DROPPED = (
    "script, style, nav, header, footer, aside, form, noscript, template, svg, iframe, button, select, head,"
    " .headerlink, [role=navigation], [role=search], [aria-hidden=true], .navheader, .navfooter, .toc, #toc"
)
_MAIN = ("main", "[role=main]", "article")
_LEAST_SHARE_OF_TEXT = 0.3
_RAISED_RULE = re.compile(r"([^{}]{1,300})\{[^{}]{0,1000}?vertical-align\s*:\s*super", re.IGNORECASE)
_CLASS = re.compile(r"\.([\w-]+)\s*(?:,|$)")


def parse_html(path: str, data: bytes) -> ParsedDocument:
    text = decode(path, data, declared=True)
    document = LexborHTMLParser(text)
    head = document.css_first("title")
    page_title = " ".join(head.text().split()) if head else ""
    raised = _raised_classes(document)
    root = _main_part(document)
    items = Walker(raised).read(root) if root is not None else []
    if not items:
        # The dropped parts held everything: better some noise than an empty document.
        document = LexborHTMLParser(text)
        items = Walker(raised).read(document.body) if document.body is not None else []
    return assemble(items, path=path, page_title=page_title)


def html_items(fragment: str) -> list[Item]:
    """What a piece of HTML inside another format holds."""
    document = LexborHTMLParser(fragment)
    body = document.body
    if body is None:
        return []
    _drop(body)
    return Walker(frozenset()).read(body)


def _main_part(document: LexborHTMLParser) -> LexborNode | None:
    """The element that is marked as the main part, if it holds a good part of the text; else the body."""
    body = document.body
    if body is None:
        return None
    everything = len(body.text(deep=True))
    for selector in _MAIN:
        found = document.css(selector)
        if len(found) == 1 and len(found[0].text(deep=True)) >= everything * _LEAST_SHARE_OF_TEXT:
            _drop(found[0])
            return found[0]
    _drop(body)
    return body


def _drop(root: LexborNode) -> None:
    for node in root.css(_DROPPED):
        if node.mem_id != root.mem_id:
            node.decompose()


def _raised_classes(document: LexborHTMLParser) -> frozenset[str]:
    """Classes that a page's own style sheet sets as superscript."""
    names: set[str] = set()
    for style in document.css("style"):
        for match in _RAISED_RULE.finditer(style.text()):
            names.update(_CLASS.findall(match.group(1).strip()))
    return frozenset(names)
