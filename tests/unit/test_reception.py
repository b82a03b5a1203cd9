"""Messages become questions, questions get answered: in order, once, and nobody waits for somebody else."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from adapters.reception import Habits
from engine import KnowledgeError
from tests.delivery_fakes import run
from tests.fake_inbox import FakeInbox
from tests.reception_fakes import HABITS, Room, room


def test_a_whole_question_is_answered_at_once() -> None:
    async def work() -> Room:
        desk = room(usual=1.0)
        async with desk.reception:
            await desk.says("How do I get my deposit back?")
            await desk.reception.idle()
        return desk

    (said,) = run(work()).answers.said
    assert (said.began, said.ended) == (0.0, 1.0)


def test_fragments_become_one_question() -> None:
    async def work() -> Room:
        desk = room()
        async with desk.reception:
            for text in ("здравствуйте", "у меня", "не входит"):
                await desk.says(text, whole=False)
                await asyncio.sleep(0.8)
            await desk.reception.idle()
        return desk

    assert run(work()).answers.finished == ["здравствуйте\nу меня\nне входит"]


def test_a_fragment_alone_is_answered_after_a_moment() -> None:
    async def work() -> Room:
        desk = room()
        async with desk.reception:
            await desk.says("депозит", whole=False)
            await desk.reception.idle()
        return desk

    (said,) = run(work()).answers.said
    assert said.began == pytest.approx(HABITS.burst)


def test_a_message_soon_after_joins_the_question_being_answered() -> None:
    async def work() -> Room:
        desk = room(usual=10.0)
        async with desk.reception:
            await desk.says("I cannot log in to my account")
            await asyncio.sleep(2)
            await desk.says("it says code 12")
            await desk.reception.idle()
        return desk

    assert run(work()).answers.finished == ["I cannot log in to my account\nit says code 12"]


@pytest.mark.parametrize(
    ("busy", "answers"),
    [
        ("queue", ["first long question", "second long question"]),
        ("join", ["first long question\nsecond long question"]),
    ],
)
def test_a_later_message_waits_or_joins_by_setting(busy: str, answers: list[str]) -> None:
    async def work() -> Room:
        desk = room(replace(HABITS, busy=busy), usual=30.0)  # type: ignore[arg-type]
        async with desk.reception:
            await desk.says("first long question")
            await asyncio.sleep(10)
            await desk.says("second long question")
            await desk.reception.idle()
        return desk

    assert run(work()).answers.finished == answers


def test_a_backlog_is_not_taken_for_one_question() -> None:
    async def work() -> Room:
        desk = room(usual=10.0)
        async with desk.reception:
            for minute in range(3):  # all arrive now, and were sent a minute apart
                await desk.says(f"the question of minute {minute}", sent_at=minute * 60.0)
                await asyncio.sleep(0.1)
            await desk.reception.idle()
        return desk

    assert run(work()).answers.finished == [f"the question of minute {minute}" for minute in range(3)]


def test_an_answer_whose_final_text_is_there_is_not_given_up() -> None:
    async def work() -> Room:
        desk = room(replace(HABITS, busy="join"), usual=3.0, concluding=2.0)
        async with desk.reception:
            await desk.says("first long question")
            await asyncio.sleep(2)
            await desk.says("one more thing about it")
            await desk.reception.idle()
        return desk

    assert run(work()).answers.finished == ["first long question", "one more thing about it"]


def test_questions_of_one_conversation_keep_their_order() -> None:
    texts = [f"question number {number}" for number in range(6)]

    async def work() -> Room:
        desk = room(usual=30.0, seconds={texts[1]: 1.0})
        async with desk.reception:
            for text in texts:
                await desk.says(text)
                await asyncio.sleep(HABITS.together + 1)
            await desk.reception.idle()
        return desk

    desk = run(work())
    assert desk.answers.finished == texts
    assert desk.answers.most == 1


def test_a_slow_answer_holds_up_nobody_else() -> None:
    async def work() -> Room:
        desk = room(usual=0.01, seconds={"a slow question of somebody": 300.0})
        async with desk.reception:
            await desk.says("a slow question of somebody", conversation="slow")
            for number in range(50):
                await desk.says(f"a quick question {number}", conversation=f"c{number}")
            await asyncio.sleep(1)
            assert len(desk.answers.finished) == 50
            await desk.reception.idle()
        return desk

    assert len(run(work()).answers.finished) == 51


def test_no_more_answers_are_made_at_once_than_are_allowed() -> None:
    async def work() -> Room:
        desk = room(Habits(at_once=4))
        async with desk.reception:
            for number in range(20):
                await desk.says(f"the question of {number}", conversation=f"c{number}")
            await desk.reception.idle()
        return desk

    desk = run(work())
    assert len(desk.answers.finished) == 20
    assert desk.answers.most == 4


@pytest.mark.parametrize("later", [0.0, 368.0, 86_400.0])
def test_a_message_delivered_twice_is_answered_once(later: float) -> None:
    """At once, after minutes, after a day: nothing that was kept is forgotten by the clock."""

    async def work() -> Room:
        desk = room()
        async with desk.reception:
            message = await desk.says("How do I get my deposit back?")
            assert not await desk.reception.accept(message)
            await desk.reception.idle()
            await asyncio.sleep(later)
            assert not await desk.reception.accept(message)
        return desk

    assert len(run(work()).answers.said) == 1


def test_two_askers_are_never_joined() -> None:
    async def work() -> Room:
        desk = room()
        async with desk.reception:
            await desk.says("мой", asker="a", whole=False)
            await desk.says("счёт", asker="b", whole=False)
            await desk.reception.idle()
        return desk

    assert run(work()).answers.finished == ["мой", "счёт"]


def test_a_command_is_its_own_exchange() -> None:
    async def work() -> Room:
        desk = room()
        async with desk.reception:
            await desk.says("здравствуйте", whole=False)
            await desk.says("", command="help")
            await desk.says("депозит", whole=False)
            await desk.reception.idle()
        return desk

    assert run(work()).answers.finished == ["здравствуйте", "", "депозит"]


def test_a_new_wording_is_answered_in_the_place_of_the_old_one() -> None:
    async def work() -> Room:
        desk = room(usual=5.0)
        async with desk.reception:
            message = await desk.says("how do i get the depsit")
            await asyncio.sleep(1)
            await desk.says("how do I get the deposit", key="edit", amends=message.key)
            await desk.reception.idle()
            await desk.says("how do I get my deposit", key="edit 2", amends=message.key)
            await desk.reception.idle()
        return desk

    desk = run(work())
    assert desk.answers.finished == ["how do I get the deposit", "how do I get my deposit"]
    assert len(desk.inbox.exchanges) == 1


def test_a_message_that_is_for_us_only_since_its_edit_is_answered_once() -> None:
    async def work() -> Room:
        desk = room()
        async with desk.reception:
            edit = await desk.says("@desk, how do I get my deposit?", key="edit", amends="unknown until now")
            await desk.reception.idle()
            assert not await desk.reception.accept(edit)
            await desk.reception.idle()
        return desk

    assert run(work()).answers.finished == ["@desk, how do I get my deposit?"]


def test_what_an_earlier_process_left_is_answered_in_order() -> None:
    async def work() -> Room:
        first = room(usual=100.0, patience=1.0)
        async with first.reception:
            await first.says("the one under way")
            await asyncio.sleep(20)
            await first.says("the one that waits")
            await asyncio.sleep(1)
        assert [said.paused for said in first.answers.said] == [True]
        second = room(inbox=first.inbox)
        async with second.reception:
            await second.reception.idle()
        return second

    desk = run(work())
    assert desk.answers.finished == ["the one under way", "the one that waits"]
    assert all(exchange.ending == "done" for exchange in desk.inbox.exchanges.values())


def test_an_answer_that_ends_within_the_patience_is_not_cut() -> None:
    async def work() -> Room:
        desk = room(usual=10.0, patience=20.0)
        async with desk.reception:
            await desk.says("the one under way")
            await asyncio.sleep(1)
        return desk

    desk = run(work())
    assert desk.answers.finished == ["the one under way"]
    assert not desk.answers.said[0].paused


class FlakyInbox(FakeInbox):
    """Fails now and then, as a database does."""

    broken: int = 3

    async def open(self, messages):  # type: ignore[no-untyped-def]
        if self.broken:
            self.broken -= 1
            raise KnowledgeError("the database is away")
        return await super().open(messages)


def test_a_database_that_fails_costs_time_only() -> None:
    async def work() -> Room:
        desk = room(inbox=FlakyInbox())
        async with desk.reception:
            await desk.says("How do I get my deposit back?")
            await desk.reception.idle()
        return desk

    assert run(work()).answers.finished == ["How do I get my deposit back?"]
