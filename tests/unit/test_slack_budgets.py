"""One budget for each method of a workspace."""

from __future__ import annotations

import asyncio

import pytest

from adapters.delivery import RateLimited
from adapters.slack.budgets import AnswerLane, Budget, Budgets
from tests.delivery_fakes import run


def test_a_minute_has_so_many_calls_and_drafts_leave_some() -> None:
    async def spend() -> None:
        budget = Budget(3, reserve=1)
        budget.spend()
        await asyncio.sleep(20)
        assert budget.spares_a_frame()
        budget.spend()
        assert not budget.spares_a_frame()
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


def test_answers_share_the_spacing_of_frames_and_not_their_pauses() -> None:
    async def show() -> None:
        budgets = Budgets()
        first, second = AnswerLane(budgets.frames), AnswerLane(budgets.frames)
        first.shown_at = 5.0
        first.pause(10)
        assert second.shown_at == 5.0
        assert second.quiet_for() == 0
        assert AnswerLane(budgets.frames).shown_at == 5.0, "a new answer does not forget it"

    run(show())
