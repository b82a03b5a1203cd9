"""The report as one self-contained HTML page: no script, nothing fetched; light and dark, phones too."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from bot.reports.plots import Plots
from bot.reports.series import Percentiles, Report
from bot.reports.style import STYLE
from bot.reports.svg import shares, spark
from bot.reports.words import Wordbook
from engine.matching.gaps import Gap, per_week, trend
from engine.text.personal import masked
from engine.types import Language, OutcomeKind

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""A page that is opened from a folder or a chat can run and fetch nothing, whatever a question holds."""
_GAPS, _POPULAR, _CITED = 20, 10, 10
_QUESTION_CHARACTERS = 240
_GOOD: tuple[OutcomeKind, ...] = ("faq_direct", "faq_adjacent", "answered")
_Cell = tuple[str, str, str]
"""Class, name of the column, HTML."""


def report_page(report: Report, language: Language) -> str:
    return _Page(report, Wordbook(language)).whole()


class _Page:
    def __init__(self, report: Report, say: Wordbook) -> None:
        self._report = report
        self._say = say

    def whole(self) -> str:
        say, report = self._say, self._report
        period = say("period", begins=say.day(report.begins, year=True), ends=say.day(report.ends, year=True))
        told = [period, say(f"by_{report.span}")]
        told += [f"{name} {say.share(count, report.questions)}" for name, count in report.languages.items()]
        parts = [
            f'<!doctype html><html lang="{say.language}"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            f"<title>{escape(say('title'))}, {escape(period)}</title><style>{STYLE}</style></head><body>",
            f"<header><h1>{escape(say('title'))}</h1><p>{escape(' · '.join(told))}</p></header>",
        ]
        if report.questions or report.escalated:
            parts += [self._tiles(), f'<main class="plots">{"".join(Plots(report, say).all())}</main>']
        else:
            parts.append(f'<p class="empty card">{escape(say("no_questions"))}</p>')
        parts += [self._gaps(), self._popular(), self._cited(), self._never_cited()]
        parts.append(f"<footer><p>{escape(say('foot'))}</p></footer></body></html>")
        return "\n".join(part for part in parts if part) + "\n"

    def _tiles(self) -> str:
        say, report = self._say, self._report
        good = sum(report.kinds[kind] for kind in _GOOD)
        helpful = sum(pair[0] for pair in report.ratings.values())
        rated = sum(sum(pair) for pair in report.ratings.values())
        tiles = [
            ("questions", say.count(report.questions), ""),
            ("with_answer", say.share(good, report.questions), say.count(good)),
            ("without_answer", say.share(report.kinds["missed"], report.questions), say.count(report.kinds["missed"])),
            ("to_people", say.share(report.escalated, report.questions), say.count(report.escalated)),
            ("helpful_share", say.share(helpful, rated), say("of_ratings", count=say.count(rated))),
            ("until_text", *self._time(report.first_text)),
            ("calls", say.count(report.model_calls), say("calls_saved", count=say.count(report.calls_saved))),
            ("tokens", say.count(report.tokens), say("calls_saved", count=say.count(report.tokens_saved))),
        ]
        cells = (
            f"<div><dt>{escape(say(name))}</dt><dd>{escape(value)}<small>{escape(more)}</small></dd></div>"
            for name, value, more in tiles
        )
        return f'<dl class="tiles">{"".join(cells)}</dl>'

    def _time(self, times: Percentiles | None) -> tuple[str, str]:
        if times is None:
            return "–", ""
        return self._say.time(times.median), self._say("p95", time=self._say.time(times.p95))

    # --- tables -----------------------------------------------------------------------------------------------------

    def _gaps(self) -> str:
        gaps = self._report.found.gaps[:_GAPS]
        if not gaps:
            said = self._say("no_gaps") if self._report.questions else ""
            return self._card("gaps", f'<p class="how">{escape(said)}</p>') if said else ""
        rows = self._rows([self._gap(gap) for gap in gaps])
        return self._card("gaps", f'<p class="how">{escape(self._say("gaps_how"))}</p>{rows}')

    def _gap(self, gap: Gap) -> list[_Cell]:
        say = self._say
        counts = per_week([miss.asked_at for miss in gap.misses], self._report.ends)
        way = say(trend(counts))
        again = f"<br>{escape(say('again', count=gap.since))}" if gap.since and not gap.served_by else ""
        nearest = "; ".join(f"{pair.question} ({pair.score:.2f})" for pair in gap.nearest[:1])
        return [
            ("q", "question", escape(_short(masked(gap.example.question)))),
            ("n", "times_asked", escape(say.count(gap.count))),
            ("", "weeks", f"<span class=way>{spark(counts, title=' '.join(map(str, counts)))}{escape(way)}</span>"),
            ("state", "last_seen", escape(self._day(gap.example.asked_at))),
            ("state", "state", f"<span>{escape(say(gap.state))}{again}</span>"),
            ("", "nearest", escape(_short(nearest))),
        ]

    def _popular(self) -> str:
        rows: list[list[_Cell]] = [
            [
                ("q", "question", escape(_short(masked(one.question)))),
                ("n", "times_asked", escape(self._say.count(one.count))),
                ("state", "last_seen", escape(self._day(one.last_seen))),
                ("", "answered_by", escape(f"FAQ: {one.entry}" if one.entry else self._say("documents"))),
            ]
            for one in self._report.found.popular[:_POPULAR]
        ]
        if not rows:
            said = f'<p class="how">{escape(self._say("no_popular"))}</p>' if self._report.questions else ""
            return self._card("popular", said) if said else ""
        return self._card("popular", self._rows(rows))

    def _cited(self) -> str:
        cited = [("/".join(path.split("/")[-2:]), float(count)) for path, count in self._report.cited.items()][:_CITED]
        if not cited:
            return ""
        return self._card("cited", shares(cited, self._say.count, title=self._say("cited")))

    def _never_cited(self) -> str:
        report, say = self._report, self._say
        if not report.documents:
            return self._card("never_cited", f'<p class="how">{escape(say("no_documents"))}</p>')
        if not report.never_cited:
            return self._card("never_cited", f'<p class="how">{escape(say("all_cited"))}</p>')
        count = say("never_cited_how", count=report.never_cited_count, all=report.documents)
        paths = "".join(f"<li>{escape(path)}</li>" for path in report.never_cited)
        return self._card("never_cited", f'<p class="how">{escape(count)}</p><ul class="paths">{paths}</ul>')

    def _card(self, name: str, inside: str) -> str:
        return f'<section class="card wide"><h2>{escape(self._say(name))}</h2>{inside}</section>'

    def _rows(self, rows: Sequence[Sequence[_Cell]]) -> str:
        """A table that a phone shows as cards, each cell with the name of its column."""
        heads = "".join(f'<th class="{kind}">{escape(self._say(name))}</th>' for kind, name, _ in rows[0])
        body = "".join(
            "<tr>"
            + "".join(
                f'<td class="{kind}" data-name="{escape(self._say(name))}">{cell}</td>' for kind, name, cell in row
            )
            + "</tr>"
            for row in rows
        )
        return f'<table class="rows"><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>'

    def _day(self, moment: str) -> str:
        return self._say.local_day(moment, self._report.ends.tzinfo)


def _short(text: str) -> str:
    """One line of bounded length, without names and contacts."""
    flat = " ".join(masked(text).split())
    return flat if len(flat) <= _QUESTION_CHARACTERS else f"{flat[:_QUESTION_CHARACTERS].rstrip()}…"
