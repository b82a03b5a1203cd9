"""Calibration: from practice questions to the chance of being right, measured on questions it was not fitted to."""

from __future__ import annotations

import asyncio
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from engine.matching.book import Book
from engine.matching.chance import ADJACENT_CHANCE, DIRECT_CHANCE, PRIOR, Chance, fitted
from engine.matching.likeness import SIGNALS
from engine.matching.practice import Embed, Kind, Labelled, Practice, Tried
from engine.matching.wilson import Share

_OUTSIDE_SHARE = 0.1
"""How much each kind of question without an entry counts beside the base's own: in a working base few such are asked,
and those made of its own wordings are harder than most."""
_UNLIKE_SHARE = 0.3
"""The same where there are many own wordings, for background questions and for wordings without their entry: these
tell best what an outside question looks like beside them."""
_MANY_OWN = 1000
_LABELLED_COUNTS = 2.0
_EDITED_COUNTS = 0.3
"""They are no askers' own words."""
_OWN: tuple[Kind, ...] = ("wording", "labelled")
_UNRELATED_KEPT_OUT = 95
_TARGET = 0.99
_STRICT_TARGET = 0.996
_LOWEST = 0.93
_LOWEST_LABELLED = 0.85
_MANY_SERVED = 300
_STRICTEST = 0.995
_ENOUGH = 30
_BINS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.97, 0.99, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """Practice questions with about the same chance."""

    low: float
    high: float
    expected: float
    observed: Share


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusable:
    """Two entries with other answers whose wordings are taken for each other."""

    entry: str
    other: str
    wording: str
    other_wording: str
    cosine: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What calibration measured, each question judged by weights fitted to the other half."""

    chance: Chance
    questions: dict[str, int]
    precision: Share
    """Of what would be served directly, the base's own wordings and labelled questions."""
    coverage: Share
    adjacent: Share
    """Of the base's own questions, those at or above the adjacent threshold."""
    outside_direct: Share
    outside_adjacent: Share
    """Of the background questions."""
    bins: tuple[Bin, ...]
    confusable: tuple[Confusable, ...]


async def calibrate(book: Book, embed: Embed, labelled: Sequence[Labelled] = ()) -> Findings:
    """Practise and measure; the work between embeddings is done in another thread. For a book with entries only."""
    practice = await Practice.prepare(book, embed, labelled)
    return await asyncio.to_thread(_calibrated, practice)


def _calibrated(practice: Practice) -> Findings:
    tried, unrelated = practice.tried()
    prior = replace(PRIOR, unrelated=unrelated)
    halves = _halves(tried)
    judged = [
        (one, chance) for fit, asked in (halves, halves[::-1]) for one, chance in _judged(_fit(fit, prior), asked)
    ]
    chance = _fit(tried, prior)
    return _findings(practice.book, chance, judged)


def _fit(tried: Sequence[Tried], prior: Chance) -> Chance:
    passing = [one for one in tried if one.vetoed_by is None and not _is_duplicate(one)]
    if not passing:
        return prior
    signals = np.array([one.signals for one in passing])
    right = np.array([one.right for one in passing], dtype=np.bool_)
    counts = _counts(passing)
    chance = fitted(signals, right, counts, prior)
    asked = np.array([one.kind in (*_OWN, "background") for one in passing], dtype=np.bool_)
    background = [one.signals for one in tried if one.kind == "background"]
    adjacent = ADJACENT_CHANCE[0]
    if background:
        reached = float(np.percentile(chance.of(np.array(background)), _UNRELATED_KEPT_OUT))
        adjacent = float(np.clip(reached, *ADJACENT_CHANCE))
    chances = chance.of(signals)
    sure = signals[right & asked & (chances >= _LOWEST)]
    if len(sure) >= _MANY_SERVED:
        chance = chance.bounded_by(sure)
    asked &= ~chance.unlike(signals)
    direct = direct_chance(chances[asked], right[asked])
    if sum(one.kind == "labelled" and one.right for one in tried) >= _ENOUGH:
        real = np.array([not _says_the_same(one) for one in passing], dtype=np.bool_)
        direct = min(direct, labelled_chance(chances[~right & real]))
    return replace(chance, adjacent=adjacent, direct=direct)


def _is_duplicate(one: Tried) -> bool:
    """Another entry that says the very same as the one left out: a matter for the editor, not a wrong answer."""
    return one.kind == "left out" and _says_the_same(one)


def _says_the_same(one: Tried) -> bool:
    """A made negative that does is no other question than the one that it was made from."""
    return one.kind in ("left out", "negative") and bool(one.signals[SIGNALS.index("same content")])


def _halves(tried: Sequence[Tried]) -> list[list[Tried]]:
    """Two halves with as many questions of each kind; a wording left out and the same one without its entry
    together."""
    kinds = dict.fromkeys(one.kind for one in tried)
    parts: list[list[Tried]] = [[], []]
    for kind in kinds:
        for one in (one for one in tried if one.kind == kind):
            parts[zlib.crc32(one.text.encode()) % 2].append(one)
    return parts


def _counts(tried: Sequence[Tried]) -> npt.NDArray[np.float64]:
    """How much each question counts. Without own questions that were found or missed, the others would say too much."""
    sizes = Counter(one.kind for one in tried)
    own = sizes["wording"] + sizes["labelled"] + _EDITED_COUNTS * sizes["edited"]
    counts: dict[Kind, float] = {kind: _OUTSIDE_SHARE * min(1.0, own / size) for kind, size in sizes.items()}
    if own >= _MANY_OWN:
        counts |= {"left out": _UNLIKE_SHARE, "background": _UNLIKE_SHARE}
    counts |= {"wording": 1.0, "edited": _EDITED_COUNTS, "labelled": _LABELLED_COUNTS}
    return np.array([counts[one.kind] for one in tried])


def direct_chance(chances: npt.NDArray[np.float64], right: npt.NDArray[np.bool_]) -> float:
    """The least chance at which what the base was asked is right often enough; the usual one where it was asked little.

    Of few questions 99 %, or the chance is raised. Of many, 99.6 % may lower it: askers' own questions lie a little
    farther from the wordings than these lie from each other.
    """
    for least in np.arange(_LOWEST, DIRECT_CHANCE, 0.0025):
        served = chances >= least
        if served.sum() >= _MANY_SERVED and right[served].mean() >= _STRICT_TARGET:
            return float(least)
    for least in np.arange(DIRECT_CHANCE, _STRICTEST, 0.0025):
        served = chances >= least
        if served.sum() < _ENOUGH or right[served].mean() >= _TARGET:
            return float(least)
    return _STRICTEST


def labelled_chance(wrong: npt.NDArray[np.float64]) -> float:
    """Where askers' own questions are labelled: halfway from the likeliest wrong answer that practice met, and the
    second look let pass, to certainty."""
    return max(_LOWEST_LABELLED, (1 + float(wrong.max(initial=0.0))) / 2)


def _judged(chance: Chance, tried: Sequence[Tried]) -> list[tuple[Tried, float]]:
    """Chances on a common scale: what the half's own direct threshold is, is the usual one."""
    if not tried:
        return []
    signals = np.array([one.signals for one in tried])
    chances = np.where(chance.unlike(signals), np.minimum(chance.of(signals), chance.adjacent), chance.of(signals))
    scale = [0.0, chance.direct, 1.0]
    return list(zip(tried, np.interp(chances, scale, [0.0, DIRECT_CHANCE, 1.0]).tolist(), strict=True))


def _findings(book: Book, chance: Chance, judged: Sequence[tuple[Tried, float]]) -> Findings:
    own = [(one, value) for one, value in judged if one.kind in _OWN]
    background = [(one, value) for one, value in judged if one.kind == "background"]
    served = [one for one, value in own if _is_direct(one, value)]
    kinds = dict.fromkeys(one.kind for one, _ in judged)
    return Findings(
        chance=chance,
        questions={kind: sum(one.kind == kind for one, _ in judged) for kind in kinds},
        precision=Share.of(one.right for one in served),
        coverage=Share(sum(one.right for one in served), sum(one.wanted is not None for one, _ in own)),
        adjacent=Share.of(value >= chance.adjacent for one, value in own if one.wanted is not None),
        outside_direct=Share.of(_is_direct(one, value) for one, value in background),
        outside_adjacent=Share.of(value >= chance.adjacent for _, value in background),
        bins=_bins([(one, value) for one, value in own if one.vetoed_by is None]),
        confusable=_confusable(book, judged, chance),
    )


def _is_direct(one: Tried, chance: float) -> bool:
    return one.vetoed_by is None and chance >= DIRECT_CHANCE


def _bins(judged: Sequence[tuple[Tried, float]]) -> tuple[Bin, ...]:
    found: list[Bin] = []
    for low, high in zip(_BINS, _BINS[1:], strict=False):
        inside = [(one, value) for one, value in judged if low <= value < high or value == high == 1]
        if inside:
            expected = float(np.mean([value for _, value in inside]))
            found.append(Bin(low=low, high=high, expected=expected, observed=Share.of(one.right for one, _ in inside)))
    return tuple(found)


def _confusable(book: Book, judged: Sequence[tuple[Tried, float]], chance: Chance) -> tuple[Confusable, ...]:
    """Pairs that practice mixed up with confidence, the most alike first, one example each."""
    pairs: dict[tuple[int, int], Confusable] = {}
    rows = {text: row for row, text in enumerate(book.wordings)}
    for one, value in judged:
        if one.right or one.kind not in ("wording", "left out") or value < max(chance.adjacent, 0.6) or one.vetoed_by:
            continue
        row = rows[one.text]
        owner = int(book.owners[row])
        others = book.rows(one.found)
        cosines = book.matrix[others.start : others.stop] @ book.matrix[row]
        key = (min(owner, one.found), max(owner, one.found))
        cosine = float(cosines.max())
        if key not in pairs or pairs[key].cosine < cosine:
            other = book.wordings[others.start + int(cosines.argmax())]
            pairs[key] = Confusable(
                entry=book.entries[owner].id,
                other=book.entries[one.found].id,
                wording=one.text,
                other_wording=other,
                cosine=round(cosine, 3),
            )
    return tuple(sorted(pairs.values(), key=lambda pair: -pair.cosine))
