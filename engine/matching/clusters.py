"""Which questions ask the same: average linkage over meaning (across languages) and telling words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engine.ports import Matrix
from engine.text.normal import question_form
from engine.text.stems import content_stems

WORDS = 0.6
"""What shared words count beside the cosine."""
ALIKE = 0.7
"""The mean likeness of two groups from which they are one; found by `benchmarks/bench_misses.py`."""


def clusters(texts: Sequence[str], vectors: Matrix, alike: float = ALIKE) -> list[list[int]]:
    """The places of texts that ask the same, larger groups first. For some thousand at most."""
    count = len(texts)
    if count == 0:
        return []
    groups = {place: [place] for place in range(count)}
    sizes = np.ones(count)
    near = (vectors @ vectors.T + WORDS * _shared_words(texts)).astype(np.float64)
    np.fill_diagonal(near, -np.inf)
    while True:
        one, other = divmod(int(np.argmax(near)), count)
        if near[one, other] < alike:
            break
        joined = (near[one] * sizes[one] + near[other] * sizes[other]) / (sizes[one] + sizes[other])
        near[one], near[:, one] = joined, joined
        near[other], near[:, other] = -np.inf, -np.inf
        near[one, one] = -np.inf
        sizes[one] += sizes[other]
        groups[one] += groups.pop(other)
    return sorted((sorted(group) for group in groups.values()), key=lambda group: (-len(group), group[0]))


def purity(found: Sequence[object], right: Sequence[object]) -> float:
    """The share of things whose right label is their group's commonest. With the arguments swapped: completeness."""
    counts: dict[object, Counter[object]] = {}
    for group, label in zip(found, right, strict=True):
        counts.setdefault(group, Counter())[label] += 1
    return sum(max(one.values()) for one in counts.values()) / max(1, len(found))


def _shared_words(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Cosine of stems, rarer ones counting for more."""
    stems = [set(content_stems(question_form(text))) for text in texts]
    counts = Counter(stem for one in stems for stem in one)
    columns = {stem: place for place, stem in enumerate(counts)}
    rows = np.zeros((len(texts), max(1, len(columns))), dtype=np.float32)
    for row, one in enumerate(stems):
        for stem in one:
            rows[row, columns[stem]] = np.log((len(texts) + 1) / counts[stem])
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return rows @ rows.T
