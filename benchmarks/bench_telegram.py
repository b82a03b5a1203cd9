"""Telegram: how many calls an answer takes, and how long a direct answer waits beside twenty slow ones.

    .venv/bin/python benchmarks/bench_telegram.py

Nothing leaves the process: aiogram's session is replaced by one that notes each call and answers at once, so that what
is measured is our own time, aiogram's included. The state database is real (SQLite). Calls of a 60 s answer are counted
on a clock that jumps.
"""

from __future__ import annotations

import asyncio
import itertools
import statistics
import sys
import tempfile
import time
from bisect import bisect_right
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from aiogram import Bot
from aiogram.client.session.base import BaseSession
from aiogram.methods import TelegramMethod
from aiogram.types import Update, User

from adapters.inbox import InboxStore
from adapters.reception import Habits
from adapters.telegram.app import TelegramApp, opened
from adapters.telegram.config import TelegramConfig
from engine import AnswerEvent, Delta, Final, Outcome, Question, Typing
from engine.providers.state.database import Database
from engine.providers.state.inbox import SqlInbox
from tests.delivery_fakes import VirtualTimeLoop
from tests.fake_inbox import FakeInbox

VISIBLE = ("SendMessage", "EditMessageText", "EditMessageReplyMarkup", "DeleteMessage")
GROUP = -1_000_000_000_001
SLOW_ANSWERS = 20
CONVERSATIONS = 100
DIRECT = 400
EVERY = 0.02
"""Seconds between two direct questions."""
TOKEN_SECONDS = 0.05


@dataclass
class NotingSession(BaseSession):
    calls: list[tuple[str, int, str, float]] = field(default_factory=list)
    """Method, chat, text, and the loop's time."""

    def __post_init__(self) -> None:
        super().__init__()
        self._ids = itertools.count(10_000)

    async def make_request(self, bot: Bot, method: TelegramMethod[Any], timeout: int | None = None) -> Any:
        name = type(method).__name__
        now = asyncio.get_running_loop().time()
        self.calls.append((name, getattr(method, "chat_id", 0), getattr(method, "text", None) or "", now))
        if name == "GetMe":
            return User(id=42, is_bot=True, first_name="Desk", username="desk_bot")
        if name == "SendMessage":
            return type("Sent", (), {"message_id": next(self._ids)})()
        return True

    async def stream_content(self, *_: Any, **__: Any) -> AsyncGenerator[bytes, None]:
        raise NotImplementedError
        yield b""

    async def close(self) -> None:
        return

    def visible_calls(self, first: int, last: int) -> list[tuple[str, int, str, float]]:
        return [call for call in self.calls if call[0] in VISIBLE and first <= call[1] < last]

    def visible(self, chat: int) -> list[float]:
        return [at for name, where, _, at in self.calls if name in VISIBLE and where == chat]


class BenchEngine:
    """Questions that begin with `slow` take `seconds`, a token every 50 ms; all others are answered directly."""

    def __init__(self, seconds: float = 60.0) -> None:
        self._seconds = seconds
        self.first_delta: dict[str, float] = {}

    @asynccontextmanager
    async def answer(self, question: Question) -> AsyncGenerator[AsyncIterator[AnswerEvent], None]:
        async with aclosing(self._events(question)) as events:
            yield events

    async def _events(self, question: Question) -> AsyncGenerator[AnswerEvent, None]:
        yield Typing()
        text = f"The answer to {question.text}"
        if "slow" in question.text:
            await asyncio.sleep(1)
            self.first_delta[question.text] = asyncio.get_running_loop().time()
            for number in range(int(self._seconds / TOKEN_SECONDS)):
                yield Delta(f"**word** {number} ")
                await asyncio.sleep(TOKEN_SECONDS)
        yield Final(Outcome(id=question.id, kind="answered", text=text, language="en"))


@asynccontextmanager
async def bench_bot(
    engine: BenchEngine, store: InboxStore, patience: float
) -> AsyncIterator[tuple[TelegramApp, NotingSession]]:
    session = NotingSession()
    config = TelegramConfig(token="42:bench")
    bot = Bot(config.token, session=session)
    async with opened(bot, config, engine, store, habits=Habits(), patience=patience) as app:
        yield app, session


_updates = itertools.count(1)


def update(text: str, chat: int, sender: int) -> Update:
    number = next(_updates)
    kind = "private" if chat > 0 else "supergroup"
    message = {
        "message_id": number,
        "date": 1_700_000_000 + number * 100,
        "chat": {"id": chat, "type": kind, "title": "t", "first_name": "A"},
        "from": {"id": sender, "is_bot": False, "first_name": "A"},
        "text": text if chat > 0 else f"/ask {text}",
    }
    return Update.model_validate({"update_id": number, "message": message})


def busiest_minute(calls: list[float]) -> int:
    return max((bisect_right(calls, start + 60 - 1e-6) - index for index, start in enumerate(calls)), default=0)


async def calls_of(chat: int, answers: int) -> list[float]:
    async with bench_bot(BenchEngine(), FakeInbox(), patience=300) as (app, session):
        for number in range(answers):
            await app.keep(update(f"a slow question, number {number}, please", chat, 7 + number))
        await asyncio.sleep(200)
    return sorted(session.visible(chat))


def count_calls() -> None:
    print("calls of a 60 s answer (sends, edits and deletions)")
    for name, chat, answers, allowed in (
        ("private chat, 1 answer", 7, 1, 60),
        ("group, 1 answer", GROUP, 1, 20),
        ("group, 2 answers at once", GROUP, 2, 20),
    ):
        with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
            calls = runner.run(calls_of(chat, answers))
        gap = max(after - before for before, after in itertools.pairwise(calls))
        busiest = busiest_minute(calls)
        print(f"  {name:26} {len(calls):3} calls, busiest minute {busiest:2} of {allowed}, longest pause {gap:.1f} s")


async def direct(app: TelegramApp, session: NotingSession, name: str) -> list[float]:
    """Milliseconds from an update's arrival to the call that sends its answer."""
    took = []
    for number in range(DIRECT):
        chat = 1000 + number % CONVERSATIONS
        text = f"a direct question {name} {number}?"
        asked = update(text, chat, chat)
        began = asyncio.get_running_loop().time()
        await app.keep(asked)
        took.append((text, began))
        await asyncio.sleep(EVERY)
    await asyncio.sleep(1)
    sent = {said: at for call, _, said, at in session.calls if call == "SendMessage"}
    return [(sent[f"The answer to {text}"] - began) * 1000 for text, began in took]


def told(name: str, values: list[float]) -> float:
    cut = statistics.quantiles(values, n=100)
    print(f"  {name:40} median {cut[49]:6.1f} ms   p99 {cut[98]:6.1f} ms   most {max(values):6.1f} ms")
    return cut[49]


async def latency() -> None:
    print(f"direct answers, {CONVERSATIONS} conversations, {DIRECT} questions, one every {EVERY * 1000:.0f} ms")
    with tempfile.TemporaryDirectory() as folder:
        async with Database.open(f"sqlite:///{folder}/state.db") as database:
            engine = BenchEngine(seconds=DIRECT * EVERY * 3 + 5)
            async with bench_bot(engine, SqlInbox(database, "bench"), patience=0) as (app, session):
                await direct(app, session, "warming up")
                idle = told("idle", await direct(app, session, "idle"))
                for number in range(SLOW_ANSWERS):
                    await app.keep(update(f"a slow question, number {number}, please", 10 + number, 10 + number))
                await asyncio.sleep(3)
                loaded = told(f"beside {SLOW_ANSWERS} answers being streamed", await direct(app, session, "loaded"))
                print(f"  ratio of medians {loaded / idle:.2f}")
                first = {chat: at for _, chat, _, at in reversed(session.visible_calls(10, 10 + SLOW_ANSWERS))}
                print("first visible text after the guardrail's verdict (our own time)")
                began = engine.first_delta
                took = [(first[10 + _number(text)] - at) * 1000 for text, at in began.items()]
                told(f"{SLOW_ANSWERS} answers at once", took)


def _number(text: str) -> int:
    return int(text.split("number ")[1].partition(",")[0])


def main() -> None:
    began = time.perf_counter()
    count_calls()
    asyncio.run(latency())
    print(f"({time.perf_counter() - began:.0f} s)")


if __name__ == "__main__":
    main()
