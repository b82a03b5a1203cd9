"""Plots as inline SVG: one width for all, so that a phone shows them at their size and a wide screen several abreast.

Colours are classes of the page's style sheet, which knows light and dark.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 380, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 8, 10, 22
_WIDEST_BAR = 34.0
_LABELS = 4
_LABEL_WIDTH = 150
_ROW = 22


@dataclass(frozen=True, slots=True)
class Series:
    name: str
    colour: str
    """A class of the style sheet."""
    values: tuple[float | None, ...]
    """One for each bucket; None where there is nothing to show."""


Shown = Callable[[float], str]
"""How a number is written."""


def bars(
    labels: Sequence[str], series: Sequence[Series], shown: Shown, *, title: str, axis: Shown | None = None
) -> str:
    """One bar for each bucket, series stacked from the bottom up."""
    tops = [sum(one.values[place] or 0 for one in series) for place in range(len(labels))]
    frame = _Frame(labels, max(tops, default=0), axis or shown)
    marks = []
    for place, label in enumerate(labels):
        below = 0.0
        for one in series:
            value = one.values[place] or 0
            if value:
                marks.append(
                    f'<rect class="{one.colour}" x="{frame.x(place) - frame.bar / 2:.1f}" '
                    f'y="{frame.y(below + value):.1f}" width="{frame.bar:.1f}" '
                    f'height="{max(0.6, frame.y(below) - frame.y(below + value)):.1f}">'
                    f"<title>{escape(f'{label} · {one.name}: {shown(value)}')}</title></rect>"
                )
            below += value
    return frame.drawn("".join(marks), title)


def lines(
    labels: Sequence[str], series: Sequence[Series], shown: Shown, *, title: str, axis: Shown | None = None
) -> str:
    """One line for each series, broken where it has no value; a value by itself is a dot."""
    known = [value for one in series for value in one.values if value is not None]
    frame = _Frame(labels, max(known, default=0), axis or shown)
    marks = []
    for one in series:
        for run in _runs(one.values):
            points = " ".join(f"{frame.x(place):.1f},{frame.y(value):.1f}" for place, value in run)
            marks.append(f'<polyline class="line {one.colour}" points="{points}"/>')
        for place, value in enumerate(one.values):
            if value is not None:
                marks.append(
                    f'<circle class="{one.colour}" cx="{frame.x(place):.1f}" cy="{frame.y(value):.1f}" r="2.6">'
                    f"<title>{escape(f'{labels[place]} · {one.name}: {shown(value)}')}</title></circle>"
                )
    return frame.drawn("".join(marks), title)


def shares(rows: Sequence[tuple[str, float]], shown: Shown, *, title: str, colour: str = "c-answered") -> str:
    """One lying bar for each row."""
    most = max((value for _, value in rows), default=0) or 1
    span = WIDTH - _LABEL_WIDTH - 60
    marks = []
    for place, (name, value) in enumerate(rows):
        y = 4 + place * _ROW
        marks.append(
            f'<text x="{_LABEL_WIDTH - 8}" y="{y + 13}" text-anchor="end">{escape(_cut(name))}'
            f"<title>{escape(name)}</title></text>"
            f'<rect class="{colour}" x="{_LABEL_WIDTH}" y="{y + 2}" width="{max(1.0, span * value / most):.1f}" '
            f'height="14" rx="2"/><text x="{_LABEL_WIDTH + span * value / most + 6:.1f}" y="{y + 13}">'
            f"{escape(shown(value))}</text>"
        )
    return _svg("".join(marks), 8 + len(rows) * _ROW, title)


def spark(counts: Sequence[int], *, title: str) -> str:
    """A line of little bars, for a cell of a table."""
    most = max(counts, default=0) or 1
    marks = "".join(
        f'<rect class="{"c-missed" if count else "c-none"}" x="{place * 8}" y="{20 - max(1.5, 18 * count / most):.1f}" '
        f'width="6" height="{max(1.5, 18 * count / most):.1f}"/>'
        for place, count in enumerate(counts)
    )
    width = 8 * len(counts)
    return (
        f'<svg class="spark" viewBox="0 0 {width} 20" width="{width}" height="20" role="img" '
        f'aria-label="{escape(title)}"><title>{escape(title)}</title>{marks}</svg>'
    )


def nice_top(most: float) -> float:
    """The least of 1, 2, 4, 6, 8 times a power of ten that is not below; at least 1."""
    if most <= 1:
        return 1.0
    power = 10.0 ** math.floor(math.log10(most))
    # Shares add up to a hair more than the whole.
    return next(step * power for step in (1, 2, 4, 6, 8, 10) if step * power >= most * (1 - 1e-9))


class _Frame:
    """Axes with a grid, and where a value is in it."""

    def __init__(self, labels: Sequence[str], most: float, shown: Shown) -> None:
        self._labels, self._shown = labels, shown
        self._top = nice_top(most)
        self._step = (WIDTH - _LEFT - _RIGHT) / max(1, len(labels))
        self.bar = min(_WIDEST_BAR, self._step * 0.8)

    def x(self, place: int) -> float:
        return _LEFT + self._step * (place + 0.5)

    def y(self, value: float) -> float:
        return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * value / self._top

    def drawn(self, marks: str, title: str) -> str:
        grid = []
        for part in (0, 0.5, 1):
            y = self.y(self._top * part)
            if part == 0.5 and self._top == 1:
                continue
            grid.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{WIDTH - _RIGHT}"/>')
            grid.append(_text(_LEFT - 5, y + 3.5, self._shown(self._top * part), "end"))
        for place in _spread(len(self._labels), _LABELS):
            anchor = "middle"
            if len(self._labels) > _LABELS:
                anchor = "start" if place == 0 else "end" if place == len(self._labels) - 1 else "middle"
            grid.append(_text(self.x(place), HEIGHT - 6, self._labels[place], anchor))
        return _svg("".join(grid) + marks, HEIGHT, title)


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _svg(inside: str, height: int, title: str) -> str:
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}">{inside}</svg>'


def _runs(values: Sequence[float | None]) -> list[list[tuple[int, float]]]:
    """Values in a row, at least two."""
    runs: list[list[tuple[int, float]]] = [[]]
    for place, value in enumerate(values):
        if value is None:
            runs.append([])
        else:
            runs[-1].append((place, value))
    return [run for run in runs if len(run) > 1]


def _spread(count: int, most: int) -> list[int]:
    """Up to `most` places, the first and the last among them."""
    if count <= most:
        return list(range(count))
    return sorted({round(part * (count - 1) / (most - 1)) for part in range(most)})


def _cut(text: str) -> str:
    return text if len(text) <= 24 else f"{text[:23]}…"
