"""What a parser makes of a file. Part of `engine.types`, which is where it is imported from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ObjectKind = Literal["table", "figure", "formula", "definition", "appendix"]
BlockKind = Literal["paragraph", "list_item", "table", "code"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A paragraph, list item, code block, or a whole table as Markdown rows (header row, `| --- |` row, data rows)."""

    kind: BlockKind
    text: str
    page: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A node of a document's section tree, with its own text only (not its subsections')."""

    number: str
    """As references spell it: "7.2", "IV", "A.1", "156.1"; "" when the heading has none."""
    title: str
    level: int
    """1 for the topmost sections; the part before the first heading is section 0 with level 0."""
    parent: int | None
    """Index of the parent in the document's list of sections; None at the top."""
    page: int | None = None
    anchor: str | None = None
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentObject:
    """A table, figure, formula, definition or appendix that a reference can name."""

    kind: ObjectKind
    label: str
    """What a reference says: "2" for Table 2, "B" for Annex B, the term in lower case for a definition."""
    title: str
    section: int
    """Index of its section in the document's list of sections."""
    page: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedDocument:
    """What a parser makes of a file: sections in reading order, parents before children."""

    title: str
    sections: tuple[Section, ...]
    objects: tuple[DocumentObject, ...] = ()
    remarks: tuple[str, ...] = ()
    """What its editor should know, as "pages 3-5 hold no text, probably scans"."""
