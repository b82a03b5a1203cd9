from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from bot.bringing_up import open_app
from bot.faq_watch import watching_faq
from bot.heartbeat import beating
from bot.platforms import NO_PLATFORM, run_platforms, slack_config, telegram_config
from bot.retention import removing_old_texts
from bot.settings import Settings
from engine import ConfigurationError

NAME = "run"
HELP = "answer on every platform whose token is set"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    del parser


async def run(options: argparse.Namespace, settings: Settings) -> int:
    """Until it is told to stop by SIGTERM or Ctrl-C; answers under way are given some time then."""
    del options
    if telegram_config(settings) is None and slack_config(settings) is None:
        raise ConfigurationError(NO_PLATFORM)
    with _stopped_by_signals() as stop:
        removing = partial(removing_old_texts, days=settings.keep_texts_days)
        async with (
            beating(settings.data),
            open_app(settings) as app,
            watching_faq(app),
            removing(app.texts_of_people),
        ):
            await run_platforms(app, stop, _tell)
    return 0


def _tell(name: str) -> None:
    sys.stderr.write(f"Answering as {name}. Stop with Ctrl-C.\n")
    sys.stderr.flush()


@contextmanager
def _stopped_by_signals() -> Iterator[asyncio.Event]:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    try:
        yield stop
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
