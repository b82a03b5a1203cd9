"""Markdown as models and documents write it -> Telegram messages: plain text with entities, cut to their size.

Entities, not a parse mode: nothing has to be escaped, and no prefix of a text can be refused. Offsets and lengths count
UTF-16 units, as Telegram does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

from adapters.growing import settled

if TYPE_CHECKING:
    from telegramify_markdown.config import RenderConfig

MOST_UNITS = 4096

_KINDS = frozenset(
    {"bold", "italic", "underline", "strikethrough", "spoiler", "blockquote", "code", "pre", "text_link"}
)
_LINK = re.compile(r"(?:https?://|mailto:)\S+", re.IGNORECASE)
_CODE = re.compile(r"(```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`+[^`\n]*?`+)", re.DOTALL)
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_DEFINITION = re.compile(r"^(\s{0,3})\[(?=[^\]\n]+\]:)", re.MULTILINE)
_UNSENDABLE = re.compile("[\\x00\\ud800-\\udfff]")

_JOINED = re.compile("[\\u0300-\\u036f\\u200d\\ufe0e\\ufe0f\\U0001f3fb-\\U0001f3ff]")


@dataclass(frozen=True, slots=True)
class Entity:
    kind: str
    offset: int
    length: int
    url: str | None = None
    language: str | None = None

    @property
    def end(self) -> int:
        return self.offset + self.length


@dataclass(frozen=True, slots=True)
class Part:
    """One message: at most 4096 units."""

    text: str
    entities: tuple[Entity, ...] = ()

    @property
    def plain(self) -> Part:
        return Part(self.text)


def units(text: str) -> int:
    """Length in UTF-16 units."""
    return len(text) + sum(letter > "\uffff" for letter in text)


def render(markdown: str, most: int = MOST_UNITS) -> tuple[Part, ...]:
    """The messages that show a text; none when there is nothing to be seen in it."""
    return tuple(split(convert(markdown), most))


def pages(markdown: str) -> tuple[Part, ...]:
    """The same for a text that has to be there: at least one."""
    return render(markdown) or (Part(markdown),)


def render_prefix(markdown: str, most: int = MOST_UNITS) -> tuple[Part, ...]:
    """The same for a text that goes on: what is not settled yet is held back, so that shown text does not change."""
    return render(settled(markdown), most)


def convert(markdown: str) -> Part:
    """All of a text as one part of any size."""
    from telegramify_markdown import convert

    text, found = convert(_shielded(_UNSENDABLE.sub("\ufffd", markdown)), latex_escape=False, config=_config())
    entities = tuple(
        Entity(one.type, one.offset, one.length, one.url, one.language)
        for one in found
        if one.type in _KINDS and one.length > 0 and (one.type != "text_link" or _LINK.fullmatch(one.url or ""))
    )
    return Part(text, entities)


def split(part: Part, most: int = MOST_UNITS) -> Iterator[Part]:
    """Cut at a paragraph, a line or a word where the latter half has one; every character stays in a part."""
    text = part.text
    offsets = list(accumulate((2 if letter > "\uffff" else 1 for letter in text), initial=0))
    start = 0
    while start < len(text):
        end = _cut(text, offsets, start, most)
        if text[start:end].strip():
            yield Part(text[start:end], tuple(_clipped(part.entities, offsets[start], offsets[end])))
        start = end


def _cut(text: str, offsets: list[int], start: int, most: int) -> int:
    if offsets[-1] - offsets[start] <= most:
        return len(text)
    end = start
    while offsets[end + 1] - offsets[start] <= most:
        end += 1
    half = start + (end - start) // 2
    for boundary in ("\n\n", "\n", " "):
        found = text.rfind(boundary, half, end)
        if found >= 0:
            return found + len(boundary)
    hard = end
    while hard > half and (_JOINED.match(text[hard]) or text[hard - 1] == "\u200d"):
        hard -= 1  # an emoji of several characters stays whole
    return hard if hard > half else end


def _clipped(entities: tuple[Entity, ...], start: int, end: int) -> Iterator[Entity]:
    for entity in entities:
        begin, stop = max(entity.offset, start), min(entity.end, end)
        if begin < stop:
            yield replace(entity, offset=begin - start, length=stop - begin)


def _shielded(markdown: str) -> str:
    """Keep what a Markdown parser would take for HTML or for a link's definition, and drop."""
    pieces = _CODE.split(markdown)
    return "".join(
        piece if index % 2 else _DEFINITION.sub(r"\1\\[", _TAG.sub(r"\\<", piece)) for index, piece in enumerate(pieces)
    )


@cache
def _config() -> RenderConfig:
    from telegramify_markdown.config import RenderConfig

    config = RenderConfig()
    for level in range(1, 7):
        setattr(config.markdown_symbol, f"heading_level_{level}", "")
    config.markdown_symbol.unordered_list_item = "•"
    return config
