"""Tables on a PDF page: those drawn with rules, as Markdown rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.ingest.items import table_rows
from engine.ingest.parsers.pdf_file import PdfPage
from engine.ingest.parsers.pdf_glyphs import Box, Span

_NEAR = 3.0
_MOST_RULES = 400
_MOST_CELLS = 4_000
_LEAST_FILLED = 0.4
_LEAST_LINES = 3
_SHORT_LINE = 40


@dataclass(slots=True)
class _Grid:
    columns: list[float]
    rows: list[float]
    """From the bottom up."""

    @property
    def box(self) -> Box:
        return Box(self.columns[0], self.rows[0], self.columns[-1], self.rows[-1])


def ruled_tables(page: PdfPage) -> tuple[list[tuple[Box, str]], list[Span]]:
    """Tables with their places, and the spans that stand in none."""
    spans = page.spans
    found: list[tuple[Box, str]] = []
    for grid in _grids(page.rules):
        inside = [span for span in spans if _holds(grid.box, span)]
        rows = _rows(grid, inside)
        filled = sum(bool(cell) for row in rows for cell in row)
        columns = sum(any(row[column] for row in rows) for column in range(len(grid.columns) - 1))
        if columns < 2 or len(rows) < 2 or filled < _LEAST_FILLED * len(rows) * columns:
            continue
        kept = [column for column in range(len(grid.columns) - 1) if any(row[column] for row in rows)]
        found.append((grid.box, table_rows([[row[column] for column in kept] for row in rows])))
        taken = {id(span) for span in inside}
        spans = [span for span in spans if id(span) not in taken]
    return found, spans


def _grids(rules: Sequence[Box]) -> list[_Grid]:
    flat = _joined([rule for rule in rules if rule.y0 == rule.y1])
    upright = [_upright(rule) for rule in _joined([_upright(rule) for rule in rules if rule.x0 == rule.x1])]
    if len(flat) < 2 or len(upright) < 2 or len(flat) + len(upright) > _MOST_RULES:
        return []
    grids: list[_Grid] = []
    for group in _touching([*flat, *upright]):
        level = [rule for rule in group if rule.y0 == rule.y1]
        columns = _distinct([rule.x0 for rule in group if rule.x0 == rule.x1])
        if columns and level:
            columns = _distinct([*columns, min(rule.x0 for rule in level), max(rule.x1 for rule in level)])
        # what ends between the columns underlines a word
        rows = _distinct([rule.y0 for rule in level if _is_near(rule.x0, columns) and _is_near(rule.x1, columns)])
        if len(rows) >= 3 and len(columns) >= 3 and len(rows) * len(columns) <= _MOST_CELLS:
            grids.append(_Grid(columns, rows))
    return grids


def _is_near(value: float, borders: Sequence[float]) -> bool:
    return any(abs(value - border) <= _NEAR for border in borders)


def _upright(rule: Box) -> Box:
    """A vertical line laid flat, and back."""
    return Box(rule.y0, rule.x0, rule.y1, rule.x1)


def _joined(flat: list[Box]) -> list[Box]:
    """Horizontal lines, with those that continue one another made one."""
    joined: list[Box] = []
    for rule in sorted(flat, key=lambda one: (round(one.y0), one.x0)):
        last = joined[-1] if joined else None
        if last and abs(last.y0 - rule.y0) <= 1.0 and rule.x0 <= last.x1 + _NEAR:
            joined[-1] = Box(last.x0, last.y0, max(last.x1, rule.x1), last.y0)
        else:
            joined.append(rule)
    return joined


def _touching(rules: Sequence[Box]) -> list[list[Box]]:
    """Rules in groups whose members touch each other."""
    groups: list[tuple[Box, list[Box]]] = []
    for rule in sorted(rules, key=lambda one: -one.y1):
        members = [rule]
        frame = rule
        rest: list[tuple[Box, list[Box]]] = []
        for other, rules_of_other in groups:
            if any(_touch(rule, one) for one in rules_of_other):
                frame = Box(
                    min(frame.x0, other.x0), min(frame.y0, other.y0), max(frame.x1, other.x1), max(frame.y1, other.y1)
                )
                members.extend(rules_of_other)
            else:
                rest.append((other, rules_of_other))
        groups = [*rest, (frame, members)]
    return [members for _, members in groups]


def _touch(one: Box, other: Box) -> bool:
    return (
        one.x0 <= other.x1 + _NEAR
        and other.x0 <= one.x1 + _NEAR
        and one.y0 <= other.y1 + _NEAR
        and other.y0 <= one.y1 + _NEAR
    )


def _distinct(values: Sequence[float]) -> list[float]:
    distinct: list[float] = []
    for value in sorted(values):
        if not distinct or value - distinct[-1] > _NEAR:
            distinct.append(value)
    return distinct


def _holds(box: Box, span: Span) -> bool:
    middle = (span.x0 + span.x1) / 2
    return box.x0 - 1 <= middle <= box.x1 + 1 and box.y0 - 1 <= span.y + 0.3 * span.size <= box.y1 + 1


def _rows(grid: _Grid, spans: Sequence[Span]) -> list[list[str]]:
    cells: list[list[list[Span]]] = [[[] for _ in grid.columns[1:]] for _ in grid.rows[1:]]
    for span in spans:
        column = _interval(grid.columns, span.x0 + min(2.0, (span.x1 - span.x0) / 2))
        row = _interval(grid.rows, span.y + 0.3 * span.size)
        cells[len(cells) - 1 - row][column].append(span)
    rows = [[_cell(inside) for inside in part] for row in cells for part in _parted(row)]
    return [row for row in rows if any(row)]


def _parted(row: list[list[Span]]) -> list[list[list[Span]]]:
    """A row without rules inside, as rows of its own when the lines of its cells stand side by side."""
    full = [cell for cell in row if cell]
    heights = [_distinct([span.y for span in cell]) for cell in full]
    lines = heights[0] if heights else []
    alike = all(
        len(other) == len(lines) and all(abs(a - b) < _NEAR for a, b in zip(lines, other, strict=True))
        for other in heights
    )
    longest = max((len(span.text) for cell in full for span in cell), default=0)
    if len(full) < 2 or len(lines) < _LEAST_LINES or not alike or longest > _SHORT_LINE:
        return [row]
    return [[[span for span in cell if abs(span.y - height) < _NEAR] for cell in row] for height in reversed(lines)]


def _interval(borders: Sequence[float], value: float) -> int:
    return max(0, min(len(borders) - 2, sum(border <= value for border in borders) - 1))


def _cell(spans: Sequence[Span]) -> str:
    text = ""
    before: Span | None = None
    for span in spans:
        new_line = before is not None and abs(span.y - before.y) > 0.55 * span.size
        if new_line and text.endswith("-") and span.text[:1].islower():
            text = text[:-1] + span.text
        elif before is not None and (new_line or span.spaced or span.x0 - before.x1 > 0.22 * span.size):
            text += f" {span.text}"
        else:
            text += span.text
        before = span
    return text.strip()
