from __future__ import annotations

import argparse
from pathlib import Path

from bot.bringing_up import ingest, preview, tell, tell_valueless
from bot.settings import Settings
from bot.wiring import build
from engine import ConfigurationError

NAME = "ingest"
HELP = "(re)build the index from the knowledge folder, with progress"

SOME_FAILED = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, nargs="?", metavar="FOLDER", help="the same as --knowledge FOLDER")
    parser.add_argument("--dry-run", action="store_true", help="say what would change, and change nothing")
    parser.add_argument("--rebuild", action="store_true", help="forget what is stored and index everything anew")


async def run(options: argparse.Namespace, settings: Settings) -> int:
    """Exit code 3 when some file failed; all the others are indexed then."""
    if options.folder is not None:
        settings = settings.model_copy(update={"knowledge": options.folder})
    if options.dry_run and options.rebuild:
        raise ConfigurationError("--rebuild changes everything, so --dry-run has nothing to say; leave one out")
    async with build(settings, rebuild=options.rebuild) as app:
        report = await (preview(app) if options.dry_run else ingest(app, rebuild=options.rebuild))
        tell(report)
        await tell_valueless(app)
    return SOME_FAILED if report.failed else 0
