"""Which rows of a document's tables a label may name. Pure: works on what was read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.text.references import Mention
from engine.types import Chunk, ObjectEntry, ObjectKind, TocEntry

_LOOKALIKES = str.maketrans("АВЕКМНОРСТХ", "ABEKMHOPCTX")
_BACK = str.maketrans("ABEKMHOPCTX", "АВЕКМНОРСТХ")
_SMALL_PLACES = frozenset({"clause", "subclause", "paragraph", "subparagraph", "item", "point", "part", "sentence"})
"""Parts of a section that have no row of their own where sections are articles."""
_NUMBERED_PART = re.compile(r"(?m)^\s*\(?(?:\d{1,2}|[a-zа-я])[.)]\s")
_A_SENTENCE = 120
"""Characters, more than the rest of the sentence that says so."""
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
    here = next((row for row in toc if row.index == source.section_index), None)
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


def _is_in_chunk(source: Chunk, mention: Mention) -> bool:
    """Whether the chunk itself has a sentence above, or below, what says so."""
    before, marker, after = source.text.partition(mention.marker)
    return bool(marker) and len(before if mention.relative == "above" else after) >= _A_SENTENCE


def subtree(toc: Sequence[TocEntry], index: int) -> tuple[str, ...]:
    """The chunks of a section, and of its subsections: "section 3" means all of it."""
    members = {index}
    chunk_ids: list[str] = []
    for row in toc:
        if row.index in members or row.parent in members:
            members.add(row.index)
            chunk_ids.extend(row.chunk_ids)
    return tuple(dict.fromkeys(chunk_ids))


def _starts_with_kind(title: str) -> bool:
    return any(re.match(rf"(?:{words})\b", title, re.IGNORECASE) for words in _KIND_WORDS.values())
