"""Which rows of a document's tables a label may name. Pure: works on what was read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.text.inner_sections import inner_sections
from engine.text.references import Mention
from engine.text.sentences import split_sentences
from engine.types import Chunk, ObjectEntry, ObjectKind, TocEntry

_LOOKALIKES = str.maketrans("АВЕКМНОРСТХ", "ABEKMHOPCTX")
_BACK = str.maketrans("ABEKMHOPCTX", "АВЕКМНОРСТХ")
_SMALL_PLACES = frozenset({"clause", "subclause", "paragraph", "subparagraph", "item", "point", "part", "sentence"})
"""Parts of a section that have no row of their own where sections are articles."""
_NUMBERED_PART = re.compile(r"(?m)^\s*\(?(?:\d{1,2}|[a-zа-я])[.)]\s")
_KIND_WORDS: dict[str, str] = {
    "chapter": r"глава|chapter",
    "article": r"статья|article",
    "section": r"раздел|section",
    "part": r"часть|part",
    "title": r"title",
    "paragraph": r"§|параграф",
    "division": r"раздел|division",
    "subdivision": r"подраздел",
}


def key(label: str) -> str:
    """Labels compare without their case, and "А" typed in Cyrillic is "A" typed in Latin."""
    return label.strip(". ").upper().translate(_LOOKALIKES)


def spellings(label: str) -> list[str]:
    """All ways in which a table may spell a label of this key."""
    plain = label.strip(". ")
    cased = (plain, plain.upper(), plain.lower())
    return sorted({form for one in cased for form in (one, one.translate(_LOOKALIKES), one.translate(_BACK))})


def is_part_of_its_section(mention: Mention, source: Chunk) -> bool:
    """Whether "paragraph 2" means a part of the section that says so: one that is divided into numbered parts."""
    if mention.is_own or mention.noun:
        return False
    small = mention.word in _SMALL_PLACES and all(label.isdigit() or len(label) == 1 for label in mention.labels)
    return small and "." not in source.section and _NUMBERED_PART.search(source.text) is not None


def takes_object(mention: Mention, kind: ObjectKind) -> bool:
    return mention.kind != "section" and mention.kind == kind


def takes_section(
    mention: Mention, wanted: str, toc: Sequence[TocEntry], objects: Sequence[ObjectEntry]
) -> list[TocEntry]:
    """The sections that a label may name: "Table 2" is no section 2, "Annex 1" and "section 1" are not the same."""
    if mention.kind in ("table", "figure") or (mention.kind == "appendix" and wanted[:1].isdigit()):
        return []
    appendices = {entry.section_index for entry in objects if entry.kind == "appendix" and entry.label[:1].isdigit()}
    return [row for row in toc if row.number and row.index not in appendices]


def of_the_kind_meant(mention: Mention, rows: Sequence[TocEntry]) -> TocEntry:
    """A law may have an article 2 and a chapter 2; the rarer kind then keeps its word in the title ("Глава 2. ...")."""
    meant = _KIND_WORDS.get(mention.word)
    named = {row.index: row.title for row in rows if _starts_with_kind(row.title)}
    same = [row for row in rows if meant and re.match(meant, named.get(row.index, ""), re.IGNORECASE)]
    plain = [row for row in rows if row.index not in named]
    return (same or plain or list(rows))[0]


def siblings(toc: Sequence[TocEntry], source: Chunk, mention: Mention) -> TocEntry | None:
    """The section that "the preceding section" or "as set out below" means, as seen from a chunk's section."""
    here = _row_of(toc, source, mention)
    if here is None:
        return None
    small = mention.word in _SMALL_PLACES and len(here.chunk_ids) > 1
    if small or (mention.relative in ("above", "below") and (len(here.chunk_ids) > 1 or _is_in_chunk(source, mention))):
        return here
    level = [row for row in toc if row.parent == here.parent and row.level == here.level]
    place = level.index(here)
    if mention.relative in ("previous", "above"):
        return level[place - 1] if place else None
    return level[place + 1] if place + 1 < len(level) else None


def _row_of(toc: Sequence[TocEntry], source: Chunk, mention: Mention) -> TocEntry | None:
    """The section that says so: the chunk's own, or the one inside it where tiny sections share it."""
    own = next((row for row in toc if row.index == source.section_index), None)
    inner = next((one for one in inner_sections(source.text) if mention.marker in one.text), None)
    if own is None or inner is None:
        return own
    beside = [row for row in toc if row.parent == own.parent and row.chunk_ids == own.chunk_ids]
    return next((row for row in beside if (row.number, row.title) == (inner.number, inner.title)), own)


def _is_in_chunk(source: Chunk, mention: Mention) -> bool:
    """Whether the chunk itself has a sentence above, or below, the one that says so."""
    sentences = split_sentences(source.text)
    place = next((index for index, sentence in enumerate(sentences) if mention.marker in sentence), None)
    return place is not None and (place > 0 if mention.relative == "above" else place + 1 < len(sentences))


def descended(toc: Sequence[TocEntry], row: TocEntry, items: Sequence[str]) -> TocEntry:
    """ "п. 5.2 Приложения Б", "clause 3 of Annex II": the section inside the one named, where the items lead to one."""
    for item in items:
        inside = _below(toc, row.index)
        wanted = {key(item), key(f"{row.number}.{item}")}
        found = next((one for one in toc if one.index in inside and key(one.number) in wanted), None)
        if found is None:
            break
        row = found
    return row


def subtree(toc: Sequence[TocEntry], index: int) -> tuple[str, ...]:
    """The chunks of a section, and of its subsections: "section 3" means all of it."""
    members = _below(toc, index) | {index}
    return tuple(dict.fromkeys(chunk_id for row in toc if row.index in members for chunk_id in row.chunk_ids))


def _below(toc: Sequence[TocEntry], index: int) -> set[int]:
    members = {index}
    for row in toc:
        if row.parent in members:
            members.add(row.index)
    return members - {index}


def _starts_with_kind(title: str) -> bool:
    return any(re.match(rf"(?:{words})\b", title, re.IGNORECASE) for words in _KIND_WORDS.values())
