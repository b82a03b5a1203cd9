"""Names and small readings of WordprocessingML, the XML of Word files (ECMA-376)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lxml import etree

Element = etree._Element

W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
MC: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
MATH: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
REL: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_OFF: Final = frozenset({"0", "false", "off", "none"})


def child(parent: Element | None, *names: str) -> Element | None:
    """The first child by that name, of the first child by that name, and so on."""
    for name in names:
        if parent is None:
            return None
        parent = parent.find(W + name)
    return parent


def value(parent: Element | None, *names: str) -> str | None:
    """`w:val` of a child; None when there is no such child."""
    found = child(parent, *names)
    return found.get(W + "val") if found is not None else None


def number(text: str | None) -> int | None:
    """A whole number as attributes write it; None for anything else."""
    if text is None or len(text) > 9:
        return None
    try:
        return int(text)
    except ValueError:
        return None


def switch(parent: Element | None, name: str) -> bool | None:
    """An on/off property: `<w:b/>` is on, `<w:b w:val="0"/>` off, None when it is not set."""
    found = child(parent, name)
    if found is None:
        return None
    return (found.get(W + "val") or "1").lower() not in _OFF


def alternative(element: Element) -> Iterator[Element]:
    """What to read of `mc:AlternateContent`, which says the same twice: one of its branches."""
    for branch in element:
        if branch.tag in (MC + "Choice", MC + "Fallback") and len(branch):
            yield from branch
            return
