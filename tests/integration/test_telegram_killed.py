"""A day of 60 questions on which the bot is killed 200 times: each is answered once, nothing is left behind."""

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
from tests.telegram_server import Params, TelegramServer

MODULE = "tests.telegram_lives"
QUESTIONS = 60
KILLS = 200
CHATS = (*range(11, 23), -1_000_000_000_021, -1_000_000_000_022)
VISIBLE = frozenset({"sendMessage", "editMessageText", "deleteMessage"})


@dataclass
class Asked:
    chat: int
    message: int
    text: str


def ask(server: TelegramServer, number: int) -> Asked:
    chat = CHATS[number % len(CHATS)]
    text = f"question number {number} of the day?"
    update = server.says(text if chat > 0 else f"/ask {text}", chat=chat, sender=abs(chat) % 1000)
    return Asked(chat, update["message"]["message_id"], text)


def answers(server: TelegramServer, asked: Asked) -> list[str]:
    return [message["text"] for message in server.ours(asked.chat) if message.get("quotes") == asked.message]


@pytest.mark.timeout(900)
async def test_a_day_of_kills_loses_nothing_and_says_nothing_twice(tmp_path: Path) -> None:
    dice = random.Random(20_261_130)
    day: list[Asked] = []
    async with (
        TelegramServer(seconds_between=10).running() as server,
        lives(MODULE, server.url, tmp_path) as bots,
    ):
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
            day.append(ask(server, len(day)))
        await bots.begin()
        with suppress(TimeoutError):  # what is missing is told below
            await server.until(lambda: all(answers(server, asked) == [answer_to(asked.text)] for asked in day), 240)
        await asyncio.sleep(1)
        bots.kill(signal.SIGTERM)
        await bots.ended()
    wrong = {asked.text: answers(server, asked) for asked in day if answers(server, asked) != [answer_to(asked.text)]}
    assert wrong == {}
    assert sum(len(server.ours(chat)) for chat in CHATS) == QUESTIONS


async def _ask_some(server: TelegramServer, day: list[Asked], dice: random.Random) -> None:
    for _ in range(dice.choice((0, 0, 1, 1))):
        await asyncio.sleep(dice.uniform(0, 0.3))
        if len(day) < QUESTIONS:
            day.append(ask(server, len(day)))
            if dice.random() < 0.2:
                server.redeliver(server.pending_updates[-1])


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
    async with (
        TelegramServer(seconds_between=10).running() as server,
        lives(MODULE, server.url, tmp_path) as bots,
    ):
        server.faults = lambda method, params: None
        await bots.begin()
        asked = ask(server, 1)
        await server.until(lambda: bool(server.made("sendChatAction", "sendMessage")))
        bots.kill(signal.SIGTERM)
        await bots.ended()
        first = answers(server, asked)
        await bots.begin()
        await server.until(lambda: answers(server, asked) == [answer_to(asked.text)])
        bots.kill(signal.SIGTERM)
        await bots.ended()
    assert len(first) == 1
    assert len(server.ours(asked.chat)) == 1
