"""What Telegram shows of an answer in a chat."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from aiogram.exceptions import TelegramBadRequest

from adapters.buttons import Keyboard
from adapters.delivery import RateLimited
from adapters.ledger import Ledger
from adapters.telegram.calls import Calls
from adapters.telegram.formatting import Part, pages, render_prefix
from adapters.telegram.lanes import ChatLane
from adapters.telegram.place import Place

DRAFT_SECONDS = 20.0
"""A native draft fades after thirty."""


class TelegramScreen:
    """A `Screen`."""

    def __init__(
        self, place: Place, ledger: Ledger, calls: Calls, lane: ChatLane, *, exchange: int, drafts: bool
    ) -> None:
        """`drafts` streams by native drafts."""
        self._place, self._ledger, self._calls, self._lane = place, ledger, calls, lane
        self._exchange = exchange
        self._drafts = drafts and place.private and place.business is None
        self._draft_shown: tuple[Part, float] | None = None

    def parts(self, markdown: str) -> tuple[Part, ...]:
        return pages(markdown)

    def settled_parts(self, markdown: str) -> tuple[Part, ...]:
        return render_prefix(markdown)

    async def typing(self, status: str) -> bool:
        if self._draft_shown is not None:
            part, at = self._draft_shown
            if asyncio.get_running_loop().time() - at > DRAFT_SECONDS:
                await self._show_draft(part)
            return True
        await self._ledger.clear()
        await self._calls.typing(self._place)
        return True

    async def status(self, text: str) -> bool:
        return False

    async def native(self, text: str, *, draft: bool) -> bool:
        if not text:
            return self._draft_shown is not None and await self._show_draft(Part(""))  # shown as "Thinking"
        if not self._drafts or self._ledger.posted:
            return False
        parts = render_prefix(text)
        return bool(parts) and await self._show_draft(parts[-1])

    async def still(self) -> None:
        return

    async def send(self, part: Part, under: Keyboard, *, first: bool, frame: bool) -> str:
        self._lane.spend(frame=frame)
        return await self._calls.send(self._place, part, under, self._ledger, quote=first)

    async def edit(self, id: str, part: Part, under: Keyboard, *, frame: bool) -> None:
        self._lane.spend(frame=frame)
        await self._calls.edit(self._place, id, part, under)

    async def delete(self, id: str) -> None:
        await self._calls.delete(self._place, id)

    async def find(self) -> None:
        await self._calls.find(self._place, self._ledger)

    async def _show_draft(self, part: Part) -> bool:
        """A frame as a native draft. False when this chat does not take them."""
        await self._ledger.clear()
        with suppress(RateLimited):  # a frame is skipped; the next one, or the answer itself, makes up for it
            try:
                await self._calls.draft(self._place, self._exchange, part)
            except TelegramBadRequest:
                self._drafts, self._draft_shown = False, None
                return False
        self._draft_shown = (part, asyncio.get_running_loop().time())
        return True
