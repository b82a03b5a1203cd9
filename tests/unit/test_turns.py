"""Who writes next: in order, the urgent first, nobody never, and no turn is lost."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from engine.providers.state.turns import MOST_IN_A_ROW, Turns
from tests.delivery_fakes import run


class Line:
    """Takes turns, and notes in which order."""

    def __init__(self) -> None:
        self.turns, self.order, self.inside = Turns(), list[str](), 0

    async def take(self, name: str, *, urgent: bool = False) -> None:
        async with self.turns.taken(urgent=urgent):
            self.inside += 1
            try:
                assert self.inside == 1, "one at a time"
                self.order.append(name)
                await asyncio.sleep(1)
            finally:
                self.inside -= 1

    def begin(self, name: str, *, urgent: bool = False) -> asyncio.Task[None]:
        return asyncio.create_task(self.take(name, urgent=urgent))


def test_the_urgent_go_first_and_all_in_order() -> None:
    async def scene() -> list[str]:
        line = Line()
        tasks = [line.begin("first")]
        await asyncio.sleep(0)
        tasks += [line.begin(name, urgent=name.isupper()) for name in "aBcD"]
        await asyncio.gather(*tasks)
        return line.order

    assert run(scene()) == ["first", "B", "D", "a", "c"]


def test_nobody_waits_for_ever() -> None:
    async def scene() -> list[str]:
        line = Line()
        tasks = [line.begin("first"), line.begin("other")]
        tasks += [line.begin("urgent", urgent=True) for _ in range(50)]
        await asyncio.gather(*tasks)
        return line.order

    assert run(scene()).index("other") == 1 + MOST_IN_A_ROW


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 12), st.none() | st.integers(0, 12)), max_size=12))
def test_whoever_is_cancelled_whenever_everybody_else_has_a_turn(people: list[tuple[bool, int, int | None]]) -> None:
    """(urgent, when they come, when they are cancelled) in halves of seconds."""

    async def scene() -> None:
        line = Line()

        async def person(name: str, urgent: bool, comes: int, leaves: int | None) -> None:
            await asyncio.sleep(comes / 2)
            task = line.begin(name, urgent=urgent)
            if leaves is not None:
                await asyncio.sleep(leaves / 2)
                task.cancel()
            with suppress(asyncio.CancelledError):
                await task

        async with asyncio.timeout(100):
            await asyncio.gather(*(person(str(number), *one) for number, one in enumerate(people)))
            await line.take("last")
        stayed = {str(number) for number, (_, _, leaves) in enumerate(people) if leaves is None}
        assert stayed <= set(line.order)

    run(scene())
