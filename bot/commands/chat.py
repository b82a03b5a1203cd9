from __future__ import annotations

import argparse
import sys

from adapters.terminal.app import chat
from bot.bringing_up import open_app
from bot.faq_watch import watching_faq
from bot.settings import Settings

NAME = "chat"
HELP = "talk in the terminal; reads lines from standard input when it is not a terminal"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    del parser


async def run(options: argparse.Namespace, settings: Settings) -> int:
    del options
    async with open_app(settings) as app, watching_faq(app):
        await chat(app.engine, sys.stdin, sys.stdout, audience=settings.audiences)
    return 0
