"""The page of messages of an answer: whatever happens on the way, the final text is there once, and nothing else."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.budgets import NoRoom
from adapters.buttons import Keyboard
from adapters.chat_reply import ChatReply
from adapters.delivery import RateLimited
from adapters.ledger import Ledger, Missing
from adapters.texts import Texts
from engine import Exchange, Inbound
from tests.delivery_fakes import outcome
from tests.fake_inbox import FakeInbox

SIZE = 10
Trouble = Literal["", "refused", "limited", "lost"]
FINAL = "the final text, of some length"


def pieces(text: str) -> tuple[str, ...]:
    return tuple(text[start : start + SIZE] for start in range(0, len(text), SIZE))


@dataclass
class FakeScreen:
    """Messages of ten characters. Each call meets the next trouble; `lost` does the deed all the same."""

    ledger: Ledger
    troubles: Iterator[Trouble]
    streams: bool
    has_room: bool = True
    messages: dict[str, tuple[str, Keyboard]] = field(default_factory=dict[str, tuple[str, Keyboard]])
    streamed: str = ""
    marked: dict[str, str] = field(default_factory=dict[str, str])
    ids: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def parts(self, markdown: str) -> tuple[str, ...]:
        return pieces(markdown)

    def settled_parts(self, markdown: str) -> tuple[str, ...]:
        return pieces(markdown.rstrip("*"))

    async def typing(self, status: str) -> bool:
        return self.streams

    async def status(self, text: str) -> bool:
        return False

    async def native(self, text: str, *, draft: bool) -> bool:
        if not self.streams or self.ledger.posted or not draft or not text.startswith(self.streamed):
            await self.still()
            return False
        self.streamed = text
        return True

    async def still(self) -> None:
        self.streams, self.streamed = False, ""

    async def send(self, part: str, under: Keyboard, *, first: bool, frame: bool) -> str:
        if frame and not self.has_room:
            raise NoRoom
        mark = f"mark{next(self.ids)}"
        await self.ledger.intend(mark)
        new = str(next(self.ids))

        def post() -> None:
            self.marked[mark] = new
            self.messages[new] = (part, under)

        self._meet(post)
        await self.ledger.settle(new)
        return new

    async def edit(self, id: str, part: str, under: Keyboard, *, frame: bool) -> None:
        if frame and not self.has_room:
            raise NoRoom
        if id not in self.messages:
            raise Missing
        self._meet(lambda: self.messages.update({id: (part, under)}))

    async def delete(self, id: str) -> None:
        if id not in self.messages:
            raise Missing
        self._meet(lambda: self.messages.pop(id))

    async def find(self) -> None:
        assert self.ledger.mark is not None
        found = self.marked.get(self.ledger.mark)
        await self.ledger.settle(found if found in self.messages else None)

    def _meet(self, deed: Callable[[], object]) -> None:
        trouble = next(self.troubles, "")
        if trouble == "refused":
            raise ConnectionError("before the deed")
        if trouble == "limited":
            raise RateLimited(1.0)
        deed()
        if trouble == "lost":
            raise ConnectionError("after the deed")


async def opened() -> tuple[FakeInbox, Exchange]:
    inbox = FakeInbox()
    stored = await inbox.accept(Inbound(key="m1", conversation="c", asker="a", text="How much is the rent?"))
    assert stored is not None
    return inbox, await inbox.open([stored])


def reply_on(screen: FakeScreen, exchange: Exchange) -> ChatReply[str]:
    return ChatReply(screen, exchange, screen.ledger, "en", texts=Texts(), human=True)


async def tried(verb: Coroutine[Any, Any, None]) -> bool:
    """Whether it succeeded: of a failure nothing is known."""
    try:
        await verb
    except (ConnectionError, RateLimited):
        return False
    return True


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("show"), st.text("abc*", min_size=1, max_size=35)),
        st.tuples(st.sampled_from(["interim", "keep"]), st.text("def", min_size=1, max_size=15)),
        st.tuples(
            st.sampled_from(["withdraw", "typing", "pause", "somebody deletes", "no room", "restart"]), st.just("")
        ),
    ),
    max_size=12,
)
TROUBLES = st.lists(st.sampled_from(["", "", "", "refused", "limited", "lost"]), max_size=25)


@given(STEPS, TROUBLES, st.booleans())
def test_in_the_end_the_final_text_is_there_once_and_nothing_else(
    steps: list[tuple[str, str]], troubles: list[Trouble], streams: bool
) -> None:
    async def work() -> None:
        inbox, exchange = await opened()
        screen = FakeScreen(Ledger(inbox, exchange), iter(troubles), streams)
        reply = reply_on(screen, exchange)
        for step, text in steps:
            match step:
                case "show":
                    await tried(reply.show(text))
                case "interim" | "keep":
                    await tried(reply.interim(text, keep=step == "keep"))
                case "pause":
                    await tried(reply.pause("back soon"))
                case "somebody deletes":
                    for id in list(screen.messages)[:1]:
                        del screen.messages[id]
                case "no room":
                    screen.has_room = not screen.has_room
                case "restart":
                    screen.ledger = Ledger(inbox, inbox.exchanges[exchange.id])
                    screen.streams = False
                    reply = reply_on(screen, exchange)
                case _:
                    await tried(getattr(reply, step)())
        while not await tried(reply.finish(outcome(FINAL))):
            pass
        assert [part for part, _ in screen.messages.values()] == list(pieces(FINAL))
        assert [bool(under) for _, under in screen.messages.values()] == [False] * (len(pieces(FINAL)) - 1) + [True]
        assert screen.ledger.posted == tuple(screen.messages)
        assert screen.streamed == ""

    asyncio.run(work())


@given(STEPS, TROUBLES)
def test_what_is_given_up_leaves_nothing(steps: list[tuple[str, str]], troubles: list[Trouble]) -> None:
    async def work() -> None:
        inbox, exchange = await opened()
        screen = FakeScreen(Ledger(inbox, exchange), iter(troubles), streams=False)
        reply = reply_on(screen, exchange)
        for _, text in steps:
            await tried(reply.show(text))
        while not await tried(reply.abandon()):
            pass
        assert screen.messages == {}
        assert screen.ledger.posted == ()

    asyncio.run(work())


@pytest.mark.parametrize("lost", [False, True])
async def test_a_frame_without_room_is_made_up_for_by_the_next(lost: bool) -> None:
    inbox, exchange = await opened()
    screen = FakeScreen(Ledger(inbox, exchange), iter(()), streams=False)
    reply = reply_on(screen, exchange)
    await reply.show("one")
    screen.has_room = False
    await reply.show("one two")
    assert list(screen.messages.values()) == [("one", ())]
    screen.has_room, screen.troubles = True, iter(["lost"] if lost else [])
    await tried(reply.show("one two 3"))
    assert list(screen.messages.values()) == [("one two 3", ())]
    await reply.show("one")  # what a failed call has shown is not taken for unchanged
    assert list(screen.messages.values()) == [("one", ())]
