"""How figures change with the number of domains, drawn: one self-contained page with lines over a logarithmic axis."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape

_WIDTH, _HEIGHT, _LEFT, _FOOT = 420, 240, 48, 34
_LINE = 13
_COLOURS = ("#2563a8", "#b5442a", "#3a8a4d", "#7a4fa3")


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One base of one size."""

    language: str
    domains: int
    questions: int
    figures: Mapping[str, float]
    route_ms: float
    total_ms: float


def growth_page(title: str, points: Sequence[Point]) -> str:
    """Times first, then each figure; a line for each language."""
    names = list(points[0].figures) if points else []
    plots = [
        plot("routing, ms", _lines(points, lambda one: one.route_ms)),
        plot("whole answer, ms", _lines(points, lambda one: one.total_ms)),
        *(plot(name, _lines(points, partial(_figure, name))) for name in names),
    ]
    heads = "".join(f"<th>{escape(name)}</th>" for name in ("language", "domains", *names, "routing, ms", "total, ms"))
    rows = "".join(
        f"<tr><td>{escape(one.language)}</td><td>{one.domains}</td>"
        + "".join(f"<td>{one.figures[name]:.3f}</td>" for name in names)
        + f"<td>{one.route_ms:.0f}</td><td>{one.total_ms:.0f}</td></tr>"
        for one in points
    )
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f"<title>{escape(title)}</title><style>{_STYLE}</style><h1>{escape(title)}</h1>"
        f"<p>Medians of milliseconds; {max((one.questions for one in points), default=0)} questions of each base.</p>"
        f"{''.join(plots)}<div class=wide><table><tr>{heads}</tr>{rows}</table></div></html>\n"
    )


_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:75rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "svg{background:#fafafa;margin:.4rem;max-width:100%;height:auto}.wide{overflow-x:auto}"
    "table{border-collapse:collapse;font-size:14px}td,th{border-bottom:1px solid #ddd;padding:.3rem .8rem .3rem 0;"
    "text-align:left}"
)


def _figure(name: str, one: Point) -> float:
    return one.figures[name]


def _lines(points: Sequence[Point], value: Callable[[Point], float]) -> dict[str, list[tuple[int, float]]]:
    lines: dict[str, list[tuple[int, float]]] = {}
    for one in sorted(points, key=lambda one: one.domains):
        lines.setdefault(one.language, []).append((one.domains, value(one)))
    return lines


def plot(title: str, lines: Mapping[str, Sequence[tuple[int, float]]]) -> str:
    """An SVG with a line of (domains, value) for each name; the value's axis begins at 0, that of domains is
    logarithmic."""
    every = [point for line in lines.values() for point in line]
    most = max((value for _, value in every), default=0.0) or 1.0
    sizes = sorted({size for size, _ in every})
    low, high = (math.log10(max(1, sizes[0])), math.log10(max(1, sizes[-1]))) if sizes else (0.0, 1.0)

    def x(size: int) -> float:
        share = (math.log10(max(1, size)) - low) / (high - low) if high > low else 0.5
        return _LEFT + share * (_WIDTH - _LEFT - 60)

    def y(value: float) -> float:
        return _HEIGHT - _FOOT - value / most * (_HEIGHT - _FOOT - 40)

    marks = [
        f'<path d="M{_LEFT} {y(0):.1f}H{_WIDTH - 50}" stroke="#999"/>',
        f'<text x="4" y="{y(most) + 4:.1f}">{most:.3g}</text><text x="4" y="{y(0) + 4:.1f}">0</text>',
        *(f'<text x="{x(size):.1f}" y="{_HEIGHT - 14}" text-anchor="middle">{size}</text>' for size in sizes),
    ]
    taken: list[float] = []
    for (name, line), colour in zip(lines.items(), _COLOURS, strict=False):
        path = "L".join(f"{x(size):.1f} {y(value):.1f}" for size, value in line)
        dots = "".join(f'<circle cx="{x(size):.1f}" cy="{y(value):.1f}" r="3"/>' for size, value in line)
        marks.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/><g fill="{colour}">{dots}</g>')
        beside = y(line[-1][1]) + 4
        while any(
            abs(beside - other) < _LINE for other in taken
        ):  # lines that end together are named one below another
            beside += 1
        taken.append(beside)
        marks.append(f'<text x="{x(line[-1][0]) + 8:.1f}" y="{beside:.1f}" fill="{colour}">{escape(name)}</text>')
    name = escape(title)
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" font-size="12" role="img" aria-label="{name}">'
        f'<text x="4" y="16" font-weight="bold">{name}</text>{"".join(marks)}</svg>'
    )
