"""The letters of a PDF page as spans: runs of text in one font on one line."""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

_BOLD = re.compile(r"bold|black|heavy|demi|semib|cmbx|sfbx|sfsx|sfxb|[a-z]bx\d|medi(?:ital)?$|,b\b|-bd", re.IGNORECASE)
_ITALIC = re.compile(r"ital|obli|slant|cmti|sfti|-it\b", re.IGNORECASE)
_MONO = re.compile(r"mono|courier|consol|typewriter|cmtt|sftt|menlo|\bcode|fixed", re.IGNORECASE)
_REGULAR = re.compile(r"regu|roman|book|light|medi|ital", re.IGNORECASE)
_FIXED_PITCH = 1
_BOLD_WEIGHT = 700
_STROKED = 2
"""Text render mode "fill, then stroke": how some programs make letters bold."""
_BREAKS = frozenset((10, 13))
_SPACES = frozenset((9, 32, 160, 0x2002, 0x2003, 0x2009, 0x202F, 0x3000))
_ODD_LETTERS = {
    2: "-",  # what PDFium makes of a hyphen at the end of a line
    0xFFFE: "-",
    **dict(zip(range(0xFB00, 0xFB07), ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True)),
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),
}
_MOST_GLYPHS = 100_000
_GAP = 0.9
"""In units of the letter size: a wider gap parts columns and table cells."""
_SKEW = 0.1
_BIGGEST = 2_000.0


@dataclass(frozen=True, slots=True)
class Box:
    x0: float
    y0: float
    x1: float
    y1: float

    def turned(self, quarters: int) -> Box:
        """Turned clockwise around the origin."""
        match quarters:
            case 1:
                return Box(self.y0, -self.x1, self.y1, -self.x0)
            case 2:
                return Box(-self.x1, -self.y1, -self.x0, -self.y0)
            case 3:
                return Box(-self.y1, self.x0, -self.y0, self.x1)
            case _:
                return self

    def moved(self, x: float, y: float) -> Box:
        return Box(self.x0 + x, self.y0 + y, self.x1 + x, self.y1 + y)


@dataclass(frozen=True, slots=True)
class Font:
    name: str
    bold: bool
    italic: bool
    mono: bool


@dataclass(slots=True)
class Span:
    text: str
    x0: float
    x1: float
    y: float
    """Of the line on which the letters stand."""
    size: float
    font: Font
    spaced: bool
    """White space comes before it."""
    breaks: bool
    """PDFium sees a new line before it."""

    def move(self, x: float, y: float) -> None:
        self.x0 += x
        self.x1 += x
        self.y += y


@dataclass(slots=True)
class _Run:
    """Letters of one text object, in the page's own coordinates."""

    font: Font
    size: float
    x: float
    y: float
    turn: int | None
    """In which direction the text runs, in quarters of a circle; None when it is slanted, as watermarks are."""
    breaks: bool = False
    glyphs: list[tuple[str, Box, bool]] = field(default_factory=list[tuple[str, Box, bool]])
    """Letter, place, whether a space comes before it."""


def read_spans(textpage: Any) -> tuple[list[Span], int]:
    """Spans in the order of the file, and by how many quarters the page had to be turned clockwise to be read."""
    runs = _read_runs(textpage)
    letters: Counter[int] = Counter()
    for run in runs:
        if run.turn is not None:
            letters[run.turn] += len(run.glyphs)
    turn = letters.most_common(1)[0][0] if letters else 0
    spans: list[Span] = []
    for run in runs:
        if run.turn == turn:
            _add_spans(spans, run, turn)
    return spans, turn


def _read_runs(textpage: Any) -> list[_Run]:
    import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

    page, rect = textpage.raw, pdfium.FS_RECTF()
    code_of, box_of, address_of = pdfium.FPDFText_GetUnicode, pdfium.FPDFText_GetLooseCharBox, _address_of(pdfium)
    fonts: dict[int, Font] = {}
    runs: list[_Run] = []
    last: int | None = -1
    spaced = breaks = False
    high = 0
    for index in range(min(textpage.count_chars(), _MOST_GLYPHS)):
        code = code_of(page, index)
        if code in _BREAKS:
            spaced = breaks = True
            continue
        if code in _SPACES:
            spaced = True
            continue
        if 0xD800 <= code < 0xDC00:
            high = code
            continue
        if 0xDC00 <= code < 0xE000 and high:
            code = 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00)
        high = 0
        here = address_of(page, index)
        if here != last or breaks:
            run = _begin_run(page, index, pdfium.FPDFText_GetTextObject(page, index), fonts)
            run.breaks = breaks
            runs.append(run)
            last = here
        if not box_of(page, index, rect):
            continue
        letter = _ODD_LETTERS.get(code) or chr(code)
        runs[-1].glyphs.append((letter, Box(rect.left, rect.bottom, rect.right, rect.top), spaced))
        spaced = breaks = False
    return [run for run in runs if run.glyphs]


def _address_of(pdfium: Any) -> Any:
    """FPDFText_GetTextObject with the address as a number: asked for each letter, and much cheaper than a pointer."""
    place = ctypes.cast(pdfium.FPDFText_GetTextObject, ctypes.c_void_p).value or 0
    return ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(place)


def _begin_run(page: Any, index: int, text_object: Any, fonts: dict[int, Font]) -> _Run:
    import pypdfium2.raw as pdfium

    matrix, x, y = pdfium.FS_MATRIX(), ctypes.c_double(), ctypes.c_double()
    size = pdfium.FPDFText_GetFontSize(page, index)
    turn: int | None = 0
    if pdfium.FPDFText_GetMatrix(page, index, matrix):
        size *= math.hypot(matrix.c, matrix.d) or 1.0
        quarters = math.atan2(matrix.b, matrix.a) / (math.pi / 2)
        straight = math.isfinite(quarters) and abs(quarters - round(quarters)) < _SKEW
        turn = round(quarters) % 4 if straight and 0 < size < _BIGGEST else None
    pdfium.FPDFText_GetCharOrigin(page, index, x, y)
    return _Run(_font(text_object, fonts), round(size, 1), x.value, y.value, turn)


def _font(text_object: Any, fonts: dict[int, Font]) -> Font:
    import pypdfium2.raw as pdfium

    handle = pdfium.FPDFTextObj_GetFont(text_object) if text_object else None
    if not handle:
        return Font("", bold=False, italic=False, mono=False)
    stroked = pdfium.FPDFTextObj_GetTextRenderMode(text_object) == _STROKED
    key = (ctypes.cast(handle, ctypes.c_void_p).value or 0) * 2 + stroked
    if key not in fonts:
        buffer = ctypes.create_string_buffer(256)
        pdfium.FPDFFont_GetBaseFontName(handle, buffer, 256)
        name = buffer.value.decode("utf-8", "replace").partition("+")[2] or buffer.value.decode("utf-8", "replace")
        heavy = pdfium.FPDFFont_GetWeight(handle) >= _BOLD_WEIGHT and not _REGULAR.search(name)
        fonts[key] = Font(
            name,
            bold=bool(_BOLD.search(name)) or heavy or stroked,
            italic=bool(_ITALIC.search(name)),
            mono=bool(_MONO.search(name)) or bool(pdfium.FPDFFont_GetFlags(handle) & _FIXED_PITCH),
        )
    return fonts[key]


def _add_spans(spans: list[Span], run: _Run, turn: int) -> None:
    """The letters of a run; a wide gap inside parts it in two."""
    y = Box(run.x, run.y, run.x, run.y).turned(turn).y0
    current: Span | None = None
    for letter, place, spaced in run.glyphs:
        box = place.turned(turn)
        gap = box.x0 - current.x1 if current else 0.0
        if current is None or gap > _GAP * run.size or gap < -2 * run.size:
            breaks = run.breaks and current is None
            current = Span(letter, box.x0, box.x1, y, run.size, run.font, spaced, breaks)
            spans.append(current)
        else:
            current.text += f" {letter}" if spaced else letter
            current.x1 = max(current.x1, box.x1)
