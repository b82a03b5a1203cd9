"""Quotable parts of chunks, and how those that were chosen are shown."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass

from engine.ports import Task
from engine.text.amendments import is_amendment_note
from engine.text.passages import Passage, passages
from engine.types import ScoredChunk, Written

_RELATIVE_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:|mailto:|tel:)[^)]*\)")


@dataclass(frozen=True, slots=True)
class Quote:
    passage: Passage
    scored: ScoredChunk
    rank: int
    """Place of its chunk among the evidence, best first."""


class QuotedDraft:
    def __init__(self, pieces: tuple[str, ...], written: Written) -> None:
        self._pieces = pieces
        self._written = written

    async def _text(self) -> AsyncGenerator[str, None]:
        for piece in self._pieces:
            yield piece

    def __aiter__(self) -> AsyncIterator[str]:
        return self._text()

    @property
    def written(self) -> Written:
        return self._written


def quotes_of(task: Task) -> list[Quote]:
    """Each quotable part once, although neighbouring chunks overlap."""
    seen: set[str] = set()
    found: list[Quote] = []
    for rank, scored in enumerate(task.evidence.chunks):
        for passage in passages(scored.chunk.text):
            if passage.text not in seen and not is_amendment_note(passage.text):
                seen.add(passage.text)
                found.append(Quote(passage, scored, rank))
    return found


def paragraph_of(quote: Quote) -> tuple[int, int, str]:
    """Its sentences go together; clauses are apart even where they stand in one list."""
    return quote.rank, quote.passage.group, quote.passage.section


def place_of(quote: Quote) -> tuple[str, int]:
    return quote.scored.chunk.document, quote.scored.chunk.section_index


def shown(quote: Quote) -> str:
    return _RELATIVE_LINK.sub(r"\1", quote.passage.text)


def rendered(candidates: Sequence[Quote], chosen: Sequence[int]) -> tuple[str, ...]:
    """The quotes as they are shown: neighbours as one paragraph, the others apart, with the line that leads into each.

    Links to other documents of the base lead nowhere in a chat, so their text stays alone.
    """
    pieces: list[str] = []
    for place, index in enumerate(chosen):
        quote = candidates[index]
        before = candidates[chosen[place - 1]] if place else None
        text = shown(quote)
        if before and (before.rank, before.passage.group) == (quote.rank, quote.passage.group):
            glue = " " if chosen[place - 1] == index - 1 and before.passage.text.endswith((".", "!", "?")) else "\n"
        else:
            glue = "\n\n" if before else ""
            lead = quote.passage.lead
            text = f"{lead}\n{text}" if lead.endswith(":") else text
        pieces.append(glue + text)
    return tuple(pieces)


def reading_order(quote: Quote) -> tuple[int, int]:
    return quote.rank, quote.passage.order
