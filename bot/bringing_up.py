"""An app that is ready to answer: built, and its index brought up to date with the knowledge folder."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from bot.settings import Settings
from bot.wiring import App, build
from engine import ConfigurationError
from engine.ingest.ingestor import IngestProgress, IngestReport
from engine.matching.variables import valueless


@asynccontextmanager
async def open_app(settings: Settings) -> AsyncGenerator[App, None]:
    """Without a knowledge folder an index made earlier answers; without either there is nothing to answer from."""
    async with build(settings) as app:
        if settings.knowledge.is_dir():
            report = await ingest(app)
            tell(report, quiet=True)
            await tell_valueless(app)
        elif settings.model_fields_set & {"knowledge"} or not await app.documents.documents():
            raise ConfigurationError(f"there is no knowledge folder {settings.knowledge}; name one with --knowledge")
        yield app


async def ingest(app: App, *, rebuild: bool = False) -> IngestReport:
    """Ingest the knowledge folder with a progress bar on standard error."""
    _require_folder(app.settings)
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("[progress.description]{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,  # where it would leave a blank line among the log's
    )
    with bar:
        task = bar.add_task("Reading", total=None)

        def show(progress: IngestProgress) -> None:
            bar.update(task, description=progress.stage, completed=progress.done, total=progress.total)

        return await app.ingestor.ingest(app.settings.knowledge, show, rebuild=rebuild)


async def preview(app: App) -> IngestReport:
    """What an ingestion would change."""
    _require_folder(app.settings)
    return await app.ingestor.preview(app.settings.knowledge)


def _require_folder(settings: Settings) -> None:
    if not settings.knowledge.is_dir():
        raise ConfigurationError(f"there is no knowledge folder {settings.knowledge}; name one with --knowledge")


def tell(report: IngestReport, *, quiet: bool = False) -> None:
    """What an ingestion did, on standard error; when quiet, only what needs attention."""
    out = sys.stderr
    if report.dry:
        _tell_plan(report)
    elif report.added or report.changed or report.removed or not quiet:
        out.write(
            f"Indexed {report.documents} documents ({len(report.added)} new, {len(report.changed)} changed,"
            f" {len(report.removed)} removed), {report.chunks} chunks, {report.faq_entries} FAQ entries with"
            f" {report.faq_wordings} wordings, in {report.seconds:.1f} s.\n"
        )
    for warning in report.warnings:
        out.write(f"warning: {warning}\n")
    for path, reason in report.failed:
        out.write(f"failed: {path}: {reason}\n")
    if not quiet:
        for path, reason in report.skipped:
            out.write(f"skipped: {path}: {reason}\n")
    out.flush()


async def tell_valueless(app: App) -> None:
    """Which stored answers have variables that nobody gave a value."""
    for line in valueless((await app.faq.load()).entries, app.settings.variables):
        sys.stderr.write(f"warning: {line}\n")


def _tell_plan(report: IngestReport) -> None:
    for what, paths in (("new", report.added), ("changed", report.changed), ("gone", report.removed)):
        for path in paths:
            sys.stderr.write(f"{what}: {path}\n")
    sys.stderr.write(
        f"Would index {len(report.added)} new and {len(report.changed)} changed documents, remove"
        f" {len(report.removed)} and leave {report.unchanged} as they are. Nothing was changed.\n"
    )
