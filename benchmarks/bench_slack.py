"""Slack under load, against the small Slack of the tests, in real time: `python benchmarks/bench_slack.py`, or one
part of it with `direct`, `acknowledgements` or `twenty`.

1. Twenty answers of 60 s at once in one workspace, streamed natively and by updates: the most calls of each method in
   any minute next to its published tier, and whether every final text arrived.
2. Acknowledgement of 200 events at once, and of 1,000 more while those 200 questions wait.
3. A direct answer, from the event to the message, one after another.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import structlog

sys.path.insert(0, str(Path(__file__).parents[1]))

from adapters.pacing import Limits
from engine import Delta, Typing
from tests.delivery_fakes import Script, ScriptedEngine, answered
from tests.slack_desk import slack_desk
from tests.slack_server import BOT, CHANNEL, DIRECT, SlackServer

TIERS = {
    "chat.postMessage": "60 a channel",
    "chat.update": "50",
    "chat.startStream": "20 (tier not published)",
    "chat.appendStream": "100",
    "chat.stopStream": "20 (tier not published)",
    "chat.delete": "50",
    "assistant.threads.setStatus": "50 (tier not published)",
}
MINUTE = 60.0
WAITING, LATER, A_SECOND = 200, 1000, 20
WORDS = [f"word{number} " for number in range(240)]


async def twenty(*, streams: bool) -> None:
    pieces = [piece for word in WORDS for piece in (Delta(word), 0.25)]
    script: Script = [Typing(), 0.5, *pieces, *answered("".join(WORDS))]
    async with SlackServer(streams=streams).running() as server:
        with tempfile.TemporaryDirectory() as folder:
            async with slack_desk(ScriptedEngine(script), Path(folder), server, patience=5.0, limits=Limits()):
                for number in range(20):
                    server.says(f"<@{BOT}> question {number}?", channel=CHANNEL if number % 2 else DIRECT)
                began = asyncio.get_running_loop().time()
                await server.until(lambda: _finished(server) == 20, 400)
                took = asyncio.get_running_loop().time() - began
    print(f"20 answers of 60 s at once, {'native streams' if streams else 'updates'}: all delivered after {took:.1f} s")
    for method, most in sorted(_busiest_minutes(server).items()):
        print(f"    {method:<30} {most:>4} a minute at most; allowed {TIERS.get(method, '-')}")
    refused = sum(call.method == "conversations.replies" for call in server.calls)
    print(f"    messages looked for after a lost response: {refused}")


def _finished(server: SlackServer) -> int:
    ours = [*server.ours(DIRECT), *server.ours(CHANNEL)]
    return sum(bool(server.buttons(message)) for message in ours)


def _busiest_minutes(server: SlackServer) -> dict[str, int]:
    times = defaultdict[str, list[float]](list)
    for call in server.calls:
        times[call.method].append(call.at)
    return {method: max(sum(one <= other < one + MINUTE for other in at) for one in at) for method, at in times.items()}


def _spread(seconds: list[float]) -> str:
    cuts = statistics.quantiles(seconds, n=1000, method="inclusive")
    marks = f"median {1000 * cuts[499]:.0f} ms, p99 {1000 * cuts[989]:.0f} ms, p99.9 {1000 * cuts[998]:.0f} ms"
    return f"{marks}, longest {1000 * max(seconds):.0f} ms of {len(seconds)}"


async def acknowledgements() -> None:
    """Half of the 200 are being answered, the others wait for that; each event after them is a question, too."""
    async with SlackServer().running() as server:
        with tempfile.TemporaryDirectory() as folder:
            script: Script = [Typing(), 300.0, *answered()]
            async with slack_desk(ScriptedEngine(script), Path(folder), server, patience=0.1):
                for number in range(WAITING):
                    server.says(f"question {number}?")
                await server.until(lambda: len(server.acknowledged) == WAITING, 60)
                at_once, server.waited = server.waited, []
                for number in range(LATER):
                    server.says(f"another question {number}?")
                    await asyncio.sleep(1 / A_SECOND)
                await server.until(lambda: len(server.acknowledged) == WAITING + LATER, 60)
    print(f"acknowledged, {WAITING} events at once: {_spread(at_once)}")
    print(f"acknowledged, {A_SECOND} a second while {WAITING} questions wait: {_spread(server.waited)}")


async def direct() -> None:
    took: list[float] = []
    async with SlackServer(streams=True).running() as server:
        with tempfile.TemporaryDirectory() as folder:
            async with slack_desk(ScriptedEngine(answered()), Path(folder), server):
                time = asyncio.get_running_loop().time
                for number in range(50):
                    began = time()
                    server.says(f"direct question {number}?")
                    await server.until(lambda wanted=number + 1: len(server.ours()) == wanted)  # type: ignore[misc]
                    took.append(time() - began)
    print(f"a direct answer, 50 of them: {_spread(took)} (the test's server looks every 5 ms, this page every 10)")


async def main(chosen: str) -> None:
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    if chosen in ("", "direct"):
        await direct()
    if chosen in ("", "acknowledgements"):
        await acknowledgements()
    if chosen in ("", "twenty"):
        await twenty(streams=True)
        await twenty(streams=False)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else ""))
