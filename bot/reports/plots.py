"""The plots of the report, each a card with its legend."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape

from bot.reports.series import KINDS, Bucket, Percentiles, Report
from bot.reports.svg import Series, Shown, bars, lines, shares
from bot.reports.words import Wordbook
from engine.types import OutcomeKind

COLOURS: dict[OutcomeKind, str] = {kind: f"c-{kind.replace('_', '-')}" for kind in KINDS}


class Plots:
    def __init__(self, report: Report, say: Wordbook) -> None:
        self._report = report
        self._say = say
        labelled = say.month if report.span == "month" else say.day
        self._labels = [labelled(bucket.begins) for bucket in report.buckets]

    def all(self) -> Iterator[str]:
        """In the order in which they are looked at."""
        kinds = [kind for kind in KINDS if self._report.kinds[kind]]
        yield self._bars("plot_volume", [self._of(kind, COLOURS[kind], _kind(kind)) for kind in kinds])
        yield self._shares(kinds)
        yield self._bars("plot_escalated", [self._of("escalated", "c-escalated", lambda bucket: bucket.escalated)])
        yield self._reasons()
        yield self._bars(
            "plot_ratings",
            [
                self._of("helpful", "c-answered", lambda bucket: bucket.helpful),
                self._of("not_helpful", "c-missed", lambda bucket: bucket.not_helpful),
            ],
        )
        yield self._ratings()
        yield self._bars(
            "plot_references",
            [
                self._of("resolved", "c-answered", lambda bucket: bucket.resolved),
                self._of("unresolved", "c-missed", lambda bucket: bucket.references - bucket.resolved),
            ],
        )
        yield self._resolved_by()
        yield self._times("plot_first_text", lambda bucket: bucket.first_text)
        yield self._totals()
        yield self._spent("plot_calls", lambda bucket: bucket.model_calls, lambda bucket: bucket.calls_saved)
        yield self._spent(
            "plot_tokens", lambda bucket: bucket.tokens, lambda bucket: bucket.tokens_saved, self._how_saved()
        )

    def _shares(self, kinds: Sequence[OutcomeKind]) -> str:
        series = [self._of(kind, COLOURS[kind], _share(kind)) for kind in kinds]
        overall = {kind: self._say.share(self._report.kinds[kind], self._report.questions) for kind in kinds}
        legend = [(self._say(kind), COLOURS[kind], overall[kind]) for kind in kinds]
        return self._card("plot_shares", self._drawn(bars, series, self._percent, "plot_shares"), legend)

    def _reasons(self) -> str:
        rows = [(self._say(f"reason_{name}"), float(count)) for name, count in self._report.reasons.items()]
        return self._rows("plot_reasons", rows, "c-escalated")

    def _resolved_by(self) -> str:
        rows = [(self._say(f"by_{name}"), float(count)) for name, count in self._report.resolved_by.items()]
        return self._rows("resolved_by", rows, "c-answered")

    def _rows(self, name: str, rows: Sequence[tuple[str, float]], colour: str) -> str:
        title = self._say(name)
        return self._card(name, shares(rows, self._say.count, title=title, colour=colour) if rows else "", ())

    def _ratings(self) -> str:
        """By the kind of answer."""
        head = ("kind", "helpful", "not_helpful", "share")
        rows = [
            [self._say(kind), self._say.count(good), self._say.count(bad), self._say.share(good, good + bad)]
            for kind, (good, bad) in self._report.ratings.items()
        ]
        return self._card("helpful_by_kind", self._table(head, rows) if rows else "", ())

    def _totals(self) -> str:
        head = ("kind", "number", "median", "p95_short")
        rows = [
            [
                self._say(kind),
                self._say.count(self._report.kinds[kind]),
                self._say.time(times.median),
                self._say.time(times.p95),
            ]
            for kind, times in self._report.totals.items()
        ]
        return self._card("times", self._table(head, rows) if rows else "", ())

    def _spent(
        self, name: str, spent: Callable[[Bucket], float], saved: Callable[[Bucket], float], note: str = ""
    ) -> str:
        series = [self._of("spent", "c-faq-direct", spent), self._of("saved", "c-saved", saved)]
        return self._card(name, self._drawn(bars, series, self._say.count, name), self._legend(series), note)

    def _how_saved(self) -> str:
        return self._say("saved_how" if self._report.tokens_saved else "saved_none")

    def _bars(self, name: str, series: Sequence[Series]) -> str:
        return self._card(name, self._drawn(bars, series, self._say.count, name), self._legend(series))

    def _times(self, name: str, of: Callable[[Bucket], Percentiles | None]) -> str:
        series = [
            self._of("most", "c-missed", lambda bucket: None if (times := of(bucket)) is None else times.p95),
            self._of("median", "c-faq-direct", lambda bucket: None if (times := of(bucket)) is None else times.median),
        ]
        legend = [(one.name, one.colour, "") for one in series]
        return self._card(name, self._drawn(lines, series, self._say.time, name), legend)

    def _of(self, name: str, colour: str, value: Callable[[Bucket], float | None]) -> Series:
        return Series(self._say(name), colour, tuple(value(bucket) for bucket in self._report.buckets))

    def _drawn(self, plot: Callable[..., str], series: Sequence[Series], shown: Shown, name: str) -> str:
        if not any(value for one in series for value in one.values):
            return ""
        axis = self._say.brief if shown == self._say.count else shown
        return plot(self._labels, series, shown, title=self._say(name), axis=axis)

    def _legend(self, series: Sequence[Series]) -> list[tuple[str, str, str]]:
        return [(one.name, one.colour, self._say.count(sum(value or 0 for value in one.values))) for one in series]

    def _percent(self, value: float) -> str:
        return self._say.share(value, 100)

    def _card(self, name: str, drawn: str, legend: Sequence[tuple[str, str, str]], note: str = "") -> str:
        """`legend` names each colour and what it comes to in all."""
        keys = "".join(
            f'<li><i class="{colour}"></i>{escape(text)}{f" <b>{escape(count)}</b>" if count else ""}</li>'
            for text, colour, count in legend
        )
        inside = f"{drawn}{f'<ul class=legend>{keys}</ul>' if keys else ''}" if drawn else ""
        inside = inside or f'<p class="nothing">{escape(note or self._say("nothing"))}</p>'
        below = f'<p class="note">{escape(note)}</p>' if note and drawn else ""
        return f"<section class=card><h2>{escape(self._say(name))}</h2>{inside}{below}</section>"

    def _table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        heads = "".join(f"<th>{escape(self._say(name))}</th>" for name in head)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        return f'<table class="numbers"><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>'


def _kind(kind: OutcomeKind) -> Callable[[Bucket], float | None]:
    return lambda bucket: bucket.kinds[kind]


def _share(kind: OutcomeKind) -> Callable[[Bucket], float | None]:
    return lambda bucket: 100 * bucket.kinds[kind] / bucket.questions if bucket.questions else 0.0
