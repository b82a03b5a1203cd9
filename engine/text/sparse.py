"""Sparse vectors for full text: stemmed words and character trigrams, BM25's document side.

The index multiplies by the inverse document frequency (Qdrant's IDF modifier), so only the term weight is kept here:
tf (k1 + 1) / (tf + k1 (1 - b + b length / average)), S. Robertson and H. Zaragoza, "The Probabilistic Relevance
Framework: BM25 and Beyond", 2009. The average length is a constant, so that vectors of different days agree.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from engine.text.bilingual import counterparts
from engine.text.normal import words
from engine.text.stems import content_stems

SPARSE_VERSION = "s1"
"""Part of the index's fingerprint: changes when vectors of the same text change."""

_K1 = 1.2
_B = 0.75
_AVERAGE_WORDS = 110
_AVERAGE_TRIGRAMS = 600


@dataclass(frozen=True, slots=True)
class TermWeights:
    """Parallel tuples; `indices` are 32-bit hashes of the terms, ascending."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


def lex_document(text: str) -> TermWeights:
    return _document(content_stems(text), _AVERAGE_WORDS)


def tri_document(text: str) -> TermWeights:
    return _document(_trigrams(text), _AVERAGE_TRIGRAMS)


def lex_question(text: str) -> TermWeights:
    """The words asked for, and what may stand for them in the other language, which together weigh as one."""
    terms = set(content_stems(text))
    others = [(other, 1.0 / len(found)) for term in terms if (found := counterparts(term)) for other in found]
    return _weights([*((term, 1.0) for term in terms), *((term, w) for term, w in others if term not in terms)])


def tri_question(text: str) -> TermWeights:
    return _question(_trigrams(text))


def _trigrams(text: str) -> list[str]:
    return [
        padded[i : i + 3] for word in words(text) for padded in (f" {word} ",) for i in range(max(1, len(padded) - 2))
    ]


def _document(terms: list[str], average: int) -> TermWeights:
    norm = _K1 * (1 - _B + _B * len(terms) / average)
    return _weights((term, count * (_K1 + 1) / (count + norm)) for term, count in Counter(terms).items())


def _question(terms: list[str]) -> TermWeights:
    return _weights((term, 1.0) for term in set(terms))


def _weights(pairs: Iterable[tuple[str, float]]) -> TermWeights:
    merged: dict[int, float] = {}
    for term, value in pairs:
        index = _hash(term)
        merged[index] = merged.get(index, 0.0) + value
    ordered = sorted(merged)
    return TermWeights(tuple(ordered), tuple(merged[index] for index in ordered))


@lru_cache(maxsize=131072)
def _hash(term: str) -> int:
    return int.from_bytes(hashlib.blake2b(term.encode(), digest_size=4).digest(), "big")
