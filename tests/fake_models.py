"""A chat model that says what a script tells it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from engine.errors import ProviderRejected
from engine.ports import Abilities, Message
from engine.stages.answer_objects import Remarks
from engine.text.json_replies import NotTheObject, parse_reply
from engine.text.tokens import count_tokens
from engine.types import Usage

T = TypeVar("T", bound=BaseModel)

Step = str | Exception | asyncio.Event
"""A piece of text, a failure at this point, or a wait until the test sets the event."""
Line = str | Exception | BaseModel | Sequence[Step]
"""One reply: a text in one piece, a failure before any text, an object (as JSON), or steps."""


BESIDE: tuple[type[BaseModel], ...] = (Remarks,)
"""Asked for beside an answer; a script without lines for them has none, and the answer must do without."""

CUT_OFF = "\0"
"""As the last piece: the model was stopped by its token limit."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One call as the model got it; `schema` is None where text was asked for."""

    messages: tuple[Message, ...]
    max_tokens: int
    schema: type[BaseModel] | None = None

    @property
    def text(self) -> str:
        return "\n\n".join(message.content for message in self.messages)


class ScriptedChat:
    """Takes its lines in order, whoever asks. Structured calls for a schema in `objects` take theirs from there, which
    keeps calls that run beside each other apart. A script that runs dry is a mistake of the test."""

    def __init__(
        self,
        *lines: Line,
        objects: Mapping[type[BaseModel], Sequence[Line]] | None = None,
        streams_objects: bool = False,
        window: int = 8192,
        name: str = "scripted",
    ) -> None:
        self.name = name
        self._abilities = Abilities(streams_objects=streams_objects, window=window)
        self._lines = deque(lines)
        self._objects = {schema: deque(theirs) for schema, theirs in (objects or {}).items()}
        self.asked: list[Asked] = []
        self.left_early = 0
        """How many streams were left before their text had ended."""

    @property
    def lines_left(self) -> int:
        return len(self._lines) + sum(len(theirs) for theirs in self._objects.values())

    async def abilities(self) -> Abilities:
        return self._abilities

    @asynccontextmanager
    async def stream(
        self, messages: Sequence[Message], *, max_tokens: int, schema: type[BaseModel] | None = None
    ) -> AsyncIterator[ScriptedStream]:
        self.asked.append(Asked(tuple(messages), max_tokens, schema))
        steps = _steps(self._next_line(None))
        if steps and isinstance(steps[0], Exception):
            raise steps[0]
        stream = ScriptedStream(steps, prompt_tokens=_prompt_tokens(messages))
        try:
            yield stream
        finally:
            self.left_early += not stream.ended

    async def structured(
        self, messages: Sequence[Message], schema: type[T], *, max_tokens: int, attempts: int = 2
    ) -> tuple[T, Usage]:
        """As a real one does: a reply that does not fit the schema costs a second one."""
        if schema in BESIDE and schema not in self._objects:
            raise ProviderRejected(self.name, f"the script says nothing of {schema.__name__}")
        usage = Usage()
        problem = ""
        for _ in range(attempts):
            self.asked.append(Asked(tuple(messages), max_tokens, schema))
            reply = ScriptedStream(_steps(self._next_line(schema)), prompt_tokens=_prompt_tokens(messages))
            text = "".join([piece async for piece in reply])
            usage += reply.usage
            try:
                return parse_reply(text, schema), usage
            except NotTheObject as mismatch:
                problem = str(mismatch)
        raise ProviderRejected(self.name, f"no {schema.__name__} in {attempts} replies: {problem}", usage=usage)

    def _next_line(self, schema: type[BaseModel] | None) -> Line:
        """A schema made for one question counts as the one that it was made from."""
        kinds = schema.__mro__ if schema else ()
        lines = next((self._objects[kind] for kind in kinds if kind in self._objects), self._lines)
        if not lines:
            raise AssertionError(f"the script has no line left for {schema.__name__ if schema else 'a stream'}")
        return lines.popleft()


class ScriptedStream:
    def __init__(self, steps: Sequence[Step], *, prompt_tokens: int) -> None:
        self._steps = deque(steps)
        self._prompt_tokens = prompt_tokens
        self._said: list[str] = []
        self.ended = False

    @property
    def truncated(self) -> bool:
        return CUT_OFF in self._said

    @property
    def usage(self) -> Usage:
        completion = count_tokens("".join(self._said))
        return Usage(model_calls=1, prompt_tokens=self._prompt_tokens, completion_tokens=completion)

    def __aiter__(self) -> AsyncIterator[str]:
        return self

    async def __anext__(self) -> str:
        # A real stream gives others their turn between pieces.
        await asyncio.sleep(0)
        while self._steps:
            match self._steps.popleft():
                case str() as piece:
                    self._said.append(piece)
                    if piece != CUT_OFF:
                        return piece
                case Exception() as failure:
                    raise failure
                case event:
                    await event.wait()
        self.ended = True
        raise StopAsyncIteration


def _steps(line: Line) -> Sequence[Step]:
    match line:
        case str() | Exception():
            return (line,)
        case BaseModel():
            return (line.model_dump_json(),)
        case _:
            return line


def _prompt_tokens(messages: Sequence[Message]) -> int:
    return sum(count_tokens(message.content) for message in messages)
