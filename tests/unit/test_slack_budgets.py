"""One budget for each method of a workspace."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress

import pytest

from adapters.budgets import Budget, NoRoom
from adapters.delivery import RateLimited
from adapters.slack.budgets import Budgets
from tests.delivery_fakes import run


def test_a_minute_has_so_many_calls_and_drafts_leave_some() -> None:
    async def spend() -> None:
        budget = Budget(3, reserve=1)
        budget.spend()
        await asyncio.sleep(20)
        assert budget.has_room
        budget.spend()
        assert not budget.has_room
        with pytest.raises(NoRoom):
            budget.spend_frame("a")
        budget.spend()
        with pytest.raises(RateLimited) as limit:
            budget.spend()
        assert limit.value.retry_after == pytest.approx(40)
        await asyncio.sleep(40)
        budget.spend()

    run(spend())


def test_what_slack_says_goes_first_and_concerns_that_method_alone() -> None:
    async def refuse() -> None:
        budgets = Budgets()
        budgets.of("chat.update").refused(30)
        with pytest.raises(RateLimited):
            budgets.spend("chat.update", "C1")
        budgets.spend("chat.postMessage", "C1")
        await asyncio.sleep(30)
        budgets.spend("chat.update", "C1")

    run(refuse())


def test_a_busy_channel_does_not_stop_another() -> None:
    async def post() -> None:
        budgets = Budgets()
        for _ in range(60):
            budgets.spend("chat.postMessage", "C1")
        with pytest.raises(RateLimited):
            budgets.spend("chat.postMessage", "C1")
        assert len(budgets.of("chat.postMessage").spent) == 60, "what is refused is not counted"
        budgets.spend("chat.postMessage", "C2")

    run(post())


def test_frames_are_spaced_and_shared_out_evenly() -> None:
    async def draw(name: str, budget: Budget, got: list[str]) -> None:
        for _ in range(100):
            with suppress(NoRoom):
                budget.spend_frame(name)
                got.append(name)
            await asyncio.sleep(1.8)

    async def all_draw() -> list[str]:
        budget, got = Budget(50, reserve=15, every=1.7), list[str]()
        await asyncio.gather(*(draw(str(number), budget, got) for number in range(20)))
        assert len(budget.spent) <= 35
        return got

    got = run(all_draw())
    assert len(got) > 60
    counts = Counter(got)
    assert max(counts.values()) - min(counts.values()) <= 2
    assert len(counts) == 20
