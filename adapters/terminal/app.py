"""A conversation in the terminal, or through a pipe: lines in, answers out.

    > the question, echoed when nobody has typed it on this screen
    the answer

    Sources:
    - document, section, page

Each further question is preceded by a blank line.
"""

from __future__ import annotations

import asyncio
import re
import signal
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, nullcontext
from types import FrameType
from typing import Any, Literal, TextIO, TypeVar, assert_never
from uuid import uuid4

from adapters.delivery import Answers, DeliveryFailed, Limits, respond
from adapters.terminal import phrases
from adapters.terminal.lines import Lines, unechoed
from adapters.terminal.live import Size, dim, visible, write
from adapters.terminal.reply import TerminalReply
from engine import Language, Outcome, Question, Turn, detect_language

T = TypeVar("T")

PROMPT = "> "
HISTORY = 6
"""How many earlier turns a question carries."""
PACE = 0.05
TYPING_EVERY = 0.4

_Command = Literal["new", "help", "quit"]


async def chat(
    engine: Answers,
    input: TextIO,
    output: TextIO,
    *,
    language: Language | None = None,
    audience: frozenset[str] = frozenset({"public"}),
) -> None:
    """Answer each line of `input` on `output`, to the end of the input. Ends quietly when nobody reads any longer.

    `language` is the asker's; None leaves it to the engine to tell from each question.
    """
    session = Session(engine, input, output, language=language, audience=audience)
    with _interrupts(session):
        await session.run()


class Session:
    """The state of one sitting: the conversation with its last turns, and what an interrupt would stop."""

    def __init__(
        self,
        engine: Answers,
        input: TextIO,
        output: TextIO,
        *,
        language: Language | None,
        audience: frozenset[str],
        size: Size | None = None,
    ) -> None:
        self._engine = engine
        self._input, self._output = input, output
        self._language, self._audience, self._size = language, audience, size
        self._lines = Lines(input)
        self._typed = input.isatty()
        self._on_screen = output.isatty()
        self._conversation = uuid4().hex
        self._history: tuple[Turn, ...] = ()
        self._offers: tuple[str, ...] = ()
        self._answers = 0
        self._step: asyncio.Task[Any] | None = None

    @property
    def is_interactive(self) -> bool:
        """Typed and read on the same screen."""
        return self._typed and self._on_screen

    async def run(self) -> None:
        try:
            self._say(phrases.HELP)
            while (line := await self._read()) is not None:
                if not line:
                    continue
                match self._command(line):
                    case "quit":
                        return
                    case "new":
                        self._conversation, self._history = uuid4().hex, ()
                        self._say(phrases.NEW)
                    case "help":
                        self._say(phrases.HELP)
                    case None:
                        await self._answer(line)
                    case command:
                        assert_never(command)
        except DeliveryFailed:
            return  # what reads the output has closed it

    def interrupt(self) -> None:
        """Stop the answer being given, or, when none is, the sitting."""
        if self._step is not None:
            self._step.cancel()

    async def _read(self) -> str | None:
        """The next line as a question, "" for a blank one, None at the end of the input."""
        typed_ahead = self.is_interactive and self._lines.is_waiting()
        if self.is_interactive:
            write(self._output, PROMPT)
        line = await self._interruptible(self._lines.next())
        if line is None:
            if self.is_interactive:
                write(self._output, "\n")
            return None
        line = visible(line).replace("\n", " ").strip()
        if typed_ahead:
            write(self._output, line + "\n")
        return line

    async def _answer(self, text: str) -> None:
        text = self._offered(text)
        question = Question(
            text=text,
            id=uuid4().hex,
            conversation=self._conversation,
            history=self._history,
            language=self._language,
            audience=self._audience,
        )
        if not self.is_interactive:
            write(self._output, ("\n" if self._answers else "") + PROMPT + text + "\n")
        self._answers += 1
        reply = TerminalReply(
            self._output, self._language or detect_language(text), screen=self._on_screen, size=self._size
        )
        with unechoed(self._input) if self.is_interactive else nullcontext():
            outcome = await self._interruptible(self._respond(question, reply))
        if self.is_interactive:
            write(self._output, "\n")
        self._offers = tuple(pair.question for pair in outcome.offers) if outcome else ()
        if outcome is not None and outcome.kind not in ("blocked", "failed"):
            self._history = (*self._history, Turn(question=text, answer=outcome.text))[-HISTORY:]

    def _offered(self, text: str) -> str:
        """The known question that a bare number chooses from those offered last, or the text itself."""
        chosen = int(text) if re.fullmatch(r"[1-9]", text) else 0
        return self._offers[chosen - 1] if 0 < chosen <= len(self._offers) else text

    async def _respond(self, question: Question, reply: TerminalReply) -> Outcome | None:
        try:
            return await respond(self._engine, question, reply, pace=PACE, limits=Limits(typing_every=TYPING_EVERY))
        except asyncio.CancelledError:
            reply.abandon()
            raise

    async def _interruptible(self, work: Coroutine[Any, Any, T]) -> T | None:
        """The result of `work`, or None when it was interrupted. Our own cancellation goes through it."""
        step = self._step = asyncio.create_task(work)
        try:
            await asyncio.wait([step])
        finally:
            self._step = None
            step.cancel()
            await asyncio.gather(step, return_exceptions=True)
        return None if step.cancelled() else step.result()

    def _command(self, line: str) -> _Command | None:
        match line:
            case "/new":
                return "new"
            case "/quit":
                return "quit"
            case "/help":
                return "help"
            case _:
                is_mistyped = self.is_interactive and re.fullmatch(r"/[a-z]+", line)
                return "help" if is_mistyped else None

    def _say(self, texts: dict[Language, str]) -> None:
        """A word of the terminal's own, which has no place among answers in a pipe."""
        if self.is_interactive:
            chosen = [texts[self._language]] if self._language else texts.values()
            write(self._output, "".join(dim(text) + "\n" for text in chosen))


@contextmanager
def _interrupts(session: Session) -> Iterator[None]:
    """While it lasts, Ctrl-C interrupts the session. A pipe keeps the usual meaning: it ends the program."""
    if not session.is_interactive or threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(session.interrupt)

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
