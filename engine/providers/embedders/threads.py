"""Runs a blocking model beside the event loop, so that a question does not wait behind an ingestion."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Generic, Protocol, TypeVar

import numpy as np

from engine.ports import Calibration, Matrix
from engine.providers.embedders.preparation import prepare_passage, prepare_question, unit_rows


class Encoder(Protocol):
    """A loaded model. Both methods block and must bear being called from several threads at once."""

    @property
    def dimensions(self) -> int: ...

    def questions(self, texts: list[str]) -> Matrix: ...

    def passages(self, texts: list[str]) -> Matrix: ...


E = TypeVar("E", bound=Encoder)
R = TypeVar("R")


class ThreadedEncoder(Generic[E]):
    """Two lanes of threads over one model: a narrow one for questions, a wide one for large batches.

    The model is loaded in a thread, once, on `load` or on first use. A large batch is cut into slices: they share the
    threads of the wide lane, and what is no longer wanted (a cancelled ingestion) ends with its current slice.
    """

    def __init__(self, name: str, load: Callable[[], E], *, threads: int = 1, slice_size: int = 8) -> None:
        self._load_encoder = load
        self._loading = Lock()
        self._encoder: E | None = None
        self._threads = threads
        self._slice_size = slice_size
        self._question_lane = ThreadPoolExecutor(1, thread_name_prefix=f"{name}-questions")
        self._batch_lane = ThreadPoolExecutor(threads, thread_name_prefix=f"{name}-batches")

    @property
    def dimensions(self) -> int:
        if self._encoder is None:
            raise RuntimeError("the model is not loaded yet: await load() first")
        return self._encoder.dimensions

    async def load(self) -> None:
        """Load the model and embed one question, so that the first asker does not wait for it."""
        await self.questions(["Как отменить подписку? How do I cancel?"])

    async def questions(self, texts: Sequence[str]) -> Matrix:
        return await self._encode(self._encode_questions, texts)

    async def passages(self, texts: Sequence[str]) -> Matrix:
        return await self._encode(self._encode_passages, texts)

    async def run(self, work: Callable[[E], R]) -> R:
        """Whatever else the model can do, beside the event loop."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._batch_lane, lambda: work(self._loaded()))

    def close(self) -> None:
        """Let go of the threads; what they are doing ends on its own."""
        self._question_lane.shutdown(wait=False, cancel_futures=True)
        self._batch_lane.shutdown(wait=False, cancel_futures=True)

    async def _encode(self, encode: Callable[[list[str]], Matrix], texts: Sequence[str]) -> Matrix:
        loop = asyncio.get_running_loop()
        if len(texts) == 1:
            return await loop.run_in_executor(self._question_lane, encode, list(texts))
        starts = range(0, len(texts), self._slice_size)
        waiting = deque((start, list(texts[start : start + self._slice_size])) for start in starts)
        encoded: dict[int, Matrix] = {}

        async def take_slices() -> None:
            while waiting:
                start, part = waiting.popleft()
                encoded[start] = await loop.run_in_executor(self._batch_lane, encode, part)

        try:
            # No more slices at a time than threads, so that batches of several callers take turns.
            await asyncio.gather(*(take_slices() for _ in range(self._threads)))
        finally:
            waiting.clear()
        return await loop.run_in_executor(self._batch_lane, self._joined, [encoded[start] for start in starts])

    def _encode_questions(self, texts: list[str]) -> Matrix:
        return unit_rows(self._loaded().questions([prepare_question(text) for text in texts]))

    def _encode_passages(self, texts: list[str]) -> Matrix:
        return unit_rows(self._loaded().passages([prepare_passage(text) for text in texts]))

    def _joined(self, parts: list[Matrix]) -> Matrix:
        if not parts:
            return np.zeros((0, self._loaded().dimensions), dtype=np.float32)
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _loaded(self) -> E:
        with self._loading:
            if self._encoder is None:
                self._encoder = self._load_encoder()
            return self._encoder


class ThreadedEmbedder(Generic[E]):
    """What the embedders over a `ThreadedEncoder` have in common: all but their name and size."""

    def __init__(self, encoder: ThreadedEncoder[E], calibration: Calibration) -> None:
        self._encoder = encoder
        self._calibration = calibration

    @property
    def dimensions(self) -> int:
        """Known once the model is loaded, unless the embedder knows it before."""
        return self._encoder.dimensions

    @property
    def calibration(self) -> Calibration:
        return self._calibration

    async def load(self) -> None:
        """Load and warm up the model; without it the first text does. ConfigurationError when it cannot be loaded."""
        await self._encoder.load()

    async def embed_questions(self, texts: Sequence[str]) -> Matrix:
        return await self._encoder.questions(texts)

    async def embed_passages(self, texts: Sequence[str]) -> Matrix:
        return await self._encoder.passages(texts)

    async def aclose(self) -> None:
        self._encoder.close()
