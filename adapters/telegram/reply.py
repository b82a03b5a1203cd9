"""An answer in a Telegram chat: a page of messages that is brought to what should be seen, again and again.

The page knows which messages it has (the ledger keeps their ids across restarts) and what each shows. To display a text
is to edit those that differ, send those that are missing and delete those that are too many; so every verb may be
repeated after a failure, and goes on where it stopped.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace

from aiogram.exceptions import TelegramBadRequest

from adapters import buttons
from adapters.buttons import Keyboard
from adapters.delivery import RateLimited
from adapters.final import final_text
from adapters.ledger import Ledger
from adapters.telegram.calls import Calls, Missing
from adapters.telegram.formatting import Part, render, render_prefix
from adapters.telegram.lanes import ChatLane
from adapters.telegram.place import Place
from adapters.texts import Texts
from engine import Answer, Exchange, Language, Outcome

DRAFT_SECONDS = 20.0
"""A native draft fades after thirty."""


class TelegramReply:
    def __init__(
        self,
        exchange: Exchange,
        ledger: Ledger,
        language: Language,
        *,
        calls: Calls,
        lane: ChatLane,
        texts: Texts,
        human: bool,
        drafts: bool = False,
    ) -> None:
        """`human` says whether there are people to be asked; `drafts` streams by native drafts."""
        self._exchange = exchange
        self._place = Place.of(exchange.place)
        self._ledger, self._language = ledger, language
        self._calls, self._lane, self._texts = calls, lane, texts
        self._human = human
        self._drafts = drafts and self._place.private and self._place.business is None
        self._draft_shown: tuple[Part, float] | None = None
        self._kept = self._draft = self._interim = ""
        self._visible: dict[str, tuple[Part, Keyboard]] = {}

    async def typing(self) -> None:
        if self._draft_shown is not None:
            part, at = self._draft_shown
            if asyncio.get_running_loop().time() - at > DRAFT_SECONDS:
                await self._show_draft(part)
            return
        await self._ledger.clear()
        await self._calls.typing(self._place)

    async def show(self, text: str) -> None:
        self._draft = text
        await self._show_live()

    async def withdraw(self) -> None:
        self._draft = self._interim = ""
        if self._draft_shown is not None:
            await self._show_draft(Part(""))  # shown by Telegram as "Thinking"
        if self._ledger.posted or self._ledger.mark is not None:
            await self._display(render(self._kept or self._texts("checking", self._language)), ())

    async def interim(self, text: str, *, keep: bool) -> None:
        self._kept = self._draft if keep else ""
        self._draft, self._interim = "", text
        await self._show_live()

    async def finish(self, outcome: Outcome) -> None:
        answer = Answer.of(outcome)
        exchange = replace(self._exchange, answer=answer)
        keyboard = buttons.keyboard(exchange, self._texts, outcome.language, human=self._human)
        await self._display(final_parts(exchange, answer, self._texts), keyboard)

    async def apologise(self, text: str) -> None:
        await self._display(render(text), buttons.again(self._exchange, self._texts, self._language))

    async def pause(self, text: str) -> None:
        await self._display(render(text), ())

    async def abandon(self) -> None:
        if self._ledger.mark is not None:
            await self._calls.find(self._place, self._ledger)
        for id in self._ledger.posted:
            await self._remove(id)

    def _live(self) -> str:
        below = self._draft or self._interim
        if not self._kept:
            return below
        return "\n\n".join(
            piece for piece in (self._kept.rstrip(), self._texts("completing", self._language), below) if piece
        )

    async def _show_live(self) -> None:
        parts = render_prefix(self._live())
        if not parts:
            return
        if self._drafts and not self._ledger.posted and await self._show_draft(parts[-1]):
            return
        if self._lane.spares_a_frame():
            await self._display(parts, ())

    async def _show_draft(self, part: Part) -> bool:
        """A frame as a native draft. False when this chat does not take them."""
        await self._ledger.clear()
        with suppress(RateLimited):  # a frame is skipped; the next one, or the answer itself, makes up for it
            try:
                await self._calls.draft(self._place, self._exchange.id, part)
            except TelegramBadRequest:
                self._drafts, self._draft_shown = False, None
                return False
        self._draft_shown = (part, asyncio.get_running_loop().time())
        return True

    async def _display(self, parts: tuple[Part, ...], keyboard: Keyboard) -> None:
        if self._ledger.mark is not None:
            await self._calls.find(self._place, self._ledger)
        for index, part in enumerate(parts):
            under = keyboard if index == len(parts) - 1 else ()
            while index < len(self._ledger.posted) and not await self._edit(self._ledger.posted[index], part, under):
                pass
            if index >= len(self._ledger.posted):
                self._lane.spend()
                id = await self._calls.send(self._place, part, under, self._ledger, quote=index == 0)
                self._visible[id] = (part, under)
        for id in self._ledger.posted[len(parts) :]:
            await self._remove(id)

    async def _edit(self, id: str, part: Part, keyboard: Keyboard) -> bool:
        """False when the message is no longer there."""
        if self._visible.get(id) == (part, keyboard):
            return True
        await self._ledger.clear()
        self._lane.spend()
        try:
            await self._calls.edit(self._place, id, part, keyboard)
        except Missing:
            await self._ledger.strike(id)
            return False
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
