"""Asks every question of every configuration, and keeps each row at once, so that a run can go on where it stopped."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

import engine as engine_package
from engine.errors import KnowledgeError, SourceError
from engine.evaluation.base_questions import Gold
from engine.evaluation.base_rows import Row, row_of
from engine.evaluation.configurations import Configuration, FirstOnly, FollowsNothing, MeasuredRouter
from engine.evaluation.model_verdicts import ModelVerdicts
from engine.events import Delta, Escalated, Final
from engine.flow import Engine
from engine.ports import Draft, Generator, Retriever, Router, Task
from engine.types import PUBLIC, Evidence, FaqMatch, Outcome, Question, Turn

Show = Callable[[str, int, int], None]
"""Configuration, rows done, rows in all."""
_RUN = "run.json"


class NoFaq:
    """The gate left out: what is measured here is what comes behind it."""

    async def match(self, question: Question) -> FaqMatch:
        return FaqMatch(band="miss", score=0.0, cosine=0.0, entry=None)


class NoLog:
    """Measuring leaves no trace among the answers and misses of people."""

    async def record(self, outcome: Outcome) -> None:
        return None


class NoMisses:
    async def record(self, question: Question, outcome: Outcome) -> bool:
        return False


class WatchedFallback:
    """Remembers whether it had to write."""

    def __init__(self, generator: Generator) -> None:
        self._generator = generator
        self.wrote = False

    def write(self, task: Task) -> AbstractAsyncContextManager[Draft]:
        self.wrote = True
        return self._generator.write(task)


class Trial:
    """One base with its engine, on which configurations are tried."""

    def __init__(
        self,
        engine: Engine,
        router: Router,
        wide: Retriever,
        *,
        audience: frozenset[str] = PUBLIC,
        verdicts: ModelVerdicts | None = None,
    ) -> None:
        """`router` must remember nothing, `wide` find as the engine's retriever does but keep DEEPEST chunks."""
        self._engine = replace(engine, answers=NoLog(), misses=NoMisses())
        self._router = router
        self._wide = wide
        self._audience = audience
        self._verdicts = verdicts

    async def rows(self, configuration: Configuration, golds: Sequence[Gold]) -> AsyncIterator[Row]:
        router = MeasuredRouter(configuration, self._router, {gold.id: gold for gold in golds})
        engine = self._as_configured(configuration, router)
        fallback = WatchedFallback(engine.fallback)
        if engine.fallback is not engine.generator:  # without a model quotes are what is written first
            engine = replace(engine, fallback=fallback)
        kept = configuration.kept or engine.policy.retrieval.kept
        for gold in golds:
            router.first, fallback.wrote = None, False
            history = tuple(Turn(question=earlier, answer="…") for earlier in gold.history)
            question = Question(text=gold.question, id=gold.id, history=history, audience=self._audience)
            outcome, first_text_ms = await _asked(engine, question)
            wide = Evidence(chunks=(), sufficient=False)
            if outcome.route is not None:
                wide, _ = await self._wide.retrieve(question, outcome.route)
            row = row_of(gold, outcome, wide, router.first, kept, first_text_ms)
            row = row.model_copy(update={"stood_in": fallback.wrote})
            if self._verdicts is not None:
                row = await self._verdicts.judge(row, gold, outcome)
            yield row

    def _as_configured(self, configuration: Configuration, router: Router) -> Engine:
        engine = replace(self._engine, router=router)
        if not configuration.gate:
            engine = replace(engine, gate=NoFaq())
        if configuration.kept:
            engine = replace(engine, retriever=FirstOnly(engine.retriever, configuration.kept))
        return engine if configuration.follows else replace(engine, referencer=FollowsNothing())


async def _asked(engine: Engine, question: Question) -> tuple[Outcome, float | None]:
    """The outcome, and the milliseconds until something of the answer could be read."""
    began = time.perf_counter()
    shown: float | None = None
    outcome: Outcome | None = None
    async with engine.answer(question) as events:
        async for event in events:
            if isinstance(event, Delta | Final | Escalated) and shown is None:
                shown = round((time.perf_counter() - began) * 1000, 1)
            if isinstance(event, Final | Escalated):
                outcome = event.outcome
    assert outcome is not None, "every answer ends with an outcome"
    return outcome, shown


class KeptRows:
    """The rows of a run in a folder, one JSONL file for each configuration, and what they were made from."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def open(self, made_from: Mapping[str, str]) -> None:
        """Raises KnowledgeError when the folder holds rows that were made from something else."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            location = self._folder / _RUN
            if location.exists():
                before = json.loads(location.read_text(encoding="utf-8"))
                if other := sorted(key for key in made_from if before.get(key) != made_from[key]):
                    raise KnowledgeError(
                        f"{self._folder} holds rows of another run ({', '.join(other)} differ);"
                        " name another folder with --out, or delete this one"
                    )
            else:
                location.write_text(json.dumps(dict(made_from), indent=1) + "\n", encoding="utf-8")
        except (OSError, ValueError) as error:
            raise KnowledgeError(f"{self._folder} cannot be used for a run: {error}") from error

    def read(self, configuration: str) -> dict[tuple[int, str], Row]:
        """By repeat and question id. A last line that was cut short by a kill is left out, and asked again."""
        location = self._location(configuration)
        rows: dict[tuple[int, str], Row] = {}
        if not location.exists():
            return rows
        lines = location.read_text(encoding="utf-8").split("\n")
        for number, line in enumerate(lines, start=1):
            if not line:
                continue
            try:
                row = Row.model_validate_json(line)
            except ValidationError as error:
                if number == len(lines):
                    break
                raise SourceError(str(location), f"line {number} is not a row of a run; delete the file") from error
            rows[row.repeat, row.id] = row
        return rows

    async def complete(
        self, trial: Trial, configuration: Configuration, golds: Sequence[Gold], show: Show, repeats: int = 1
    ) -> tuple[Row, ...]:
        """All rows of the configuration, repeat after repeat, in the order of the questions; only those that are not
        there yet are made. What an earlier run repeated more often stays in the folder."""
        rows = self.read(configuration.name)
        wanted = [(repeat, gold.id) for repeat in range(1, repeats + 1) for gold in golds]
        location = self._location(configuration.name)
        location.write_text("".join(row.model_dump_json() + "\n" for row in rows.values()), encoding="utf-8")
        with location.open("a", encoding="utf-8") as kept:
            for repeat in range(1, repeats + 1):
                missing = [gold for gold in golds if (repeat, gold.id) not in rows]
                async for made in trial.rows(configuration, missing):
                    row = made.model_copy(update={"repeat": repeat})
                    rows[repeat, row.id] = row
                    kept.write(row.model_dump_json() + "\n")
                    kept.flush()
                    show(configuration.name, sum(key in rows for key in wanted), len(wanted))
        return tuple(rows[key] for key in wanted)

    def _location(self, configuration: str) -> Path:
        return self._folder / f"{configuration.replace(':', '-')}.jsonl"


def code_version() -> str:
    """Changes with the engine's code: rows made by other code are not this code's."""
    root = Path(str(engine_package.__file__)).parent
    return _hashed(path.read_bytes() for path in sorted(root.rglob("*.py")))


def questions_version(golds: Sequence[Gold]) -> str:
    return _hashed(repr((gold.id, gold.question, gold.facts, gold.history)).encode() for gold in golds)


def _hashed(parts: Iterable[bytes]) -> str:
    found = hashlib.sha256()
    for part in parts:
        found.update(part)
    return found.hexdigest()[:16]
