"""Many questions at once against a scripted model server: does the event loop stay free, and memory flat?

    .venv/bin/python benchmarks/bench_streams.py [--questions 200] [--rounds 3]

The sample knowledge, the real stages, stores, embedders and client; the model server is a script in a process of its
own, which writes word by word and judges at once. The delay of the event loop is how much later than asked a sleep of
10 ms ends. Beside it, in the same run: the loop while nothing is asked, and while one question at a time is answered.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import structlog

from bot.bringing_up import ingest
from bot.settings import Settings
from bot.wiring import App, build
from engine import Final, Question
from tests.server_process import server_process

TICK = 0.01
ANSWER = " ".join(["See the terms of the contract for this [1]."] * 12)
WORD_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Measured:
    delays_ms: list[float]
    seconds: float
    peak_mib: float


async def measured(work: Callable[[], Awaitable[object]]) -> Measured:
    delays: list[float] = []
    done = asyncio.Event()

    async def ticking() -> None:
        while not done.is_set():
            began = time.perf_counter()
            await asyncio.sleep(TICK)
            delays.append((time.perf_counter() - began - TICK) * 1000)

    ticks = asyncio.create_task(ticking())
    began = time.perf_counter()
    await work()
    seconds = time.perf_counter() - began
    done.set()
    await ticks
    return Measured(delays, seconds, resident_mib())


def resident_mib() -> float:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def told(name: str, one: Measured) -> float:
    p50, p99 = statistics.median(one.delays_ms), statistics.quantiles(one.delays_ms, n=100)[98]
    worst = max(one.delays_ms)
    print(f"{name:28} {one.seconds:7.1f} s {p50:8.1f} {p99:8.1f} {worst:8.1f} ms {one.peak_mib:9.0f} MiB")
    return p99


async def answered(app: App, text: str) -> str:
    async with app.engine.answer(Question(text=text)) as events:
        async for event in events:
            if isinstance(event, Final):
                return event.outcome.kind
    return "escalated"


def questions(count: int) -> list[str]:
    lines = (ROOT / "tests/data/sample_questions.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [asked["question"] for asked in map(json.loads, lines) if asked["kind"] != "direct"]
    return [f"{texts[number % len(texts)]} ({number})" for number in range(count)]


async def run(url: str, count: int, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as data:
        settings = Settings.load(
            {
                "knowledge": ROOT / "knowledge",
                "data": Path(data),
                "model_url": url,
                "model_name": "scripted",
                "model_contract": "text",
            },
            {},
        )
        async with build(settings) as app:
            await ingest(app)
            await answered(app, "What does parking cost?")
            texts = questions(count)
            print(f"{'':28} {'time':>9} {'p50':>8} {'p99':>8} {'worst':>8}    {'memory':>12}")
            idle = told("idle", await measured(lambda: asyncio.sleep(3)))
            told("one at a time, 5 questions", await measured(lambda: one_by_one(app, texts[:5])))
            for number in range(rounds):
                all_at_once = await measured(lambda: asyncio.gather(*(answered(app, text) for text in texts)))
                p99 = told(f"{count} at once, round {number + 1}", all_at_once)
                print(f"{'':28} p99 grew by {p99 - idle:.1f} ms (aim <= 50)")


async def one_by_one(app: App, texts: Sequence[str]) -> None:
    for text in texts:
        await answered(app, text)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    with server_process("tests.scripted_server", ANSWER, str(WORD_SECONDS)) as url:
        asyncio.run(run(url, options.questions, options.rounds))


if __name__ == "__main__":
    main()
