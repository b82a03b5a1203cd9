"""`refdesk eval make`: a made-up base of any size, with questions."""

from __future__ import annotations

import argparse
import asyncio
import sys
from functools import partial
from pathlib import Path

from bot.commands.arguments import MOST_LISTED, from_1_to
from bot.settings import Settings
from engine import ConfigurationError
from engine.evaluation.synthetic import make_base
from engine.types import Language


def add_arguments(parser: argparse.ArgumentParser) -> None:
    make = parser.add_argument_group("eval make")
    make.add_argument("folder", nargs="?", type=Path, metavar="FOLDER", help="where the base is to be made")
    make.add_argument(
        "--domains",
        type=from_1_to(MOST_LISTED),
        default=10,
        metavar="N",
        help="how many domains (default: %(default)s)",
    )
    make.add_argument("--seed", type=int, default=1, metavar="N", help="another seed, another base")


async def run(options: argparse.Namespace, settings: Settings) -> int:
    """`--language` says in which language; English by default."""
    if options.folder is None:
        raise ConfigurationError("eval make needs a FOLDER")
    language: Language = options.language or "en"
    try:
        made = await asyncio.to_thread(partial(make_base, options.folder, options.domains, language, seed=options.seed))
    except OSError as error:
        raise ConfigurationError(f"no base can be made in {options.folder}: {error.strerror}") from error
    sys.stdout.write(
        f"{made.documents} documents in {options.folder / 'knowledge'},"
        f" {made.questions} questions in {options.folder / 'questions.jsonl'}\n"
    )
    return 0
