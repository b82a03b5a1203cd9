"""What the guardrail costs and catches.

    .venv/bin/python benchmarks/bench_guardrail.py [--tokens 300] [--rate 30]

First the time that a model judge of latency L adds, with a generator of 30 tokens a second and an answer longer than
the hold-back: to the first shown text after the hold-back is full, and to the whole answer. The judge runs beside the
generation, so the whole may take max(0, L - time to generate what follows) longer and no more. Beside it, in the same
run, a guardrail that judges before it reads on. Time is the event loop's, sped up: latencies are waited for in full
order but not in full length.

Then sixty prepared answers, half of them Russian: thirty faithful paraphrases, and the same with one number, date,
name, negation or step spoilt. How many does the deterministic check alone let through? (The rules were tuned on them.)
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from engine.policy import GuardrailPolicy
from engine.ports import Passed, Task, Violation
from engine.stages.guardrail import StreamGuardrail
from engine.stages.screen import StopWordScreen
from engine.text.normal import detect_language
from engine.text.tokens import count_tokens
from engine.types import Question, Usage
from tests.fakes import chunk, evidence
from tests.prepared_answers import PREPARED

LATENCIES = (0.5, 1.0, 2.0, 4.0, 8.0)
SPEED_UP = 4.0
SENTENCE = "The deposit is returned within ten days of the keys. "
TASK = Task(
    question=Question(text="When is the deposit returned?"), language="en", evidence=evidence(chunk(text=SENTENCE))
)


class SlowJudge:
    def __init__(self, latency: float) -> None:
        self._latency = latency

    async def judge(self, task: Task, draft: str) -> tuple[str | None, Usage]:
        await asyncio.sleep(self._latency / SPEED_UP)
        return None, Usage(model_calls=1)


async def generated(tokens: int, rate: float) -> AsyncGenerator[str, None]:
    """Words at their times, not with pauses between them, as a model server writes on whoever reads."""
    words = (SENTENCE * tokens).split(" ")
    began, written = time.perf_counter(), 0
    for word in words:
        written += count_tokens(word)
        if written > tokens:
            return
        await asyncio.sleep(max(0.0, began + written / rate / SPEED_UP - time.perf_counter()))
        yield f"{word} "


async def timed(judge: SlowJudge | None, tokens: int, rate: float) -> tuple[float, float]:
    """Seconds to the first shown text and to the end."""
    guardrail = StreamGuardrail(StopWordScreen(), GuardrailPolicy(judge_seconds=60), judge)
    began, first = time.perf_counter(), 0.0
    async with guardrail.watch(TASK, generated(tokens, rate)) as verdicts:
        async for verdict in verdicts:
            assert isinstance(verdict, Passed), verdict
            first = first or time.perf_counter() - began
    return first * SPEED_UP, (time.perf_counter() - began) * SPEED_UP


async def latencies(tokens: int, rate: float) -> None:
    first, whole = await timed(None, tokens, rate)
    follows = whole - first
    print(
        f"answer of {tokens} tokens at {rate:g} a second: first text {first:.2f} s, end {whole:.2f} s without a judge"
    )
    print(f"{'L s':>5} {'first +':>8} {'whole +':>8} {'max(0, L - rest)':>17} {'judged in turn +':>17}")
    for latency in LATENCIES:
        with_first, with_whole = await timed(SlowJudge(latency), tokens, rate)
        print(
            f"{latency:5.1f} {with_first - first:8.2f} {with_whole - whole:8.2f} {max(0.0, latency - follows):17.2f}"
            f" {latency:17.2f}"
        )


async def verdict_on(context: str, question: str, answer: str) -> str | None:
    task = Task(
        question=Question(text=question),
        language=detect_language(question),
        evidence=evidence(chunk(text=context)),
    )

    async def whole() -> AsyncGenerator[str, None]:
        yield answer

    async with StreamGuardrail(StopWordScreen(), GuardrailPolicy()).watch(task, whole()) as verdicts:
        return next((one.reason for one in [v async for v in verdicts] if isinstance(one, Violation)), None)


async def prepared() -> None:
    blocked, caught = Counter[str](), Counter[str]()
    for one in PREPARED:
        if reason := await verdict_on(one.context, one.question, one.faithful):
            blocked[reason] += 1
            print(f"false block ({reason}): {one.faithful}")
        if await verdict_on(one.context, one.question, one.spoilt):
            caught[one.by] += 1
        else:
            print(f"let through ({one.by}): {one.spoilt}")
    of = Counter(one.by for one in PREPARED)
    print(f"faithful answers blocked: {blocked.total()} of {len(PREPARED)} (aim 0)")
    print(f"spoilt answers caught: {caught.total()} of {len(PREPARED)} (aim >= 27):", end=" ")
    print(", ".join(f"{kind} {caught[kind]}/{of[kind]}" for kind in of))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tokens", type=int, default=300)
    parser.add_argument("--rate", type=float, default=30.0)
    options = parser.parse_args(arguments)
    asyncio.run(latencies(options.tokens, options.rate))
    asyncio.run(prepared())


if __name__ == "__main__":
    main()
