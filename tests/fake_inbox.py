"""The inbox in memory; passes the same contract suite as the real one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from engine import (
    AlreadyOpened,
    Answer,
    Clearance,
    Exchange,
    Farewell,
    Inbound,
    Language,
    Owner,
    Rating,
    Standing,
    Turn,
)
from tests.fake_claims import FakeClaims


@dataclass
class FakeInbox:
    messages: dict[str, Inbound] = field(default_factory=dict[str, Inbound])
    bound: dict[str, int] = field(default_factory=dict[str, int])
    """Which exchange a message belongs to, by key."""
    exchanges: dict[int, Exchange] = field(default_factory=dict[int, Exchange])
    standings: dict[str, tuple[Standing, datetime | None]] = field(
        default_factory=dict[str, tuple[Standing, "datetime | None"]]
    )
    stopped: set[int] = field(default_factory=set[int])
    claims: FakeClaims = field(default_factory=FakeClaims)

    def beside(self) -> FakeInbox:
        """As another process has it."""
        return replace(self, claims=self.claims.beside())

    async def accept(self, message: Inbound) -> Inbound | None:
        if message.key in self.messages:
            return None
        stored = replace(message, id=len(self.messages) + 1)
        self.messages[message.key] = stored
        await self._change(message.conversation, unreachable=False)
        return stored

    async def amend(self, message: Inbound) -> tuple[Inbound, Exchange | None] | None:
        found = self.messages.get(message.amends)
        if found is None or message.key in self.messages:
            return None
        self.messages[message.key] = replace(message, id=len(self.messages) + 1)
        self.bound[message.key] = 0
        if (found.text, found.command) == (message.text, message.command):
            return None
        changed = replace(found, text=message.text, command=message.command, place=message.place)
        self.messages[message.amends] = changed
        exchange = self.bound.get(message.amends)
        return changed, self._rejoin(exchange) if exchange else None

    async def waiting(self) -> tuple[Inbound, ...]:
        return tuple(message for key, message in self.messages.items() if key not in self.bound)

    async def unfinished(self) -> tuple[Exchange, ...]:
        return tuple(exchange for exchange in self.exchanges.values() if exchange.ending == "open")

    async def open(self, messages: Sequence[Inbound]) -> Exchange:
        if any(message.key in self.bound for message in messages):
            raise AlreadyOpened
        id = len(self.exchanges) + 1
        last = messages[-1]
        self.exchanges[id] = Exchange(id=id, conversation=last.conversation, asker=last.asker, text="", place={})
        return await self.join(id, messages)

    async def join(self, exchange: int, messages: Sequence[Inbound]) -> Exchange:
        if any(message.key in self.bound for message in messages):
            raise AlreadyOpened
        for message in messages:
            self.bound[message.key] = exchange
        return self._rejoin(exchange)

    async def begin(self, exchange: int) -> int:
        attempts = self.exchanges[exchange].attempts + 1
        self.exchanges[exchange] = replace(self.exchanges[exchange], attempts=attempts)
        return attempts

    async def note(self, exchange: int, posted: Sequence[str], sending: str | None) -> None:
        self.exchanges[exchange] = replace(self.exchanges[exchange], posted=tuple(posted), sending=sending)

    async def conclude(self, exchange: int, answer: Answer) -> None:
        if self.exchanges[exchange].ending == "open":
            self.exchanges[exchange] = replace(self.exchanges[exchange], answer=answer)

    async def close(self, exchange: int, ending: str) -> None:
        self.exchanges[exchange] = replace(self.exchanges[exchange], ending=ending)  # type: ignore[arg-type]

    async def stop(self, conversation: str) -> bool:
        asked = (one for one in self.exchanges.values() if one.conversation == conversation and one.ending == "open")
        stopped = {one.id for one in asked if one.answer is None}
        self.stopped |= stopped
        return bool(stopped)

    async def clearance(self, exchange: int, key: str) -> Clearance:
        asked = self.exchanges[exchange]
        if (await self.standing(asked.conversation)).owner == "human":
            return "taken_over"
        if asked.ending != "open":
            return "closed"
        if key in await self.claims.theirs() | self.claims.left:
            return "elsewhere"
        return "stopped" if exchange in self.stopped and asked.answer is None else "clear"

    async def posted_at(self, name: str, value: int) -> frozenset[str]:
        there = (one for one in self.exchanges.values() if one.place.get(name) == value)
        return frozenset(id for one in there for id in one.posted)

    async def exchange(self, id: int) -> Exchange | None:
        return self.exchanges.get(id)

    async def history(self, conversation: str, limit: int) -> tuple[Turn, ...]:
        return tuple(
            Turn(question=exchange.text, answer=exchange.answer.text)
            for exchange in await self.recent(conversation, limit)
            if exchange.answer and exchange.text and exchange.answer.kind not in ("blocked", "failed")
        )

    async def recent(self, conversation: str, limit: int) -> tuple[Exchange, ...]:
        said = [
            exchange
            for exchange in self.exchanges.values()
            if exchange.conversation == conversation and exchange.ending == "done" and exchange.command in ("", "ask")
        ]
        return tuple(said[-limit:])

    async def latest(self, limit: int) -> tuple[Exchange, ...]:
        return tuple(reversed(self.exchanges.values()))[:limit]

    async def standing(self, conversation: str) -> Standing:
        standing, until = self.standings.get(conversation, (Standing(), None))
        return replace(standing, owner="bot") if until and until <= datetime.now(UTC) else standing

    async def hand_over(self, conversation: str, owner: Owner, lasting: timedelta | None = None) -> bool:
        before = await self.standing(conversation)
        until = None if lasting is None else datetime.now(UTC) + lasting
        self.standings[conversation] = (replace(before, owner=owner), until)
        if (before.owner, owner) == ("human", "bot"):
            self._drop(conversation)
        return before.owner != owner

    def _drop(self, conversation: str) -> None:
        for id, one in self.exchanges.items():
            begun = one.answer is not None or one.posted or one.sending is not None
            if one.conversation == conversation and one.ending == "open" and not begun:
                self.exchanges[id] = replace(one, ending="dropped")
        for key, message in self.messages.items():
            if message.conversation == conversation and not message.command:
                self.bound.setdefault(key, 0)

    async def speak(self, conversation: str, language: Language | None) -> None:
        await self._change(conversation, language=language)

    async def lose(self, conversation: str) -> None:
        await self._change(conversation, unreachable=True)

    async def rate(self, exchange: int, rating: Rating, reason: str = "") -> None:
        self.exchanges[exchange] = replace(self.exchanges[exchange], rating=rating, reason=reason)

    async def forget(self, asker: str, farewell: Farewell) -> None:
        for key, message in self.messages.items():
            if message.asker == asker and key in self.bound:
                self.messages[key] = replace(message, text="")
        for id, exchange in self.exchanges.items():
            if exchange.asker == asker and exchange.ending != "open":
                self.exchanges[id] = replace(exchange, text="", answer=None)

    async def _change(self, conversation: str, **values: object) -> None:
        standing, until = self.standings.get(conversation, (Standing(), None))
        self.standings[conversation] = (replace(standing, **values), until)  # type: ignore[arg-type]

    def _rejoin(self, exchange: int) -> Exchange:
        self.stopped.discard(exchange)
        messages = [self.messages[key] for key, bound in self.bound.items() if bound == exchange]
        last = messages[-1]
        joined = replace(
            self.exchanges[exchange],
            text="\n".join(message.text for message in messages if message.text.strip()),
            place=last.place,
            command=messages[0].command,
            unread=tuple(dict.fromkeys(kind for message in messages for kind in message.unread)),
            language=last.language,
            ending="open",
            answer=None,
            attempts=0,
        )
        self.exchanges[exchange] = joined
        return joined
