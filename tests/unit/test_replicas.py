"""Several processes on one inbox: each message is answered once, in its order, whoever got it and whoever dies."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.claims import Claims
from adapters.lease import SECONDS
from adapters.ledger import Displaced
from adapters.reception import Habits, Reception
from engine import Exchange, Inbound
from tests.delivery_fakes import run
from tests.fake_inbox import FakeInbox

ONE_BY_ONE = Habits(burst=0.0, together=float("-inf"))
LONG = 1000.0
KNOWN = SECONDS / 8 * 1.01
"""Until all know of each other."""


@dataclass
class Answers:
    """What all processes together have said."""

    began: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """By which process, and what."""
    done: list[str] = field(default_factory=list[str])
    under_way: set[str] = field(default_factory=set[str])
    """Conversations."""
    lost_looked_for: list[int] = field(default_factory=list[int])


@dataclass
class OneAnswer:
    """Shows something at its beginning and at its end, `seconds` later."""

    inbox: FakeInbox
    exchange: Exchange
    answers: Answers
    seconds: float
    concluding: bool = False

    async def run(self) -> None:
        await self._clear()
        conversation, holder = self.exchange.conversation, self.inbox.claims.holder
        self.answers.began.append((holder, self.exchange.text))
        assert conversation not in self.answers.under_way, "answered in two processes at once"
        self.answers.under_way.add(conversation)
        try:
            await asyncio.sleep(self.seconds)
        finally:
            self.answers.under_way.remove(conversation)
        await self._clear()
        self.answers.done.append(self.exchange.text)
        await self.inbox.close(self.exchange.id, "done")

    async def pause(self) -> None: ...

    async def _clear(self) -> None:
        if await self.inbox.clearance(self.exchange.id, key_of(self.exchange.conversation)) != "clear":
            raise Displaced("answer")


def key_of(conversation: str) -> str:
    """Conversations of one chat."""
    return conversation.split("/")[0]


class Process:
    def __init__(self, inbox: FakeInbox, answers: Answers, seconds: float, habits: Habits = ONE_BY_ONE) -> None:
        self.inbox = inbox.beside()
        self.claims = Claims(self.inbox.claims, key_of)
        self.lives = True
        self.answers = answers
        self.reception = Reception(
            self.inbox,
            lambda exchange: OneAnswer(self.inbox, exchange, answers, seconds),
            habits,
            patience=0.0,
            claims=self.claims,
            look_for_lost=self._look_for_lost,
        )

    async def starts(self) -> None:
        await self.claims.__aenter__()
        await self.reception.__aenter__()

    async def stops(self) -> None:
        self.lives = False
        await self.reception.__aexit__()
        await self.claims.__aexit__()

    async def dies(self) -> None:
        """It does nothing more, and says so to nobody."""
        self.lives = False
        assert self.claims._beating is not None
        tasks = {self.claims._beating, *self.reception._tasks.values()}
        self.reception._draining = True
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

    async def hears(self, text: str, conversation: str = "c", **values: object) -> None:
        now = asyncio.get_running_loop().time()
        message = Inbound(key=text, conversation=conversation, asker="a", text=text, sent_at=now, **values)  # type: ignore[arg-type]
        await self.reception.accept(message)

    async def _look_for_lost(self, exchange: Exchange) -> None:
        self.answers.lost_looked_for.append(exchange.id)


async def all_done(inbox: FakeInbox) -> None:
    async with asyncio.timeout(LONG):
        while await inbox.waiting() or await inbox.unfinished():  # noqa: ASYNC110 - a store tells nobody
            await asyncio.sleep(0.1)


def processes(count: int, *, seconds: float = 5.0, habits: Habits = ONE_BY_ONE) -> tuple[FakeInbox, list[Process]]:
    inbox, answers = FakeInbox(), Answers()
    return inbox, [Process(inbox, answers, seconds, habits) for _ in range(count)]


@pytest.mark.parametrize("seconds", [0.3, 5.0], ids=["soon", "late"])
def test_messages_of_a_conversation_are_answered_in_order_whichever_process_hears_them(seconds: float) -> None:
    async def work() -> list[str]:
        inbox, (first, second) = processes(2, seconds=seconds)
        await first.starts()
        await second.starts()
        await asyncio.sleep(KNOWN)
        await asyncio.gather(first.hears("one"), second.hears("two"), first.hears("three"), second.hears("four"))
        await all_done(inbox)
        return first.answers.done

    assert run(work()) == ["one", "two", "three", "four"]


def test_what_another_process_heard_before_is_answered_before() -> None:
    async def work() -> list[str]:
        inbox, (first, second) = processes(2, seconds=0.5)
        await first.starts()
        await second.starts()
        await asyncio.sleep(KNOWN)
        await first.hears("one")
        await asyncio.sleep(0.2)
        await second.hears("two")
        await asyncio.sleep(0.35)
        await second.hears("three")
        await all_done(inbox)
        return first.answers.done

    assert run(work()) == ["one", "two", "three"]


def test_conversations_of_one_chat_are_answered_by_one_process() -> None:
    async def work() -> tuple[set[str], list[str]]:
        inbox, (first, second) = processes(2)
        await first.starts()
        await second.starts()
        await asyncio.gather(first.hears("one", "chat/anna"), second.hears("two", "chat/boris"))
        await all_done(inbox)
        return {holder for holder, _ in first.answers.began}, sorted(first.answers.done)

    holders, done = run(work())
    assert len(holders) == 1
    assert done == ["one", "two"]


def test_fragments_that_reach_two_processes_are_one_question() -> None:
    async def work() -> list[str]:
        inbox, (first, second) = processes(2, habits=Habits(burst=3.0, together=4.0))
        await first.starts()
        await second.starts()
        await first.hears("I have", whole=False)
        await second.hears("a question about my deposit", whole=True)
        await all_done(inbox)
        return first.answers.done

    assert run(work()) == ["I have\na question about my deposit"]


def test_a_new_process_leaves_alone_what_a_living_one_answers() -> None:
    async def work() -> tuple[list[str], str, list[tuple[str, str]]]:
        inbox, (first, second) = processes(2, seconds=60.0)
        await first.starts()
        await first.hears("one")
        await first.hears("two")
        await asyncio.sleep(1)
        await second.starts()
        await all_done(inbox)
        return first.answers.done, first.inbox.claims.holder, first.answers.began

    done, holder, began = run(work())
    assert done == ["one", "two"]
    assert began == [(holder, "one"), (holder, "two")]


def test_what_a_dead_process_left_is_taken_over_when_its_lease_has_run_out() -> None:
    async def work() -> tuple[float, list[str], list[int]]:
        inbox, (first, second) = processes(2, seconds=1.0)
        await first.starts()
        await second.starts()
        await first.hears("one")
        await first.hears("two")
        await asyncio.sleep(0.5)
        await first.dies()
        died = asyncio.get_running_loop().time()
        await second.hears("three")
        await all_done(inbox)
        return asyncio.get_running_loop().time() - died, first.answers.done, first.answers.lost_looked_for

    seconds, done, looked = run(work())
    assert done == ["one", "two", "three"]
    assert looked == [1], "before anything new was said"
    assert SECONDS < seconds < 2 * SECONDS


def test_what_a_process_leaves_when_it_stops_is_taken_over_at_once() -> None:
    async def work() -> tuple[float, list[str]]:
        inbox, (first, second) = processes(2, seconds=1.0)
        await first.starts()
        await second.starts()
        await first.hears("one")
        await asyncio.sleep(0.5)
        await first.stops()
        stopped = asyncio.get_running_loop().time()
        await all_done(inbox)
        return asyncio.get_running_loop().time() - stopped, first.answers.done

    seconds, done = run(work())
    assert done == ["one"]
    assert seconds < SECONDS / 2


def test_a_process_that_was_thought_to_be_dead_is_silent() -> None:
    async def work() -> tuple[list[str], list[str]]:
        inbox, (first, second) = processes(2, seconds=20.0)
        await first.starts()
        await second.starts()
        await first.hears("one")
        await asyncio.sleep(1)
        first.answers.under_way = _Forgiving()  # this is about who speaks
        beat = (await second.inbox.claims.beat())[first.inbox.claims.holder]
        assert await second.inbox.claims.bury(first.inbox.claims.holder, beat)
        await all_done(inbox)
        await asyncio.sleep(60)
        return first.answers.done, [holder for holder, _ in first.answers.began]

    done, holders = run(work())
    assert done == ["one"]
    assert len(set(holders)) == 2


def test_what_was_taken_from_a_living_process_by_one_that_has_gone_is_its_own_again() -> None:
    async def work() -> list[str]:
        inbox, (only,) = processes(1, seconds=5.0)
        await only.starts()
        await only.hears("one")
        await only.hears("two")
        await asyncio.sleep(1)
        beat = (await inbox.beside().claims.beat())[only.inbox.claims.holder]
        gone = only.inbox.claims.beside()
        assert await gone.bury(only.inbox.claims.holder, beat)
        only.inbox.claims.claimed.beats.clear()  # whoever it was has left
        await all_done(inbox)
        return only.answers.done

    assert run(work()) == ["one", "two"]


class _Forgiving(set[str]):
    """Two may work at once, as long as one is silent."""

    def __contains__(self, one: object) -> bool:
        return False

    def remove(self, one: str) -> None:
        self.discard(one)


def test_a_new_wording_that_reaches_another_process_is_answered() -> None:
    async def work(after: float) -> list[str]:
        inbox, (first, second) = processes(2, seconds=5.0)
        await first.starts()
        await second.starts()
        await first.hears("depsit")
        await asyncio.sleep(after)
        await second.hears("deposit", amends="depsit")
        await all_done(inbox)
        return first.answers.done

    assert run(work(1.0)) == ["deposit"], "while it is answered"
    assert run(work(4.9)) == ["depsit", "deposit"], "when it is nearly done"
    assert run(work(10.0)) == ["depsit", "deposit"], "afterwards"


def test_a_new_wording_that_reaches_another_process_is_what_is_asked() -> None:
    async def work() -> list[str]:
        inbox, (first, second) = processes(2, seconds=5.0)
        await first.starts()
        await second.starts()
        await first.hears("one")
        await first.hears("depsit")
        await asyncio.sleep(1.0)
        await second.hears("deposit", amends="depsit")
        await all_done(inbox)
        return first.answers.done

    assert run(work()) == ["one", "deposit"]


def test_an_exchange_that_is_opened_again_in_another_process_is_answered_again_once() -> None:
    async def work() -> list[str]:
        inbox, (first, second) = processes(2)
        await first.starts()
        await second.starts()
        await first.hears("one")
        await all_done(inbox)
        exchange = await inbox.exchange(1)
        assert exchange is not None
        await first.hears("two")
        await second.reception.again(exchange)
        await all_done(inbox)
        return first.answers.done

    assert sorted(run(work())) == ["one", "one", "two"]


Happening = tuple[float, str, int, int]
happenings = st.lists(
    st.tuples(
        st.floats(0.01, 0.3) | st.floats(0.01, 6.0),
        st.sampled_from(["says", "says", "says", "dies", "stops"]),
        st.integers(0, 2),
        st.integers(0, 3),
    ),
    max_size=14,
)


@given(happenings, st.sampled_from([0.1, 0.5, 3.0, 12.0]))
def test_whatever_happens_each_message_is_answered_once_and_in_order(happens: list[Happening], seconds: float) -> None:
    async def work() -> None:
        inbox, answers = FakeInbox(), Answers()
        begin = partial(Process, inbox, answers, seconds)
        living = [begin() for _ in range(3)]
        for process in living:
            await process.starts()
        await asyncio.sleep(KNOWN)
        said: dict[str, list[str]] = {}
        for number, (pause, what, which, where) in enumerate(happens):
            await asyncio.sleep(pause)
            if what == "says":
                conversation = f"chat {where // 2}/{where}"
                said.setdefault(conversation, []).append(str(number))
                await living[which].hears(str(number), conversation)
                continue
            await (living[which].dies() if what == "dies" else living[which].stops())
            living[which] = begin()
            await living[which].starts()
        await all_done(inbox)
        for conversation, texts in said.items():
            assert [text for text in answers.done if text in texts] == texts, conversation
        assert len(answers.done) == sum(map(len, said.values()))

    run(work())
