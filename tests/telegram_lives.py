"""The bot in Telegram in processes that can be killed: `python -m tests.telegram_lives URL FOLDER`."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import adapters.telegram.app as telegram
from adapters.reception import Habits
from adapters.telegram.config import TelegramConfig
from engine.providers.state.database import Database
from engine.providers.state.inbox import SqlInbox
from tests.lives import DayEngine, fork_lives
from tests.telegram_server import TOKEN


async def live(url: str, folder: Path) -> None:
    config = TelegramConfig(token=TOKEN, url=url)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with Database.open(f"sqlite:///{folder}/state.db") as database:
        inbox = SqlInbox(database, config.desk)
        habits = Habits(together=0.0)
        await telegram.run_telegram(config, DayEngine(), inbox, stop, habits=habits, patience=0.2)


if __name__ == "__main__":
    fork_lives(lambda: live(sys.argv[1], Path(sys.argv[2])))
