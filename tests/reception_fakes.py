"""Answers that last as long as a test says, and messages for the reception, in virtual time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from adapters.reception import Habits, Reception
from engine import Exchange, Inbound
from tests.fake_inbox import FakeInbox

HABITS = Habits(burst=1.2, together=4.0)


@dataclass
class Said:
    text: str
    began: float
    ended: float | None = None
    paused: bool = False


@dataclass
class Answerer:
    """Takes `seconds` for an answer, `concluding` of them with the final text there."""

    inbox: FakeInbox
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    usual: float = 1.0
    concluding: float = 0.0
    said: list[Said] = field(default_factory=list[Said])
    most: int = 0

    def begin(self, exchange: Exchange) -> OneAnswer:
        return OneAnswer(self, exchange)

    @property
    def finished(self) -> list[str]:
        return [one.text for one in self.said if one.ended is not None]


class OneAnswer:
    def __init__(self, answerer: Answerer, exchange: Exchange) -> None:
        self._answerer, self._exchange = answerer, exchange
        self.concluding = False
        self._said = Said("", 0.0)

    async def run(self) -> None:
        time = asyncio.get_running_loop().time
        exchange = self._answerer.inbox.exchanges[self._exchange.id]
        self._said = Said(exchange.text, time())
        self._answerer.said.append(self._said)
        under_way = sum(one.ended is None for one in self._answerer.said)
        self._answerer.most = max(self._answerer.most, under_way)
        seconds = self._answerer.seconds.get(exchange.text, self._answerer.usual)
        await asyncio.sleep(seconds - self._answerer.concluding)
        self.concluding = True
        await asyncio.sleep(self._answerer.concluding)
        self._said.ended = time()
        await self._answerer.inbox.close(exchange.id, "done")

    async def pause(self) -> None:
        self._said.paused = True


@dataclass
class Room:
    inbox: FakeInbox
    answers: Answerer
    reception: Reception
    count: int = 0

    async def says(self, text: str, *, conversation: str = "c", asker: str = "a", **values: Any) -> Inbound:
        self.count += 1
        message = Inbound(
            **{
                "key": f"m{self.count}",
                "conversation": conversation,
                "asker": asker,
                "text": text,
                "sent_at": asyncio.get_running_loop().time(),
                **values,
            }
        )
        await self.reception.accept(message)
        return message


def room(habits: Habits = HABITS, *, patience: float = 20.0, inbox: FakeInbox | None = None, **answers: Any) -> Room:
    inbox = inbox or FakeInbox()
    answerer = Answerer(inbox, **answers)
    return Room(inbox, answerer, Reception(inbox, answerer.begin, habits, patience=patience))
