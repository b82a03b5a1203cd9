"""What Slack shows of an answer in a thread.

A draft is streamed natively where Slack allows it, otherwise by updates. The final text is always an update of whole
messages.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from adapters.buttons import Keyboard
from adapters.chat_reply import ChatReply
from adapters.ledger import Ledger
from adapters.slack.calls import Calls
from adapters.slack.formatting import Part, pages, render_prefix
from adapters.slack.hints import Hints
from adapters.slack.place import Place
from adapters.slack.stream import Stream
from engine import Exchange, Language

STATUS_SECONDS = 60.0
"""Slack forgets a status after two minutes."""
UPDATE_SECONDS = 1.8
APPEND_SECONDS = 0.8
"""Between two frames of an answer: a little more than between two of a workspace (`budgets`)."""
ANY_SIZE = 10**9


class SlackScreen:
    """A `Screen`."""

    def __init__(
        self,
        place: Place,
        ledger: Ledger,
        calls: Calls,
        hints: Hints,
        *,
        streams: bool,
        stopped: Callable[[], object] = lambda: None,
    ) -> None:
        """`streams` says whether native streams are wanted; `stopped` hears that a reader has stopped one."""
        self._place, self._ledger, self._calls, self._hints = place, ledger, calls, hints
        fresh = not ledger.posted and ledger.mark is None
        self._stream = Stream(calls, place, ledger, stopped) if streams and fresh else None
        self._status: tuple[str, float] | None = None
        self._typed = 0

    def parts(self, markdown: str) -> tuple[Part, ...]:
        return pages(markdown)

    def settled_parts(self, markdown: str) -> tuple[Part, ...]:
        return render_prefix(markdown)

    async def typing(self, status: str) -> bool:
        """A status where Slack shows one; elsewhere words, when it takes longer."""
        self._typed += 1
        if self._ledger.posted or self._ledger.mark is not None:
            return True
        return await self.status(status) or self._typed == 1

    async def status(self, text: str) -> bool:
        if not self._place.private:
            return False
        now = asyncio.get_running_loop().time()
        if self._status is not None and self._status[0] == text and now - self._status[1] < STATUS_SECONDS:
            return True
        if not await self._hints.status(self._place, text):
            return False
        self._status = (text, now)
        return True

    async def native(self, text: str, *, draft: bool) -> bool:
        if self._stream is not None and draft and (self._stream.id or not self._ledger.posted):
            parts = render_prefix(text, ANY_SIZE)
            if not parts or (self._calls.streams_work and await self._stream.advance(parts[0].markdown)):
                return True
        await self.still()
        return False

    async def still(self) -> None:
        if self._stream is not None:
            await self._stream.stop()
            self._stream = None

    async def send(self, part: Part, under: Keyboard, *, first: bool, frame: bool) -> str:
        return await self._calls.send(self._place, part, under, self._ledger, draft=self._draft(frame))

    async def edit(self, id: str, part: Part, under: Keyboard, *, frame: bool) -> None:
        await self._calls.edit(self._place, id, part, under, draft=self._draft(frame))

    async def delete(self, id: str) -> None:
        await self._calls.delete(self._place, id)

    async def find(self) -> None:
        await self._calls.find(self._place, self._ledger)

    def _draft(self, frame: bool) -> str:
        return self._place.thread if frame else ""


class SlackReply(ChatReply[Part]):
    """With a session in Slack: a title for the thread, and a stop button while the answer is made."""

    def __init__(
        self, screen: SlackScreen, exchange: Exchange, ledger: Ledger, language: Language, hints: Hints, **choices: Any
    ) -> None:
        """`choices` are those of ChatReply."""
        super().__init__(screen, exchange, ledger, language, **choices)
        self.language = language
        self._hints, self._place, self._asked = hints, Place.of(exchange.place), exchange.text
        self._typed = False
        self._at_work = exchange.attempts > 0
        """Slack shows that an answer is being made; an earlier process may have begun it."""

    @property
    def shown(self) -> str:
        """What of the answer has been put before the asker."""
        return "\n\n".join(text for one in (self._kept, self._draft) if (text := one.strip()))

    async def typing(self) -> None:
        if not self._typed:
            self._typed = True
            self._at_work = await self._hints.working(self._place, self._asked) or self._at_work
        await super().typing()

    async def abandon(self) -> None:
        await super().abandon()
        await self._rest()

    async def _conclude(self, text: str, under: Keyboard) -> None:
        await super()._conclude(text, under)
        await self._rest()

    async def _rest(self) -> None:
        if self._at_work:
            await self._hints.at_rest(self._place)
            self._at_work = False
