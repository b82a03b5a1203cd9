"""The `refdesk` command: reads arguments, runs one command, turns what went wrong into one clear line."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from bot import log
from bot.commands import ask, calibrate, chat, check, demo, evaluate, faq, forget, ingest, misses, report
from bot.commands import run as run_platforms
from bot.settings import Settings
from engine import RefdeskError

Command = Callable[[argparse.Namespace, Settings], Awaitable[int]]

INTERRUPTED = 130
FAILED = 1


def main(arguments: Sequence[str] | None = None) -> None:
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Run one command line; returns the exit code. Data goes to standard output, everything else to standard error."""
    options = _parser().parse_args(arguments)
    command: Command = options.command
    try:
        settings = Settings.load(_overrides(options))
        log.set_up(settings.log_level)
        return asyncio.run(_to_int(command(options, settings)))
    except RefdeskError as error:
        print(f"refdesk: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone; there is nobody to tell.
        sys.stderr.close()
        return FAILED


async def _to_int(result: Awaitable[int]) -> int:
    return await result


def _overrides(options: argparse.Namespace) -> dict[str, object]:
    return {name: value for name in ("knowledge", "data") if (value := getattr(options, name, None)) is not None}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="refdesk", description="Answers questions from your FAQ and documents.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"refdesk {version('refdesk')}")
    common = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    common.add_argument("--knowledge", type=Path, metavar="FOLDER", help="FAQ and documents (REFDESK_KNOWLEDGE)")
    common.add_argument("--data", type=Path, metavar="FOLDER", help="state and index (REFDESK_DATA)")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in (demo, ingest, chat, ask, run_platforms, check, faq, misses, report, forget, calibrate, evaluate):
        added = commands.add_parser(
            module.NAME, parents=[common], help=module.HELP, description=module.HELP, allow_abbrev=False
        )
        module.add_arguments(added)
        added.set_defaults(command=module.run)
    return parser
