"""Opens what gaps and reports are made of: no index, which one process has for itself."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from bot.openings import chosen_index_embedder, make_folder, open_embedder
from bot.settings import Settings
from engine.matching.gaps import GapStore
from engine.ports import AnswerStore, DocumentStore, Embedder, FaqStore, MetaStore
from engine.providers.state.answers import SqlAnswerStore
from engine.providers.state.database import Database
from engine.providers.state.events import SqlEvents
from engine.providers.state.faq_store import SqlFaqStore
from engine.providers.state.gaps import SqlGaps
from engine.providers.state.stores import SqlDocumentStore, SqlMetaStore


@dataclass(frozen=True, slots=True, kw_only=True)
class GapSources:
    gaps: GapStore
    answers: AnswerStore
    faq: FaqStore
    meta: MetaStore
    gate_embedder: Embedder
    index_embedder: Embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSources:
    gaps: GapSources
    events: SqlEvents
    documents: DocumentStore


@asynccontextmanager
async def open_report_sources(settings: Settings) -> AsyncGenerator[ReportSources, None]:
    """They can be read while another process answers."""
    make_folder(settings.data)
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(Database.open(settings.state_url))
        gate_embedder = await open_embedder(settings.gate_embedder, settings, stack)
        wanted = chosen_index_embedder(settings.index_embedder)
        same = wanted == settings.gate_embedder
        gaps = GapSources(
            gaps=SqlGaps(database),
            answers=SqlAnswerStore(database),
            faq=SqlFaqStore(database),
            meta=SqlMetaStore(database),
            gate_embedder=gate_embedder,
            index_embedder=gate_embedder if same else await open_embedder(wanted, settings, stack),
        )
        yield ReportSources(gaps=gaps, events=SqlEvents(database), documents=SqlDocumentStore(database))


@asynccontextmanager
async def open_gap_sources(settings: Settings) -> AsyncGenerator[GapSources, None]:
    """The same without what only reports need."""
    async with open_report_sources(settings) as sources:
        yield sources.gaps
