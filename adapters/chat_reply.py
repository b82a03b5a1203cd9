"""An answer in a chat: a page of messages that is brought to what should be seen, again and again.

The same for every platform; what one can do is its `Screen`. The page knows which messages it has (the ledger keeps
their ids across restarts) and what each shows. To display a text is to edit those that differ, send those that are
missing and delete those that are too many; so every verb may be repeated after a failure, and goes on where it stopped.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Generic, Protocol, TypeVar

from adapters import buttons
from adapters.budgets import NoRoom
from adapters.buttons import Keyboard
from adapters.ledger import Ledger, Missing
from adapters.texts import Texts
from engine import Answer, Exchange, Language, Outcome

Part = TypeVar("Part")
"""What a platform makes one message of."""


class Screen(Protocol[Part]):
    """What a platform can show of one exchange.

    With `frame` a call shows a draft that another one will follow: NoRoom says that it is better skipped.
    """

    def parts(self, markdown: str) -> tuple[Part, ...]:
        """The messages of a text that stays: at least one."""
        ...

    def settled_parts(self, markdown: str) -> tuple[Part, ...]:
        """The messages of a text that goes on, perhaps none: what is not settled yet is held back."""
        ...

    async def typing(self, status: str) -> bool:
        """Show activity for some seconds. False when only words can."""
        ...

    async def status(self, text: str) -> bool:
        """Say what is being done beside the messages. False when this place has no room for that."""
        ...

    async def native(self, text: str, *, draft: bool) -> bool:
        """Show a text by the platform's own way of streaming. False when messages have to.

        With `draft` the text is one draft and begins as its last frame did; an empty one takes back what was shown.
        """
        ...

    async def still(self) -> None:
        """Nothing more is streamed: messages follow."""
        ...

    async def send(self, part: Part, under: Keyboard, *, first: bool, frame: bool) -> str:
        """Send a message and have the ledger keep its id, whatever happens in between."""
        ...

    async def edit(self, id: str, part: Part, under: Keyboard, *, frame: bool) -> None:
        """Raises Missing."""
        ...

    async def delete(self, id: str) -> None:
        """Raises Missing."""
        ...

    async def find(self) -> None:
        """Look for a message that an earlier attempt, or process, may have sent, and have the ledger adopt it."""
        ...


class ChatReply(Generic[Part]):
    """A `PlatformReply`."""

    def __init__(
        self,
        screen: Screen[Part],
        exchange: Exchange,
        ledger: Ledger,
        language: Language,
        *,
        texts: Texts,
        human: bool,
    ) -> None:
        """`human` says whether there are people to be asked."""
        self._screen, self._exchange, self._ledger, self._language = screen, exchange, ledger, language
        self._texts, self._human = texts, human
        self._kept = self._draft = self._interim = ""
        self._visible: dict[str, tuple[Part, Keyboard]] = {}

    async def typing(self) -> None:
        if not await self._screen.typing(self._texts("status_searching", self._language)) and not self._interim:
            self._interim = self._texts("searching", self._language)
            await self._show_live()

    async def show(self, text: str) -> None:
        self._draft = text
        await self._show_live()

    async def withdraw(self) -> None:
        self._draft = self._interim = ""
        await self._screen.native("", draft=False)
        if self._is_something_sent():
            await self._display(self._kept or self._texts("checking", self._language), ())

    async def interim(self, text: str, *, keep: bool) -> None:
        self._kept = self._draft if keep else ""
        self._draft, self._interim = "", text
        if self._kept or self._is_something_sent() or not await self._screen.status(text):
            await self._show_live()

    async def finish(self, outcome: Outcome) -> None:
        answer = Answer.of(outcome)
        exchange = replace(self._exchange, answer=answer)
        under = buttons.keyboard(exchange, self._texts, outcome.language, human=self._human)
        await self._conclude(final_text(exchange, answer, self._texts), under)

    async def apologise(self, text: str) -> None:
        await self._conclude(text, buttons.again(self._exchange, self._texts, self._language))

    async def pause(self, text: str) -> None:
        await self._conclude(text, ())

    async def abandon(self) -> None:
        await self._screen.still()
        await self._find()
        for id in self._ledger.posted:
            await self._remove(id)

    def _is_something_sent(self) -> bool:
        return bool(self._ledger.posted) or self._ledger.mark is not None

    def _live(self) -> str:
        below = self._draft or self._interim
        if not self._kept:
            return below
        pieces = (self._kept.rstrip(), self._texts("completing", self._language), below)
        return "\n\n".join(piece for piece in pieces if piece)

    async def _show_live(self) -> None:
        live = self._live()
        if await self._screen.native(live, draft=bool(self._draft) and not self._kept):
            return
        with suppress(NoRoom):  # the next frame, or the answer itself, makes up for it
            await self._display_parts(self._screen.settled_parts(live), (), frame=True)

    async def _conclude(self, text: str, under: Keyboard) -> None:
        await self._screen.still()
        await self._display(text, under)

    async def _display(self, text: str, under: Keyboard) -> None:
        await self._display_parts(self._screen.parts(text), under, frame=False)

    async def _display_parts(self, parts: tuple[Part, ...], keyboard: Keyboard, *, frame: bool) -> None:
        if not parts:
            return
        await self._find()
        for index, part in enumerate(parts):
            under = keyboard if index == len(parts) - 1 else ()
            while index < len(self._ledger.posted):
                if await self._edit(self._ledger.posted[index], part, under, frame):
                    break
            else:
                id = await self._screen.send(part, under, first=index == 0, frame=frame)
                self._visible[id] = (part, under)
        for id in self._ledger.posted[len(parts) :]:
            await self._remove(id)

    async def _find(self) -> None:
        if self._ledger.mark is not None:
            await self._screen.find()

    async def _edit(self, id: str, part: Part, under: Keyboard, frame: bool) -> bool:
        """False when the message is no longer there."""
        if self._visible.get(id) == (part, under):
            return True
        await self._ledger.clear()
        before = self._visible.pop(id, None)  # a call that fails may have been done
        try:
            await self._screen.edit(id, part, under, frame=frame)
        except Missing:
            await self._ledger.strike(id)
            return False
        except NoRoom:
            if before is not None:
                self._visible[id] = before
            raise
        self._visible[id] = (part, under)
        return True

    async def _remove(self, id: str) -> None:
        with suppress(Missing):
            await self._screen.delete(id)
        await self._ledger.strike(id)


def final_text(exchange: Exchange, answer: Answer, texts: Texts) -> str:
    """An answer as it stays, in Markdown; it says which attachments of the question were not read."""
    text = answer.text
    if exchange.unread and text and exchange.text.strip() and not exchange.command:
        kinds = ", ".join(texts(kind, answer.language) for kind in exchange.unread)
        text = f"{text.rstrip()}\n\n{texts('unread', answer.language, kinds=kinds)}"
    return text
