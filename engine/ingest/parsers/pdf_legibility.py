"""Which pages of a PDF hold text that can be read: scans, fonts without a map to Unicode, Cyrillic in Latin letters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from engine.ingest.parsers.pdf_lines import Line

_LEAST_LETTERS = 20
_LEGIBLE = 0.5
_FEW_PAGES_NAMED = 12
_LATIN_ACCENTS = re.compile("[À-ÿ¸¨]")
_ASCII_LETTERS = re.compile(r"[A-Za-z]")
_FILLING = re.compile(r"[.…_\-–—|*=]")
_ENOUGH = 40


@dataclass(slots=True)
class PageKinds:
    readable: int = 0
    blank: int = 0
    scanned: list[int] = field(default_factory=list[int])
    unreadable: list[int] = field(default_factory=list[int])
    damaged: list[int] = field(default_factory=list[int])

    def note(self, number: int, texts: Sequence[str], *, pictured: bool) -> None:
        """`pictured`: the page shows a picture. Without one and without text it is blank on purpose."""
        text = "".join("".join(texts).split())
        if not text:
            self.blank += not pictured
            if pictured:
                self.scanned.append(number)
        elif len(text) >= _LEAST_LETTERS and _legible(text) < _LEGIBLE:
            self.unreadable.append(number)
        else:
            self.readable += 1

    def why_useless(self) -> str:
        """Why nothing of the document can be used; "" when something can."""
        if self.readable:
            return ""
        if self.unreadable:
            return "its text layer is unreadable (fonts without a map to Unicode); run text recognition (OCR) on it"
        if self.scanned:
            return "holds no text, probably a scan; run text recognition (OCR) on it"
        if self.blank:
            return "holds no text: its pages are blank"
        return "its pages are damaged; save it anew"

    def remarks(self) -> list[str]:
        remarks: list[str] = []
        if self.scanned:
            remarks.append(f"{_pages(self.scanned)} no text, probably scans; run text recognition (OCR) on them")
        if self.unreadable:
            remarks.append(f"{_pages(self.unreadable)} an unreadable text layer; run text recognition (OCR) on them")
        if self.damaged:
            remarks.append(f"{_pages(self.damaged)} damage and were left out")
        return remarks


def _legible(text: str) -> float:
    """The share of letters and digits among signs that are no dot leaders; private and unknown signs are neither."""
    signs = _FILLING.sub("", text)
    return sum(sign.isalnum() for sign in signs) / max(1, len(signs))


def _pages(numbers: Sequence[int]) -> str:
    """ "page 3 holds", "pages 3-5, 9 hold"."""
    if len(numbers) == 1:
        return f"page {numbers[0]} holds"
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    named = [str(first) if first == last else f"{first}-{last}" for first, last in runs[:_FEW_PAGES_NAMED]]
    more = f" and others ({len(numbers)} in all)" if len(runs) > _FEW_PAGES_NAMED else ""
    return f"pages {', '.join(named)}{more} hold"


def mended(lines: list[Line]) -> list[Line]:
    """Old Russian fonts name their letters as Latin ones ("Ïðàâèëà"): such a document is read as Cyrillic."""
    text = "".join(line.text + line.table for line in lines)
    accents = len(_LATIN_ACCENTS.findall(text))
    if accents < _ENOUGH or accents < 2 * len(_ASCII_LETTERS.findall(text)):
        return lines
    return [
        replace(
            line,
            text=_cyrillic(line.text),
            table=_cyrillic(line.table),
            bold_start=_cyrillic(line.bold_start),
            cells=[(left, right, _cyrillic(cell)) for left, right, cell in line.cells],
        )
        for line in lines
    ]


def _cyrillic(text: str) -> str:
    return text.encode("cp1252", "replace").decode("cp1251", "replace") if _LATIN_ACCENTS.search(text) else text
