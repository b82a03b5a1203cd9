"""Word files (.docx, .docm): numbers of lists recovered, headings by style or look, tables, text boxes, notes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.errors import SourceError
from engine.ingest.items import Item, plain
from engine.ingest.numbering import split_heading
from engine.ingest.outline import assemble
from engine.ingest.parsers.docx_body import Paragraph, read_body
from engine.ingest.parsers.docx_headings import write_items
from engine.ingest.parsers.docx_looks import Looks, look_of
from engine.ingest.parsers.docx_package import open_word_file
from engine.ingest.parsers.docx_tables import Flat, flatten
from engine.types import ParsedDocument

_CONTENTS = re.compile(r"^(?:table of contents|contents|содержание|оглавление)\W*$", re.IGNORECASE)
_CONTENTS_LINE = re.compile(r"(?:\s|\.{2,}|…)\d{1,4}$")
_FILE_NAME = re.compile(r"\.\w{2,4}$|^(?:microsoft word|untitled|document|документ|без имени|title)\b", re.IGNORECASE)
_SEARCHED_FOR_TITLE = 12
_TITLE_LINES = 4
_WORDS_SEARCHED = 300


def parse_docx(path: str, data: bytes) -> ParsedDocument:
    word = open_word_file(path, data)
    blocks = _without_contents(list(flatten(read_body(word))))
    if not any(_text(block) for block in blocks):
        raise SourceError(path, "holds no text; if its pages are pictures, it needs text recognition first")
    looks = Looks(blocks)
    shown, blocks = _take_title(blocks, looks)
    title = shown if not _says_what_it_is(word.title, blocks, shown) else word.title
    return assemble(write_items(blocks, looks), path=path, title=title)


def _text(block: Flat) -> str:
    return block.line.plain() if isinstance(block, Paragraph) else block.text


def _without_contents(blocks: Sequence[Flat]) -> list[Flat]:
    """Without a typed table of contents; those that Word builds are not read at all."""
    kept: list[Flat] = []
    inside = False
    for block in blocks:
        text = _text(block) if isinstance(block, Paragraph) else ""
        if _CONTENTS.match(text):
            inside = True
        elif not (inside and (not text or _CONTENTS_LINE.search(text))) or not isinstance(block, Paragraph):
            inside = False
            kept.append(block)
    return kept


def _take_title(blocks: list[Flat], looks: Looks) -> tuple[str, list[Flat]]:
    """The document's title as its first page shows it, and the blocks without it; "" when headings say it."""
    styled = next(
        (at for at, block in enumerate(blocks) if isinstance(block, Paragraph) and block.role == "title"), None
    )
    start = styled if styled is not None else _title_by_look(blocks, looks)
    if start is None:
        return "", blocks
    lines = _lines_of_title(blocks, start)
    title = " ".join(one.line.plain() for one in lines)
    return title, [*map(_as_text, blocks[:start]), *blocks[start + len(lines) :]]


def _as_text(block: Flat) -> Flat:
    """What stands above the title opens no section."""
    if isinstance(block, Item) or block.label is not None or block.level is not None:
        return block
    return Item(kind="paragraph", text=block.line.marked())


def _title_by_look(blocks: Sequence[Flat], looks: Looks) -> int | None:
    """The most prominent of the lines that could be it."""
    found: dict[int, tuple[int, bool]] = {}
    for at, block in enumerate(blocks[:_SEARCHED_FOR_TITLE]):
        if not isinstance(block, Paragraph):
            continue
        if block.level is not None or block.label is not None or split_heading(_text(block)).number:
            break
        if looks.is_title(_lines_of_title(blocks, at)):
            found[at] = (block.line.size, block.line.is_bold)
    return max(found, key=lambda at: found[at], default=None)


def _lines_of_title(blocks: Sequence[Flat], start: int) -> list[Paragraph]:
    """The line there and those that go on with the same look."""
    lines: list[Paragraph] = []
    for block in blocks[start : start + _TITLE_LINES]:
        if not isinstance(block, Paragraph) or (lines and not _continues(lines[0], block)):
            break
        lines.append(block)
    return lines


def _continues(first: Paragraph, following: Paragraph) -> bool:
    text = _text(following)
    if not text or following.level is not None or following.label is not None or split_heading(text).number:
        return False
    if first.role == "title":
        return following.role == "title"
    return first.align == "center" and look_of(first) == look_of(following)


def _says_what_it_is(title: str, blocks: Sequence[Flat], shown: str) -> bool:
    """Files carry the titles of the templates they were made from: one counts when the text begins with its words."""
    words = {word for word in re.findall(r"\w{3,}", title.lower()) if not word.isdigit()}
    if not words or _FILE_NAME.search(title):
        return False
    opening = f"{shown} " + " ".join(_text(block) for block in blocks[:_WORDS_SEARCHED])
    found = words & set(re.findall(r"\w{3,}", plain(opening).lower()))
    return words == found
