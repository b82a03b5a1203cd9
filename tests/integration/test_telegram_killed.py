"""A day of 60 questions on which the bot is killed 200 times: each is answered once, nothing is left behind."""

from __future__ import annotations

import signal
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.lives import QUESTIONS, a_day_of_kills, answer_to, lives
from tests.telegram_server import TelegramServer

MODULE = "tests.telegram_lives"
CHATS = (*range(11, 23), -1_000_000_000_021, -1_000_000_000_022)


@dataclass
class TelegramDay:
    server: TelegramServer
    asked: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Chats and messages."""
    visible = frozenset({"sendMessage", "editMessageText", "deleteMessage"})

    def ask(self, text: str) -> None:
        chat = CHATS[len(self.asked) % len(CHATS)]
        update = self.server.says(text if chat > 0 else f"/ask {text}", chat=chat, sender=abs(chat) % 1000)
        self.asked.append((chat, update["message"]["message_id"]))

    def redeliver(self) -> None:
        self.server.redeliver(self.server.pending_updates[-1])

    def answers(self, number: int) -> list[str]:
        chat, asked = self.asked[number]
        return [message["text"] for message in self.server.ours(chat) if message.get("quotes") == asked]


@pytest.mark.timeout(900)
async def test_a_day_of_kills_loses_nothing_and_says_nothing_twice(tmp_path: Path) -> None:
    async with (
        TelegramServer(seconds_between=10).running() as server,
        lives(MODULE, server.url, tmp_path) as bots,
    ):
        await a_day_of_kills(server, TelegramDay(server), bots)
    assert sum(len(server.ours(chat)) for chat in CHATS) == QUESTIONS


async def test_a_bot_that_is_told_to_stop_says_that_it_comes_back(tmp_path: Path) -> None:
    async with (
        TelegramServer(seconds_between=10).running() as server,
        lives(MODULE, server.url, tmp_path) as bots,
    ):
        day, asked = TelegramDay(server), "question number 1 of the day?"
        await bots.begin()
        day.ask(asked)
        await server.until(lambda: bool(server.made("sendChatAction", "sendMessage")))
        bots.kill(signal.SIGTERM)
        await bots.ended()
        first = day.answers(0)
        await bots.begin()
        await server.until(lambda: day.answers(0) == [answer_to(asked)])
        bots.kill(signal.SIGTERM)
        await bots.ended()
    assert len(first) == 1
    assert len(server.ours(CHATS[0])) == 1
