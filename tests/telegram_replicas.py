"""Several processes' worth of one bot behind a webhook, on one state database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from adapters.delivery import Answers
from adapters.inbox import InboxStore
from adapters.pacing import Limits
from adapters.reception import Habits
from adapters.telegram.config import TelegramConfig, Webhook
from adapters.telegram.webhook import SECRET_HEADER, listening
from engine import AnswerEvent, Delta, Final, Question, Typing
from engine.providers.state.database import Database
from engine.providers.state.inbox import SqlInbox
from tests.delivery_fakes import outcome
from tests.ports import held_port
from tests.telegram_server import TOKEN, TelegramServer

SECRET = "secret"
QUICK = Limits(backoff=0.05, last_word=20.0, typing_every=0.5)
CLAIM_SECONDS = 0.8
ONE_BY_ONE = Habits(burst=0.15, together=float("-inf"))


@dataclass
class GatedEngine:
    """Shows a beginning, and waits until its gate is open before it says the rest. One may be shared by all."""

    name: str = ""
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    questions: list[str] = field(default_factory=list[str])
    under_way: dict[str, int] = field(default_factory=dict[str, int])
    most: int = 0
    """Of one conversation at the same time."""

    @asynccontextmanager
    async def answer(self, question: Question) -> AsyncGenerator[AsyncIterator[AnswerEvent], None]:
        self.questions.append(question.text)
        conversation = question.conversation
        self.under_way[conversation] = self.under_way.get(conversation, 0) + 1
        self.most = max(self.most, self.under_way[conversation])
        try:
            async with aclosing(self._events(question)) as events:
                yield events
        finally:
            self.under_way[conversation] -= 1

    async def _events(self, question: Question) -> AsyncGenerator[AnswerEvent, None]:
        yield Typing()
        yield Delta(f"To {question.text}{self.name}: ")
        await self.gate.wait()
        yield Final(outcome(f"To {question.text}{self.name}: done."))


@dataclass
class Replica:
    inbox: SqlInbox
    url: str

    async def hears(self, update: dict[str, Any]) -> None:
        async with aiohttp.ClientSession() as session:
            post = session.post(self.url, json=update, headers={SECRET_HEADER: SECRET})
            async with post as response:
                assert response.status == 200

    async def beats(self, times: int, seen_by: InboxStore) -> None:
        """Wait until it has looked around so often."""
        first = (await seen_by.claims.beat())[self.inbox.claims.holder]
        while (await seen_by.claims.beat())[self.inbox.claims.holder] < first + times:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


@asynccontextmanager
async def replica(
    engine: Answers, database_url: str, server: TelegramServer, *, habits: Habits | None = None, patience: float = 0.3
) -> AsyncIterator[Replica]:
    from adapters.telegram import app as telegram

    with held_port() as port:
        webhook = Webhook(url="https://desk.example.org", secret=SECRET, host="127.0.0.1", port=port)
        config = TelegramConfig(token=TOKEN, url=server.url, webhook=webhook)
        async with Database.open(database_url) as database, telegram.opened_bot(config) as bot:
            inbox = SqlInbox(database, config.desk)
            opened = telegram.opened(
                bot,
                config,
                engine,
                inbox,
                habits=habits or ONE_BY_ONE,
                limits=QUICK,
                patience=patience,
                claim_seconds=CLAIM_SECONDS,
            )
            async with opened as app, listening(webhook, bot, app.keep):
                yield Replica(inbox, f"http://127.0.0.1:{port}{webhook.path}")
