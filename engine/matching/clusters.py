"""Which questions ask the same: average linkage over meaning, across languages, and over telling words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from engine.ports import Matrix
from engine.text.normal import detect_language, question_form
from engine.text.stems import content_stems
from engine.types import Language

WORDS = 0.5
"""What shared words count beside the cosine."""
ACROSS = 1.2
"""How much more the cosine counts between languages, which share no words."""
ALIKE = 0.5125
"""The mean likeness of two groups from which they are one; `benchmarks/bench_misses.py` chooses it on one half."""
EVERYDAY = 200
"""How many of the texts themselves the mean of everyday questions weighs."""

Floats = npt.NDArray[np.float32]


def clusters(
    texts: Sequence[str], vectors: Matrix, middles: Mapping[Language, Floats], alike: float = ALIKE
) -> list[list[int]]:
    """The places of texts that ask the same, larger groups first. For some thousand different ones at most.

    `middles` are mean vectors of everyday questions: what all of a language have in common makes none of them alike.
    """
    forms: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        forms.setdefault(question_form(text), []).append(place)
    if not forms:
        return []
    same = list(forms.values())
    first = [places[0] for places in same]
    near = likeness([texts[place] for place in first], vectors[first], middles)
    groups = _linked(near, [len(places) for places in same], alike)
    found = (sorted(place for one in group for place in same[one]) for group in groups)
    return sorted(found, key=lambda group: (-len(group), group[0]))


def likeness(texts: Sequence[str], vectors: Matrix, middles: Mapping[Language, Floats]) -> Floats:
    """How alike each two texts are."""
    languages = np.array([detect_language(text) for text in texts])
    centred = _centred(vectors, languages, middles)
    meaning = centred @ centred.T
    other = languages[:, None] != languages[None, :]
    near: Floats = np.where(other, ACROSS * meaning, meaning + WORDS * _shared_words(texts)).astype(np.float32)
    return near


def purity(found: Sequence[object], right: Sequence[object]) -> float:
    """The share of things whose right label is their group's commonest. With the arguments swapped: completeness."""
    counts: dict[object, Counter[object]] = {}
    for group, label in zip(found, right, strict=True):
        counts.setdefault(group, Counter())[label] += 1
    return sum(max(one.values()) for one in counts.values()) / max(1, len(found))


def _linked(near: Floats, weights: Sequence[int], alike: float) -> list[list[int]]:
    """Join the two nearest groups until none are alike. Quadratic in time, but for what joining disturbs."""
    np.fill_diagonal(near, -np.inf)
    sizes = np.array(weights, dtype=np.float32)
    groups = {place: [place] for place in range(len(near))}
    nearest = near.argmax(axis=1)
    best = near[np.arange(len(near)), nearest]
    while len(groups) > 1:
        one = int(best.argmax())
        other = int(nearest[one])
        if best[one] < alike:
            break
        joined = (near[one] * sizes[one] + near[other] * sizes[other]) / (sizes[one] + sizes[other])
        near[one], near[:, one] = joined, joined
        near[other], near[:, other] = -np.inf, -np.inf
        near[one, one] = best[other] = -np.inf
        sizes[one] += sizes[other]
        groups[one] += groups.pop(other)
        # A joined group is never nearer than the nearer of the two was: only who was near to them looks anew.
        disturbed = [place for place in groups if place == one or nearest[place] in (one, other)]
        nearest[disturbed] = near[disturbed].argmax(axis=1)
        best[disturbed] = near[disturbed, nearest[disturbed]]
    return list(groups.values())


def _centred(vectors: Matrix, languages: npt.NDArray[np.str_], middles: Mapping[Language, Floats]) -> Floats:
    centred = np.array(vectors, dtype=np.float32)
    for language, middle in middles.items():
        here = languages == language
        count = int(here.sum())
        centred[here] -= (centred[here].sum(axis=0) + EVERYDAY * middle) / (count + EVERYDAY)
    scaled: Floats = centred / np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-9)
    return scaled


def _shared_words(texts: Sequence[str]) -> Floats:
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
