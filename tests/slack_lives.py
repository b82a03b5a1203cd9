"""The bot in Slack in processes that can be killed: `python -m tests.slack_lives URL FOLDER`."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import adapters.slack.app as slack
from adapters.reception import Habits
from adapters.slack.running import run_slack
from engine.providers.state.database import Database
from engine.providers.state.inbox import SqlInbox
from tests.lives import DayEngine, fork_lives
from tests.slack_desk import config


async def live(url: str, folder: Path) -> None:
    chosen = config(url)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with Database.open(f"sqlite:///{folder}/state.db") as database, slack.opened_client(chosen) as client:
        me = await slack.who_am_i(client)
        inbox = SqlInbox(database, me.desk)
        habits = Habits(together=0.0)
        await run_slack(client, me, chosen, DayEngine(), inbox, stop, habits=habits, patience=0.2)


if __name__ == "__main__":
    fork_lives(lambda: live(sys.argv[1], Path(sys.argv[2])))
