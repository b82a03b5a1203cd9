"""What a question is made of, for comparing letters and words: hashed stems, pairs of stems and groups of letters."""

from __future__ import annotations

import zlib
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from engine.text.normal import question_form
from engine.text.stems import stems

BUCKETS = 1 << 18
_LETTERS = (3, 4, 5)
_WORD_WEIGHT = 2.0
"""A word counts for as much as several of its groups of letters."""

Hashes = npt.NDArray[np.uint32]
Weights = npt.NDArray[np.float32]


@lru_cache(maxsize=1 << 16)
def grams(text: str) -> tuple[Hashes, Weights]:
    """Hashes of the distinct parts of a question with their weights; remembered, since a book is arranged anew often.

    Two parts may share a hash; at 32 bits that is rare.
    """
    padded = f" {question_form(text)} "
    parts = {padded[at : at + length]: 1.0 for length in _LETTERS for at in range(len(padded) - length + 1)}
    words = stems(padded)
    parts |= dict.fromkeys([f"w:{word}" for word in words], _WORD_WEIGHT)
    parts |= dict.fromkeys([f"p:{one} {other}" for one, other in zip(words, words[1:], strict=False)], _WORD_WEIGHT)
    hashes = np.fromiter((zlib.crc32(part.encode()) for part in parts), dtype=np.uint32, count=len(parts))
    weights = np.fromiter(parts.values(), dtype=np.float32, count=len(parts))
    return hashes, weights
