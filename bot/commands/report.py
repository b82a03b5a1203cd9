from __future__ import annotations

import argparse
import asyncio
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.commands.arguments import MOST_DAYS, from_1_to
from bot.figures import Figures, as_text
from bot.gap_desk import GapDesk
from bot.gap_sources import open_report_sources
from bot.platforms import office_hours
from bot.reports.page import report_page
from bot.reports.series import Logged, Report, report
from bot.settings import Settings
from bot.wiring import open_answers
from engine import ConfigurationError

NAME = "report"
HELP = "how questions ended: shares, times, references found and followed; with --html as a page of plots"

_GAPS = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--days", type=from_1_to(MOST_DAYS), default=30, metavar="N", help="how many days back (default: 30)"
    )
    parser.add_argument("--json", action="store_true", help="the figures as one JSON object")
    parser.add_argument("--html", type=Path, metavar="FILE", help="one self-contained page, with what is missing")
    parser.add_argument("--language", choices=["ru", "en"], default="en", help="of the page (default: en)")


async def run(options: argparse.Namespace, settings: Settings) -> int:
    if options.html is not None:
        page = report_page(await _made(options.days, settings), options.language)
        await asyncio.to_thread(_write, options.html, page)
        return 0
    since = (datetime.now(UTC) - timedelta(days=options.days)).isoformat(timespec="seconds")
    async with open_answers(settings) as answers:
        figures = Figures.of(await answers.since(since), since)
    sys.stdout.write((figures.model_dump_json() if options.json else as_text(figures)) + "\n")
    return 0


async def _made(days: int, settings: Settings) -> Report:
    zone, ends = office_hours(settings).there, datetime.now(UTC)
    begins = ends - timedelta(days=days)
    since = begins.isoformat(timespec="microseconds")
    async with open_report_sources(settings) as sources:
        logged = Logged(
            answers=await sources.gaps.answers.since(since),
            tickets=await sources.events.tickets(since),
            documents=[document.path for document in await sources.documents.documents()],
            found=await GapDesk(sources.gaps, settings.audiences).find(days, tried=_GAPS),
        )
    return report(logged, begins, ends, zone)


def _write(path: Path, page: str) -> None:
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"the report cannot be written to {path}: {error.strerror}") from error
