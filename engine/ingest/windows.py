"""Sliding windows over a section's blocks: cut between blocks, then sentences, then words, with a little overlap."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.ingest.objects import read_caption
from engine.text.sentences import split_sentences
from engine.text.tokens import count_tokens
from engine.types import Block

_LONGEST_HEAD = 0.5
"""A table's caption and header row are repeated while they take no more than this share of a window."""
_STRETCH = 2000
_CLAUSE_START = re.compile(r"(?<=[,;:])\s+|\s+(?=[—–]\s)")


@dataclass(frozen=True, slots=True)
class Unit:
    """What windows are made of: a paragraph, an item, some rows, a sentence. `glue` joins it to the one before."""

    text: str
    tokens: int
    glue: str
    section: int
    prose: bool = True
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Window:
    text: str
    sections: tuple[int, ...]
    """Which sections its own text is from; the overlap does not count."""
    page: int | None


def heading_unit(text: str, section: int, page: int | None) -> Unit:
    return Unit(text, count_tokens(text), "\n\n", section, prose=False, page=page)


def units_of(blocks: Sequence[Block], section: int, limit: int) -> Iterator[Unit]:
    """The blocks of a section in pieces of at most `limit` tokens."""
    previous: Block | None = None
    for position, block in enumerate(blocks):
        following = blocks[position + 1] if position + 1 < len(blocks) else None
        if following is not None and following.kind == "table" and _is_caption(block):
            previous = block
            continue  # it goes with its table
        glue = "\n" if block.kind == "list_item" and previous is not None and previous.kind == "list_item" else "\n\n"
        if block.kind == "table":
            caption = previous.text if previous is not None and _is_caption(previous) else ""
            pieces = _table_pieces(block.text, caption, limit)
        elif block.kind == "code":
            pieces = _code_pieces(block.text, limit)
        else:
            yield from _prose_units(block, section, glue, limit)
            previous = block
            continue
        for text in pieces:
            yield Unit(text, count_tokens(text), glue, section, prose=False, page=block.page)
        previous = block


def windows(units: Sequence[Unit], limit: int, overlap: float) -> Iterator[Window]:
    """Texts of at most `limit` tokens; each but the first begins with the end of the one before, if that is prose."""
    held: list[Unit] = []
    lead = ""
    size = 0
    for unit in units:
        if held and size + unit.tokens > limit:
            carried = _lead_in(held, unit, limit)
            done = held[: len(held) - len(carried)]
            yield _window(done, lead)
            lead = "" if carried else _tail(done[-1], round(limit * overlap), limit - unit.tokens)
            held = carried
            size = count_tokens(lead) + sum(one.tokens for one in held)
        held.append(unit)
        size += unit.tokens
    if held:
        yield _window(held, lead)


def _lead_in(held: Sequence[Unit], following: Unit, limit: int) -> list[Unit]:
    """ "The tenant shall:" moves on to the list that it leads into."""
    last = held[-1]
    moves = (
        len(held) > 1 and last.prose and last.text.rstrip().endswith(":") and last.tokens + following.tokens <= limit
    )
    return [last] if moves else []


def _window(units: Sequence[Unit], lead: str) -> Window:
    text = lead
    for unit in units:
        # Prose goes on after its overlap, everything else begins anew.
        glue = " " if text == lead and lead and unit.glue == " " else unit.glue
        text = f"{text}{glue}{unit.text}" if text else unit.text
    page = next((unit.page for unit in units if unit.page is not None), None)
    return Window(text, tuple(dict.fromkeys(unit.section for unit in units)), page)


def _tail(unit: Unit, wanted: int, room: int) -> str:
    """The last sentence if it is short; of a longer one its last clauses or words, marked with "…"."""
    if not unit.prose or min(wanted, room) < 3:
        return ""
    sentences = split_sentences(unit.text[-_STRETCH:])
    if not sentences:
        return ""
    last = sentences[-1]
    if count_tokens(last) <= min(2 * wanted, room):
        return last
    budget = min(wanted, room) - 1
    starts = [match.end() for match in _CLAUSE_START.finditer(last)] or [
        match.end() for match in re.finditer(r"\s+", last)
    ]
    fitting = next((last[start:] for start in starts if count_tokens(last[start:]) <= budget), "")
    return f"…{fitting}" if fitting else ""


def _is_caption(block: Block) -> bool:
    return block.kind == "paragraph" and (caption := read_caption(block.text)) is not None and caption.kind == "table"


def _prose_units(block: Block, section: int, glue: str, limit: int) -> Iterator[Unit]:
    if (tokens := count_tokens(block.text)) <= limit:
        yield Unit(block.text, tokens, glue, section, page=block.page)
        return
    for stretch in _stretches(block.text):
        for sentence in split_sentences(stretch):
            for text in _cut_words(sentence, limit):
                yield Unit(text, count_tokens(text), glue, section, page=block.page)
                glue = " "


def _stretches(text: str) -> Iterator[str]:
    """A very long paragraph in parts, cut after full stops where there are any: finding sentences takes long in it."""
    start = 0
    while len(text) - start > _STRETCH:
        end = text.rfind(". ", start, start + _STRETCH) + 1 or text.rfind(" ", start, start + _STRETCH)
        end = end if end > start else start + _STRETCH
        yield text[start:end]
        start = end
    yield text[start:]


def _cut_words(text: str, limit: int) -> list[str]:
    """The text in runs of whole words that fit; a word that is too long by itself is cut."""
    if count_tokens(text) <= limit:
        return [text]
    runs: list[str] = []
    run: list[str] = []
    size = 0
    for word in re.findall(rf"\S{{1,{limit}}}", text):
        tokens = count_tokens(word)
        if run and size + tokens > limit:
            runs.append(" ".join(run))
            run, size = [], 0
        run.append(word)
        size += tokens
    return [*runs, " ".join(run)] if run else runs


def _table_pieces(table: str, caption: str, limit: int) -> list[str]:
    """Runs of rows, each under the caption and the header row."""
    lead = f"{caption}\n\n" if caption else ""
    if count_tokens(lead + table) <= limit:
        return [lead + table]
    lines = table.split("\n")
    head = lead + "\n".join(lines[:2]) + "\n"
    if count_tokens(head) > limit * _LONGEST_HEAD:
        # Too long to stand above every run: the text stays, the repetition goes.
        rows, lead, head = lines, "", ""
        first = _cut_words(caption, limit) if caption else []
    else:
        rows, first = lines[2:], []
    return first + _pack_rows(rows, head, limit)


def _pack_rows(rows: Sequence[str], head: str, limit: int) -> list[str]:
    room = limit - count_tokens(head)
    pieces: list[str] = []
    run: list[str] = []
    size = 0
    for row in [part for whole in rows for part in _cut_words(whole, room)]:
        tokens = count_tokens(row)
        if run and size + tokens > room:
            pieces.append(head + "\n".join(run))
            run, size = [], 0
        run.append(row)
        size += tokens
    return [*pieces, head + "\n".join(run)] if run else pieces


def _code_pieces(code: str, limit: int) -> list[str]:
    """Runs of lines, each between fences."""
    fence = "````" if "```" in code else "```"
    room = max(1, limit - 2 * len(fence))
    pieces: list[str] = []
    run: list[str] = []
    size = 0
    for line in code.split("\n"):
        for part in _cut_words(line, room) if line.strip() else [line]:
            tokens = count_tokens(part)
            if run and size + tokens > room:
                pieces.append("\n".join(run))
                run, size = [], 0
            run.append(part)
            size += tokens
    pieces.append("\n".join(run))
    return [f"{fence}\n{piece}\n{fence}" for piece in pieces if piece.strip()]
