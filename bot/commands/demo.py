from __future__ import annotations

import argparse
from pathlib import Path

from bot.commands import chat
from bot.settings import Settings
from engine import ConfigurationError

NAME = "demo"
HELP = "talk with the sample company's desk in the terminal; nothing to configure"

_SAMPLE = Path(__file__).resolve().parents[2] / "knowledge"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    del parser


async def run(options: argparse.Namespace, settings: Settings) -> int:
    """The sample has a data folder of its own, so that it never mixes with the owner's knowledge."""
    if options.knowledge is None:
        if not _SAMPLE.is_dir():
            raise ConfigurationError("the sample knowledge is not installed here; run the demo from a checkout")
        settings = settings.model_copy(update={"knowledge": _SAMPLE, "data": settings.data / "demo"})
    return await chat.run(options, settings)
