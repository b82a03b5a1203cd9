from __future__ import annotations

import argparse
import json
import sys

from bot.settings import Settings
from bot.wiring import open_misses

NAME = "misses"
HELP = "the questions that nobody could answer, newest first"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--limit", type=int, default=50, help="how many (default: 50)")
    parser.add_argument("--json", action="store_true", help="one JSON object per line")


async def run(options: argparse.Namespace, settings: Settings) -> int:
    async with open_misses(settings) as misses:
        for miss in await misses.list(options.limit):
            where = "/".join(part for part in (miss.route.domain, miss.route.collection) if part) if miss.route else ""
            if options.json:
                row = {
                    "id": miss.id,
                    "asked_at": miss.asked_at,
                    "question": miss.question,
                    "language": miss.language,
                    "conversation": miss.conversation,
                    "best_score": miss.best_score,
                    "reason": miss.reason,
                    "route": where or None,
                }
                sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
            else:
                facts = [miss.asked_at[:16], miss.language, f"{miss.best_score:.2f}", miss.reason, where or "-"]
                sys.stdout.write("  ".join([*facts, miss.question]) + "\n")
    return 0
