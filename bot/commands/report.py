from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime, timedelta

from bot.figures import Figures, as_text
from bot.settings import Settings
from bot.wiring import open_answers

NAME = "report"
HELP = "how questions ended: shares, times, references found and followed"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--days", type=_days, default=30, metavar="N", help="how many days back (default 30)")
    parser.add_argument("--json", action="store_true", help="the figures as one JSON object")


async def run(options: argparse.Namespace, settings: Settings) -> int:
    since = (datetime.now(UTC) - timedelta(days=options.days)).isoformat(timespec="seconds")
    async with open_answers(settings) as answers:
        figures = Figures.of(await answers.since(since), since)
    sys.stdout.write((figures.model_dump_json() if options.json else as_text(figures)) + "\n")
    return 0


def _days(text: str) -> int:
    days = int(text)
    if not 1 <= days <= 36_500:
        raise argparse.ArgumentTypeError("from 1 to 36500")
    return days
