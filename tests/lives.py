"""Bots in processes that can be killed, what they answer, and a day on which they are.

The platform's libraries are loaded once: for each line on standard input a process forks a bot, says its process id,
and `ended` when it is no more.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import traceback
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import structlog

from adapters import answering
from engine import AnswerEvent, Delta, Final, Interim, Outcome, Question, Typing
from tests.faults import Params

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
            with suppress(ProcessLookupError):  # it is no more, and `ended` has not heard of it yet
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
        bots.kill()  # it holds the pipes
        await process.wait()
        await process.communicate()
        log.close()


QUESTIONS = 60
KILLS = 200


class Platform(Protocol):
    """A platform's server."""

    after: Callable[[str, Params], None]
    """Called when a request's deed is done and its response not yet sent."""

    async def until(self, true: Callable[[], bool], seconds: float) -> None: ...


class Day(Protocol):
    """Questions that are asked on a platform, one after another."""

    visible: frozenset[str]
    """Methods whose deed an asker can see."""

    def ask(self, text: str) -> None: ...

    def redeliver(self) -> None:
        """The last question comes once more."""
        ...

    def answers(self, number: int) -> list[str]:
        """What is to be seen of answers to a question."""
        ...


async def a_day_of_kills(platform: Platform, day: Day, bots: Lives) -> None:
    """Bots are killed in the middle of things. Each question has its one answer in the end, or this fails."""
    dice = random.Random(20_261_130)
    asked: list[str] = []

    def ask() -> None:
        asked.append(f"question number {len(asked)} of the day?")
        day.ask(asked[-1])

    def wrong() -> dict[str, list[str]]:
        found = {text: day.answers(number) for number, text in enumerate(asked)}
        return {text: said for text, said in found.items() if said != [answer_to(text)]}

    async def ask_some() -> None:
        for _ in range(dice.choice((0, 0, 1, 1))):
            await asyncio.sleep(dice.uniform(0, 0.3))
            if len(asked) < QUESTIONS:
                ask()
                if dice.random() < 0.2:
                    day.redeliver()

    for _ in range(KILLS):
        await bots.begin()
        until = dice.uniform(0.1, 0.7)
        if dice.random() < 0.5:
            # In the worst moment: the deed is done, and its response never arrives.
            platform.after = _killer(bots, day.visible, dice.randrange(1, 6))
            until = 0.8
        asking = asyncio.create_task(ask_some())
        ended = asyncio.create_task(bots.ended())
        await asyncio.wait({ended}, timeout=until)
        if not ended.done():
            bots.kill()
        await ended
        await asking
        platform.after = _nothing
    while len(asked) < QUESTIONS:
        ask()
    await bots.begin()
    with suppress(TimeoutError):  # what is missing is told below
        await platform.until(lambda: not wrong(), 240)
    await asyncio.sleep(1)
    bots.kill(signal.SIGTERM)
    await bots.ended()
    assert wrong() == {}


def _nothing(method: str, params: Params) -> None:
    return


def _killer(bots: Lives, visible: frozenset[str], after: int) -> Callable[[str, Params], None]:
    left = after

    def kill(method: str, params: Params) -> None:
        nonlocal left
        if method in visible:
            left -= 1
            if left == 0:
                bots.kill()

    return kill
