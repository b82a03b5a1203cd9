"""What the grammar finds: a `Mention`, one reference as it is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.types import PlaceKind, ReferenceType

Relative = Literal["previous", "next", "this", "above", "below"]


@dataclass(frozen=True, slots=True)
class Mention:
    """One reference as written: what kind of place, which labels, in which document, and where in the text it stands.

    "пп. «а»-«в» п. 2 ст. 19 ГК РФ" is one mention: labels ("19",), items ("2", "а,б,в"), document "ГК РФ".
    """

    kind: PlaceKind
    labels: tuple[str, ...]
    """The numbers of the outermost place, ranges expanded (bounded) and items cut off: "Articles 12(3) to 14" is
    ("12", "13", "14"). An anchor of the same document is its one label, with the hash: ("#attributes",).
    Empty for relative and definition references and for whole other documents."""
    marker: str
    """As written: `text[start:end]`."""
    start: int
    end: int
    type: ReferenceType = "section"
    """"external" whenever `document` is set; then `labels` are places inside that document."""
    word: str = ""
    """The canonical English word of the kind as written, singular and in lower case: "article" for "ст.", "chapter" for
    "глав", "rule", "point"; of the outermost place in a chain; "" when none was written ("COBS 3.2", "as above")."""
    items: tuple[str, ...] = ()
    """The way down inside the labelled place, outermost first: "Article 12(3)(a)" is ("3", "a"); "пункт 2 настоящей
    статьи" is relative "this" with ("2",). Several items of one level stay one step, joined by commas, ranges
    expanded: "points (a) to (c) of Article 6(1)" is ("1", "a,b,c"). Empty when several labels are named."""
    document: str | None = None
    """Another document as it is named: "RFC 9110", "ГОСТ Р 7.0.97-2016", "Федеральный закон № 152-ФЗ", "ГК РФ",
    "COBS", a title, or the target of a link as "build.md#args"; None for the document that holds the text."""
    noun: str = ""
    """The mere noun by which a document is called: "Договор" of "раздел 3 Договора", "Agreement" of "stated in the
    Agreement", "Кодекса" of "статья 5 настоящего Кодекса"."""
    is_own: bool = False
    """Said to be in the document that holds the text, which may be one of several files."""
    relative: Relative | None = None
    """Of a relative reference, and "this" of "this section"; `word` tells the kind of neighbour that is meant."""
    term: str | None = None
    """What a definition reference defines or where: the term or the glossary as named; "" when neither is said."""
