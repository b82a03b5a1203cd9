"""An evaluation as one self-contained HTML page: tables, bars with intervals, and every failure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from engine.evaluation.base_rows import Row
from engine.evaluation.base_summary import MEASURES, Figure, Measure, Summary

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:75rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse;margin:1rem 0;font-size:14px}td,th{border-bottom:1px solid #ddd;"
    "padding:.3rem .8rem .3rem 0;text-align:left;vertical-align:top}td{overflow-wrap:break-word;min-width:7rem}"
    "svg{background:#fafafa;margin:.4rem 0;vertical-align:top;max-width:100%;height:auto}.wide{overflow-x:auto}"
    "summary{cursor:pointer;margin:.5rem 0}pre{white-space:pre-wrap;margin:0}"
)
_LABEL, _BAR, _ROW = 150, 260, 20
_SHOWN = 300
"""Failures of each configuration; the others are in the rows."""


def evaluation_page(
    title: str,
    summaries: Sequence[Summary],
    rows: Mapping[str, Sequence[Row]],
    compared: Mapping[str, Mapping[str, Figure]],
    against: str | None,
) -> str:
    """`rows` by configuration; `compared` holds each configuration's lead over `against`, by measure."""
    known = [measure for measure in MEASURES if any(measure.name in one.figures for one in summaries)]
    parts = [
        f"<!doctype html><html lang=en><meta charset=utf-8>"
        f"<meta name=viewport content='width=device-width'><title>{escape(title)}</title><style>{_STYLE}</style>",
        f"<h1>{escape(title)}</h1><p>Means with 95 % bootstrap intervals.{_repeated(summaries)}</p>",
        _table(known, summaries),
        *(_bars(measure, summaries) for measure in known),
        _extras(summaries),
    ]
    if against is not None:
        parts.append(f"<h2>Lead over {escape(against)}, question by question</h2>{_leads(known, compared)}")
    parts.append("<h2>Failures</h2>")
    parts.extend(_failures(name, listed) for name, listed in rows.items())
    if any(one.judge_errors for one in summaries):
        parts.append("<h2>Not judged by the model</h2>")
        parts.extend(_not_judged(name, listed) for name, listed in rows.items())
    return "\n".join(parts) + "</html>\n"


def _repeated(summaries: Sequence[Summary]) -> str:
    most = max((one.repeats for one in summaries), default=1)
    if most == 1:
        return ""
    return f" Each question was asked {most} times; after ±, the standard deviation between the repeats' means."


def _table(known: Sequence[Measure], summaries: Sequence[Summary]) -> str:
    return _grid(
        ["", *(one.configuration for one in summaries)],
        [[measure.title, *(one.told(measure.name) for one in summaries)] for measure in known],
    )


def _leads(known: Sequence[Measure], compared: Mapping[str, Mapping[str, Figure]]) -> str:
    return _grid(
        ["", *compared],
        [[measure.title, *(str(figures.get(measure.name, "")) for figures in compared.values())] for measure in known],
    )


def _extras(summaries: Sequence[Summary]) -> str:
    rows = [["questions", *(str(one.questions) for one in summaries)]]
    if any(one.repeats > 1 for one in summaries):
        rows.append(["times asked", *(str(one.repeats) for one in summaries)])
    for name, told in (("kinds of outcome", "kinds"), ("times written", "passes")):
        rows.append([name, *(listed(getattr(one, told)) for one in summaries)])
    for group in ("references", "milliseconds", "calls"):
        names = dict.fromkeys(name for one in summaries for name in getattr(one, group))
        unit = "ms " if group == "milliseconds" else ""
        rows += [[f"{unit}{name}", *(str(getattr(one, group).get(name, "")) for one in summaries)] for name in names]
    rows.append(["quoted in place of the model", *(str(one.stood_in) for one in summaries)])
    rows.append(["errors of the judging model", *(listed(one.judge_errors) or "0" for one in summaries)])
    return "<h2>Outcomes, references, times</h2>" + _grid(["", *(one.configuration for one in summaries)], rows)


def listed(counts: Mapping[str, float] | Mapping[int, int]) -> str:
    return ", ".join(f"{name}: {count}" for name, count in counts.items())


def _grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    heads = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<div class=wide><table><tr>{heads}</tr>{body}</table></div>"


def _bars(measure: Measure, summaries: Sequence[Summary]) -> str:
    """One bar for each configuration, with the interval as a line over its end."""
    marks: list[str] = []
    known = [one for one in summaries if measure.name in one.figures]
    for place, one in enumerate(known):
        figure = one.figures[measure.name]
        y = 28 + place * _ROW
        low, end, high = (_LABEL + _BAR * value / measure.most for value in (figure.low, figure.mean, figure.high))
        marks.append(
            f'<text x="{_LABEL - 6}" y="{y + 11}" text-anchor="end">{escape(one.configuration)}</text>'
            f'<rect x="{_LABEL}" y="{y}" width="{max(0.0, end - _LABEL):.1f}" height="13" fill="#69c"/>'
            f'<path d="M{low:.1f} {y + 6.5}H{high:.1f}" stroke="#123" stroke-width="2"/>'
            f'<text x="{_LABEL + _BAR + 8}" y="{y + 11}">{figure.mean:.3f}</text>'
        )
    height, width = 36 + len(known) * _ROW, _LABEL + _BAR + 56
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" font-size="12" role="img"'
        f' aria-label="{escape(measure.title)}"><text x="4" y="16" font-weight="bold">{escape(measure.title)}</text>'
        f"{''.join(marks)}</svg>"
    )


def _failures(name: str, rows: Sequence[Row]) -> str:
    failed = [row for row in rows if failure_of(row)]
    repeated = any(row.repeat > 1 for row in rows)
    shown = _grid(
        ["question", "what failed", "needed", "found", "answer"],
        [
            [
                f"{_named(row, repeated)}: {row.question}",
                failure_of(row),
                "; ".join([*row.facts, *row.documents[:3]]),
                "; ".join(row.found[:3]),
                f"({row.kind}) {row.answer[:400]}",
            ]
            for row in failed[:_SHOWN]
        ],
    )
    more = f", the first {_SHOWN} of them here" if len(failed) > _SHOWN else ""
    return f"<details><summary>{escape(name)}: {len(failed)} of {len(rows)}{more}</summary>{shown}</details>"


def _not_judged(name: str, rows: Sequence[Row]) -> str:
    repeated = any(row.repeat > 1 for row in rows)
    left = [[f"{_named(row, repeated)}: {row.question}", row.judge_error] for row in rows if row.judge_error]
    shown = _grid(["question", "why"], left[:_SHOWN])
    return f"<details><summary>{escape(name)}: {len(left)} of {len(rows)}</summary>{shown}</details>"


def _named(row: Row, repeated: bool) -> str:
    return f"{row.id} (time {row.repeat})" if repeated else row.id


def failure_of(row: Row) -> str:
    """The first stage at which a question went wrong; "" when its answer is right."""
    if row.facts and row.value_quoted:
        return ""
    if not row.facts and row.hit_10 in (True, None):
        return ""
    stages = (
        ("wrong domain", row.domain),
        ("wrong collection", row.collection),
        ("right document outside the search", row.reached),
        ("right document not found", row.hit_10),
        ("value not among 10 chunks", row.value_10),
        ("value not in the context", None if row.coverage is None else row.coverage == 2),
    )
    return next((name for name, right in stages if right is False), "value not in the answer")
