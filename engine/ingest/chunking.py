"""Section trees to chunks: sliding windows inside a section, tiny sections together with their neighbours."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.policy import ChunkPolicy
from engine.text.normal import detect_language, words
from engine.text.sentences import split_sentences
from engine.text.tokens import count_tokens
from engine.types import (
    Block,
    Chunk,
    Collection,
    Domain,
    Language,
    ObjectEntry,
    ParsedDocument,
    Section,
    TocEntry,
)

_NAMESPACE = uuid.UUID("6f1d9c3e-6a0b-4c55-9a53-6f6f2f0f5d11")
_SHINGLE = 8
_SHINGLED_SECTIONS = 500
_REPETITIVE_SHARE = 0.3

Result = tuple[tuple[Chunk, ...], tuple[TocEntry, ...], tuple[ObjectEntry, ...]]


@dataclass(frozen=True, slots=True)
class _Unit:
    """What a window is made of: a paragraph, an item, some rows, a sentence; `glue` joins it to the one before."""

    text: str
    tokens: int
    glue: str
    prose: bool = True


def chunk(
    parsed: ParsedDocument,
    *,
    document: str,
    revision: str,
    domain: Domain,
    collection: Collection,
    policy: ChunkPolicy,
    language: Language,
) -> Result:
    """The chunks of a document, and its two tables. Chunk ids depend on document, revision and place alone."""
    overlap = policy.overlap_repetitive if _repeats_itself(parsed.sections) else policy.overlap
    chunks: list[Chunk] = []
    ids: dict[int, list[str]] = {index: [] for index in range(len(parsed.sections))}
    for group in _groups(parsed.sections, policy):
        place = _place(parsed.sections, group)
        for text in _windows(_group_units(parsed.sections, group, policy.tokens), policy.tokens, overlap):
            one = Chunk(
                id=str(uuid.uuid5(_NAMESPACE, f"{document}\0{revision}\0{len(chunks)}")),
                document=document,
                revision=revision,
                ordinal=len(chunks),
                domain=domain.id,
                collection=collection.id,
                document_title=parsed.title,
                section=place.number,
                section_title=place.title,
                section_index=group[0],
                text=text,
                header=_header(domain, collection, parsed, place),
                language=detect_language(text, language),
                audience=collection.audience,
                page=place.page,
                anchor=place.anchor,
            )
            chunks.append(one)
            for index in group:
                if len(group) == 1 or _opening(parsed.sections[index]) in text:
                    ids[index].append(one.id)
    return tuple(chunks), _toc(parsed, document, ids), _objects(parsed, document, ids, chunks)


def _groups(sections: Sequence[Section], policy: ChunkPolicy) -> list[list[int]]:
    """Indices of sections that share a chunk: a tiny one joins tiny neighbours under the same parent while they fit."""
    sizes = [sum(count_tokens(block.text) for block in section.blocks) for section in sections]
    groups: list[list[int]] = []
    total = 0
    for index, section in enumerate(sections):
        if not section.blocks:
            continue
        if groups and sizes[index] < policy.tiny_tokens:
            group = groups[-1]
            beside = sections[group[0]].parent == section.parent and sections[group[0]].level == section.level
            all_tiny = all(sizes[other] < policy.tiny_tokens for other in group)
            # Headings go into the text of a merged chunk; a dozen tokens each is what they take.
            if beside and all_tiny and total + sizes[index] + 12 <= policy.tokens:
                group.append(index)
                total += sizes[index] + 12
                continue
        groups.append([index])
        total = sizes[index] + 12
    return groups


def _group_units(sections: Sequence[Section], group: Sequence[int], limit: int) -> list[_Unit]:
    """All units of a group; of a merged one each section begins with its heading, so that nothing is lost."""
    units: list[_Unit] = []
    for index in group:
        section = sections[index]
        blocks = section.blocks
        if len(group) > 1 or (section.number and not section.title):
            opening = _opening(section)
            if section.title:
                units.append(_unit(opening, "\n\n"))
            elif section.number:
                first = Block(kind=blocks[0].kind, text=f"{opening} {blocks[0].text}", page=blocks[0].page)
                blocks = (first, *blocks[1:])
        units.extend(unit for block in blocks for unit in _units(block, limit))
    return units


def _opening(section: Section) -> str:
    """How a section begins in a merged chunk: "### 7.2 Refunds", or "7.2." before the text of an untitled clause."""
    if not section.title:
        return f"{section.number}."
    return "### " + " ".join(part for part in (section.number, section.title) if part)


def _unit(text: str, glue: str, *, prose: bool = True) -> _Unit:
    return _Unit(text, count_tokens(text), glue, prose)


def _units(block: Block, limit: int) -> Iterator[_Unit]:
    """A block whole if it fits; else cut between rows or lines, then sentences, then words."""
    glue = "\n" if block.kind == "list_item" else "\n\n"
    prose = block.kind in ("paragraph", "list_item")
    whole = _unit(block.text, glue, prose=prose)
    if whole.tokens <= limit:
        yield whole
    elif block.kind == "table":
        yield from _table_units(block.text, limit)
    else:
        parts = split_sentences(block.text) if prose else block.text.split("\n")
        for number, part in enumerate(parts):
            joint = glue if number == 0 else " " if prose else "\n"
            if count_tokens(part) <= limit:
                yield _unit(part, joint, prose=prose)
            else:
                yield from _word_units(part, joint, limit)


def _table_units(text: str, limit: int) -> Iterator[_Unit]:
    """Runs of rows, each with the header row repeated."""
    header, rule, *rows = text.split("\n")
    head = f"{header}\n{rule}"
    run: list[str] = []
    size = count_tokens(head)
    for row in rows:
        tokens = count_tokens(row)
        if run and size + tokens > limit:
            yield _unit("\n".join([head, *run]), "\n\n", prose=False)
            run, size = [], count_tokens(head)
        run.append(row)
        size += tokens
    if run:
        yield _unit("\n".join([head, *run]), "\n\n", prose=False)


def _word_units(text: str, glue: str, limit: int) -> Iterator[_Unit]:
    run: list[str] = []
    size = 0
    for word in re.findall(r"\S{1,200}\s*", text):
        tokens = count_tokens(word)
        if run and size + tokens > limit:
            yield _unit("".join(run).rstrip(), glue)
            glue, run, size = " ", [], 0
        run.append(word)
        size += tokens
    if run:
        yield _unit("".join(run).rstrip(), glue)


def _windows(units: Sequence[_Unit], limit: int, overlap: float) -> Iterator[str]:
    """Texts of up to `limit` tokens; each begins with the sentence that the one before ended with, if it is short."""
    text, size = "", 0
    for position, unit in enumerate(units):
        if text and size + unit.tokens > limit:
            yield text
            text, size = _overlap(units[position - 1], round(2 * overlap * limit), limit - unit.tokens)
        text = f"{text}{unit.glue}{unit.text}" if text else unit.text
        size += unit.tokens
    if text:
        yield text


def _overlap(unit: _Unit, wanted: int, room: int) -> tuple[str, int]:
    """The last sentence of a unit, if it is within twice the overlap (half of it on average) and there is room."""
    if not unit.prose:
        return "", 0
    sentences = split_sentences(unit.text)
    tokens = count_tokens(sentences[-1]) if sentences else 0
    return (sentences[-1], tokens) if 0 < tokens <= min(wanted, room) else ("", 0)


@dataclass(frozen=True, slots=True)
class _Place:
    number: str
    title: str
    page: int | None
    anchor: str | None


def _place(sections: Sequence[Section], group: Sequence[int]) -> _Place:
    """Where a chunk stands; an untitled clause goes by the nearest title above it."""
    first = sections[group[0]]
    title, above = first.title, first.parent
    while not title and above is not None:
        title, above = sections[above].title, sections[above].parent
    return _Place(first.number, title, first.page, first.anchor)


def _header(domain: Domain, collection: Collection, parsed: ParsedDocument, place: _Place) -> str:
    section = " ".join(part for part in (place.number, place.title) if part)
    parts = [domain.title, collection.title, parsed.title]
    if section and section != parsed.title:
        parts.append(section)
    return " > ".join(parts)


def _toc(parsed: ParsedDocument, document: str, ids: dict[int, list[str]]) -> tuple[TocEntry, ...]:
    return tuple(
        TocEntry(
            document=document,
            index=index,
            number=section.number,
            title=section.title,
            level=section.level,
            parent=section.parent,
            page=section.page,
            anchor=section.anchor,
            chunk_ids=tuple(ids[index]),
        )
        for index, section in enumerate(parsed.sections)
    )


def _objects(
    parsed: ParsedDocument, document: str, ids: dict[int, list[str]], chunks: Sequence[Chunk]
) -> tuple[ObjectEntry, ...]:
    texts = {one.id: one.text for one in chunks}
    entries: list[ObjectEntry] = []
    for found in parsed.objects:
        own = ids[found.section]
        named = [chunk_id for chunk_id in own if found.title and found.title[:60] in texts[chunk_id]]
        entries.append(
            ObjectEntry(
                document=document,
                kind=found.kind,
                label=found.label,
                title=found.title,
                section_index=found.section,
                page=found.page,
                chunk_ids=tuple(named if found.kind != "appendix" and named else own),
            )
        )
    return tuple(entries)


def _repeats_itself(sections: Sequence[Section]) -> bool:
    """Whether the sections share much of their wording, as the sheets of one form do."""
    seen: set[tuple[str, ...]] = set()
    shared = total = 0
    for section in sections[:_SHINGLED_SECTIONS]:
        sequence = words(" ".join(block.text for block in section.blocks))
        shingles = {tuple(sequence[start : start + _SHINGLE]) for start in range(len(sequence) - _SHINGLE + 1)}
        shared += len(shingles & seen)
        total += len(shingles)
        seen |= shingles
    return total > 0 and shared / total > _REPETITIVE_SHARE
