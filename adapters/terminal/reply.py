"""An answer in the terminal: rows that are drawn again and again on a screen, plain final text in a pipe."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TextIO

from adapters.delivery import DeliveryFailed
from adapters.terminal import phrases
from adapters.terminal.live import LiveRows, Size, dim, terminal_size_of, visible, write
from engine import Citation, Language, Outcome, Reference

_ACTIVITY = (".", "..", "...")


class TerminalReply:
    """A `Reply` on a text stream. Writing to it blocks, for as long as the terminal or the reader of the pipe does."""

    def __init__(
        self, stream: TextIO, language: Language, *, screen: bool | None = None, size: Size | None = None
    ) -> None:
        """`screen` says whether rows can be erased on `stream`; asked of the stream when None."""
        self._stream = stream
        self._language = language
        self._screen = stream.isatty() if screen is None else screen
        self._live = LiveRows(stream, size or terminal_size_of(stream))
        self._kept = ""
        self._interim = ""
        self._draft = ""
        self._activity = 0

    async def typing(self) -> None:
        self._activity += 1
        self._redraw()

    async def show(self, text: str) -> None:
        self._draft = text
        self._redraw()

    async def withdraw(self) -> None:
        self._draft = self._interim = ""
        self._redraw()

    async def interim(self, text: str, *, keep: bool) -> None:
        self._kept = self._draft if keep else ""
        self._draft, self._interim = "", text
        self._redraw()

    async def finish(self, outcome: Outcome) -> None:
        self._conclude("\n".join(answer_lines(outcome)))

    async def apologise(self, text: str) -> None:
        self._conclude(text)

    def abandon(self) -> None:
        """The asker stopped the answer: nothing half said stays on the screen."""
        if not self._screen:
            return
        with suppress(DeliveryFailed):
            self._live.clear()
            write(self._stream, dim(phrases.STOPPED[self._language]) + "\n")

    def _redraw(self) -> None:
        if self._screen:
            self._live.draw(self._paragraphs())

    def _paragraphs(self) -> Iterator[tuple[str, bool]]:
        if self._kept:
            yield self._kept.strip("\n"), False
            yield phrases.COMPLETING[self._language], True
        if self._draft:
            yield self._draft.strip("\n"), False
        elif self._interim:
            yield self._interim, True
        elif self._activity and not self._kept:
            yield _ACTIVITY[(self._activity - 1) % len(_ACTIVITY)], True

    def _conclude(self, text: str) -> None:
        if self._screen:
            self._live.clear()
            text = visible(text)
        else:
            text = visible(text, tabs=True)
        write(self._stream, text + "\n")


def answer_lines(outcome: Outcome) -> Iterator[str]:
    """The answer, then its sources and what it could not follow, each after a blank line."""
    yield outcome.text.strip("\n")
    if outcome.citations:
        yield ""
        yield phrases.SOURCES[outcome.language]
        yield from dict.fromkeys(f"- {_cited(citation, outcome.language)}" for citation in outcome.citations)
    if outcome.offers:
        yield ""
        yield phrases.OFFERS[outcome.language]
        yield from (f"{number}. {pair.question}" for number, pair in enumerate(outcome.offers, start=1))
    if places := list(_places(outcome)):
        yield ""
        yield f"{phrases.SEE_ALSO[outcome.language]} {', '.join(places)}"


def _cited(citation: Citation, language: Language) -> str:
    opening, closing = phrases.QUOTES[language]
    section = " ".join(
        part
        for part in (
            f"{phrases.SECTION[language]} {citation.section}" if citation.section else "",
            f"{opening}{citation.title}{closing}" if citation.title else "",
        )
        if part
    )
    page = f"{phrases.PAGE[language]} {citation.page}" if citation.page is not None else ""
    return ", ".join(part for part in (citation.document, section, page, citation.url or "") if part)


def _places(outcome: Outcome) -> Iterable[str]:
    """Unresolved references that the text does not name itself, each once."""
    unresolved = (reference for reference in outcome.references if reference.status == "unresolved")
    return dict.fromkeys(
        _place(reference, outcome.language) for reference in unresolved if not _names(outcome.text, reference.target)
    )


def _place(reference: Reference, language: Language) -> str:
    is_number = reference.type == "section" and " " not in reference.target
    return f"{phrases.SECTION[language]} {reference.target}" if is_number else reference.target


def _names(text: str, target: str) -> bool:
    label = target.rpartition(" ")[2]
    return re.search(rf"(?<![\w.]){re.escape(label)}(?!\w|\.\w)", text, re.IGNORECASE) is not None
