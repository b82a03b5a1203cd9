from __future__ import annotations

import argparse
import getpass
import sys
import uuid
from dataclasses import replace
from pathlib import Path

import yaml

from adapters.support_desk import SupportDesk
from bot.commands.arguments import MOST_LISTED, from_1_to
from bot.faq_base import FaqBase, open_faq
from bot.faq_desk import FaqDesk
from bot.learning import FaqLearning
from bot.settings import Settings
from bot.words import read_words
from engine import ConfigurationError
from engine.ingest.faq_files import read_faq_file
from engine.ingest.faq_table import as_table
from engine.matching.variables import valueless
from engine.types import FaqEntry

NAME = "faq"
HELP = "the FAQ as it is served: list it, edit it while it runs, take edits back"

COLLIDES = 3
_SHOWN = 100
_ACTS = (
    "list", "add", "edit", "retire", "history", "undo", "export", "import", "drafts", "approve", "reject", "clear",
    "vetoes",
)  # fmt: skip


_WANTED = {
    "edit": ("ID", "list"),
    "retire": ("ID", "list"),
    "clear": ("ID", "list --flagged"),
    "undo": ("NUMBER", "history"),
    "approve": ("NUMBER", "drafts"),
    "reject": ("NUMBER", "drafts"),
    "import": ("FILE", ""),
}
"""What these acts need, and the act that lists it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "act",
        choices=_ACTS,
        metavar="ACT",
        help="list; add or edit, with --question and --answer; retire; history and undo; export and import; drafts,"
        " approve and reject; clear, of flags; vetoes",
    )
    parser.add_argument(
        "what",
        nargs="?",
        default="",
        help="an entry's id (add, edit, retire, clear), a number (undo, approve, reject), a file (import)",
    )
    parser.add_argument("--question", action="append", default=[], metavar="TEXT", help="a wording; may be repeated")
    parser.add_argument("--answer", metavar="TEXT", help="the answer, served as it is written here")
    parser.add_argument("--by", default="", metavar="NAME", help="who edits (default: the user of this machine)")
    parser.add_argument("--csv", action="store_true", help="export: as a table, a row for each wording")
    parser.add_argument(
        "--limit",
        type=from_1_to(MOST_LISTED),
        default=50,
        metavar="N",
        help="vetoes: how many, newest first (default: 50)",
    )
    parser.add_argument("--force", action="store_true", help="in spite of what the check says")
    parser.add_argument("--flagged", action="store_true", help="list: only entries whose answer did not help")
    parser.add_argument(
        "--chats", action="store_true", help="export: with the entries for some chats only, and the ids of these"
    )


async def run(options: argparse.Namespace, settings: Settings) -> int:
    """Exit code 3 when the gate could no longer tell entries apart; nothing is changed then."""
    _check(options.act, options.what)
    async with open_faq(settings) as base:
        desk, by = FaqDesk(base), options.by or getpass.getuser()
        match options.act:
            case "list":
                return await _list(desk, flagged_only=options.flagged)
            case "clear":
                _tell(f"{await desk.clear(options.what, by)} flags of {options.what} are cleared")
                return 0
            case "drafts":
                return await _drafts(base)
            case "approve" | "reject":
                return await _decide(base, desk, options, by)
            case "history":
                return await _history(desk)
            case "export":
                return await _export(base, chats=options.chats, csv=options.csv)
            case "vetoes":
                return await _vetoes(base, options.limit)
            case "retire":
                _tell(f"edit {(await desk.retire(options.what, by)).id}: {options.what} is retired")
                return 0
            case "undo":
                number = int(options.what) if options.what.isdigit() else 0
                _tell(f"edit {(await desk.undo(number, by)).id} takes back edit {number}")
                return 0
            case _:
                return await _put(base, desk, options, by)


def _check(act: str, what: str) -> None:
    if act in _WANTED and not what:
        wanted, listing = _WANTED[act]
        told = f"; `refdesk faq {listing}` lists them" if listing else ""
        raise ConfigurationError(f"which one? `refdesk faq {act} {wanted}`{told}")
    if what and act not in _WANTED and act != "add":
        raise ConfigurationError(f"`refdesk faq {act}` takes nothing more, and was given {what}")


async def _put(base: FaqBase, desk: FaqDesk, options: argparse.Namespace, by: str) -> int:
    collided = False
    for entry in await _entries(base, desk, options):
        collisions = [] if options.force else await desk.collisions(entry)
        for one in collisions:
            near = "would answer this too" if one.entry == entry.id else f"could not be told from {one.entry}"
            sys.stderr.write(f"{entry.id} {near}: {one.question}\n")
        if any(one.entry != entry.id for one in collisions):
            collided = True
        else:
            _tell(f"edit {(await desk.put(entry, by)).id}: {entry.id} is live")
            for line in valueless([entry], base.settings.variables):
                sys.stderr.write(f"warning: {line}\n")
    return COLLIDES if collided else 0


async def _entries(base: FaqBase, desk: FaqDesk, options: argparse.Namespace) -> list[FaqEntry]:
    if options.act == "import":
        path = Path(options.what)
        return read_faq_file(path, path.name)
    if options.act == "add":
        if not options.question or not options.answer:
            raise ConfigurationError("a new entry needs --question and --answer")
        id = options.what or f"desk-{uuid.uuid4().hex[:8]}"
        if any(one.id == id for one in (await base.faq.load()).entries):
            raise ConfigurationError(f"the FAQ has an entry {id} already; change it by `refdesk faq edit {id}`")
        return [desk.new(id, options.question, options.answer)]
    found = next((one for one in (await base.faq.load()).entries if one.id == options.what), None)
    if found is None:
        raise ConfigurationError(f"the FAQ has no entry {options.what}")
    if not options.question and not options.answer:
        raise ConfigurationError("there is nothing to change: give --question, --answer or both")
    questions = tuple(dict.fromkeys([*found.questions, *options.question]))
    return [replace(found, questions=questions, answer=options.answer or found.answer)]


async def _list(desk: FaqDesk, *, flagged_only: bool) -> int:
    flagged = await desk.flagged()
    for entry in await desk.entries():
        flags = flagged.get(entry.id, ())
        if flags or not flagged_only:
            reasons = sorted({flag.reason for flag in flags if flag.reason})
            unhelpful = f"  did not help: {len(flags)}, last {flags[-1].flagged_at[:10]}" if flags else ""
            why = f" ({', '.join(reasons)})" if reasons else ""
            _tell(
                f"{entry.id}  {entry.language}  {entry.source}  {len(entry.questions)}  {entry.questions[0]}"
                f"{unhelpful}{why}"
            )
    return 0


async def _drafts(base: FaqBase) -> int:
    for draft in await base.drafts.waiting():
        answer = " ".join(draft.answer.split())
        _tell(
            f"{draft.id}  {draft.made_at[:16]}  {draft.maker}  ticket {draft.ticket}  {draft.questions[0]}"
            f"  ->  {answer[:_SHOWN]}{'…' if len(answer) > _SHOWN else ''}"
        )
    return 0


async def _decide(base: FaqBase, desk: FaqDesk, options: argparse.Namespace, by: str) -> int:
    """Shown in the support chat, too, when Refdesk runs."""
    number = int(options.what) if options.what.isdigit() else 0
    draft = await base.drafts.draft(number)
    ticket = await base.tickets.ticket(draft.ticket) if draft is not None else None
    if ticket is None:
        raise ConfigurationError(f"there is no draft {options.what}; `refdesk faq drafts` lists them")
    texts = read_words(base.settings.texts).texts
    inbox = base.inbox(ticket.desk)
    support = SupportDesk(name=ticket.desk, people=ticket.desk, tickets=base.tickets, inbox=inbox)
    language = ticket.language if base.settings.support_language == "asker" else base.settings.support_language
    learning = FaqLearning(base, desk, support, texts)
    verb = "bad" if options.act == "reject" else "force" if options.force else "good"
    said, trouble = await learning.decide(number, verb, by, language)
    for line in trouble:
        sys.stderr.write(f"{line}\n")
    _tell(texts(said, "en"))
    return COLLIDES if trouble else 0


async def _history(desk: FaqDesk) -> int:
    for edit in await desk.history():
        undone = f"  takes back {edit.undoes}" if edit.undoes else ""
        _tell(f"{edit.id}  {edit.made_at[:16]}  {edit.editor}  {edit.kind}  {edit.entry}{undone}")
    return 0


async def _vetoes(base: FaqBase, limit: int) -> int:
    """What was nearly served and was not, and why."""
    for one in await base.vetoes.newest(limit):
        times = f"  {one.times} times" if one.times > 1 else ""
        _tell(f"{one.last_at[:16]}  {one.vetoed_by}  {one.entry}{times}")
        _tell(f"    asked: {one.question}\n    known: {one.wording}")
    return 0


async def _export(base: FaqBase, *, chats: bool, csv: bool) -> int:
    """As a FAQ file, without ids of chats, which may be people's: an entry for some chats only would then be for all,
    so it is left out."""
    served = (await base.faq.load()).entries
    kept = [entry for entry in served if chats or not entry.chats]
    if len(kept) < len(served):
        sys.stderr.write(f"{len(served) - len(kept)} entries for some chats only are left out; --chats has them too\n")
    if csv:
        sys.stdout.write(as_table(kept))
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
        for entry in kept
    ]
    sys.stdout.write(yaml.safe_dump(rows, allow_unicode=True, sort_keys=False))
    return 0


def _tell(line: str) -> None:
    sys.stdout.write(line + "\n")
