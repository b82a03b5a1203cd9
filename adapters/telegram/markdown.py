"""Telegram's text with entities -> Markdown, for platforms that know no entities."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

from adapters.said import literal
from adapters.telegram.formatting import Entity

_MARKS = {"bold": "**", "italic": "*", "strikethrough": "~~"}
_OUTER = ("pre", "blockquote", "expandable_blockquote")
_INNER = ("bold", "italic", "strikethrough", "code", "text_link")


def markdown_of(text: str, entities: Sequence[Entity]) -> str:
    offsets = list(accumulate((2 if letter > "\uffff" else 1 for letter in text), initial=0))
    spans = [_Span(one, bisect_left(offsets, one.offset), bisect_left(offsets, one.end)) for one in entities]
    outer = sorted((span for span in spans if span.kind in _OUTER), key=lambda span: span.start)
    inner = [trimmed for span in spans if span.kind in _INNER and (trimmed := span.trimmed(text))]
    pieces: list[str] = []
    done = 0
    for block in outer:
        if block.start < done:
            continue
        pieces.append(_inline(text, inner, done, block.start))
        pieces.append(_block(text, inner, block))
        done = block.end
    pieces.append(_inline(text, inner, done, len(text)))
    return "\n\n".join(stripped for piece in pieces if (stripped := piece.strip("\n")))


class _Span:
    """An entity by the letters of the text."""

    def __init__(self, entity: Entity, start: int, end: int) -> None:
        self.entity, self.kind, self.start, self.end = entity, entity.kind, start, end

    def trimmed(self, text: str) -> _Span | None:
        """Without spaces at its ends, where Markdown takes no marks."""
        inner = text[self.start : self.end]
        start = self.start + len(inner) - len(inner.lstrip())
        end = self.end - (len(inner) - len(inner.rstrip()))
        return _Span(self.entity, start, end) if start < end else None

    @property
    def opening(self) -> str:
        return "[" if self.kind == "text_link" else _MARKS[self.kind]

    @property
    def closing(self) -> str:
        return f"]({_address(self.entity.url or '')})" if self.kind == "text_link" else _MARKS[self.kind]


def _block(text: str, inner: Sequence[_Span], block: _Span) -> str:
    if block.kind == "pre":
        return f"```{block.entity.language or ''}\n{text[block.start : block.end].strip(chr(10))}\n```"
    quoted = _inline(text, inner, block.start, block.end).strip("\n")
    return "\n".join(f"> {line}" for line in quoted.split("\n"))


def _inline(text: str, inner: Sequence[_Span], start: int, end: int) -> str:
    """Telegram nests entities, so they are opened and closed like brackets."""
    spans = sorted(
        (one for one in inner if start <= one.start and one.end <= end), key=lambda one: (one.start, -one.end)
    )
    pieces: list[str] = []
    opened: list[_Span] = []
    done = start

    def until(limit: int) -> None:
        nonlocal done
        while opened and opened[-1].end <= limit:
            last = opened.pop()
            pieces.append(literal(text[done : last.end]) + last.closing)
            done = last.end
        pieces.append(literal(text[done:limit]))
        done = limit

    for span in spans:
        until(span.start)
        if span.kind == "code":
            pieces.append(_code(text[span.start : span.end]))
            done = span.end
        elif not opened or span.end <= opened[-1].end:
            pieces.append(span.opening)
            opened.append(span)
    until(end)
    return "".join(pieces)


def _address(url: str) -> str:
    return url.replace(" ", "%20").replace("(", "%28").replace(")", "%29")


def _code(text: str) -> str:
    marks = "`" if "`" not in text else "``"
    pad = " " if marks == "``" else ""
    return f"{marks}{pad}{text}{pad}{marks}"
