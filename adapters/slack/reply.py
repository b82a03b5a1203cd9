"""An answer in a Slack thread: a page of messages that is brought to what should be seen, again and again.

A draft is streamed natively where Slack allows it, otherwise by updates. The final text is always an update of whole
messages: those that differ are changed, those that are missing posted, those that are too many deleted; so every verb
may be repeated after a failure, and goes on where it stopped.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace

from adapters import buttons
from adapters.buttons import Keyboard
from adapters.final import final_text
from adapters.ledger import Ledger
from adapters.slack.budgets import NoRoom
from adapters.slack.calls import Calls, Missing
from adapters.slack.formatting import Part, render, render_prefix
from adapters.slack.place import Place
from adapters.slack.stream import Stream
from adapters.texts import Texts
from engine import Answer, Exchange, Language, Outcome

STATUS_SECONDS = 60.0
"""Slack forgets a status after two minutes."""
UPDATE_SECONDS = 1.8
APPEND_SECONDS = 0.8
"""Between two frames of an answer: a little more than between two of a workspace (`budgets`)."""


class SlackReply:
    def __init__(
        self,
        exchange: Exchange,
        ledger: Ledger,
        language: Language,
        *,
        calls: Calls,
        texts: Texts,
        human: bool,
        streams: bool,
    ) -> None:
        """`human` says whether there are people to be asked; `streams` whether native streams are wanted."""
        self._exchange = exchange
        self._place = Place.of(exchange.place)
        self._ledger, self._language = ledger, language
        self._calls, self._texts, self._human = calls, texts, human
        fresh = not ledger.posted and ledger.mark is None
        self._stream = Stream(calls, self._place, ledger) if streams and fresh else None
        self._kept = self._draft = self._interim = ""
        self._status: tuple[str, float] | None = None
        self._typed = 0
        self._visible: dict[str, tuple[Part, Keyboard]] = {}

    async def typing(self) -> None:
        """A status where Slack shows one; elsewhere words, when it takes longer."""
        self._typed += 1
        if self._ledger.posted or self._ledger.mark is not None:
            return
        if await self._show_status(self._texts("status_searching", self._language)):
            return
        if self._typed > 1 and not self._interim:
            self._interim = self._texts("searching", self._language)
            await self._show_live()

    async def show(self, text: str) -> None:
        self._draft = text
        if self._stream is not None and not self._kept and (self._stream.id or not self._ledger.posted):
            parts = render_prefix(text, 10**9)
            if not parts or (self._calls.streams_work and await self._stream.advance(parts[0].markdown)):
                return
        await self._stop_stream()
        await self._show_live()

    async def withdraw(self) -> None:
        self._draft = self._interim = ""
        await self._stop_stream()
        if self._ledger.posted or self._ledger.mark is not None:
            await self._display(render(self._kept or self._texts("checking", self._language)), ())

    async def interim(self, text: str, *, keep: bool) -> None:
        self._kept = self._draft if keep else ""
        self._draft, self._interim = "", text
        nothing_shown = not self._kept and not self._ledger.posted and self._ledger.mark is None
        if nothing_shown and await self._show_status(text):
            return
        await self._stop_stream()
        await self._show_live()

    async def finish(self, outcome: Outcome) -> None:
        await self._stop_stream()
        answer = Answer.of(outcome)
        keyboard = buttons.keyboard(
            replace(self._exchange, answer=answer), self._texts, outcome.language, human=self._human
        )
        await self._display(final_parts(self._exchange, answer, self._texts), keyboard)

    async def apologise(self, text: str) -> None:
        await self._stop_stream()
        await self._display(render(text), buttons.again(self._exchange, self._texts, self._language))

    async def pause(self, text: str) -> None:
        await self._stop_stream()
        await self._display(render(text), ())

    async def abandon(self) -> None:
        await self._stop_stream()
        await self._calls.find(self._place, self._ledger)
        for id in self._ledger.posted:
            await self._remove(id)

    async def _show_status(self, text: str) -> bool:
        if not self._place.private:
            return False
        now = asyncio.get_running_loop().time()
        if self._status is not None and self._status[0] == text and now - self._status[1] < STATUS_SECONDS:
            return True
        if not await self._calls.status(self._place, text):
            return False
        self._status = (text, now)
        return True

    async def _stop_stream(self) -> None:
        if self._stream is not None:
            await self._stream.stop()
            self._stream = None

    def _live(self) -> str:
        below = self._draft or self._interim
        if not self._kept:
            return below
        pieces = (self._kept.rstrip(), self._texts("completing", self._language), below)
        return "\n\n".join(piece for piece in pieces if piece)

    async def _show_live(self) -> None:
        parts = render_prefix(self._live())
        if parts:
            with suppress(NoRoom):  # the next frame, or the answer itself, makes up for it
                await self._display(parts, (), draft=self._place.thread)

    async def _display(self, parts: tuple[Part, ...], keyboard: Keyboard, *, draft: str = "") -> None:
        await self._calls.find(self._place, self._ledger)
        for index, part in enumerate(parts):
            under = keyboard if index == len(parts) - 1 else ()
            while index < len(self._ledger.posted) and not await self._edit(
                self._ledger.posted[index], part, under, draft
            ):
                pass
            if index >= len(self._ledger.posted):
                id = await self._calls.send(self._place, part, under, self._ledger, draft=draft)
                self._visible[id] = (part, under)
        for id in self._ledger.posted[len(parts) :]:
            await self._remove(id)

    async def _edit(self, id: str, part: Part, keyboard: Keyboard, draft: str) -> bool:
        """False when the message is no longer there."""
        if self._visible.get(id) == (part, keyboard):
            return True
        await self._ledger.clear()
        before = self._visible.pop(id, None)  # a call that fails may have been done
        try:
            await self._calls.edit(self._place, id, part, keyboard, draft=draft)
        except Missing:
            await self._ledger.strike(id)
            return False
        except NoRoom:
            if before is not None:
                self._visible[id] = before
            raise
        self._visible[id] = (part, keyboard)
        return True

    async def _remove(self, id: str) -> None:
        with suppress(Missing):
            await self._calls.delete(self._place, id)
        await self._ledger.strike(id)


def final_parts(exchange: Exchange, answer: Answer, texts: Texts) -> tuple[Part, ...]:
    """An answer as it stays, message by message."""
    text = final_text(exchange, answer, texts)
    return render(text) or (Part(text),)
