"""Bots in processes that can be killed, and what they answer.

The platform's libraries are loaded once: for each line on standard input a process forks a bot, says its process id,
and `ended` when it is no more.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import traceback
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog

from adapters import answering
from engine import AnswerEvent, Delta, Final, Interim, Outcome, Question, Typing

ROOT = Path(__file__).parents[1]


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


def fork_lives(live: Callable[[], Coroutine[Any, Any, None]]) -> None:
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))  # our output is a protocol
    answering.MOST_ATTEMPTS = 10_000  # a crowded machine kills a bot more often over one question than that allows for
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    # Kept as a zombie until the next life, so that who kills it a moment too late kills nobody else.
    dead = 0
    for _ in sys.stdin:
        if dead:
            os.waitpid(dead, 0)
        end, held = os.pipe()
        if (child := os.fork()) == 0:
            os.close(end)
            try:
                asyncio.run(live())
            except BaseException:  # noqa: BLE001  a fork must not go on as its parent
                traceback.print_exc()
            os._exit(0)
        os.close(held)
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()
        os.read(end, 1)  # it ends with the child
        os.close(end)
        dead = child
        sys.stdout.write("ended\n")
        sys.stdout.flush()


@dataclass
class Lives:
    """Starts bots one after another, and ends them."""

    process: asyncio.subprocess.Process
    pid: int = 0

    async def begin(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"live\n")
        await self.process.stdin.drain()
        self.pid = int(await self._line())

    async def ended(self) -> None:
        assert await self._line() == "ended"
        self.pid = 0

    def kill(self, number: int = signal.SIGKILL) -> None:
        if self.pid:
            os.kill(self.pid, number)

    async def _line(self) -> str:
        assert self.process.stdout is not None
        return (await self.process.stdout.readline()).decode().strip()


@asynccontextmanager
async def lives(module: str, url: str, folder: Path) -> AsyncIterator[Lives]:
    log = (folder / "bots.log").open("wb")
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        url,
        str(folder),
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=log.fileno(),
    )
    bots = Lives(process)
    try:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"ready\n"
        yield bots
    finally:
        process.kill()
        if bots.pid:
            with suppress(ProcessLookupError):
                bots.kill()  # it holds the pipes
        await process.wait()
        await process.communicate()
        log.close()
