"""One of several processes of the bot, behind a webhook: `python -m tests.telegram_replica_lives URL FOLDER`.

The folder is the process's own; the state database is beside it, and `port` in it says where it listens.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import adapters.telegram.app as telegram
from adapters.telegram.config import TelegramConfig, Webhook
from engine.providers.state.database import Database
from engine.providers.state.inbox import SqlInbox
from tests.lives import DayEngine, fork_lives
from tests.telegram_replicas import ONE_BY_ONE, SECRET
from tests.telegram_server import TOKEN


async def live(url: str, folder: Path) -> None:
    port = int((folder / "port").read_text(encoding="utf-8"))
    webhook = Webhook(url="https://desk.example.org", secret=SECRET, port=port)
    config = TelegramConfig(token=TOKEN, url=url, webhook=webhook)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with Database.open(f"sqlite:///{folder.parent}/state.db") as database:
        inbox = SqlInbox(database, config.desk)
        await telegram.run_telegram(config, DayEngine(), inbox, stop, habits=ONE_BY_ONE, patience=0.2)


if __name__ == "__main__":
    fork_lives(lambda: live(sys.argv[1], Path(sys.argv[2])))
