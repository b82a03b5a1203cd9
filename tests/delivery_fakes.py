"""A scripted engine, a recording reply, and a loop whose clock jumps: to test deliveries without waiting."""

from __future__ import annotations

import asyncio
import inspect
import selectors
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from adapters.delivery import RateLimited
from engine import AnswerEvent, Citation, Final, Outcome, Question, Reference
from engine.types import FaqMatch, FaqPair, Route

T = TypeVar("T")


class _JumpingSelector(selectors.SelectSelector):
    """Where a real one would wait for a timer, the clock jumps. With no timer it does wait: for a thread."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            return super().select(None)
        ready = super().select(0)
        if not ready:
            self.now += max(timeout, 0)
        return ready


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end in virtual time."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(work)


def outcome(
    text: str = "The final text.",
    *,
    citations: tuple[Citation, ...] = (),
    references: tuple[Reference, ...] = (),
    kind: str = "answered",
    language: str = "en",
) -> Outcome:
    return Outcome(
        id="q1",
        kind=kind,  # type: ignore[arg-type]
        text=text,
        language=language,  # type: ignore[arg-type]
        citations=citations,
        references=references,
    )


Script = Sequence[AnswerEvent | float | Exception | Callable[[], object]]
"""Events to say, seconds to wait, errors to raise, and things to do or, when they can be awaited, to wait for."""


class ScriptedEngine:
    """Plays one script for each question, the last one again and again. Holds its readers to the rules of a stream."""

    def __init__(self, *scripts: Script) -> None:
        self._scripts = list(scripts)
        self.questions: list[Question] = []
        self.open = 0

    @asynccontextmanager
    async def answer(self, question: Question) -> AsyncGenerator[AsyncIterator[AnswerEvent], None]:
        self.questions.append(question)
        script = self._scripts.pop(0) if len(self._scripts) > 1 else self._scripts[0]
        self.open += 1
        try:
            async with aclosing(play(script)) as events:
                yield events
        finally:
            self.open -= 1


async def play(script: Script) -> AsyncGenerator[AnswerEvent, None]:
    reader = asyncio.current_task()
    for line in script:
        assert asyncio.current_task() is reader, "an answer is read by the task that entered it"
        if isinstance(line, float):
            await asyncio.sleep(line)
        elif isinstance(line, Exception):
            raise line
        elif isinstance(line, AnswerEvent):
            yield line
        else:
            done = line()
            if inspect.isawaitable(done):
                await done


def answered(text: str = "The final text.") -> list[AnswerEvent]:
    return [Final(outcome(text))]


@dataclass(frozen=True, slots=True)
class Slow:
    """The platform takes its time, then does what was asked."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Lost:
    """The platform does what was asked, and its response is lost."""


Trouble = Exception | Slow | Lost | None


@dataclass(frozen=True, slots=True)
class Call:
    verb: str
    value: object
    at: float
    """When it began."""
    done: bool
    """The caller was told that it succeeded."""


@dataclass
class RecordingReply:
    """Keeps what it was asked. Each call meets the next trouble; after the last one all is well."""

    troubles: Iterable[Trouble] = ()
    calls: list[Call] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._troubles = iter(self.troubles)
        self._busy = False
        self._quiet_until = 0.0

    async def typing(self) -> None:
        await self._meet("typing", None)

    async def show(self, text: str) -> None:
        await self._meet("show", text)

    async def withdraw(self) -> None:
        await self._meet("withdraw", None)

    async def interim(self, text: str, *, keep: bool) -> None:
        await self._meet("interim", (text, keep))

    async def finish(self, outcome: Outcome) -> None:
        await self._meet("finish", outcome)

    async def apologise(self, text: str) -> None:
        await self._meet("apologise", text)

    async def _meet(self, verb: str, value: object) -> None:
        assert not self._busy, "one verb at a time"
        now = asyncio.get_running_loop().time()
        assert now >= self._quiet_until - 1e-6, "asked before the rate limit was over"
        self._busy = True
        done = False
        try:
            match next(self._troubles, None):
                case Slow(seconds):
                    await asyncio.sleep(seconds)
                case Lost():
                    raise ConnectionError("response lost")
                case RateLimited() as limit:
                    self._quiet_until = now + limit.retry_after
                    raise limit
                case Exception() as error:
                    raise error
                case None:
                    await asyncio.sleep(0)
            done = True
        finally:
            self._busy = False
            self.calls.append(Call(verb, value, now, done))

    def done(self, *verbs: str) -> list[object]:
        """The values of the calls that succeeded."""
        return [call.value for call in self.calls if call.done and call.verb in verbs]

    @property
    def verbs(self) -> list[str]:
        return [call.verb for call in self.calls if call.done]


def missed(**values: Any) -> list[Any]:
    """The script of a question that nobody could answer, with what was near."""
    near = FaqPair(entry="pets", question="Are cats allowed?", answer="**Cats** are welcome.", score=0.71)
    match = FaqMatch(band="miss", score=0.71, cosine=0.6, entry=None, nearest=(near,))
    route = Route(domain="housing", collection="rules", documents=(), levels=())
    made: Outcome = replace(outcome("I do not know.", kind="missed"), faq=match, route=route)
    return [Final(replace(made, miss_reason="nothing_found", **values))]
