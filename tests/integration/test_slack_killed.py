"""A day of 60 questions in Slack on which the bot is killed 200 times: each is answered once, nothing is left."""

from __future__ import annotations

import signal
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.lives import QUESTIONS, a_day_of_kills, answer_to, lives
from tests.slack_rules import Json
from tests.slack_server import BOT, CHANNEL, DIRECT, SlackServer

MODULE = "tests.slack_lives"


@dataclass
class SlackDay:
    """In direct messages, by mentions, and every fourth one as a follow-up in an earlier thread."""

    server: SlackServer
    asked: list[Json] = field(default_factory=list[Json])
    visible = frozenset({"chat.postMessage", "chat.update", "chat.delete", "chat.startStream", "chat.appendStream"})

    def ask(self, text: str) -> None:
        number = len(self.asked)
        if number % 4 == 3:
            before = self.asked[-1]
            self.asked.append(self.server.says(text, channel=before["channel"], thread=thread_of(before)))
        elif number % 2:
            self.asked.append(self.server.says(f"<@{BOT}> {text}", channel=CHANNEL))
        else:
            self.asked.append(self.server.says(text))

    def redeliver(self) -> None:
        self.server.deliver(self.asked[-1], attempt=1)

    def answers(self, number: int) -> list[str]:
        event = self.asked[number]
        return [said for said in self.server.texts(event["channel"], thread_of(event)) if f"number {number} " in said]


def thread_of(event: Json) -> str:
    return str(event.get("thread_ts") or event["ts"])


@pytest.mark.timeout(900)
async def test_a_day_of_kills_loses_nothing_and_says_nothing_twice(tmp_path: Path) -> None:
    async with SlackServer().running() as server, lives(MODULE, server.url, tmp_path) as bots:
        await a_day_of_kills(server, SlackDay(server), bots)
    assert len(server.ours(DIRECT)) + len(server.ours(CHANNEL)) == QUESTIONS


async def test_a_bot_that_is_told_to_stop_says_that_it_comes_back(tmp_path: Path) -> None:
    async with SlackServer().running() as server, lives(MODULE, server.url, tmp_path) as bots:
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
