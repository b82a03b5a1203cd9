from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TextIO

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from adapters.delivery import respond
from adapters.terminal.app import PACE
from adapters.terminal.reply import TerminalReply
from bot.bringing_up import open_app
from bot.outcome_json import OutcomeJson, event_json
from bot.settings import Settings
from bot.wiring import App
from engine import ConfigurationError, Escalated, Final, Outcome, Question, Turn, detect_language
from engine.text.mismatch import first_problem

NAME = "ask"
HELP = "ask one question, or many from a file"

SOME_BAD = 2


class TurnLine(BaseModel):
    model_config = ConfigDict(extra="forbid")
    question: str
    answer: str = ""


class QuestionLine(BaseModel):
    """A line of a batch file. Other fields are allowed and ignored, so that data sets can be asked as they are."""

    id: str | int
    question: str = Field(min_length=1)
    history: list[TurnLine] = Field(default_factory=list)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("question", nargs="?", help="the question")
    parser.add_argument("--json", action="store_true", help="print the events of the answer, one JSON object per line")
    parser.add_argument(
        "--batch", type=Path, metavar="FILE.jsonl", help="ask every line's question; prints one outcome per line"
    )


async def run(options: argparse.Namespace, settings: Settings) -> int:
    if (options.question is None) == (options.batch is None):
        raise ConfigurationError("give either a question or --batch FILE.jsonl")
    if options.batch is not None:
        with _opened(options.batch) as lines:
            async with open_app(settings) as app:
                return await _ask_all(app, lines, str(options.batch))
    if not options.question.strip():
        raise ConfigurationError("the question is empty")
    question = Question(text=options.question, audience=settings.audiences)
    async with open_app(settings) as app:
        if options.json:
            await _print_events(app, question)
        else:
            reply = TerminalReply(sys.stdout, detect_language(question.text))
            await respond(app.engine, question, reply, pace=PACE)
    return 0


async def _print_events(app: App, question: Question) -> None:
    async with app.engine.answer(question) as events:
        async for event in events:
            _print(event_json(event))


async def _ask_all(app: App, lines: TextIO, name: str) -> int:
    """Outcomes in the order of the lines. A bad line is told on standard error and the rest goes on."""
    bad = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            asked = QuestionLine.model_validate_json(line)
        except ValidationError as error:
            sys.stderr.write(f"{name}:{number}: {first_problem(error)}\n")
            bad += 1
            continue
        outcome = await _outcome(app, asked)
        _print(OutcomeJson.of(outcome).model_dump())
    return SOME_BAD if bad else 0


async def _outcome(app: App, asked: QuestionLine) -> Outcome:
    question = Question(
        text=asked.question,
        id=str(asked.id),
        history=tuple(Turn(question=turn.question, answer=turn.answer) for turn in asked.history),
        audience=app.settings.audiences,
    )
    outcome: Outcome | None = None
    async with app.engine.answer(question) as events:
        async for event in events:
            if isinstance(event, Final | Escalated):
                outcome = event.outcome
    assert outcome is not None, "every answer ends with an outcome"
    return outcome


def _print(value: object) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def _opened(path: Path) -> TextIO:
    try:
        return path.open(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from error
