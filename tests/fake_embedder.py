"""An embedder without a model: stems hashed into a few dimensions, so that texts that share words are close."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from engine.ports import Calibration, Matrix
from engine.text.stems import content_stems

DIMENSIONS = 256


class FakeEmbedder:
    dimensions = DIMENSIONS
    calibration = Calibration(
        same_language=((0.0, 0.0), (0.4, 0.78), (0.9, 0.92), (1.0, 1.0)),
        cross_language=((0.0, 0.0), (0.4, 0.78), (0.9, 0.92), (1.0, 1.0)),
        passage=((0.1, 0.0), (0.6, 1.0)),
    )

    def __init__(self, fingerprint: str = "fake/1") -> None:
        self.fingerprint = fingerprint
        self.embedded = 0

    async def embed_questions(self, texts: Sequence[str]) -> Matrix:
        return self._embed(texts)

    async def embed_passages(self, texts: Sequence[str]) -> Matrix:
        return self._embed(texts)

    def _embed(self, texts: Sequence[str]) -> Matrix:
        self.embedded += len(texts)
        rows = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[0] = 0.1
            for stem in content_stems(text):
                digest = hashlib.blake2b(stem.encode(), digest_size=4).digest()
                row[int.from_bytes(digest, "big") % DIMENSIONS] += 1
        unit: Matrix = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        return unit
