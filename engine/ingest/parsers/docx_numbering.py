"""The numbers of Word's lists, which stand nowhere in the text: definitions and counters (ECMA-376, part 1, 17.9).

An abstract list has up to nine levels; instances of it (`w:num`) share its counters, unless they restart them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from engine.ingest.parsers.docx_formats import IN_WORDS, format_number
from engine.ingest.parsers.docx_xml import MC, Element, W, alternative, child, number, switch, value

_LEVELS = 9
_PLACE = re.compile(r"%([1-9])")
_TYPED_BEFORE = re.compile(r"(?:^|(?<=[\s(\[]))(?:(?:\d{1,4}|[A-ZА-Я])[.\-])+$")
_DIGITS = str.maketrans("０１２３４５６７８９", "0123456789")


@dataclass(frozen=True, slots=True)
class Level:
    start: int = 0
    style: str = "decimal"
    pattern: str | None = None
    """Of a custom style: "001, 002, ..."."""
    text: str = ""
    """With places for the numbers of the levels: "%1.%2."."""
    restart: int | None = None
    """The level (counted from 1) that restarts this one, with those above it; 0 for none; None for every one above."""
    legal: bool = False
    paragraph_style: str | None = None


@dataclass(frozen=True, slots=True)
class Label:
    """What stands before a numbered paragraph."""

    text: str
    """As it is seen: "5.1.", "Статья 5.", "а)"; "-" for any bullet."""
    number: str
    """As references spell it: "5.1", "5", "а"; "" for bullets and labels without a number."""
    list_id: str
    level: int

    @property
    def is_bullet(self) -> bool:
        return self.text == "-" and not self.number


@dataclass(frozen=True, slots=True)
class _Instance:
    list_id: str
    levels: Mapping[int, Level]
    restarts: frozenset[int]
    """Levels that begin anew where this instance first uses them."""


@dataclass(slots=True)
class Numbering:
    """Definitions, and the counters of one reading of the document in its order."""

    _instances: Mapping[str, _Instance]
    _counts: dict[str, dict[int, int]] = field(default_factory=dict[str, dict[int, int]])
    _begun: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])

    def level_of_style(self, instance: str, style: str) -> int | None:
        """The level that a list links to a paragraph style."""
        found = self._instances.get(instance)
        if found is None:
            return None
        return next((index for index, level in found.levels.items() if level.paragraph_style == style), None)

    def advance(self, instance: str, level: int) -> Label | None:
        """Count a paragraph in; None when its list does not define the level."""
        found = self._instances.get(instance)
        if found is None or level not in found.levels:
            return None
        counts = self._counts.setdefault(found.list_id, {})
        for above in range(level):
            # A level that was passed over counts as begun: "1.1" without a "1" before it; what follows is "2".
            if above not in counts and above in found.levels:
                counts[above] = found.levels[above].start
                self._begun.add((instance, above))
        begins = level in found.restarts and (instance, level) not in self._begun
        self._begun.add((instance, level))
        if level not in counts or begins:
            counts[level] = found.levels[level].start
        else:
            counts[level] += 1
        for deeper in [one for one in counts if one > level and _restarts(found.levels.get(one), one, level)]:
            del counts[deeper]
        return _label(found, counts, level)


def _restarts(level: Level | None, index: int, used: int) -> bool:
    if level is None or level.restart is None or level.restart > index:
        return True
    return used < level.restart


def _label(instance: _Instance, counts: Mapping[int, int], index: int) -> Label:
    level = instance.levels[index]
    if level.style == "bullet":
        return Label("-", "", instance.list_id, index)
    shown = _Shown(instance.levels, counts, index)
    text = " ".join(_PLACE.sub(shown.as_seen, level.text).split())
    places = list(_PLACE.finditer(level.text))
    if not places:
        return Label(text, "", instance.list_id, index)
    typed = _TYPED_BEFORE.search(level.text[: places[0].start()])
    begin = typed.start() if typed else places[0].start()
    number_text = _PLACE.sub(shown.as_spelled, level.text[begin : places[-1].end()])
    clean = "".join(number_text.split()).strip(".)(-").translate(_DIGITS)
    return Label(text, clean, instance.list_id, index)


@dataclass(frozen=True, slots=True)
class _Shown:
    levels: Mapping[int, Level]
    counts: Mapping[int, int]
    index: int

    def as_seen(self, place: re.Match[str]) -> str:
        return self._write(place, spelled=False)

    def as_spelled(self, place: re.Match[str]) -> str:
        return self._write(place, spelled=True)

    def _write(self, place: re.Match[str], *, spelled: bool) -> str:
        index = int(place.group(1)) - 1
        level = self.levels.get(index)
        if level is None or index > self.index:
            return ""
        style = level.style
        in_words = spelled and style in IN_WORDS
        if in_words or (self.levels[self.index].legal and style not in ("decimalZero", "none", "bullet")):
            style = "decimal"
        return format_number(self.counts.get(index, level.start), style, level.pattern)


def read_numbering(root: Element | None, style_links: Mapping[str, str]) -> Numbering:
    """`style_links`: of list styles, the instance they name."""
    if root is None:
        return Numbering({})
    lists: dict[str, dict[int, Level]] = {}
    links: dict[str, str] = {}
    for abstract in root.iterfind(W + "abstractNum"):
        list_id = abstract.get(W + "abstractNumId") or ""
        link = value(abstract, "numStyleLink")
        if link is not None:
            links[list_id] = link
        lists[list_id] = _levels(abstract)
    list_ids = {one.get(W + "numId") or "": value(one, "abstractNumId") or "" for one in root.iterfind(W + "num")}
    instances: dict[str, _Instance] = {}
    for one in root.iterfind(W + "num"):
        instance = one.get(W + "numId") or ""
        list_id = list_ids[instance]
        if list_id in links:
            list_id = list_ids.get(style_links.get(links[list_id], ""), list_id)
        instances[instance] = _instance(one, list_id, lists.get(list_id, {}))
    return Numbering(instances)


def _instance(element: Element, list_id: str, levels: Mapping[int, Level]) -> _Instance:
    own = dict(levels)
    restarts: set[int] = set()
    for override in element.iterfind(W + "lvlOverride"):
        index = number(override.get(W + "ilvl"))
        if index is None or not 0 <= index < _LEVELS:
            continue
        replacement = child(override, "lvl")
        if replacement is not None:
            own[index] = _level(replacement)
        start = number(value(override, "startOverride"))
        if start is not None and index in own:
            own[index] = replace(own[index], start=start)
            restarts.add(index)
    return _Instance(list_id, own, frozenset(restarts))


def _levels(abstract: Element) -> dict[int, Level]:
    levels: dict[int, Level] = {}
    for element in abstract.iterfind(W + "lvl"):
        index = number(element.get(W + "ilvl"))
        if index is not None and 0 <= index < _LEVELS:
            levels[index] = _level(element)
    return levels


def _level(element: Element) -> Level:
    style = child(element, "numFmt")
    if style is None:
        choice = element.find(MC + "AlternateContent")
        style = (
            next((one for one in alternative(choice) if one.tag == W + "numFmt"), None) if choice is not None else None
        )
    return Level(
        start=number(value(element, "start")) or 0,
        style=(style.get(W + "val") if style is not None else None) or "decimal",
        pattern=style.get(W + "format") if style is not None else None,
        text=value(element, "lvlText") or "",
        restart=number(value(element, "lvlRestart")),
        legal=switch(element, "isLgl") or False,
        paragraph_style=value(element, "pStyle"),
    )
