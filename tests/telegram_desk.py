"""The bot in Telegram as a test runs it: unmodified aiogram, a real state database, a scripted engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from adapters.delivery import Answers
from adapters.inbox import InboxStore
from adapters.pacing import Limits
from adapters.reception import Habits
from adapters.support import Support
from adapters.telegram.config import TelegramConfig
from adapters.texts import Texts
from engine.providers.state.database import Database
from engine.providers.state.inbox import SqlInbox
from engine.providers.state.tickets import SqlTickets
from tests.telegram_server import TOKEN

QUICK = Limits(backoff=0.05, last_word=20.0, typing_every=0.5)


class Reachable(Protocol):
    url: str


@dataclass
class Desk:
    inbox: InboxStore
    config: TelegramConfig
    tickets: SqlTickets


def config(server: Reachable, **values: Any) -> TelegramConfig:
    return TelegramConfig(**{"token": TOKEN, "url": server.url, **values})


@asynccontextmanager
async def telegram_desk(
    engine: Answers,
    folder: Path,
    server: Reachable,
    *,
    habits: Habits | None = None,
    texts: Texts | None = None,
    patience: float = 0.3,
    supported: Mapping[str, Any] | None = None,
    **values: Any,
) -> AsyncIterator[Desk]:
    """The bot polls the server until the block ends; then it drains."""
    from adapters.telegram import app as telegram

    chosen = config(server, **values)
    texts = texts or Texts()
    async with Database.open(f"sqlite:///{folder}/state.db") as database:
        inbox, tickets = SqlInbox(database, chosen.desk), SqlTickets(database)
        given = {"tickets": tickets, "desk": chosen.desk, "people": chosen.desk, **(supported or {})}
        support = Support(**given) if chosen.support or supported else None
        async with telegram.opened_bot(chosen) as bot:
            opened = telegram.opened(
                bot,
                chosen,
                engine,
                inbox,
                texts=texts,
                habits=habits or Habits(burst=0.15, together=0.6),
                limits=QUICK,
                patience=patience,
                support=support,
            )
            async with opened as app:
                serving = asyncio.create_task(telegram.serve(bot, chosen, app, texts))
                try:
                    yield Desk(inbox, chosen, tickets)
                finally:
                    serving.cancel()
                    await asyncio.wait({serving})
                    if not serving.cancelled():
                        serving.result()
