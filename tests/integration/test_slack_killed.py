"""A day of 60 questions in Slack on which the bot is killed 200 times: each is answered once, nothing is left."""

from __future__ import annotations

import asyncio
import random
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.lives import Lives, answer_to, lives
from tests.slack_rules import Json, Params
from tests.slack_server import BOT, CHANNEL, DIRECT, SlackServer

QUESTIONS = 60
KILLS = 200
VISIBLE = frozenset({"chat.postMessage", "chat.update", "chat.delete", "chat.startStream", "chat.appendStream"})


@dataclass
class Asked:
    event: Json
    text: str


def ask(server: SlackServer, number: int, day: list[Asked]) -> Asked:
    """In direct messages, by mentions, and every fourth one as a follow-up in an earlier thread."""
    text = f"question number {number} of the day?"
    if number % 4 == 3:
        before = day[-1].event
        thread = before.get("thread_ts") or before["ts"]
        return Asked(server.says(text, channel=before["channel"], thread=thread), text)
    if number % 2:
        return Asked(server.says(f"<@{BOT}> {text}", channel=CHANNEL), text)
    return Asked(server.says(text), text)


def answers(server: SlackServer, asked: Asked) -> list[str]:
    thread = asked.event.get("thread_ts") or asked.event["ts"]
    return [said for said in server.texts(asked.event["channel"], thread) if f"number {asked.text.split()[2]} " in said]


@pytest.mark.timeout(900)
async def test_a_day_of_kills_loses_nothing_and_says_nothing_twice(tmp_path: Path) -> None:
    dice = random.Random(20_261_130)
    day: list[Asked] = []
    module = "tests.slack_lives"
    async with SlackServer().running() as server, lives(module, server.url, tmp_path) as bots:
        for _ in range(KILLS):
            await bots.begin()
            server.after = lambda method, params: None
            until = dice.uniform(0.1, 0.7)
            if dice.random() < 0.5:
                # In the worst moment: the deed is done, and its response never arrives.
                server.after = _killer(bots, dice.randrange(1, 6))
                until = 0.8
            asking = asyncio.create_task(_ask_some(server, day, dice))
            ended = asyncio.create_task(bots.ended())
            await asyncio.wait({ended}, timeout=until)
            if not ended.done():
                bots.kill()
            await ended
            await asking
        server.after = lambda method, params: None
        while len(day) < QUESTIONS:
            day.append(ask(server, len(day), day))
        await bots.begin()
        with suppress(TimeoutError):  # what is missing is told below
            await server.until(lambda: all(answers(server, asked) == [answer_to(asked.text)] for asked in day), 240)
        await asyncio.sleep(1)
        bots.kill(signal.SIGTERM)
        await bots.ended()
    wrong = {asked.text: answers(server, asked) for asked in day if answers(server, asked) != [answer_to(asked.text)]}
    assert wrong == {}
    assert len(server.ours(DIRECT)) + len(server.ours(CHANNEL)) == QUESTIONS


async def _ask_some(server: SlackServer, day: list[Asked], dice: random.Random) -> None:
    for _ in range(dice.choice((0, 0, 1, 1))):
        await asyncio.sleep(dice.uniform(0, 0.3))
        if len(day) < QUESTIONS:
            day.append(ask(server, len(day), day))
            if dice.random() < 0.2:
                server.deliver(day[-1].event, attempt=1)


def _killer(bots: Lives, after: int) -> Callable[[str, Params], None]:
    left = after

    def kill(method: str, params: Params) -> None:
        nonlocal left
        if method in VISIBLE:
            left -= 1
            if left == 0:
                bots.kill()

    return kill


async def test_a_bot_that_is_told_to_stop_says_that_it_comes_back(tmp_path: Path) -> None:
    async with SlackServer().running() as server, lives("tests.slack_lives", server.url, tmp_path) as bots:
        await bots.begin()
        event = server.says("question number 1 of the day?")
        await server.until(lambda: bool(server.made("assistant.threads.setStatus")))
        bots.kill(signal.SIGTERM)
        await bots.ended()
        (first,) = server.texts(DIRECT, event["ts"])
        await bots.begin()
        await server.until(lambda: server.texts(DIRECT, event["ts"]) == [answer_to("question number 1 of the day?")])
        bots.kill(signal.SIGTERM)
        await bots.ended()
    assert first
    assert len(server.ours()) == 1
