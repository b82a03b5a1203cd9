"""Section trees to chunks: windows inside a section, tiny sections together with their siblings; and the two tables."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace

from engine.ingest.objects import defined_terms, glossary_indexes, label_of
from engine.ingest.windows import Unit, heading_unit, units_of, windows
from engine.policy import ChunkPolicy
from engine.text.normal import detect_language, fold, words
from engine.text.tokens import count_tokens
from engine.types import (
    Chunk,
    Collection,
    DocumentObject,
    Domain,
    Language,
    ObjectEntry,
    ParsedDocument,
    Section,
    TocEntry,
)

_NAMESPACE = uuid.UUID("6f1d9c3e-6a0b-4c55-9a53-6f6f2f0f5d11")
_SHINGLE = 5
_SHINGLED_SECTIONS = 500
_SHINGLED_WORDS = 2000
_REPETITIVE_SHARE = 0.3
_SHORT_TITLE_WORDS = 2

Result = tuple[tuple[Chunk, ...], tuple[TocEntry, ...], tuple[ObjectEntry, ...]]


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
    sections = parsed.sections
    overlap = policy.overlap_repetitive if repeats_itself(sections) else policy.overlap
    chunks: list[Chunk] = []
    ids: dict[int, list[str]] = {index: [] for index in range(len(sections))}
    for group in _groups(sections, policy):
        first = sections[group[0]]
        title = _title_or_above(sections, group[0])
        header = _header(domain, collection, parsed, group[0], title) if policy.headers else ""
        for window in windows(list(_group_units(sections, group, policy.tokens)), policy.tokens, overlap):
            one = Chunk(
                id=str(uuid.uuid5(_NAMESPACE, f"{document}\0{revision}\0{len(chunks)}")),
                document=document,
                revision=revision,
                ordinal=len(chunks),
                domain=domain.id,
                collection=collection.id,
                document_title=parsed.title,
                section=first.number,
                section_title=title,
                section_index=group[0],
                text=window.text,
                header=header,
                language=detect_language(window.text, language),
                audience=collection.audience,
                page=window.page if window.page is not None else first.page,
                anchor=first.anchor,
            )
            chunks.append(one)
            for index in window.sections:
                ids[index].append(one.id)
    return tuple(chunks), _toc(parsed, document, ids), _objects(parsed, document, ids, chunks)


def repeats_itself(sections: Sequence[Section]) -> bool:
    """Whether the sections share much of their wording, as the sheets of one form do."""
    seen: set[tuple[str, ...]] = set()
    shared = total = 0
    for section in sections[:_SHINGLED_SECTIONS]:
        text = " ".join(block.text for block in section.blocks)[: _SHINGLED_WORDS * 10]
        sequence = words(text)[:_SHINGLED_WORDS]
        shingles = {tuple(sequence[start : start + _SHINGLE]) for start in range(len(sequence) - _SHINGLE + 1)}
        shared += len(shingles & seen)
        total += len(shingles)
        seen |= shingles
    return total > 0 and shared / total > _REPETITIVE_SHARE


def _groups(sections: Sequence[Section], policy: ChunkPolicy) -> Iterator[list[int]]:
    """Indices of sections that share a chunk: tiny ones, one after the other under one parent, until they are not tiny.

    They grow no further than that, since a chunk is cited by the number of its first section.
    """
    with_children = {section.parent for section in sections}
    group: list[int] = []
    size = 0
    for index, section in enumerate(sections):
        leaf = index not in with_children
        if not section.blocks and not (leaf and section.title):
            continue
        tokens = _size(section)
        joins = (
            bool(group)
            and leaf
            and group[-1] == index - 1
            and sections[group[-1]].parent == section.parent
            and sections[group[-1]].level == section.level
            and size < policy.tiny_tokens
            and tokens < policy.tiny_tokens
            and size + tokens <= policy.tokens
        )
        if group and not joins:
            yield group
            group, size = [], 0
        group.append(index)
        size += tokens
    if group:
        yield group


def _size(section: Section) -> int:
    return count_tokens(_heading_line(section)) + sum(count_tokens(block.text) for block in section.blocks)


def _group_units(sections: Sequence[Section], group: Sequence[int], limit: int) -> Iterator[Unit]:
    """All units of a group; in a merged one each section begins with its heading, so that nothing is lost."""
    for index in group:
        section = sections[index]
        blocks = section.blocks
        if section.number and not section.title and blocks and not _begins_with(blocks[0].text, section.number):
            first = replace(blocks[0], text=f"{section.number}. {blocks[0].text}")
            blocks = (first, *blocks[1:]) if first.kind in ("paragraph", "list_item") else blocks
        if section.title and (len(group) > 1 or not blocks):
            line = _heading_line(section)
            if count_tokens(line) <= limit:
                yield heading_unit(line, index, section.page)
        yield from units_of(blocks, index, limit)


def _begins_with(text: str, number: str) -> bool:
    return text.lstrip("*_ ").startswith(number)


def _heading_line(section: Section) -> str:
    """A heading inside a merged chunk: "**7.2. Refunds**"."""
    if not section.title:
        return ""
    if not section.number or _names_its_number(section):
        return f"**{section.title}**"
    return f"**{section.number}. {section.title}**"


def _names_its_number(section: Section) -> bool:
    """Whether a title holds its number already: "Глава 2. Жильё"."""
    return section.number in section.title.split(".")[0].split()


def _title_or_above(sections: Sequence[Section], index: int) -> str:
    """A section's title; an untitled clause goes by the nearest title above it."""
    at: int | None = index
    while at is not None and not sections[at].title:
        at = sections[at].parent
    return sections[at].title if at is not None else ""


def _header(domain: Domain, collection: Collection, parsed: ParsedDocument, index: int, title: str) -> str:
    """ "domain > collection > document > 7.2 Refunds"; a title of a word or two has the title above it put first."""
    section = parsed.sections[index]
    parts = [domain.title, collection.title, parsed.title]
    above = parsed.sections[section.parent].title if section.parent is not None else ""
    if 0 < len(section.title.split()) <= _SHORT_TITLE_WORDS and above not in parsed.title:
        parts.append(above)
    if not (section.number in parsed.title and title in parsed.title):
        parts.append(title if section.number and _names_its_number(section) else f"{section.number} {title}".strip())
    return " > ".join(dict.fromkeys(part for part in parts if part))


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
    by_id = {one.id: one for one in chunks}
    glossaries = glossary_indexes(parsed.title, parsed.sections)
    terms = {
        one.id: {label_of(term) for term in defined_terms(one.text, in_glossary=one.section_index in glossaries)}
        for one in chunks
    }
    return tuple(
        ObjectEntry(
            document=document,
            kind=found.kind,
            label=found.label,
            title=found.title,
            section_index=found.section,
            page=found.page,
            chunk_ids=_holding(found, [by_id[chunk_id] for chunk_id in ids[found.section]], terms),
        )
        for found in parsed.objects
    )


def _holding(found: DocumentObject, own: Sequence[Chunk], terms: dict[str, set[str]]) -> tuple[str, ...]:
    """Which chunks of its section hold an object; all of them when that cannot be told."""
    held: list[str] = []
    if found.kind == "definition":
        held = [one.id for one in own if found.label in terms[one.id]]
    elif found.kind != "appendix" and found.title:
        held = [one.id for one in own if fold(found.title[:60]) in fold(one.text)]
    return tuple(held or [one.id for one in own])
