"""What buttons carry: a verb, the exchange it belongs to, sometimes a choice. At most 64 bytes, whatever they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from adapters.texts import Texts
from engine import Exchange, Language, OutcomeKind

Verb = Literal["up", "down", "why", "src", "human", "lang", "again"]
Keyboard = tuple[tuple[tuple[str, str], ...], ...]
"""Rows of (text, data)."""

MOST_BYTES = 64
REASONS = ("wrong", "incomplete", "off_topic", "unclear")
LANGUAGE_CHOICES = ("ru", "en", "auto")

_RATED: frozenset[OutcomeKind] = frozenset({"faq_direct", "faq_adjacent", "answered"})


@dataclass(frozen=True, slots=True)
class Tap:
    verb: Verb
    exchange: int
    choice: str = ""

    def data(self) -> str:
        data = ":".join(part for part in (self.verb, str(self.exchange), self.choice) if part)
        assert len(data.encode()) <= MOST_BYTES
        return data


def read_tap(data: str) -> Tap | None:
    """None for what is not ours: an old version's button, or something made up."""
    verb, _, rest = data.partition(":")
    exchange, _, choice = rest.partition(":")
    known = next((one for one in get_args(Verb) if one == verb), None)
    if known is None or not (exchange.isascii() and exchange.isdigit() and len(exchange) < 19):
        return None
    return Tap(known, int(exchange), choice)


def keyboard(
    exchange: Exchange, texts: Texts, language: Language, *, human: bool, rating: bool = True, sources: bool = True
) -> Keyboard:
    """The buttons under a final text; `human` says whether there are people to be asked."""
    answer = exchange.answer
    if exchange.command == "language":
        return (tuple(_button("lang", exchange, texts(f"language_{one}", language), one) for one in LANGUAGE_CHOICES),)
    if exchange.command not in ("", "ask") or answer is None:
        return ()
    if answer.kind == "failed":
        return again(exchange, texts, language)
    rows = []
    if rating and may_be_rated(exchange):
        rows.append(tuple(_button(verb, exchange, texts(name, language)) for verb, name in _RATINGS))
    row = []
    if sources and answer.citations:
        row.append(_button("src", exchange, texts("show_sources", language)))
    if human and answer.kind != "blocked":
        row.append(_button("human", exchange, texts("ask_human", language)))
    return tuple(row for row in (*rows, tuple(row)) if row)


def may_be_rated(exchange: Exchange) -> bool:
    answer = exchange.answer
    return exchange.command in ("", "ask") and answer is not None and answer.kind in _RATED


_RATINGS: tuple[tuple[Verb, str], ...] = (("up", "helpful"), ("down", "not_helpful"))


def reasons(exchange: Exchange, texts: Texts, language: Language) -> Keyboard:
    """Asked for in one more tap, two in a row."""
    buttons = [_button("why", exchange, texts(f"reason_{one}", language), one) for one in REASONS]
    return (tuple(buttons[:2]), tuple(buttons[2:]))


def again(exchange: Exchange, texts: Texts, language: Language) -> Keyboard:
    return ((_button("again", exchange, texts("try_again", language)),),)


def _button(verb: Verb, exchange: Exchange, text: str, choice: str = "") -> tuple[str, str]:
    return text, Tap(verb, exchange.id, choice).data()
