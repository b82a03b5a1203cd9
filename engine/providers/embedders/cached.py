"""Remembers the vectors of recent questions: one question passes several stages, and people ask the same things."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engine.ports import Calibration, Embedder, Matrix
from engine.providers.embedders.preparation import prepare_question

_LARGEST_BATCH = 16
"""Larger batches come from an ingestion, and would drive the askers' questions out."""


class CachedEmbedder:
    """Wraps any embedder; keeps the questions used last, by the form in which they are compared."""

    def __init__(self, inner: Embedder, *, capacity: int = 4096) -> None:
        self._inner = inner
        self._capacity = capacity
        self._kept: OrderedDict[str, npt.NDArray[np.float32]] = OrderedDict()
        self.hits = 0
        self.misses = 0

    @property
    def fingerprint(self) -> str:
        return self._inner.fingerprint

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    @property
    def calibration(self) -> Calibration:
        return self._inner.calibration

    async def embed_questions(self, texts: Sequence[str]) -> Matrix:
        if not 0 < len(texts) <= _LARGEST_BATCH:
            return await self._inner.embed_questions(texts)
        keys = [prepare_question(text) for text in texts]
        known = {key: self._kept[key] for key in keys if key in self._kept}
        self.hits += sum(key in known for key in keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        self.misses += len(missing)
        if missing:
            rows = await self._inner.embed_questions(list(missing.values()))
            # Copies, or a row would keep its whole batch in memory.
            known |= {key: row.copy() for key, row in zip(missing, rows, strict=True)}
        self._keep(known)
        return np.stack([known[key] for key in keys])

    async def embed_passages(self, texts: Sequence[str]) -> Matrix:
        return await self._inner.embed_passages(texts)

    def _keep(self, rows: dict[str, npt.NDArray[np.float32]]) -> None:
        for key, row in rows.items():
            self._kept[key] = row
            self._kept.move_to_end(key)
        while len(self._kept) > self._capacity:
            self._kept.popitem(last=False)
