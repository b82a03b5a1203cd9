"""What every store of gaps does: the fake, SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine import Answer, Inbound, Outcome, Question
from engine.matching.gaps import Asked, GapStore
from engine.providers.state.database import Database
from engine.providers.state.gaps import SqlGaps
from engine.providers.state.inbox import SqlInbox
from engine.providers.state.stores import SqlMissStore
from engine.types import FaqMatch, FaqPair, Miss
from tests.fake_gaps import FakeGaps
from tests.postgres import fresh_database

MISSED = Outcome(id="o", kind="missed", text="", language="en", miss_reason="nothing_found")


@dataclass(frozen=True)
class Filled:
    gaps: GapStore
    miss: Callable[[str, Outcome], Awaitable[None]]
    answer: Callable[[str, Answer], Awaitable[None]]


@pytest.fixture(params=["fake", "sqlite", "postgresql"])
async def filled(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Filled]:
    if request.param == "fake":
        yield _fake()
        return
    async with AsyncExitStack() as stack:
        url = f"sqlite:///{tmp_path}/state.db"
        if request.param == "postgresql":
            url = await stack.enter_async_context(fresh_database(request.getfixturevalue("postgres_server")))
        database = await stack.enter_async_context(Database.open(url))
        misses, inbox = SqlMissStore(database), SqlInbox(database, "telegram:1")

        async def miss(text: str, outcome: Outcome) -> None:
            await misses.add(Question(text=text), outcome)

        async def answer(text: str, given: Answer) -> None:
            message = await inbox.accept(Inbound(key=text, conversation="c", asker="7", text=text))
            assert message is not None
            exchange = await inbox.open([message])
            await inbox.conclude(exchange.id, given)

        yield Filled(SqlGaps(database), miss, answer)


def _fake() -> Filled:
    fake = FakeGaps()

    def now() -> str:
        return datetime.now(UTC).isoformat(timespec="microseconds")

    async def miss(text: str, outcome: Outcome) -> None:
        pairs = outcome.faq.nearest if outcome.faq else ()
        near = [{"entry": pair.entry, "question": pair.question, "score": pair.score} for pair in pairs]
        made = Miss(
            id=len(fake.all_misses) + 1,
            asked_at=now(),
            question=text,
            language=outcome.language,
            conversation="",
            best_score=0.0,
            reason=outcome.miss_reason or "nothing_found",
            route=None,
            tried={"passages": [], "nearest": near},
        )
        fake.all_misses.append(made)

    async def answer(text: str, given: Answer) -> None:
        if given.kind == "answered":
            fake.asked.append(Asked(question=text, asked_at=now(), language=given.language))

    return Filled(fake, miss, answer)


async def test_misses_come_oldest_first_without_what_was_no_question(filled: Filled) -> None:
    for text in ("One?", "Two?", "Three?"):
        await filled.miss(text, MISSED)
    await filled.miss("Hello", replace(MISSED, miss_reason="not_a_question"))
    await filled.miss("", MISSED)
    assert [miss.question for miss in await filled.gaps.misses("2020-01-01", 10)] == ["One?", "Two?", "Three?"]
    assert [miss.question for miss in await filled.gaps.misses("2020-01-01", 2)] == ["Two?", "Three?"]
    assert await filled.gaps.misses("2999-01-01", 10) == ()


async def test_a_marked_miss_is_found_however_old(filled: Filled) -> None:
    for text in ("One?", "Two?"):
        await filled.miss(text, MISSED)
    first, second = await filled.gaps.misses("2020-01-01", 10)
    assert await filled.gaps.marks() == {}
    await filled.gaps.mark([first.id], "wont_do", "Анна")
    assert [miss.id for miss in await filled.gaps.misses("2999-01-01", 10)] == [first.id]
    mark = (await filled.gaps.marks())[first.id]
    assert (mark.state, mark.changed_by) == ("wont_do", "Анна")
    assert mark.changed_at > first.asked_at
    await filled.gaps.mark([first.id, second.id], "written", "")
    marks = await filled.gaps.marks()
    assert {id: (mark.state, mark.changed_by) for id, mark in marks.items()} == {
        first.id: ("written", ""),
        second.id: ("written", ""),
    }


async def test_texts_are_found_by_their_misses(filled: Filled) -> None:
    for text in ("One?", "", "Three?"):
        await filled.miss(text, MISSED)
    assert await filled.gaps.questions([3, 1, 2, 99]) == {1: "One?", 3: "Three?"}
    assert await filled.gaps.questions([]) == {}


async def test_what_was_near_is_kept_without_its_answers(filled: Filled) -> None:
    near = FaqPair(entry="pets", question="Are cats allowed?", answer="Yes, and it is a long answer.", score=0.5)
    match = FaqMatch(band="miss", score=0.5, cosine=0.4, entry=None, nearest=(near,))
    await filled.miss("Snakes?", replace(MISSED, faq=match))
    (miss,) = await filled.gaps.misses("2020-01-01", 10)
    assert miss.tried == {
        "passages": [],
        "nearest": [{"entry": "pets", "question": "Are cats allowed?", "score": 0.5}],
    }


async def test_only_what_documents_answered_is_answered(filled: Filled) -> None:
    await filled.answer("How wide is it?", Answer(text="Wide.", language="en"))
    await filled.answer("Known?", Answer(text="Stored.", language="en", kind="faq_direct"))
    await filled.answer("Unknown?", Answer(text="No.", language="en", kind="missed"))
    await filled.answer("Насколько широко?", Answer(text="Широко.", language="ru"))
    found = await filled.gaps.answered("2020-01-01", 10)
    assert [(one.question, one.language) for one in found] == [("How wide is it?", "en"), ("Насколько широко?", "ru")]
    assert await filled.gaps.answered("2999-01-01", 10) == ()
