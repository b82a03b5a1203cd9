from __future__ import annotations

import argparse
import getpass
import sys
import uuid
from dataclasses import replace
from pathlib import Path

import yaml

from bot.faq_desk import FaqDesk
from bot.settings import Settings
from bot.wiring import App, build
from engine import ConfigurationError
from engine.ingest.faq_files import read_faq_file
from engine.ingest.faq_table import as_table
from engine.matching.variables import valueless
from engine.text.normal import detect_language
from engine.types import FaqEntry

NAME = "faq"
HELP = "the FAQ as it is served: list it, edit it while it runs, take edits back"

COLLIDES = 3
_ACTS = ("list", "add", "edit", "retire", "history", "undo", "export", "import", "vetoes")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "act", choices=["list", "add", "edit", "retire", "history", "undo", "export", "import", "vetoes"]
    )
    parser.add_argument("what", nargs="?", default="", help="an entry's id, an edit's number (undo), a file")
    parser.add_argument("--question", action="append", default=[], metavar="TEXT", help="a wording; may be repeated")
    parser.add_argument("--answer", metavar="TEXT")
    parser.add_argument("--by", default="", metavar="NAME", help="who edits (default: the user of this machine)")
    parser.add_argument("--csv", action="store_true", help="export: as a table, a row for each wording")
    parser.add_argument("--limit", type=int, default=50, metavar="N", help="vetoes: how many, newest first")
    parser.add_argument("--force", action="store_true", help="in spite of collisions with other entries")


async def run(options: argparse.Namespace, settings: Settings) -> int:
    """Exit code 3 when the gate could no longer tell entries apart; nothing is changed then."""
    async with build(settings) as app:
        desk, by = FaqDesk(app), options.by or getpass.getuser()
        match options.act:
            case "list":
                return await _list(app)
            case "history":
                return await _history(desk)
            case "export":
                return await _export(app, csv=options.csv)
            case "vetoes":
                return await _vetoes(app, options.limit)
            case "retire":
                _tell(f"edit {(await desk.retire(options.what, by)).id}: {options.what} is retired")
                return 0
            case "undo":
                number = int(options.what) if options.what.isdigit() else 0
                _tell(f"edit {(await desk.undo(number, by)).id} takes back edit {number}")
                return 0
            case _:
                return await _put(app, desk, options, by)


async def _put(app: App, desk: FaqDesk, options: argparse.Namespace, by: str) -> int:
    collided = False
    for entry in await _entries(app, options):
        collisions = [] if options.force else await desk.collisions(entry)
        for one in collisions:
            near = "would answer this too" if one.entry == entry.id else f"could not be told from {one.entry}"
            sys.stderr.write(f"{entry.id} {near}: {one.question}\n")
        if any(one.entry != entry.id for one in collisions):
            collided = True
        else:
            _tell(f"edit {(await desk.put(entry, by)).id}: {entry.id} is live")
            for line in valueless([entry], app.settings.variables):
                sys.stderr.write(f"warning: {line}\n")
    return COLLIDES if collided else 0


async def _entries(app: App, options: argparse.Namespace) -> list[FaqEntry]:
    if options.act == "import":
        path = Path(options.what)
        return read_faq_file(path, path.name)
    if options.act == "add":
        if not options.question or not options.answer:
            raise ConfigurationError("a new entry needs --question and --answer")
        id = options.what or f"desk-{uuid.uuid4().hex[:8]}"
        if any(one.id == id for one in (await app.faq.load()).entries):
            raise ConfigurationError(f"the FAQ has an entry {id} already; change it by `refdesk faq edit {id}`")
        language = detect_language(options.question[0])
        return [FaqEntry(id=id, questions=tuple(options.question), answer=options.answer, language=language)]
    found = next((one for one in (await app.faq.load()).entries if one.id == options.what), None)
    if found is None:
        raise ConfigurationError(f"the FAQ has no entry {options.what}")
    questions = tuple(dict.fromkeys([*found.questions, *options.question]))
    return [replace(found, questions=questions, answer=options.answer or found.answer)]


async def _list(app: App) -> int:
    for entry in (await app.faq.load()).entries:
        _tell(f"{entry.id}  {entry.language}  {entry.source}  {len(entry.questions)}  {entry.questions[0]}")
    return 0


async def _history(desk: FaqDesk) -> int:
    for edit in await desk.history():
        undone = f"  takes back {edit.undoes}" if edit.undoes else ""
        _tell(f"{edit.id}  {edit.made_at[:16]}  {edit.editor}  {edit.kind}  {edit.entry}{undone}")
    return 0


async def _vetoes(app: App, limit: int) -> int:
    """What was nearly served and was not, and why."""
    for one in await app.vetoes.newest(limit):
        times = f"  {one.times} times" if one.times > 1 else ""
        _tell(f"{one.last_at[:16]}  {one.vetoed_by}  {one.entry}{times}")
        _tell(f"    asked: {one.question}\n    known: {one.wording}")
    return 0


async def _export(app: App, *, csv: bool) -> int:
    """As a FAQ file."""
    entries = (await app.faq.load()).entries
    if csv:
        sys.stdout.write(as_table(entries))
        return 0
    rows = [
        {
            "id": entry.id,
            "questions": list(entry.questions),
            "answer": entry.answer,
            "language": entry.language,
            "audience": sorted(entry.audience),
            **({"domain": entry.domain} if entry.domain else {}),
            **({"tags": list(entry.tags)} if entry.tags else {}),
            **({"valid_from": entry.valid_from} if entry.valid_from else {}),
            **({"valid_until": entry.valid_until} if entry.valid_until else {}),
            **({"chats": list(entry.chats)} if entry.chats else {}),
            **({"languages": list(entry.languages)} if entry.languages else {}),
        }
        for entry in entries
    ]
    sys.stdout.write(yaml.safe_dump(rows, allow_unicode=True, sort_keys=False))
    return 0


def _tell(line: str) -> None:
    sys.stdout.write(line + "\n")
