"""The FAQ gate: known questions are answered from the stored text, byte for byte, with no model call.

Exact normalised match first, then cosine over all wordings on the embedder's calibrated scale, then a second look.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt

from engine.policy import GatePolicy
from engine.ports import Calibration, Embedder, FaqStore, Matrix, StoredFaq
from engine.stages.second_look import veto
from engine.text.context import stands_alone
from engine.text.normal import detect_language, question_form
from engine.types import Band, FaqEntry, FaqMatch, FaqPair, Language, Question

_MISS = FaqMatch(band="miss", score=0.0, cosine=0.0, entry=None)
_REFRESH_SECONDS = 2.0
_WORDINGS_LOOKED_AT = 5


@dataclass(frozen=True, slots=True)
class _Book:
    """The stored FAQ, arranged for matching; rows of one entry are neighbours, `starts` is where each entry begins."""

    version: str
    entries: tuple[FaqEntry, ...]
    wordings: tuple[str, ...]
    exact: dict[str, tuple[int, ...]]
    matrix: Matrix
    starts: npt.NDArray[np.intp]
    russian: npt.NDArray[np.bool_]

    @classmethod
    def arrange(cls, faq: StoredFaq) -> _Book:
        rows: dict[str, list[int]] = defaultdict(list)
        exact: dict[str, list[int]] = defaultdict(list)
        for row, (owner, _) in enumerate(faq.wordings):
            rows[owner].append(row)
        entries = tuple(entry for entry in faq.entries if rows[entry.id])
        order = [row for entry in entries for row in rows[entry.id]]
        starts = np.cumsum([0, *(len(rows[entry.id]) for entry in entries)])[:-1]
        for index, entry in enumerate(entries):
            for row in rows[entry.id]:
                exact[question_form(faq.wordings[row][1])].append(index)
        return cls(
            version=faq.version,
            entries=entries,
            wordings=tuple(faq.wordings[row][1] for row in order),
            exact={text: tuple(dict.fromkeys(indices)) for text, indices in exact.items()},
            matrix=faq.vectors[order] if order else faq.vectors,
            starts=starts.astype(np.intp),
            russian=np.array([entry.language == "ru" for entry in entries], dtype=np.bool_),
        )

    def rows(self, index: int) -> range:
        end = self.starts[index + 1] if index + 1 < len(self.starts) else len(self.wordings)
        return range(int(self.starts[index]), int(end))


class CalibratedFaqGate:
    """Reads the FAQ from its store and follows its changes within seconds."""

    def __init__(self, store: FaqStore, embedder: Embedder, policy: GatePolicy) -> None:
        self._store = store
        self._embedder = embedder
        self._policy = policy
        self._book: _Book | None = None
        self._checked = 0.0
        self._loading = asyncio.Lock()
        self._seen: dict[tuple[str, frozenset[str], str], npt.NDArray[np.bool_]] = {}

    async def match(self, question: Question) -> FaqMatch:
        """Which known question this is. Raises ProviderError when the embedder or the store fails."""
        if not stands_alone(question.text):
            return _MISS
        book = await self._current()
        visible = self._visible(book, question.audience)
        if not visible.any():
            return _MISS
        language = question.language or detect_language(question.text)
        if (exact := _exact(book, question.text, visible, language)) is not None:
            return exact
        vector = (await self._embedder.embed_questions([question_form(question.text)]))[0]
        return self._nearest(book, question.text, language, visible, vector)

    async def _current(self) -> _Book:
        now = time.monotonic()
        if self._book is not None and now - self._checked < _REFRESH_SECONDS:
            return self._book
        async with self._loading:
            if self._book is None or await self._store.version() != self._book.version:
                self._book = _Book.arrange(await self._store.load())
            self._checked = time.monotonic()
            return self._book

    def _visible(self, book: _Book, audience: frozenset[str]) -> npt.NDArray[np.bool_]:
        """Which entries this audience may be served today; remembered, since it takes a look at every entry."""
        today = datetime.now(UTC).date().isoformat()
        key = (book.version, audience, today)
        if key not in self._seen:
            self._seen = {key: _served(book.entries, audience, today)}
        return self._seen[key]

    def _nearest(
        self,
        book: _Book,
        text: str,
        language: Language,
        visible: npt.NDArray[np.bool_],
        vector: npt.NDArray[np.float32],
    ) -> FaqMatch:
        by_wording = book.matrix @ vector
        cosines = np.where(visible, np.maximum.reduceat(by_wording, book.starts), -1.0)
        same = book.russian == (language == "ru")
        scores = np.where(
            same,
            calibrated(cosines, self._embedder.calibration, same_language=True),
            calibrated(cosines, self._embedder.calibration, same_language=False),
        )
        order = np.lexsort((-cosines, -scores))[: self._policy.few_shot_pairs + 1]
        order = np.array([index for index in order if visible[index]], dtype=np.intp)
        best = int(order[0])
        score, cosine = float(scores[best]), float(cosines[best])
        vetoed_by = self._veto(book, text, best, by_wording, cosines, order) if score >= self._policy.direct else None
        if vetoed_by is None and score >= self._policy.direct and not same[best]:
            vetoed_by = "language"
        band = self._band(score, vetoed_by)
        pairs = tuple(_pair(book, int(index), by_wording, float(scores[index])) for index in order)
        return FaqMatch(
            band=band,
            score=round(score, 4),
            cosine=round(cosine, 4),
            entry=book.entries[best],
            vetoed_by=vetoed_by,
            nearest=pairs[: self._policy.few_shot_pairs],
            embeddings=1,
        )

    def _veto(
        self,
        book: _Book,
        text: str,
        best: int,
        by_wording: npt.NDArray[np.float32],
        cosines: npt.NDArray[np.float32],
        order: npt.NDArray[np.intp],
    ) -> str | None:
        answer = book.entries[best].answer
        rivals = [float(cosines[index]) for index in order[1:] if book.entries[index].answer != answer]
        if rivals and float(cosines[best]) - rivals[0] < self._policy.margin:
            return "margin"
        rows = sorted(book.rows(best), key=lambda row: -float(by_wording[row]))[:_WORDINGS_LOOKED_AT]
        reasons = [veto(text, book.wordings[row]) for row in rows]
        return None if None in reasons else reasons[0]

    def _band(self, score: float, vetoed_by: str | None) -> Band:
        if score >= self._policy.direct and vetoed_by is None:
            return "direct"
        return "adjacent" if score >= self._policy.adjacent else "miss"


def calibrated(
    cosines: npt.NDArray[np.floating], calibration: Calibration, *, same_language: bool
) -> npt.NDArray[np.float64]:
    """Cosines on the scale where 0.92 and 0.78 mean the same for every embedder."""
    knots = calibration.same_language if same_language else calibration.cross_language
    xs, ys = np.array(knots, dtype=np.float64).T
    scores: npt.NDArray[np.float64] = np.interp(cosines, xs, ys)
    return scores


def _exact(book: _Book, text: str, visible: npt.NDArray[np.bool_], language: Language) -> FaqMatch | None:
    found = [book.entries[index] for index in book.exact.get(question_form(text), ()) if visible[index]]
    if not found:
        return None
    mine = [entry for entry in found if entry.language == language] or found
    ambiguous = len({entry.answer for entry in mine}) > 1
    pairs = tuple(
        FaqPair(entry=entry.id, question=entry.questions[0], answer=entry.answer, score=1.0) for entry in mine
    )
    return FaqMatch(
        band="adjacent" if ambiguous else "direct",
        score=1.0,
        cosine=1.0,
        entry=mine[0],
        vetoed_by="ambiguous" if ambiguous else None,
        nearest=pairs[:3],
    )


def _served(entries: tuple[FaqEntry, ...], audience: frozenset[str], today: str) -> npt.NDArray[np.bool_]:
    return np.array(
        [
            bool(entry.audience & audience)
            and (entry.valid_from is None or entry.valid_from <= today)
            and (entry.valid_until is None or today <= entry.valid_until)
            for entry in entries
        ],
        dtype=np.bool_,
    )


def _pair(book: _Book, index: int, by_wording: npt.NDArray[np.float32], score: float) -> FaqPair:
    entry = book.entries[index]
    row = max(book.rows(index), key=lambda row: float(by_wording[row]))
    return FaqPair(entry=entry.id, question=book.wordings[row], answer=entry.answer, score=round(score, 4))
