from __future__ import annotations

import argparse

from bot.commands import eval_base, eval_faq, eval_make
from bot.settings import Settings

NAME = "eval"
HELP = "measure Refdesk on data sets"

_KINDS = ("faq", "base", "make")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        choices=_KINDS,
        help="faq: the FAQ gate, beside plain cosine and cosine with a margin; base: routing, retrieval and answers on"
        " a knowledge folder; make: a made-up base to measure on",
    )
    eval_faq.add_arguments(parser)
    eval_base.add_arguments(parser)
    eval_make.add_arguments(parser)


async def run(options: argparse.Namespace, settings: Settings) -> int:
    match options.what:
        case "faq":
            return await eval_faq.run(options, settings)
        case "make":
            return await eval_make.run(options, settings)
        case _:
            return await eval_base.run(options, settings)
