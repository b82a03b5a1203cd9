"""Which paragraphs of a Word file open sections: by style, by list number, or by nothing but how they look."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from engine.ingest.items import Item, plain
from engine.ingest.numbering import Heading, is_worded_heading, rank, split_heading
from engine.ingest.objects import read_caption
from engine.ingest.parsers.docx_body import Paragraph
from engine.ingest.parsers.docx_looks import LONGEST_LINE, LONGEST_TITLE, NUMBER_SIGNS, Looks, is_composite
from engine.ingest.parsers.docx_numbering import Label
from engine.ingest.parsers.docx_tables import Flat
from engine.ingest.promotion import BELOW_MARKED

_RUN_IN = re.compile(r"^\*\*([^*\n]{2,120}?)([.:]?)\*\*([.:]?)(?:\s+|$)")
_QUOTES = ('"', "“", "«", "„", "'")
_TYPED_CLAUSE = re.compile(r"^(\d{1,3}(?:\.\d{1,3})+)\.?\s+\S")
_BARE_CAPTION = re.compile(r"^([^\W\d]+\.?\s+(?:№\s*)?[A-ZА-Я\d]+(?:[.\-]\d+)*)\s+(?=\S)")
_BELONGS = re.compile(r"^(?:к|to)\s")
"""How the line under "Приложение № 1" begins: "к договору аренды"."""


@dataclass(slots=True)
class _Writer:
    """Turns paragraphs into items, in their order."""

    looks: Looks
    items: list[Item]
    open_numbers: set[str] = field(default_factory=set[str])
    """Of the topmost numbered section that is open, and those in it."""
    article: str = ""
    """Of a contract that is one list, the number of the topmost item that is open."""
    awaits_title: bool = False
    """The last heading said only "Статья 5" or "Приложение № 1 к договору": a line that looks like its title is."""

    def take(self, one: Flat) -> None:
        awaited, self.awaits_title = self.awaits_title, False
        if isinstance(one, Item):
            self.items.append(one)
        elif one.level is not None and one.line.pieces:
            self._marked(one, one.level)
        elif one.label is not None:
            self._labelled(one, one.label)
        elif awaited and _is_title_of_last(one):
            self._add_to_title(self.items[-1], one.line.plain())
        else:
            self._unlabelled(one)

    def _marked(self, one: Paragraph, level: int) -> None:
        text = one.line.plain()
        if one.label is not None and one.label.number and _is_running_text(text):
            self._clause(one, one.label, level)
        elif one.label is not None and not one.label.is_bullet:
            self._heading(one.label, text, level)
        elif (typed := split_heading(text)).number and not typed.kind and _is_running_text(typed.title):
            self._add_heading(typed.number, level, typed.number)
            self.items.append(Item(kind="paragraph", text=one.line.marked()))
        elif len(text) > 2 * LONGEST_TITLE:
            self.items.append(Item(kind="paragraph", text=one.line.marked()))
        else:
            self._add_heading(text, level)

    def _labelled(self, one: Paragraph, label: Label) -> None:
        text = one.line.plain()
        if not label.is_bullet and is_worded_heading(f"{label.text.rstrip(NUMBER_SIGNS)}."):
            depth = BELOW_MARKED + rank(split_heading(f"{label.text.rstrip(NUMBER_SIGNS)}. {text}"))
            if text and _is_running_text(text):
                self._clause(one, label, depth)
            else:
                self._heading(label, text, depth)
        elif not text:
            return
        elif self.looks.is_clause(label):
            if self.looks.is_subclause(label):
                number = f"{self.article}.{label.number}"
                label = replace(label, number=number, text=f"{number}.")
            elif label.level == 0:
                self.article = label.number
            depth = BELOW_MARKED + rank(Heading(label.number, ""))
            if not is_composite(label) and not _is_running_text(text):
                self._heading(label, text, depth)
            else:
                self._clause(one, label, depth)
        elif (heading := self.looks.numbered_heading(one)) is not None:
            self._heading(label, text, BELOW_MARKED + rank(Heading(label.number, "", heading.kind)))
        else:
            mark = "- " if label.is_bullet else f"{label.text} "
            indent = "  " * self.looks.indent(label)
            body = one.line.marked().replace("\n", f"\n{indent}  ")
            self.items.append(Item(kind="list_item", text=f"{indent}{mark}{body}"))

    def _add_heading(self, text: str, depth: int, number: str | None = None) -> None:
        self.items.append(Item(kind="heading", text=text, depth=depth, number=number))
        known = number or split_heading(text).number
        if known:
            if "." not in known:
                self.open_numbers = set()
            self.open_numbers.add(known)

    def _unlabelled(self, one: Paragraph) -> None:
        heading = self.looks.numbered_heading(one)
        depth = self.looks.unnumbered_depth(one) if heading is None else BELOW_MARKED + rank(heading)
        text = one.line.marked()
        title, rest = _split_run_in(text)
        if title and rest and not self.looks.is_marked and is_worded_heading(title):
            self._add_heading(title.rstrip("."), BELOW_MARKED + rank(split_heading(title)))
            self.items.append(Item(kind="paragraph", text=rest))
            return
        if depth is None:
            typed = _TYPED_CLAUSE.match(text) if self.looks.has_clauses else None
            if typed and typed.group(1).rpartition(".")[0] in self.open_numbers:
                number = typed.group(1)
                if number not in self.open_numbers:
                    self._add_heading(number, BELOW_MARKED + rank(Heading(number, "")), number)
            if one.role == "caption" and read_caption(text) is None:
                text = _BARE_CAPTION.sub(r"\1. ", text)
            self.items.append(Item(kind="paragraph", text=text))
            return
        self._add_heading(one.line.plain(), depth)
        bare = heading is not None and (not heading.title or _BELONGS.match(heading.title) is not None)
        self.awaits_title = bare and heading is not None and bool(heading.kind)

    def _add_to_title(self, last: Item, text: str) -> None:
        belongs = _BELONGS.match(text) is not None
        last.text = f"{last.text} {text}" if belongs else f"{last.text.rstrip('.')}. {text}"
        self.awaits_title = belongs

    def _heading(self, label: Label, text: str, depth: int) -> None:
        """A heading whose number the list gives; its word ("Статья", "Appendix") belongs to the title's text."""
        seen = label.text.strip(NUMBER_SIGNS)
        if seen == label.number:
            if text:
                self._add_heading(text, depth, label.number or None)
            return
        self.awaits_title = not text
        worded = f"{label.text.rstrip(NUMBER_SIGNS)}. {text}".strip()
        if split_heading(worded).number == label.number or not label.number:
            self._add_heading(worded, depth)
        else:
            whole = f"{label.text} {text}".strip()
            self._add_heading(whole, depth, label.number)

    def _clause(self, one: Paragraph, label: Label, depth: int) -> None:
        """A section by its number; a bold beginning is its title, else its text keeps the number."""
        title, rest = _split_run_in(one.line.marked())
        self._add_heading(title or label.number, depth, label.number)
        if rest:
            self.items.append(Item(kind="paragraph", text=rest if title else f"{label.text} {rest}"))


def _split_run_in(text: str) -> tuple[str, str]:
    """A bold beginning as title, and the rest; a bold term in the course of a sentence is none."""
    match = _RUN_IN.match(text)
    if match is None or match.group(1).startswith(_QUOTES):
        return "", text
    rest = text[match.end() :].strip()
    ends = bool(match.group(2) or match.group(3)) or not rest or rest[0].isupper()
    return (plain(match.group(1)), rest) if ends else ("", text)


def _is_title_of_last(one: Paragraph) -> bool:
    text = one.line.plain()
    if not 0 < len(text) <= LONGEST_TITLE or text[-1] in ".;:," or split_heading(text).number:
        return False
    return one.line.is_bold or one.align == "center" or _BELONGS.match(text) is not None


def _is_running_text(text: str) -> bool:
    """Whether a numbered paragraph says something, and is not only named."""
    if len(text) <= LONGEST_LINE:
        return False
    return len(text) > LONGEST_TITLE or text[-1] in ".;:," or ". " in text


def write_items(blocks: Sequence[Flat], looks: Looks) -> list[Item]:
    writer = _Writer(looks, [])
    for block in blocks:
        writer.take(block)
    return writer.items
