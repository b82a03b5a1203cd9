"""A calibration as one self-contained HTML page: the curve, the bands, the entries that cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from engine.matching.calibration import Bin, Findings

_SIZE = 420
_EDGE = 46
NO_CURVE = "There are too few questions for a curve: give the entries more wordings, or questions by --labelled."
_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse;margin:1rem 0}td,th{border-bottom:1px solid #ddd;padding:.3rem .8rem .3rem 0;"
    "text-align:left;vertical-align:top;overflow-wrap:anywhere}svg{background:#fafafa;max-width:100%;height:auto}"
)


def calibration_page(findings: Findings, embedder: str) -> str:
    rows = "".join(f"<tr><td>{escape(name)}</td><td>{escape(value)}</td></tr>" for name, value in figures(findings))
    pairs = "".join(
        f"<tr><td>{pair.cosine:.3f}</td><td>{escape(pair.entry)}: {escape(pair.wording)}</td>"
        f"<td>{escape(pair.other)}: {escape(pair.other_wording)}</td></tr>"
        for pair in findings.confusable
    )
    return (
        "<!doctype html><html lang=en><meta charset=utf-8>"
        '<meta name=viewport content="width=device-width, initial-scale=1">'
        f"<title>FAQ gate calibration</title><style>{_STYLE}</style>"
        f"<h1>FAQ gate calibration</h1><p>{escape(embedder)}</p><table>{rows}</table>"
        f"<h2>Chance of being right: expected and observed</h2>{_curve(findings.bins, findings.chance.direct)}"
        f"<h2>Entries that are taken for each other</h2>{_table(pairs) if pairs else '<p>None.</p>'}</html>\n"
    )


def _table(pairs: str) -> str:
    return f"<table><tr><th>cosine<th>entry<th>other entry</tr>{pairs}</table>"


def figures(findings: Findings) -> list[tuple[str, str]]:
    """What calibration measured, by name, shares with their 95 % intervals."""
    asked = ", ".join(f"{count} {kind}" for kind, count in findings.questions.items())
    return [
        ("questions", asked),
        ("precision of direct", str(findings.precision) if findings.precision.total else "nothing was direct"),
        ("coverage of direct", str(findings.coverage)),
        ("own questions in adjacent or direct", str(findings.adjacent)),
        ("background questions served directly", str(findings.outside_direct)),
        ("background questions in adjacent or direct", str(findings.outside_adjacent)),
        ("chance at 0.92", f"{findings.chance.direct:.4f}"),
        ("chance at 0.78", f"{findings.chance.adjacent:.4f}"),
        ("cosine of unrelated questions", f"{findings.chance.unrelated:.3f}"),
    ]


def _curve(bins: Sequence[Bin], direct: float) -> str:
    """Observed over expected chance, with intervals; on the diagonal when the calibration is right."""
    if not bins:
        return f"<p>{NO_CURVE}</p>"
    marks = "".join(_mark(one) for one in bins)
    left, right, middle = _x(0), _x(1), _SIZE / 2
    return (
        f'<svg viewBox="0 0 {_SIZE} {_SIZE}" width="{_SIZE}" role="img" aria-label="calibration curve">'
        f'<path d="M{left} {_y(0)}H{right}M{left} {_y(0)}V{_y(1)}" stroke="#888" fill="none"/>'
        f'<path d="M{left} {_y(0)}L{right} {_y(1)}" stroke="#bbb" stroke-dasharray="4"/>'
        f'<path d="M{_x(direct)} {_y(0)}V{_y(1)}" stroke="#c33" stroke-dasharray="2"/>{marks}'
        f'<text x="{middle}" y="{_SIZE - 8}" text-anchor="middle">expected</text>'
        f'<text x="14" y="{middle}" text-anchor="middle" transform="rotate(-90 14 {middle})">observed</text></svg>'
    )


def _mark(one: Bin) -> str:
    low, high = one.observed.interval
    x = _x(one.expected)
    label = escape(f"{one.expected:.3f}: {one.observed}")
    return (
        f'<g stroke="#246"><title>{label}</title><path d="M{x} {_y(low)}V{_y(high)}"/>'
        f'<circle cx="{x}" cy="{_y(one.observed.value)}" r="4" fill="#246"/></g>'
    )


def _x(share: float) -> float:
    return round(_EDGE + share * (_SIZE - 2 * _EDGE), 1)


def _y(share: float) -> float:
    return round(_SIZE - _EDGE - share * (_SIZE - 2 * _EDGE), 1)
