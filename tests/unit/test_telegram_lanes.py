"""One budget per chat, whatever happens: no minute exceeds what Telegram publishes, and the last word gets out."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.budgets import MINUTE, NoRoom
from adapters.delivery import Limits, RateLimited, respond
from adapters.telegram.lanes import ChatLane, Lanes
from engine import Delta, Outcome, Question
from tests.delivery_fakes import Script, ScriptedEngine, answered, run


class BudgetedReply:
    """Spends as Telegram's reply does; its server answers with the next trouble of the list."""

    def __init__(self, lane: ChatLane, calls: list[float], troubles: list[float]) -> None:
        self._lane, self._calls, self._troubles = lane, calls, troubles
        self.finished = 0

    async def typing(self) -> None:
        return

    async def show(self, text: str) -> None:
        with suppress(NoRoom):
            await self._call(frame=True)

    async def withdraw(self) -> None:
        await self._call()

    async def interim(self, text: str, *, keep: bool) -> None:
        await self.show(text)

    async def finish(self, outcome: Outcome) -> None:
        await self._call()
        self.finished += 1

    async def apologise(self, text: str) -> None:
        await self._call()

    async def _call(self, *, frame: bool = False) -> None:
        self._lane.spend(frame=frame)
        self._calls.append(asyncio.get_running_loop().time())
        if self._troubles and (wait := self._troubles.pop(0)):
            raise RateLimited(wait)


def busiest_minute(calls: list[float]) -> int:
    ends = sorted(calls)
    return max((bisect_right(ends, start + MINUTE - 1e-6) - index for index, start in enumerate(ends)), default=0)


def sixty_seconds() -> Script:
    return [line for number in range(200) for line in (Delta(f"word {number} "), 0.3)] + answered()


async def answers(lane: ChatLane, count: int, troubles: list[float]) -> tuple[list[float], int]:
    calls: list[float] = []
    replies = [BudgetedReply(lane, calls, troubles) for _ in range(count)]
    engine = ScriptedEngine(sixty_seconds())
    limits = Limits(last_word=3600.0)
    await asyncio.gather(
        *(respond(engine, Question(text="How?"), reply, pace=lane.pace, lane=lane, limits=limits) for reply in replies)
    )
    return calls, sum(reply.finished for reply in replies)


@pytest.mark.parametrize(("private", "count", "most"), [(True, 1, 60), (False, 1, 20), (False, 2, 20), (False, 12, 20)])
def test_an_answer_of_a_minute_keeps_within_the_published_allowance(private: bool, count: int, most: int) -> None:
    calls, finished = run(answers(Lanes().of(1, private=private), count, []))
    assert finished == count
    assert busiest_minute(calls) <= most
    if count <= 2:
        # It is a stream still: something new at least every ten seconds.
        assert max(after - before for before, after in zip(calls, calls[1:], strict=False)) <= 10


@given(
    st.booleans(),
    st.integers(1, 4),
    st.lists(st.sampled_from([0.0, 0.0, 0.0, 1.0, 7.0, 35.0, 126.0]), max_size=30),
)
@settings(deadline=None, max_examples=40)
def test_the_last_word_gets_out_under_any_sequence_of_limits(private: bool, count: int, troubles: list[float]) -> None:
    lane = Lanes().of(1, private=private)
    calls, finished = run(answers(lane, count, list(troubles)))
    assert finished == count
    assert busiest_minute(calls) <= lane.budget.most


@given(st.lists(st.floats(0, 200), max_size=80), st.booleans())
@settings(deadline=None)
def test_no_minute_has_more_calls_than_allowed(waits: list[float], private: bool) -> None:
    async def work() -> list[float]:
        lane = Lanes().of(1, private=private)
        calls: list[float] = []
        refusals: list[float] = []
        for wait in waits:
            await asyncio.sleep(wait / 10)
            try:
                lane.spend()
                calls.append(asyncio.get_running_loop().time())
            except RateLimited as limit:
                refusals.append(limit.retry_after)
        assert all(0 < wait <= MINUTE for wait in refusals)
        return calls

    assert busiest_minute(run(work())) <= (60 if private else 20)


def test_lanes_of_quiet_chats_are_forgotten() -> None:
    async def work() -> tuple[int, bool]:
        lanes = Lanes()
        busy = lanes.of(-5, private=False)
        busy.pause(600)
        for chat in range(5000):
            lanes.of(chat, private=True)
        return len(lanes), lanes.of(-5, private=False) is busy

    kept, same = run(work())
    assert kept <= 1001
    assert same
