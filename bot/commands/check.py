from __future__ import annotations

import argparse
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from bot.model_check import described
from bot.platforms import check_platforms
from bot.settings import Settings, listed
from bot.wiring import App, build
from engine import RefdeskError
from engine.errors import ProviderError, SourceError
from engine.ingest.folder import scan
from engine.matching.variables import valueless
from engine.stages.dangling import survey_references

NAME = "check"
HELP = "what works, what does not, and what to do about it"

FAILED = 1
_LISTED = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--all", action="store_true", help="list every reference that leads nowhere, not just the first"
    )


async def run(options: argparse.Namespace, settings: Settings) -> int:
    """One line per point; exit code 1 when a point fails."""
    _tell(True, "settings", "read")
    readable = _knowledge(settings.knowledge)
    good = await check_platforms(settings, _tell) and readable
    try:
        async with build(settings) as app:
            _tell(True, "state", "SQLite in the data folder" if settings.database_url is None else "database by URL")
            _tell(True, "index", "Qdrant server" if settings.qdrant_url else "embedded, in the data folder")
            for name, probe in (("embedders", _embedders), ("contents", _contents), ("model", _model)):
                good = await _point(name, probe, app) and good
            good = await _escalated_domains(app) and good
            await _variables(app)
            await _references(app, limit=None if options.all else _LISTED)
    except RefdeskError as error:
        server = settings.qdrant_url is not None and isinstance(error, ProviderError) and error.provider == "Qdrant"
        _tell(False, "start", f"{error}; is REFDESK_QDRANT_URL right?" if server else str(error))
        return FAILED
    return 0 if good else FAILED


def _knowledge(root: Path) -> bool:
    """The registry and the FAQ files are read; documents are read by an ingestion, which says what it could not."""
    if not root.is_dir():
        _tell(False, "knowledge folder", f"{root} is not there; name one with --knowledge")
        return False
    try:
        folder = scan(root)
    except SourceError as error:
        _tell(False, "knowledge folder", str(error))
        return False
    _tell(not folder.failed, "knowledge folder", str(root))
    for line in [*(f"{path}: {reason}" for path, reason in folder.failed), *folder.warnings]:
        sys.stdout.write(f"      {line}\n")
    return not folder.failed


async def _point(name: str, probe: Callable[[App], Awaitable[str]], app: App) -> bool:
    try:
        text = await probe(app)
    except RefdeskError as error:
        _tell(False, name, str(error))
        return False
    _tell(True, name, text)
    return True


async def _embedders(app: App) -> str:
    await app.gate_embedder.embed_questions(["is this on"])
    await app.index_embedder.embed_questions(["is this on"])
    return f"gate {app.gate_embedder.fingerprint}, index {app.index_embedder.fingerprint}"


async def _contents(app: App) -> str:
    await app.ingestor.check_fingerprints()
    documents = await app.documents.documents()
    faq = await app.faq.load()
    chunks = sum(record.chunks for record in documents)
    if not documents and not faq.entries:
        return "nothing is indexed yet: run `refdesk ingest`"
    return f"{len(documents)} documents, {chunks} chunks, {len(faq.entries)} FAQ entries"


async def _model(app: App) -> str:
    if app.model is None:
        return "none configured; answers are quoted from the documents"
    return "; ".join([await described(model) for model in app.models])


async def _escalated_domains(app: App) -> bool:
    """A rule for a domain that is not there would never be followed, and nobody would know."""
    domains = [domain.id for domain in (await app.library.shelf()).registry.domains]
    unknown = sorted(set(listed(app.settings.escalate_domains)) - set(domains))
    if unknown and domains:
        _tell(
            False,
            "escalated domains",
            f"REFDESK_ESCALATE_DOMAINS names {', '.join(unknown)}; the knowledge has {', '.join(domains)}",
        )
    return not (unknown and domains)


async def _variables(app: App) -> None:
    """Answers that would show a variable are for the editor to mend, too."""
    lines = valueless((await app.faq.load()).entries, app.settings.variables)
    if lines:
        _tell(True, "answer variables", f"{len(lines)} without a value")
    for line in lines[:_LISTED]:
        sys.stdout.write(f"      {line}\n")


async def _references(app: App, limit: int | None) -> None:
    """What leads nowhere is for the editor to mend; it fails nothing."""
    survey = await survey_references(app.library, app.documents, app.index)
    if not survey.found:
        return
    resolved = ", ".join(f"{count} by {by}" for by, count in survey.resolved.most_common()) or "none"
    absent = survey.absent_documents.total()
    _tell(
        True,
        "references",
        f"{survey.found} in the documents: {survey.resolved.total()} resolved ({resolved}), {survey.ambiguous} fit"
        f" several places, {absent} lead to documents that are not here, {len(survey.dangling)} lead nowhere",
    )
    for one in survey.dangling[:limit]:
        page = f", page {one.page}" if one.page else ""
        sys.stdout.write(f"      {one.document}, section {one.section or 'without a heading'}{page}: {one.marker}\n")
    if limit is not None and len(survey.dangling) > limit:
        sys.stdout.write(f"      and {len(survey.dangling) - limit} more: refdesk check --all\n")


def _tell(good: bool, name: str, text: str) -> None:
    sys.stdout.write(f"{'ok  ' if good else 'FAIL'}  {name}: {text}\n")
    sys.stdout.flush()
