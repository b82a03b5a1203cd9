"""Ways to decide on a direct answer, measured beside the gate: cosine alone, and cosine with a margin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.matching.book import Book
from engine.ports import Matrix

MARGINS = (0.0, 0.02, 0.05, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3)
_TARGET = 0.99
_FEWEST = 5
_BLOCK = 512


@dataclass(frozen=True, slots=True)
class Nearest:
    """For each question: its nearest entry, the cosine, and the lead over the best entry with another answer."""

    entries: npt.NDArray[np.intp]
    cosines: npt.NDArray[np.float32]
    leads: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Rule:
    """Direct from this cosine and this lead on."""

    cosine: float
    margin: float

    def serves(self, nearest: Nearest) -> npt.NDArray[np.bool_]:
        return np.asarray((nearest.cosines >= self.cosine) & (nearest.leads >= self.margin), dtype=np.bool_)


def nearest(book: Book, vectors: Matrix, own_rows: Sequence[int] | None = None) -> Nearest:
    """`own_rows` are the wordings that the vectors are of, which are left out."""
    found = [
        _nearest(
            book, vectors[start : start + _BLOCK], own_rows[start : start + _BLOCK] if own_rows is not None else None
        )
        for start in range(0, len(vectors), _BLOCK)
    ]
    return Nearest(
        np.concatenate([one.entries for one in found]),
        np.concatenate([one.cosines for one in found]),
        np.concatenate([one.leads for one in found]),
    )


def _nearest(book: Book, vectors: Matrix, own_rows: Sequence[int] | None) -> Nearest:
    by_wording = vectors @ book.matrix.T
    if own_rows is not None:
        by_wording[np.arange(len(vectors)), own_rows] = -1
    cosines = np.maximum.reduceat(by_wording, book.starts, axis=1)
    best = cosines.argmax(axis=1)
    rivals = np.where(book.answers[None, :] == book.answers[best][:, None], -1, cosines).max(axis=1)
    top = cosines[np.arange(len(vectors)), best]
    return Nearest(best.astype(np.intp), top.astype(np.float32), (top - rivals).astype(np.float32))


def best_rule(found: Nearest, right: npt.NDArray[np.bool_], margins: Sequence[float]) -> Rule | None:
    """The rule that serves most of these questions with a precision of 99 %; None when no rule does."""
    best: tuple[int, Rule] | None = None
    for margin in margins:
        leading = np.flatnonzero(found.leads >= margin)
        order = leading[np.argsort(-found.cosines[leading], kind="stable")]
        hits = right[order].cumsum()
        most = _most_served(hits)
        if most and (best is None or hits[most - 1] > best[0]):
            best = (int(hits[most - 1]), Rule(float(found.cosines[order[most - 1]]), margin))
    return best[1] if best else None


def best_share(scores: Sequence[float], right: Sequence[bool]) -> int:
    """How many right ones the lowest threshold serves at which 99 % of all served are right; 0 when none does."""
    order = np.argsort(-np.array(scores), kind="stable")
    ranked, hits = np.array(scores)[order], np.array(right, dtype=np.bool_)[order].cumsum()
    most = _most_served(hits, np.append(ranked[1:] != ranked[:-1], True)[: len(order)])
    return int(hits[most - 1]) if most else 0


def _most_served(hits: npt.NDArray[np.intp], ends: npt.NDArray[np.bool_] | None = None) -> int:
    """How many of a ranking may be served so that 99 % are right; 0 when none may. `hits` counts the right ones up to
    each place; a ranking may be cut at its `ends`, or anywhere."""
    served = np.arange(1, len(hits) + 1)
    precise = (hits >= _TARGET * served) & (served >= _FEWEST)
    places = np.flatnonzero(precise if ends is None else precise & ends)
    return int(places[-1]) + 1 if len(places) else 0
