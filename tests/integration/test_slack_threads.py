"""What the engine is asked from a Slack thread, and that the front end changes nothing about the answer.

The kinds of failure that people report: the oldest messages of a long thread taken for the newest, a part of it taken
for the whole, follow-ups ignored, a channel without rights that gets a reaction and no word, answers without a search,
and a chat that answers worse than the other front end.
"""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from adapters.terminal.app import chat
from engine import AnswerEvent, Engine, Turn
from engine.ports import Retriever
from engine.types import Evidence, Question, Route, Usage
from tests.delivery_fakes import Script, ScriptedEngine, answered
from tests.slack_desk import Desk, slack_desk
from tests.slack_server import BOT, CHANNEL, DIRECT, SlackServer
from tests.small_base import STAFF, SmallBase, small_base
from tests.waiting import PATIENCE

FOLLOW_UP = "а второй вариант?"


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with SlackServer().running() as server:
        yield server


@pytest.fixture
async def base(tmp_path: Path) -> SmallBase:
    return await small_base(tmp_path / "knowledge")


async def answered_there(desk: Desk) -> None:
    """The first question is done with."""
    async with asyncio.timeout(PATIENCE):
        while not (found := await desk.inbox.exchange(1)) or found.ending == "open":  # noqa: ASYNC110
            await asyncio.sleep(0.01)


# --- long threads ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("restarted", [False, True])
async def test_the_newest_of_a_long_thread_goes_with_a_follow_up(
    server: SlackServer, tmp_path: Path, restarted: bool
) -> None:
    """Forty messages, twenty of them ours. In the last one before the follow-up somebody states a fact."""
    scripts: list[Script] = [answered(f"Ответ {number}.") for number in range(20)]
    engine = ScriptedEngine(*scripts, answered("Второй."))
    asked = [f"Вопрос номер {number} о договоре?" for number in range(19)] + ["Наш договор номер 1712, что дальше?"]
    root = ""
    async with slack_desk(engine, tmp_path, server):
        for number, text in enumerate(asked):
            event = server.says(f"<@{BOT}> {text}" if not root else text, channel=CHANNEL, thread=root or None)
            root = root or event["ts"]
            await server.until(lambda number=number: len(server.ours(CHANNEL)) == number + 1)  # type: ignore[misc]
        if not restarted:
            server.says(FOLLOW_UP, channel=CHANNEL, thread=root)
            await server.until(lambda: len(server.ours(CHANNEL)) == 21)
    if restarted:
        async with slack_desk(engine, tmp_path, server):
            server.says(FOLLOW_UP, channel=CHANNEL, thread=root)
            await server.until(lambda: len(server.ours(CHANNEL)) == 21)
    follow_up = engine.questions[-1]
    assert follow_up.text == FOLLOW_UP
    turns = [Turn(question=text, answer=f"Ответ {number}.") for number, text in enumerate(asked)]
    assert follow_up.history == tuple(turns[-len(follow_up.history) :]), "the newest, in their order"
    assert len(follow_up.history) >= 6
    assert "1712" in follow_up.history[-1].question
    assert not server.made("conversations.replies", "conversations.history"), "Slack is not asked to tell it again"


async def test_each_message_of_a_thread_is_answered_in_its_order(server: SlackServer, tmp_path: Path) -> None:
    """Without a mention, from several people, sent while the bot still answers."""
    engine = ScriptedEngine([0.2, *answered()])
    texts = [f"And how about number {number}, please?" for number in range(4)]
    async with slack_desk(engine, tmp_path, server):
        root = server.says(f"<@{BOT}> How do I get my deposit back?", channel=CHANNEL)["ts"]
        await server.until(lambda: len(server.ours(CHANNEL)) == 1)
        for number, text in enumerate(texts):
            server.says(text, channel=CHANNEL, thread=root, user=f"U0{number}")
        await server.until(lambda: len(server.ours(CHANNEL, root)) == 5)
    assert [question.text for question in engine.questions[1:]] == texts


# --- the real stages behind it --------------------------------------------------------------------------------------


@dataclass
class CountingRetriever:
    retriever: Retriever
    asked: list[str] = field(default_factory=list[str])

    async def retrieve(self, question: Question, route: Route) -> tuple[Evidence, Usage]:
        self.asked.append(question.text)
        return await self.retriever.retrieve(question, route)


@dataclass
class ForStaff:
    """As a desk asks that is for staff."""

    engine: Engine

    def answer(self, question: Question) -> AbstractAsyncContextManager[AsyncIterator[AnswerEvent]]:
        return self.engine.answer(replace(question, audience=STAFF))


async def test_every_question_that_the_gate_misses_is_searched_for(
    server: SlackServer, tmp_path: Path, base: SmallBase
) -> None:
    known, missed = "Как расторгнуть договор аренды?", ["Сколько стоит место на парковке?", "What does a bicycle cost?"]
    retriever = CountingRetriever(base.retriever())
    async with slack_desk(base.engine(retriever=retriever), tmp_path, server):
        for number, text in enumerate([*missed, known, *missed], 1):
            server.says(text)
            await server.until(lambda number=number: len(server.ours()) == number)  # type: ignore[misc]
    assert set(retriever.asked) == set(missed), "not the known one"
    assert min(retriever.asked.count(text) for text in missed) >= 2, "each time anew"


@pytest.mark.parametrize("channel", [DIRECT, CHANNEL])
async def test_a_place_without_the_right_to_a_collection_is_told_so_in_words(
    server: SlackServer, tmp_path: Path, base: SmallBase, channel: str
) -> None:
    question = "What is the uniform allowance of the crew?"
    said: dict[bool, str] = {}
    for staff in (False, True):
        folder = tmp_path / str(staff)
        folder.mkdir()
        engine = ForStaff(base.engine()) if staff else base.engine()
        async with slack_desk(engine, folder, server) as desk:
            event = server.says(f"<@{BOT}> {question}", channel=channel)
            await answered_there(desk)
            said[staff] = " ".join(server.texts(channel, event["ts"]))
    assert "300 euros" in said[True]
    assert "300" not in said[False]
    assert re.search(r"\w{3,}", said[False])
    assert not server.made("reactions.add")


QUESTIONS = {
    "a fact": "Сколько стоит место на парковке?",
    "a reference followed": "Когда возвращается депозит?",
    "English": "What does a bicycle reservation cost?",
    "a known question": "Как расторгнуть договор аренды?",
    "nothing to be found": "Как приготовить борщ?",
}


@pytest.mark.parametrize("name", QUESTIONS)
async def test_slack_and_the_terminal_answer_from_the_same_sources(
    server: SlackServer, tmp_path: Path, base: SmallBase, name: str
) -> None:
    printed = io.StringIO()
    await chat(base.engine(), io.StringIO(QUESTIONS[name] + "\n"), printed)
    async with slack_desk(base.engine(), tmp_path, server) as desk:
        server.says(QUESTIONS[name])
        await answered_there(desk)
        (message,) = server.ours()
        if sources := next((data for text, data in server.buttons(message).items() if "📄" in text), None):
            server.taps(sources, message)
            await server.until(lambda: bool(listed(shown(server))))
    assert server.texts()[0].splitlines()[0] in printed.getvalue()
    assert listed(shown(server)) == listed(printed.getvalue())
    assert bool(listed(shown(server))) == (name not in ("a known question", "nothing to be found"))


def shown(server: SlackServer) -> str:
    return "\n".join([*server.texts(), *(str(one["text"]) for one in server.whispers)])


def listed(text: str) -> list[str]:
    """The sources; the terminal adds where each is."""
    found = [line.replace("`", "") for line in text.splitlines() if line.startswith("- ") and ".md" in line]
    return [re.sub(r", \S+\.md#\S+$", "", line) for line in found]
