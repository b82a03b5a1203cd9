"""Walks docutils' tree of a document and writes down what it passes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import cast

from docutils import nodes

from engine.ingest.items import Item, table_rows
from engine.ingest.parsers.inline import link, superscript

_SPACE = re.compile(r"\s+")
_PROBLEM = re.compile(r"^[`|]*(?P<text>.*?)(?:\s*<[^<>]*>)?[`|]*_{0,2}$", re.DOTALL)
_TITLE_LINE = re.compile(r"^\S[^\n]*\n([=\-`:.'\"~^_*+#])\1{2,}\s*$")
_LEFT_OUT_FIELDS = frozenset(
    "content-type version last-modified post-history orphan tocdepth nocomments nosearch title pep".split()
)
_PEP_FIELDS = frozenset({"replaces", "requires", "superseded-by"})
_SILENT = (
    nodes.comment,
    nodes.target,
    nodes.substitution_definition,
    nodes.pending,
    nodes.meta,
    nodes.raw,
    nodes.decoration,
    nodes.generated,
    nodes.title,
    nodes.colspec,
)
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"))
_ROMAN_ONES = ((9, "ix"), (5, "v"), (4, "iv"), (1, "i"))


class Walker:
    def __init__(self, document: nodes.document, *, in_cell: bool = False) -> None:
        self._document = document
        self._items: list[Item] = []
        self._lists = 0
        self._mark = ""
        """Of the list item just begun; its first block takes it."""
        self._lead = ""
        """What the next text begins with: a term, a field's name, a kind of note."""
        self._level = 0
        self._in_cell = in_cell
        self.title = str(document.get("title") or "")

    def read(self) -> list[Item]:
        children = list(self._document.children)
        first = next((child for child in children if not isinstance(child, _SILENT)), None)
        if isinstance(first, nodes.field_list):
            self._take_fields(first)
        self._all(child for child in children if not (child is first and isinstance(first, nodes.field_list)))
        self._flush_lead()
        return self._items

    def cell(self, entry: nodes.Element) -> str:
        self._all(entry.children)
        self._flush_lead()
        return " ".join(item.text.strip() for item in self._items)

    # --- blocks ---

    def _all(self, children: Iterable[nodes.Node]) -> None:
        for child in children:
            self._visit(child)

    def _visit(self, node: nodes.Node) -> None:
        if isinstance(node, _SILENT):
            return
        if isinstance(node, nodes.Text):
            self._add_text(node.astext())
            return
        element = cast("nodes.Element", node)
        handle = _HANDLERS.get(type(element).__name__)
        if handle is not None:
            handle(self, element)
        elif isinstance(element, nodes.Admonition):
            self._admonition(element)
        elif isinstance(element, nodes.TextElement):
            self._add_text(self._inline(element))
        else:
            self._all(element.children)

    def _section(self, section: nodes.Element) -> None:
        self._level += 1
        title = section.children[0] if section.children else None
        if isinstance(title, nodes.title):
            self._items.append(
                Item(
                    kind="heading",
                    text=_one_line(self._inline(title)),
                    depth=self._level,
                    anchor=str(section["ids"][0]) if section["ids"] else None,
                    number=self._number_of(title),
                )
            )
        self._all(section.children)
        self._level -= 1

    def _number_of(self, title: nodes.Element) -> str | None:
        """What ".. sectnum::" gave it. An only topmost section is the document's title and takes no part in it."""
        given = next(iter(title.findall(nodes.generated)), None)
        if given is None:
            return None
        top = sum(isinstance(child, nodes.section) for child in self._document.children)
        number = given.astext().strip(" .\u00a0")
        return number if top > 1 else number.partition(".")[2] or None

    def _take_fields(self, fields: nodes.Element) -> None:
        """The header of a PEP, or what a file says of itself: its title is the document's, the rest stays text."""
        named = {field.children[0].astext().strip().lower(): field for field in fields.children}
        values = {
            name: _SPACE.sub(" ", cast("nodes.Element", field).children[1].astext()) for name, field in named.items()
        }
        if values.get("title"):
            self.title = values["title"]
            self._level = 1  # so that an only section is not taken for the title
            if values.get("pep", "").isdecimal():
                self.title = f"PEP {int(values['pep'])} – {self.title}"
        for name, field in named.items():
            if name in _LEFT_OUT_FIELDS:
                continue
            if name in _PEP_FIELDS and re.fullmatch(r"[\d, ]+", values[name]):
                peps = ", ".join(f"PEP {int(number)}" for number in re.findall(r"\d+", values[name]))
                self._add_text(f"**{field.children[0].astext()}:** {peps}")
            else:
                self._visit(field)

    def _field(self, field: nodes.Element) -> None:
        name, body = cast("Sequence[nodes.Element]", field.children)
        if not body.children and name.astext().lower() in _LEFT_OUT_FIELDS:
            return
        self._led(f"**{self._inline(name)}:** ", body.children)

    def _list(self, found: nodes.Element) -> None:
        self._flush_lead()
        self._lists += 1
        first = int(found.get("start", 1))
        for number, item in enumerate(found.children, start=first):
            self._mark = _enumerator(found, number) if isinstance(found, nodes.enumerated_list) else "- "
            self._all(cast("nodes.Element", item).children)
            self._mark = ""
        self._lists -= 1

    def _definition(self, item: nodes.Element) -> None:
        terms = [self._inline(child) for child in item.children if isinstance(child, nodes.term)]
        kinds = [self._inline(child) for child in item.children if isinstance(child, nodes.classifier)]
        definition = [child for child in item.children if isinstance(child, nodes.definition)]
        lead = ", ".join(_strong(term) for term in terms) + (f" ({', '.join(kinds)})" if kinds else "")
        self._led(f"{lead} — ", [node for one in definition for node in one.children])

    def _option(self, item: nodes.Element) -> None:
        group, description = cast("Sequence[nodes.Element]", item.children)
        names = ", ".join(f"`{option.astext()}`" for option in group.children)
        self._led(f"{names} — ", description.children)

    def _admonition(self, note: nodes.Element) -> None:
        title = next((child for child in note.children if isinstance(child, nodes.title)), None)
        name = self._inline(title) if title is not None else type(note).__name__.capitalize()
        self._led(f"**{name}:** ", note.children)

    def _titled(self, block: nodes.Element) -> None:
        """A topic or a sidebar parts no section."""
        titles = [child for child in block.children if isinstance(child, nodes.title | nodes.subtitle)]
        for title in titles:
            self._add_text(_strong(self._inline(title)))
        self._all(child for child in block.children if child not in titles)

    def _rubric(self, rubric: nodes.Element) -> None:
        self._add_text(_strong(self._inline(rubric)))

    def _footnote(self, note: nodes.Element) -> None:
        label = note.children[0].astext() if isinstance(note.children[0], nodes.label) else "*"
        self._led(f"[{label}] ", [child for child in note.children if not isinstance(child, nodes.label)])

    def _figure(self, figure: nodes.Element) -> None:
        captions = [child for child in figure.children if isinstance(child, nodes.caption)]
        images = [child for child in figure.children if isinstance(child, nodes.image | nodes.reference)]
        self._all(child for child in figure.children if not (captions and child in images))

    def _image(self, image: nodes.Element) -> None:
        self._add_text(str(image.get("alt") or ""))

    def _lines(self, block: nodes.Element) -> None:
        lines = [self._inline(line) for line in block.findall(nodes.line)]
        self._add_text("\n".join(lines))

    def _code(self, block: nodes.Element) -> None:
        self._flush_lead()
        code = block.astext().strip("\n").rstrip()
        if code:
            self._items.append(Item(kind="code", text=code))

    def _message(self, message: nodes.Element) -> None:
        """What docutils could not make out is kept as it was typed; its complaint is not."""
        if int(message.get("level", 0)) < 3:
            return
        for block in message.children:
            if not isinstance(block, nodes.literal_block):
                continue
            text = block.astext()
            if _TITLE_LINE.match(text):
                self._add_text(_strong(text.split("\n")[0]))
            else:
                self._code(block)

    def _table(self, table: nodes.Element) -> None:
        self._flush_lead()
        for title in table.children:
            if isinstance(title, nodes.title):
                self._add_text(self._inline(title))
        rows: list[list[str]] = []
        spans: dict[int, tuple[int, str]] = {}
        for row in table.findall(nodes.row):
            rows.append(self._row(row, spans))
        text = table_rows(rows)
        if text:
            self._items.append(Item(kind="table", text=text))

    def _row(self, row: nodes.Element, spans: dict[int, tuple[int, str]]) -> list[str]:
        """Cells that reach down from rows above are repeated, so that each row says all by itself."""
        cells: list[str] = []
        for entry in cast("Sequence[nodes.Element]", row.children):
            _fill(cells, spans)
            text = Walker(self._document, in_cell=True).cell(entry)
            down = int(entry.get("morerows", 0))
            for _ in range(int(entry.get("morecols", 0)) + 1):
                if down:
                    spans[len(cells)] = (down, text)
                cells.append(text)
                text = ""
        _fill(cells, spans)
        return cells

    # --- text ---

    def _led(self, lead: str, children: Sequence[nodes.Node]) -> None:
        self._flush_lead()
        self._lead = lead
        self._all(children)
        self._flush_lead()

    def _flush_lead(self) -> None:
        """A lead with no text to stand before stands alone."""
        lead, self._lead = self._lead.strip(), ""
        if lead:
            self._add_text(lead.removesuffix("—").rstrip())

    def _add_text(self, text: str) -> None:
        text = text.strip()
        if not text:
            return
        text, self._lead = self._lead + text, ""
        if not self._lists:
            self._items.append(Item(kind="paragraph", text=text))
            return
        indent = "  " * (self._lists - 1)
        mark, self._mark = self._mark or "  ", ""
        self._items.append(Item(kind="list_item", text=indent + mark + text.replace("\n", f"\n{indent}  ")))

    def _inline(self, element: nodes.Node) -> str:
        text = ""
        for child in cast("nodes.Element", element).children:
            text += self._span(child, text)
        return text

    def _span(self, node: nodes.Node, before: str) -> str:
        if isinstance(node, nodes.Text):
            return _SPACE.sub(" ", node.astext())
        if isinstance(node, (*_SILENT, nodes.system_message)) and not isinstance(node, nodes.target):
            return ""
        element = cast("nodes.Element", node)
        if isinstance(element, nodes.problematic):
            match = _PROBLEM.match(element.astext())
            return match.group("text") if match else element.astext()
        if isinstance(element, nodes.image):
            return str(element.get("alt") or "")
        inner = self._inline(element)
        match element:
            case nodes.superscript():
                return superscript(before, inner)
            case nodes.literal():
                return f"`{inner}`" if inner and "`" not in inner else inner
            case nodes.emphasis() if inner and "*" not in inner and not self._in_cell:
                return f"*{inner}*"
            case nodes.strong():
                return _strong(inner)
            case nodes.reference() if element.get("refuri") and not self._in_cell:
                return link(inner, str(element["refuri"]))
            case nodes.footnote_reference() | nodes.citation_reference():
                return f"[{inner}]"
            case nodes.inline() if "label" in element["classes"]:
                return self._title_of(inner)
            case _:
                return inner

    def _title_of(self, label: str) -> str:
        """The title of the section that a label of this document stands before; else the label."""
        name = self._document.nameids.get(nodes.fully_normalize_name(label))
        target = self._document.ids.get(name) if name else None
        if isinstance(target, nodes.section) and isinstance(target.children[0], nodes.title):
            return _one_line(self._inline(target.children[0]))
        return label


def _fill(cells: list[str], spans: dict[int, tuple[int, str]]) -> None:
    while len(cells) in spans:
        left, text = spans.pop(len(cells))
        if left > 1:
            spans[len(cells)] = (left - 1, text)
        cells.append(text)


def _strong(text: str) -> str:
    return text if not text or "**" in text or "`" in text else f"**{text}**"


def _one_line(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def _enumerator(found: nodes.Element, number: int) -> str:
    style = str(found.get("enumtype", "arabic"))
    if style.endswith("alpha"):
        label = chr(ord("a") + (number - 1) % 26)
    elif style.endswith("roman"):
        label = _roman(number)
    else:
        label = str(number)
    label = label.upper() if style.startswith("upper") else label
    return f"{found.get('prefix', '')}{label}{found.get('suffix', '.')} "


def _roman(number: int) -> str:
    text = ""
    for value, letters in (*_ROMAN, *_ROMAN_ONES):
        text += letters * (number // value)
        number %= value
    return text


_HANDLERS: dict[str, Callable[[Walker, nodes.Element], None]] = {
    "section": Walker._section,
    "bullet_list": Walker._list,
    "enumerated_list": Walker._list,
    "definition_list_item": Walker._definition,
    "field": Walker._field,
    "option_list_item": Walker._option,
    "topic": Walker._titled,
    "sidebar": Walker._titled,
    "rubric": Walker._rubric,
    "footnote": Walker._footnote,
    "citation": Walker._footnote,
    "figure": Walker._figure,
    "image": Walker._image,
    "line_block": Walker._lines,
    "literal_block": Walker._code,
    "doctest_block": Walker._code,
    "math_block": Walker._code,
    "system_message": Walker._message,
    "table": Walker._table,
}
