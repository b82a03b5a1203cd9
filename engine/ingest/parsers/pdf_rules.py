"""The straight lines drawn on a PDF page, for tables with rules."""

from __future__ import annotations

import ctypes
from typing import Any

from engine.ingest.parsers.pdf_glyphs import Box

_MOST_OBJECTS = 5_000
_MOST_POINTS = 400
_MOST_RULES = 3_000
_SHORTEST = 6.0
_THICKEST = 2.5

Matrix = tuple[float, float, float, float, float, float]


def read_drawings(page: Any) -> tuple[list[Box], bool]:
    """Horizontal and vertical lines as boxes, and whether there are pictures.

    Thin filled bars count as lines, a frame as its four sides.
    """
    import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

    found: list[Box] = []
    pictured = False
    matrix = pdfium.FS_MATRIX()
    for index in range(min(pdfium.FPDFPage_CountObjects(page), _MOST_OBJECTS)):
        drawn = pdfium.FPDFPage_GetObject(page, index)
        kind = pdfium.FPDFPageObj_GetType(drawn)
        pictured = pictured or kind in (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_FORM)
        if kind != pdfium.FPDF_PAGEOBJ_PATH or len(found) > _MOST_RULES:
            continue
        if pdfium.FPDFPageObj_GetMatrix(drawn, matrix):
            numbers = (matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f)
            found.extend(_of_path(drawn, numbers))
    return found, pictured


def _of_path(path: Any, matrix: Matrix) -> list[Box]:
    import pypdfium2.raw as pdfium

    x, y, filled, stroked = ctypes.c_float(), ctypes.c_float(), ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(path, filled, stroked)
    outlines: list[list[tuple[float, float]]] = []
    a, b, c, d, e, f = matrix
    for index in range(min(pdfium.FPDFPath_CountSegments(path), _MOST_POINTS)):
        segment = pdfium.FPDFPath_GetPathSegment(path, index)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_BEZIERTO:
            return []  # a drawing
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        point = (a * x.value + c * y.value + e, b * x.value + d * y.value + f)
        if kind == pdfium.FPDF_SEGMENT_MOVETO or not outlines:
            outlines.append([])
        outlines[-1].append(point)
        if pdfium.FPDFPathSegment_GetClose(segment):
            outlines[-1].append(outlines[-1][0])
    return [rule for outline in outlines for rule in _of_outline(outline, stroked=bool(stroked.value))]


def _of_outline(points: list[tuple[float, float]], *, stroked: bool) -> list[Box]:
    """`stroked`: its sides are drawn; a shape that is only filled is a background."""
    if len(points) < 2:
        return []
    xs, ys = [x for x, _ in points], [y for _, y in points]
    box = Box(min(xs), min(ys), max(xs), max(ys))
    width, height = box.x1 - box.x0, box.y1 - box.y0
    if max(width, height) < _SHORTEST:
        return []
    if min(width, height) <= _THICKEST:
        return [_thin(box)]
    if not stroked:
        return []
    sides: list[Box] = []
    for (x0, y0), (x1, y1) in zip(points, points[1:], strict=False):
        if max(abs(x1 - x0), abs(y1 - y0)) >= _SHORTEST and min(abs(x1 - x0), abs(y1 - y0)) < 0.5:
            sides.append(_thin(Box(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))))
    return sides


def _thin(box: Box) -> Box:
    """The middle line of a bar."""
    x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    return Box(box.x0, y, box.x1, y) if box.x1 - box.x0 >= box.y1 - box.y0 else Box(x, box.y0, x, box.y1)
