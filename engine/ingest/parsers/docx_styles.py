"""What Word's styles say of paragraphs and runs, with what they inherit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from engine.ingest.parsers.docx_numbering import Label, Numbering
from engine.ingest.parsers.docx_xml import Element, W, child, number, switch, value

Role = Literal["", "title", "caption", "contents"]

_HEADING = re.compile(r"^(?:heading|заголовок|überschrift|titre|título|titolo|nagłówek|otsikko|rubrik)\s*([1-9])$")
_CONTENTS = re.compile(r"^(?:toc\s*(?:[1-9]|heading)|table of figures|table of authorities|оглавление\s*[1-9])$")
_TITLES = frozenset({"title", "название"})
_CAPTIONS = frozenset({"caption", "название объекта"})
_BODY_LEVEL = 9
_LONGEST_CHAIN = 30
_USUAL_SIZE = 20


@dataclass(frozen=True, slots=True)
class RunLook:
    bold: bool = False
    hidden: bool = False
    raised: bool = False
    size: int = _USUAL_SIZE
    """In half points."""


@dataclass(frozen=True, slots=True)
class _Style:
    name: str
    base: str | None
    paragraph: Element | None
    run: Element | None


@dataclass(slots=True)
class Styles:
    _styles: Mapping[str, _Style]
    _default: str | None
    _run_defaults: Element | None
    _looks: dict[tuple[str | None, str | None], RunLook] = field(
        default_factory=dict[tuple[str | None, str | None], RunLook]
    )

    def list_links(self) -> dict[str, str]:
        """Of list styles, the instance of numbering they name."""
        named = ((key, value(style.paragraph, "numPr", "numId")) for key, style in self._styles.items())
        return {key: instance for key, instance in named if instance is not None}

    def role(self, properties: Element | None) -> Role:
        for _, style in self._chain(self._paragraph_style(properties)):
            if style.name in _TITLES:
                return "title"
            if style.name in _CAPTIONS:
                return "caption"
            if _CONTENTS.match(style.name):
                return "contents"
        return ""

    def heading_level(self, properties: Element | None) -> int | None:
        """1 to 9 by outline level or style, of the paragraph itself first; None for body text."""
        own = number(value(properties, "outlineLvl"))
        if own is not None:
            return own + 1 if 0 <= own < _BODY_LEVEL else None
        for _, style in self._chain(self._paragraph_style(properties)):
            level = number(value(style.paragraph, "outlineLvl"))
            if level is not None:
                return level + 1 if 0 <= level < _BODY_LEVEL else None
            named = _HEADING.match(style.name)
            if named:
                return int(named.group(1))
        return None

    def align(self, properties: Element | None) -> str:
        own = value(properties, "jc")
        if own is not None:
            return own
        chain = self._chain(self._paragraph_style(properties))
        return next((found for _, style in chain if (found := value(style.paragraph, "jc")) is not None), "left")

    def label(self, properties: Element | None, numbering: Numbering) -> Label | None:
        """Count a paragraph in its list; None when it is in none."""
        instance = value(properties, "numPr", "numId")
        level = number(value(properties, "numPr", "ilvl"))
        linked: list[str] = []
        for key, style in self._chain(self._paragraph_style(properties)):
            linked.append(key)
            if instance is None:
                instance = value(style.paragraph, "numPr", "numId")
            if level is None:
                level = number(value(style.paragraph, "numPr", "ilvl"))
                if level is None and instance is not None:
                    found = (numbering.level_of_style(instance, name) for name in linked)
                    level = next((one for one in found if one is not None), None)
            if instance is not None and level is not None:
                break
        if instance is None or instance == "0":
            return None
        return numbering.advance(instance, level or 0)

    def run_look(self, paragraph: Element | None, run: Element | None) -> RunLook:
        """`paragraph` and `run` are their properties."""
        inherited = self._inherited(self._paragraph_style(paragraph), value(run, "rStyle"))
        if run is None or not len(run):
            return inherited
        return _look(run, inherited)

    def _paragraph_style(self, properties: Element | None) -> str | None:
        named = value(properties, "pStyle")
        return named if named in self._styles else self._default

    def _inherited(self, paragraph: str | None, character: str | None) -> RunLook:
        key = (paragraph, character)
        if key not in self._looks:
            look = _look(self._run_defaults, RunLook())
            for start in (paragraph, character):
                for _, style in reversed(list(self._chain(start))):
                    look = _look(style.run, look)
            self._looks[key] = look
        return self._looks[key]

    def _chain(self, start: str | None) -> Iterator[tuple[str, _Style]]:
        """A style and those it is based on; the file may make a ring of them."""
        for _ in range(_LONGEST_CHAIN):
            style = self._styles.get(start) if start is not None else None
            if start is None or style is None:
                return
            yield start, style
            start = style.base


def _look(properties: Element | None, inherited: RunLook) -> RunLook:
    if properties is None:
        return inherited
    bold, hidden = switch(properties, "b"), switch(properties, "vanish")
    placed, height = value(properties, "vertAlign"), number(value(properties, "position"))
    size = number(value(properties, "sz"))
    raised = inherited.raised
    if placed is not None or height is not None:
        raised = placed == "superscript" or (height or 0) > 0
    return RunLook(
        bold=inherited.bold if bold is None else bold,
        hidden=inherited.hidden if hidden is None else hidden,
        raised=raised,
        size=inherited.size if size is None else size,
    )


def read_styles(root: Element | None) -> Styles:
    styles: dict[str, _Style] = {}
    default: str | None = None
    for element in root.iterfind(W + "style") if root is not None else ():
        key = element.get(W + "styleId") or ""
        name = " ".join((value(element, "name") or "").lower().split())
        styles[key] = _Style(name, value(element, "basedOn"), child(element, "pPr"), child(element, "rPr"))
        is_default = (element.get(W + "default") or "") in ("1", "true", "on")
        if is_default and element.get(W + "type") == "paragraph":
            default = key
    return Styles(styles, default, child(root, "docDefaults", "rPrDefault", "rPr"))
