"""Which concrete classes make up a running Refdesk. Only this place and `openings` name them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path

from bot.faq_base import FaqBase, faq_base
from bot.gap_sources import GapSources
from bot.openings import chosen_index_embedder, make_folder, open_embedder, open_index, open_models
from bot.settings import Settings
from bot.words import read_words
from engine import ConfigurationError, Engine
from engine.ingest.fingerprints import Fingerprints
from engine.ingest.ingestor import Ingestor
from engine.matching.calibration import Findings
from engine.matching.edits import FaqEditStore
from engine.matching.gaps import GapStore
from engine.matching.stored import HeldFaq
from engine.matching.vetoes import VetoStore
from engine.policy import Policy
from engine.ports import (
    AnswerStore,
    ChatModel,
    ChunkIndex,
    DocumentStore,
    Embedder,
    FaqGate,
    FaqStore,
    MetaStore,
    MissStore,
    Retriever,
    RouteCache,
    Router,
    Screen,
    StoredFaq,
)
from engine.providers.chat_chain import ChatChain
from engine.providers.embedders.cached import CachedEmbedder
from engine.providers.state.answers import SqlAnswerStore
from engine.providers.state.database import Database
from engine.providers.state.faq_edits import SqlFaqEdits
from engine.providers.state.faq_store import SqlFaqStore
from engine.providers.state.gaps import SqlGaps
from engine.providers.state.inbox import SqlInbox
from engine.providers.state.installations import SqlInstallations
from engine.providers.state.stores import SqlDocumentStore, SqlMetaStore, SqlMissStore, SqlRouteCache
from engine.providers.state.texts_of_people import SqlTextsOfPeople
from engine.providers.state.tickets import SqlTickets
from engine.providers.state.vetoes import SqlVetoes
from engine.stages.answer_log import StoredAnswers
from engine.stages.asked_places import AskedPlaces
from engine.stages.faq import CalibratedFaqGate
from engine.stages.faq_judge import ModelFaqJudge
from engine.stages.follow_ups import FollowUps
from engine.stages.generation import ModelGenerator
from engine.stages.guardrail import StreamGuardrail
from engine.stages.judging import ModelJudge
from engine.stages.library import Library
from engine.stages.misses import StoredMisses
from engine.stages.model_references import ModelReferenceChooser
from engine.stages.quoting import QuotingGenerator
from engine.stages.references import TableReferencer
from engine.stages.retrieval import HybridRetriever
from engine.stages.routing import DcdRouter, ForgetfulRouteCache
from engine.stages.screen import StopWordScreen
from engine.text.mismatch import unreadable


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """A running Refdesk, for as long as the `build` that made it is entered."""

    settings: Settings
    engine: Engine
    ingestor: Ingestor
    library: Library
    index: ChunkIndex
    documents: DocumentStore
    faq: FaqStore
    meta: MetaStore
    misses: MissStore
    gate_embedder: Embedder
    index_embedder: Embedder
    model: ChatModel | None
    """All model endpoints as one."""
    models: tuple[ChatModel, ...]
    """Each endpoint, in the order in which they are asked."""
    inbox: Callable[[str], SqlInbox]
    """The messages of one desk, such as `telegram:12345`."""
    tickets: SqlTickets
    installations: Callable[[str], SqlInstallations]
    """Of one app, by its client id."""
    faq_edits: FaqEditStore
    faq_base: FaqBase
    texts_of_people: SqlTextsOfPeople
    gaps: GapStore
    answers: AnswerStore
    of_desk: Callable[[str], tuple[GapStore, AnswerStore]]
    """The gaps and answers of one desk alone."""


@asynccontextmanager
async def build(
    settings: Settings, policy: Policy | None = None, *, rebuild: bool = False
) -> AsyncGenerator[App, None]:
    """Open the stores, load the embedders, put the stages together; close all in reverse.

    Raises StoreMismatch when other embedders made what is stored. With `rebuild` that is no error, and an index
    of ours that cannot be used is thrown away.
    """
    async with AsyncExitStack() as stack:
        base = await _open(settings, stack, rebuild=rebuild)
        ingestor = Ingestor(
            base.index,
            base.documents,
            base.faq,
            base.meta,
            base.index_embedder,
            base.gate_embedder,
            (policy or Policy()).chunks,
            edits=base.faq_edits,
        )
        engine = _engine(base, settings, _adjusted(policy or Policy(), settings), stack)
        yield App(
            settings=settings,
            engine=engine,
            ingestor=ingestor,
            library=base.library,
            index=base.index,
            documents=base.documents,
            faq=base.faq,
            meta=base.meta,
            misses=base.misses,
            gate_embedder=base.gate_embedder,
            index_embedder=base.index_embedder,
            model=base.model,
            models=base.models,
            inbox=base.inbox,
            tickets=base.tickets,
            installations=base.installations,
            faq_edits=base.faq_edits,
            faq_base=faq_base(settings, base.database, base.gate_embedder, engine.gate),
            texts_of_people=SqlTextsOfPeople(base.database),
            gaps=base.gaps,
            answers=base.answers,
            of_desk=lambda desk: (SqlGaps(base.database, desk), SqlAnswerStore(base.database, desk)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Base:
    """What the stages stand on, opened."""

    documents: DocumentStore
    faq: FaqStore
    meta: MetaStore
    misses: MissStore
    answers: AnswerStore
    routes: RouteCache
    inbox: Callable[[str], SqlInbox]
    tickets: SqlTickets
    installations: Callable[[str], SqlInstallations]
    faq_edits: FaqEditStore
    database: Database
    gaps: GapStore
    vetoes: VetoStore
    library: Library
    index: ChunkIndex
    gate_embedder: Embedder
    index_embedder: Embedder
    model: ChatModel | None
    models: tuple[ChatModel, ...]


async def _open(settings: Settings, stack: AsyncExitStack, *, rebuild: bool) -> _Base:
    make_folder(settings.data)
    database = await stack.enter_async_context(Database.open(settings.state_url))
    documents, meta = SqlDocumentStore(database), SqlMetaStore(database)
    gate_embedder = await open_embedder(settings.gate_embedder, settings, stack)
    wanted = chosen_index_embedder(settings.index_embedder)
    index_embedder = (
        gate_embedder
        if wanted == settings.gate_embedder
        else CachedEmbedder(await open_embedder(wanted, settings, stack))
    )
    if not rebuild:
        # Before the index is opened, whose own complaint about other dimensions would say less.
        await Fingerprints(meta, index_embedder, gate_embedder).check()
    models = open_models(settings, stack)
    return _Base(
        documents=documents,
        faq=SqlFaqStore(database),
        meta=meta,
        misses=SqlMissStore(database),
        answers=SqlAnswerStore(database),
        routes=SqlRouteCache(database),
        inbox=partial(SqlInbox, database),
        tickets=SqlTickets(database),
        installations=partial(SqlInstallations, database),
        faq_edits=SqlFaqEdits(database),
        database=database,
        gaps=SqlGaps(database),
        vetoes=SqlVetoes(database),
        library=Library(meta, documents),
        index=await open_index(settings, index_embedder.dimensions, stack, rebuild=rebuild),
        gate_embedder=gate_embedder,
        index_embedder=index_embedder,
        model=ChatChain(models) if models else None,
        models=models,
    )


def _engine(base: _Base, settings: Settings, policy: Policy, stack: AsyncExitStack) -> Engine:
    """The stages, put together."""
    model, library, index = base.model, base.library, base.index
    screen = StopWordScreen(_own_stop_words(settings.stop_words))
    phrases = read_words(settings.texts).phrases
    quoting = QuotingGenerator(base.gate_embedder, policy.generation, phrases)
    writers = [ModelGenerator(one, policy.generation, policy.gate) for one in base.models]
    judge = ModelFaqJudge(model) if model and settings.check_direct_answers else None
    chooser = ModelReferenceChooser(model) if model else None
    gate = CalibratedFaqGate(
        base.faq,
        base.gate_embedder,
        policy.gate,
        meta=base.meta,
        variables=settings.variables,
        judge=judge,
        vetoes=base.vetoes,
    )
    stack.push_async_callback(gate.aclose)
    return Engine(
        screen=screen,
        gate=gate,
        router=DcdRouter(library, index, base.index_embedder, base.routes, policy.routing, model),
        retriever=AskedPlaces(
            HybridRetriever(library, index, base.index_embedder, policy.retrieval), library, base.documents, index
        ),
        generator=writers[0] if writers else quoting,
        next_generators=tuple(writers[1:]),
        fallback=quoting,
        rewriter=FollowUps(model),
        guardrail=_guardrail(settings, policy, screen, model),
        referencer=TableReferencer(library, base.documents, index, policy.references, chooser),
        misses=StoredMisses(base.misses),
        answers=StoredAnswers(base.answers, _made_with(base)),
        policy=policy,
        phrases=phrases,
    )


def _made_with(base: _Base) -> dict[str, str]:
    """What is kept with each answer, so that feedback on it can be traced."""
    return {
        "refdesk": version("refdesk"),
        "gate": base.gate_embedder.fingerprint,
        "index": base.index_embedder.fingerprint,
        "models": ", ".join(model.name for model in base.models),
    }


def bare_search(app: App, policy: Policy, kept: int) -> tuple[Router, Retriever]:
    """Routing that remembers no question, and retrieval that keeps so many chunks: to measure what they do."""
    router = DcdRouter(app.library, app.index, app.index_embedder, ForgetfulRouteCache(), policy.routing, app.model)
    return router, HybridRetriever(app.library, app.index, app.index_embedder, replace(policy.retrieval, kept=kept))


@asynccontextmanager
async def open_gate_embedder(settings: Settings) -> AsyncGenerator[Embedder, None]:
    """The gate's embedder alone."""
    async with AsyncExitStack() as stack:
        yield await open_embedder(settings.gate_embedder, settings, stack)


def stand_alone_gate(faq: StoredFaq, findings: Findings, embedder: Embedder) -> FaqGate:
    """A gate on an FAQ that is in no store."""
    return CalibratedFaqGate.calibrated(HeldFaq(faq), embedder, Policy().gate, findings)


def _adjusted(policy: Policy, settings: Settings) -> Policy:
    without_model = settings.model_url is None and settings.model_name is None
    offers = {"auto": without_model, "always": True, "never": False}[settings.offer_known_questions]
    policy = replace(policy, gate=replace(policy.gate, offers=offers))
    if not settings.follow_references:
        policy = replace(policy, references=replace(policy.references, targets=0))
    return policy


@asynccontextmanager
async def open_misses(settings: Settings) -> AsyncGenerator[MissStore, None]:
    """The logged misses alone, which can be read while another process answers."""
    make_folder(settings.data)
    async with Database.open(settings.state_url) as database:
        yield SqlMissStore(database)


def gap_sources(app: App, desk: str | None = None) -> GapSources:
    """Those of a running Refdesk, or of one desk of it."""
    gaps, answers = (app.gaps, app.answers) if desk is None else app.of_desk(desk)
    return GapSources(
        gaps=gaps,
        answers=answers,
        faq=app.faq,
        meta=app.meta,
        gate_embedder=app.gate_embedder,
        index_embedder=app.index_embedder,
    )


@asynccontextmanager
async def open_texts_of_people(settings: Settings) -> AsyncGenerator[SqlTextsOfPeople, None]:
    """What people wrote, which can be removed while another process answers."""
    make_folder(settings.data)
    async with Database.open(settings.state_url) as database:
        yield SqlTextsOfPeople(database)


@asynccontextmanager
async def open_answers(settings: Settings) -> AsyncGenerator[AnswerStore, None]:
    """The log of answers alone, which can be read while another process answers."""
    make_folder(settings.data)
    async with Database.open(settings.state_url) as database:
        yield SqlAnswerStore(database)


@asynccontextmanager
async def open_installations(settings: Settings, app: str) -> AsyncGenerator[SqlInstallations, None]:
    """Which workspaces have installed an app, alone."""
    make_folder(settings.data)
    async with Database.open(settings.state_url) as database:
        yield SqlInstallations(database, app)


def _guardrail(settings: Settings, policy: Policy, screen: Screen, model: ChatModel | None) -> StreamGuardrail:
    watching = replace(
        policy.guardrail, judge_seconds=settings.guard_judge_seconds, fail_closed=settings.guard_fail_closed
    )
    judge = ModelJudge(model) if model and settings.guard_judge else None
    return StreamGuardrail(screen, watching, judge)


def _own_stop_words(path: Path | None) -> Sequence[str]:
    if path is None:
        return ()
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"the stop words in {path} cannot be read: {unreadable(error)}") from error
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]
