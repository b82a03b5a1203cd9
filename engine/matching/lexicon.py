"""How alike a question and the known wordings are by their letters and words, however the embedder sees them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from engine.matching.grams import BUCKETS, Hashes, Weights, grams
from engine.text.normal import question_form
from engine.text.stems import content_stems

Floats = npt.NDArray[np.float32]


class Lexicon:
    """An inverted index of all wordings' parts, rarer parts counting for more."""

    def __init__(self, wordings: Sequence[str]) -> None:
        self._count = len(wordings)
        made = [grams(text) for text in wordings]
        buckets = np.concatenate([hashes % BUCKETS for hashes, _ in made] or [np.zeros(0, np.uint32)]).astype(np.int64)
        weights = np.concatenate([weights for _, weights in made] or [np.zeros(0, np.float32)])
        rows = np.repeat(np.arange(self._count, dtype=np.int32), [len(hashes) for hashes, _ in made])
        frequencies = np.bincount(buckets, minlength=BUCKETS)
        self._rarity: Floats = (np.log((self._count + 1) / (frequencies + 1)) + 1).astype(np.float32)
        weights = weights * self._rarity[buckets]
        norms = np.sqrt(np.bincount(rows, weights=weights.astype(np.float64) ** 2, minlength=self._count))
        order = np.argsort(buckets, kind="stable")
        self._rows = rows[order]
        self._weights: Floats = (weights / np.maximum(norms, 1e-9)[rows]).astype(np.float32)[order]
        self._starts = np.concatenate([[0], np.cumsum(frequencies)])
        self.stems = tuple(frozenset(content_stems(question_form(text))) for text in wordings)
        self._stem_counts = Counter(stem for one in self.stems for stem in one)

    def similarities(self, text: str) -> Floats:
        """Cosine, 0..1, of the question's parts to each wording's."""
        buckets, weights = self._weighted(text)
        spans = [slice(self._starts[bucket], self._starts[bucket + 1]) for bucket in buckets]
        if not spans:
            return np.zeros(self._count, dtype=np.float32)
        lengths = [span.stop - span.start for span in spans]
        rows = np.concatenate([self._rows[span] for span in spans])
        products = np.concatenate([self._weights[span] for span in spans]) * np.repeat(weights, lengths)
        return np.bincount(rows, weights=products, minlength=self._count).astype(np.float32)

    def dense(self, texts: Sequence[str], dimensions: int) -> Floats:
        """The same parts folded into a few dimensions with random signs: rows of unit length, for a linear model."""
        rows = np.zeros((len(texts), dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            hashes, weights = grams(text)
            signs = np.where(hashes >> 31, -1.0, 1.0)
            place = (hashes >> 4) % dimensions
            np.add.at(row, place, signs * weights * self._rarity[hashes % BUCKETS])
        return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9), dtype=np.float32)

    def rarity(self, stem: str, *, besides: int = 0) -> float:
        """How telling a stem is; `besides` leaves out as many wordings that have it."""
        return float(np.log((self._count + 1) / (max(self._stem_counts[stem] - besides, 0) + 0.5)))

    def share(self, stems: Collection[str], known: Collection[str], *, besides: int = 0) -> float:
        """The share, 0..1, of the stems that is among the known ones, by how telling each is."""
        weights = {stem: self.rarity(stem, besides=besides) for stem in stems}
        total = sum(weights.values())
        return sum(weight for stem, weight in weights.items() if stem in known) / total if total else 0.0

    def _weighted(self, text: str) -> tuple[Hashes, Weights]:
        hashes, weights = grams(text)
        buckets = hashes % BUCKETS
        weights = weights * self._rarity[buckets]
        norm = float(np.linalg.norm(weights))
        return buckets, (weights / norm).astype(np.float32) if norm else weights
