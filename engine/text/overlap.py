"""How much of one text stands in another: soft coverage of words, and near duplicates that differ in no number."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from engine.text.bilingual import counterparts
from engine.text.facts import numbers
from engine.text.normal import words

_PREFIX = 5
_TRANSLATED = 0.8
"""What a word of the other language counts for that may stand for the one looked for."""


def document_frequencies(texts: Iterable[Collection[str]]) -> Counter[str]:
    frequencies: Counter[str] = Counter()
    for stems in texts:
        frequencies.update(set(stems))
    return frequencies


def weights(stems: Collection[str], frequencies: Mapping[str, int], total: int) -> dict[str, float]:
    """How telling each stem is among `total` texts: rarer ones more, unknown ones most."""
    return {stem: math.log(1 + (total + 1) / (_frequency(stem, frequencies) + 0.5)) for stem in stems}


def _frequency(stem: str, frequencies: Mapping[str, int]) -> int:
    """Its own, or in texts that do not have it that of a word that may stand for it."""
    return frequencies.get(stem) or max((frequencies.get(other, 0) for other in counterparts(stem)), default=0)


def coverage(
    weighted: Mapping[str, float], text_stems: Collection[str], untranslated: Collection[str] = frozenset()
) -> float:
    """The weighted share, 0..1, of the stems that the text holds, in either language but for those `untranslated`; a
    long common prefix counts for half."""
    total = sum(weighted.values())
    if total == 0:
        return 0.0
    prefixes = {stem[:_PREFIX] for stem in text_stems if len(stem) >= _PREFIX}
    shorter = {prefix[:-1] for prefix in prefixes}
    covered = 0.0
    for stem, weight in weighted.items():
        if stem in text_stems:
            covered += weight
        elif stem not in untranslated and not counterparts(stem).isdisjoint(text_stems):
            covered += _TRANSLATED * weight
        elif stem[:_PREFIX] in prefixes or stem in shorter:
            covered += weight / 2
    return covered / total


def same_content(text: str, other: str, overlap: float) -> bool:
    """Whether two texts are near duplicates. Texts that differ in a number or date never are: they are in conflict."""
    pairs, other_pairs = _word_pairs(words(text)), _word_pairs(words(other))
    if not pairs or not other_pairs:
        return text == other
    jaccard = len(pairs & other_pairs) / len(pairs | other_pairs)
    return jaccard >= overlap and numbers(text) == numbers(other)


def _word_pairs(sequence: Sequence[str]) -> frozenset[tuple[str, str]]:
    return frozenset(zip(sequence, sequence[1:], strict=False))
