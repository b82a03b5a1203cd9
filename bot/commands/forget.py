from __future__ import annotations

import argparse
import sys

from adapters.texts import farewell
from bot.settings import Settings
from bot.wiring import open_texts_of_people
from bot.words import read_words
from engine import ConfigurationError

NAME = "forget"
HELP = "remove all that somebody wrote, wherever it is kept; counts stay"

PLATFORMS = ("telegram", "slack")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--person", required=True, metavar="PLATFORM:ID", help="as in telegram:123456789 or slack:U0123ABCD"
    )


async def run(options: argparse.Namespace, settings: Settings) -> int:
    """Works while another process answers, which then takes out of the support chat what it can."""
    platform, _, id = options.person.partition(":")
    if platform not in PLATFORMS or not id:
        raise ConfigurationError(f"{options.person} is no person: write telegram:ID or slack:ID")
    language = "en" if settings.support_language == "asker" else settings.support_language
    words = farewell(read_words(settings.texts).texts, language)
    async with open_texts_of_people(settings) as texts:
        found = await texts.forget(platform, id, words)
    sys.stdout.write(f"texts of {found.questions} questions removed, {found.tickets_closed} open tickets closed\n")
    return 0
