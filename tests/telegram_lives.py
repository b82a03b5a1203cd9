"""The bot in processes that can be killed: `python -m tests.telegram_lives URL FOLDER`.

Loading aiogram takes seconds, so it is loaded once: for each line on standard input this process forks a bot, says its
process id, and `ended` when it is no more.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import traceback
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import structlog

import adapters.telegram.app as telegram
from adapters.reception import Habits
from adapters.telegram.config import TelegramConfig
from engine import AnswerEvent, Delta, Final, Interim, Outcome, Question, Typing
from engine.providers.state.database import Database
from engine.providers.state.inbox import SqlInbox
from tests.telegram_server import TOKEN


def answer_to(text: str) -> str:
    return f"The answer to: {text}"


class DayEngine:
    """Takes a quarter of a second; every third question has a second pass, every fifth is answered directly."""

    @asynccontextmanager
    async def answer(self, question: Question) -> AsyncGenerator[AsyncIterator[AnswerEvent], None]:
        async with aclosing(self._events(question)) as events:
            yield events

    async def _events(self, question: Question) -> AsyncGenerator[AnswerEvent, None]:
        number = int(question.text.split()[2])
        yield Typing()
        if number % 5:
            await asyncio.sleep(0.05)
            yield Delta("The answer ")
            await asyncio.sleep(0.1)
            if number % 3 == 0:
                yield Interim("Gathering more data: section 7.2 ...", keeps_draft=number % 2 == 0)
            await asyncio.sleep(0.1)
        yield Final(Outcome(id=question.id, kind="answered", text=answer_to(question.text), language="en"))


async def live(url: str, folder: Path) -> None:
    config = TelegramConfig(token=TOKEN, url=url)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with Database.open(f"sqlite:///{folder}/state.db") as database:
        inbox = SqlInbox(database, config.desk)
        habits = Habits(together=0.0)
        await telegram.run_telegram(config, DayEngine(), inbox, stop, habits=habits, patience=0.2)


def main(url: str, folder: str) -> None:
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))  # our output is a protocol
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for _ in sys.stdin:
        if (child := os.fork()) == 0:
            try:
                asyncio.run(live(url, Path(folder)))
            except BaseException:  # noqa: BLE001  a fork must not go on as its parent
                traceback.print_exc()
            os._exit(0)
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()
        os.waitpid(child, 0)
        sys.stdout.write("ended\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
