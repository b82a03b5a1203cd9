"""The verdict on one question: exact wording first, then likeness, chance and the second look. No I/O."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from engine.matching.book import Book, Flags, Floats
from engine.matching.chance import Chance
from engine.matching.cores import one_core
from engine.matching.entry_look import look, says_the_same
from engine.matching.likeness import Likeness, likeness, signals
from engine.policy import GatePolicy
from engine.ports import Calibration
from engine.text.normal import question_form
from engine.types import Band, FaqMatch, FaqPair, Language


@dataclass(frozen=True, slots=True)
class _Candidate:
    entry: int
    score: float
    unlike: bool = False


@dataclass(frozen=True, slots=True)
class Matcher:
    book: Book
    chance: Chance
    calibration: Calibration
    """The embedder's own, for questions in another language than the entry's, which share no letters."""
    policy: GatePolicy

    def exact(self, text: str, visible: Flags, language: Language) -> FaqMatch | None:
        """The entry that has the question as a wording, if there is one."""
        book = self.book
        found = [index for index in book.exact.get(question_form(text), ()) if visible[index]]
        if not found:
            return None
        mine = [index for index in found if book.entries[index].language == language] or found
        ambiguous = len({book.entries[index].answer for index in mine}) > 1
        pairs = tuple(
            FaqPair(entry=entry.id, question=entry.questions[0], answer=entry.answer, score=1.0)
            for entry in (book.entries[index] for index in mine)
        )
        return FaqMatch(
            band="adjacent" if ambiguous else "direct",
            score=1.0,
            cosine=1.0,
            entry=book.entries[mine[0]],
            version=book.versions[mine[0]],
            vetoed_by="ambiguous" if ambiguous else None,
            nearest=pairs[: self.policy.few_shot_pairs],
        )

    def nearest(self, text: str, visible: Flags, language: Language, vector: Floats) -> FaqMatch:
        """The band of the best entry; `visible` names at least one."""
        book = self.book
        with one_core():
            like = likeness(book, text, vector, visible)
        same = np.asarray(visible & (book.russian == (language == "ru")), dtype=np.bool_)
        candidates = self._candidates(text, like, same, visible & ~same)
        best = candidates[0]
        vetoed_by = self._veto(text, like.among(same), best, language) if best.score >= self.policy.direct else None
        return FaqMatch(
            band=self._band(best.score, vetoed_by),
            score=round(best.score, 4),
            cosine=round(float(like.cosines[best.entry]), 4),
            entry=book.entries[best.entry],
            version=book.versions[best.entry],
            vetoed_by=vetoed_by,
            nearest=tuple(self._pair(one, like) for one in candidates[: self.policy.few_shot_pairs]),
            embeddings=1,
        )

    def _candidates(self, text: str, like: Likeness, same: Flags, others: Flags) -> list[_Candidate]:
        """The best entries of the asker's language, and the best of the other one, best first.

        What may be served comes before what is only nearer, and entries of another language, which may not be, are no
        rivals.
        """
        book, mine = self.book, like.among(same)
        found: list[_Candidate] = []
        for index in _best(np.where(same, mine.together, -np.inf), self.policy.few_shot_pairs):
            told = signals(book, text, mine, index, unrelated=self.chance.unrelated)
            score = self.chance.score(float(self.chance.of(told)), self.policy)
            found.append(_Candidate(index, score, unlike=bool(self.chance.unlike(told))))
        # The first is the likest; what follows it must not overtake it by a smaller lead over others.
        found = [replace(one, score=min(one.score, found[0].score)) for one in found]
        ahead = found[:1] if found and found[0].score >= self.policy.direct else []
        for index in _best(np.where(others, like.cosines, -np.inf), self.policy.few_shot_pairs):
            cosine = like.cosines[index : index + 1]
            found.append(_Candidate(index, float(calibrated(cosine, self.calibration, same_language=False)[0])))
        return [*ahead, *sorted(found[len(ahead) :], key=lambda one: -one.score)]

    def _veto(self, text: str, like: Likeness, best: _Candidate, language: Language) -> str | None:
        book = self.book
        if book.entries[best.entry].language != language:
            return "language"
        if best.unlike:
            return "unlike"
        reason = look(book, text, best.entry, like)
        if reason is None and book.classifier is None:
            rivals = like.cosines[book.answers != book.answers[best.entry]]
            lead = float(like.cosines[best.entry]) - float(rivals.max(initial=-1.0))
            if lead < self.policy.margin and not says_the_same(book, text, best.entry, like):
                return "margin"
        return reason

    def _band(self, score: float, vetoed_by: str | None) -> Band:
        if score >= self.policy.direct and vetoed_by is None:
            return "direct"
        return "adjacent" if score >= self.policy.adjacent else "miss"

    def _pair(self, one: _Candidate, like: Likeness) -> FaqPair:
        entry = self.book.entries[one.entry]
        row = max(self.book.rows(one.entry), key=lambda row: float(like.by_wording[row]))
        return FaqPair(entry=entry.id, question=self.book.wordings[row], answer=entry.answer, score=round(one.score, 4))


def calibrated(
    cosines: npt.NDArray[np.floating], calibration: Calibration, *, same_language: bool
) -> npt.NDArray[np.float64]:
    """Cosines alone on the scale where 0.92 and 0.78 mean the same for every embedder."""
    knots = calibration.same_language if same_language else calibration.cross_language
    xs, ys = np.array(knots, dtype=np.float64).T
    scores: npt.NDArray[np.float64] = np.interp(cosines, xs, ys)
    return scores


def _best(values: npt.NDArray[np.floating], count: int) -> list[int]:
    """The places of the highest finite values, highest first."""
    order = np.argsort(-values, kind="stable")[:count]
    return [int(index) for index in order if np.isfinite(values[index])]
