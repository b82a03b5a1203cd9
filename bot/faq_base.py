"""What editing the FAQ stands on, opened with a running Refdesk or beside one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

from bot.openings import make_folder, open_embedder
from bot.settings import Settings
from engine.ingest.fingerprints import Fingerprints
from engine.matching.drafts import DraftStore, FlagStore
from engine.matching.edits import FaqEditStore
from engine.matching.stored import HeldFaq
from engine.matching.vetoes import VetoStore
from engine.policy import Policy
from engine.ports import Embedder, FaqGate, FaqStore, MetaStore, StoredFaq
from engine.providers.state.database import Database
from engine.providers.state.drafts import SqlDrafts, SqlFlags
from engine.providers.state.faq_edits import SqlFaqEdits
from engine.providers.state.faq_store import SqlFaqStore
from engine.providers.state.inbox import SqlInbox
from engine.providers.state.stores import SqlMetaStore
from engine.providers.state.tickets import SqlTickets
from engine.providers.state.vetoes import SqlVetoes
from engine.stages.faq import CalibratedFaqGate


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqBase:
    """What editing the FAQ stands on. No index is among it, so it can be done while another process answers."""

    settings: Settings
    faq: FaqStore
    meta: MetaStore
    embedder: Embedder
    gate: FaqGate
    edits: FaqEditStore
    drafts: DraftStore
    flags: FlagStore
    vetoes: VetoStore
    tickets: SqlTickets
    inbox: Callable[[str], SqlInbox]
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """One edit after another: each is made of what the one before it left."""


def faq_base(settings: Settings, database: Database, embedder: Embedder, gate: FaqGate) -> FaqBase:
    return FaqBase(
        settings=settings,
        faq=SqlFaqStore(database),
        meta=SqlMetaStore(database),
        embedder=embedder,
        gate=gate,
        edits=SqlFaqEdits(database),
        drafts=SqlDrafts(database),
        flags=SqlFlags(database),
        vetoes=SqlVetoes(database),
        tickets=SqlTickets(database),
        inbox=partial(SqlInbox, database),
    )


@asynccontextmanager
async def open_faq(settings: Settings) -> AsyncGenerator[FaqBase, None]:
    """The FAQ alone. Raises StoreMismatch when another embedder made what is stored of it."""
    async with AsyncExitStack() as stack:
        make_folder(settings.data)
        database = await stack.enter_async_context(Database.open(settings.state_url))
        embedder = await open_embedder(settings.gate_embedder, settings, stack)
        faq, meta = SqlFaqStore(database), SqlMetaStore(database)
        await Fingerprints(meta, None, embedder).check()
        gate = CalibratedFaqGate(faq, embedder, Policy().gate, meta=meta, variables=settings.variables)
        stack.push_async_callback(gate.aclose)
        yield faq_base(settings, database, embedder, gate)


def trial_gate(faq: StoredFaq, meta: MetaStore, embedder: Embedder) -> FaqGate:
    """The gate as it would be with this FAQ."""
    return CalibratedFaqGate(HeldFaq(faq), embedder, Policy().gate, meta=meta)
