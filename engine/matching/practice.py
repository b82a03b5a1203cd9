"""What a base can be asked without anybody's help: its own wordings, each as if it were not known.

A wording left out must find its entry, and so must one with a light edit. With its whole entry left out it must find
none. Neither must the shipped background
questions, nor the hard negatives, which are made of the wordings.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from engine.matching.background import background, small_talk
from engine.matching.book import MANY_WORDINGS, Book, Flags, Floats
from engine.matching.entry_look import is_about_the_bot, look
from engine.matching.likeness import Likeness, likeness_of, signals
from engine.matching.negatives import hard_negatives, light_edits
from engine.matching.second_look import Veto
from engine.matching.small_talk import is_small_talk
from engine.ports import Matrix
from engine.text.normal import detect_language, question_form
from engine.types import Language

Kind = Literal["wording", "edited", "left out", "background", "negative", "labelled"]
Embed = Callable[[Sequence[str]], Awaitable[Matrix]]

_WORDINGS = 3000
_LEFT_OUT = 600
_NEGATIVES = 300
_EDITS = 200
_BLOCK = 256
_NOWHERE = -1.0
PRIOR_UNRELATED = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One practice question with its best entry."""

    kind: Kind
    text: str
    found: int
    signals: npt.NDArray[np.float64]
    vetoed_by: Veto | None
    wanted: int | None
    """The entry that answers it; None when none does."""
    right: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A question of which somebody knows the entry (its id), or that there is none (None)."""

    question: str
    entry: str | None


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question to try, with its vector. `owner` is the entry that it was made from or belongs to."""

    kind: Kind
    text: str
    vector: Floats
    language: Language
    owner: int | None


@dataclass(frozen=True, slots=True)
class Practice:
    """All questions to try beside the wordings themselves, embedded; `tried` needs no more than time."""

    book: Book
    asked: tuple[_Asked, ...]

    @classmethod
    async def prepare(cls, book: Book, embed: Embed, labelled: Sequence[Labelled] = ()) -> Practice:
        """Raises KeyError for a labelled question whose entry the book does not have."""
        ids = {entry.id: index for index, entry in enumerate(book.entries)}
        languages = [entry.language for entry in book.entries]
        texts: list[tuple[Kind, str, Language, int | None]] = [
            ("background", text, language, None) for language in sorted(set(languages)) for text in background(language)
        ]
        if not await asyncio.to_thread(_has_small_talk, book):
            texts += [
                ("background", text, language, None)
                for language in sorted(set(languages))
                for text in small_talk(language)
            ]
        made: list[tuple[Kind, list[tuple[int, str]]]] = [
            ("negative", hard_negatives(book.wordings, _NEGATIVES)),
            ("edited", light_edits(book.wordings, _EDITS)),
        ]
        for kind, changed in made:
            for row, text in changed:
                owner = int(book.owners[row])
                texts.append((kind, text, languages[owner], owner))
        for one in labelled:
            place = ids[one.entry] if one.entry is not None else None
            texts.append(("labelled", one.question, detect_language(one.question), place))
        vectors = await embed([question_form(text) or text for _, text, _, _ in texts])
        asked = (
            _Asked(kind, text, vector, language, owner)
            for (kind, text, language, owner), vector in zip(texts, vectors, strict=True)
        )
        return cls(book, tuple(asked))

    def tried(self) -> tuple[list[Tried], float]:
        """Everything, tried, and the cosine that half of the background questions reach. Takes seconds."""
        unrelated = self._unrelated()
        trial = _Trial(self.book, unrelated)
        tried = [*trial.own_wordings(), *trial.entries_left_out()]
        for one, found in zip(self.asked, trial.ask(self.asked), strict=True):
            # A negative counts only beside its own entry: another one may well answer it.
            if one.kind != "negative" or found.found == one.owner:
                tried.append(found)
        return tried, unrelated

    def _unrelated(self) -> float:
        book = self.book
        russian = book.russian[book.owners]
        reached = [
            float((book.matrix[russian == (one.language == "ru")] @ one.vector).max())
            for one in self.asked
            if one.kind == "background"
        ]
        return float(np.clip(np.median(reached), 0.0, 0.95)) if reached else PRIOR_UNRELATED


def _has_small_talk(book: Book) -> bool:
    """Whether some entry is about the bot itself."""
    for index in range(len(book.entries)):
        wordings = [book.wordings[row] for row in book.rows(index)]
        if is_about_the_bot(wordings) or (len(wordings) < MANY_WORDINGS and any(map(is_small_talk, wordings))):
            return True
    return False


@dataclass(frozen=True, slots=True)
class _Trial:
    book: Book
    unrelated: float

    def ask(self, asked: Sequence[_Asked]) -> Iterator[Tried]:
        book = self.book
        everything = np.ones(len(book.entries), dtype=np.bool_)
        for start in range(0, len(asked), _BLOCK):
            block = asked[start : start + _BLOCK]
            vectors = np.stack([one.vector for one in block])
            cosines = vectors @ book.matrix.T
            predicted = self._nothing(len(block))
            if book.classifier is not None:
                predicted = book.classifier.predict(book.features_of([one.text for one in block], vectors))
            for one, by_wording, guess in zip(block, cosines, predicted, strict=True):
                visible = self._speaking(one.language)
                visible = visible if visible.any() else everything
                like = likeness_of(book, by_wording, book.lexicon.similarities(one.text), guess, visible)
                yield self._tried(one.kind, one.text, like, None if one.kind == "negative" else one.owner)

    def own_wordings(self) -> Iterator[Tried]:
        """A sample of the wordings, each left out."""
        book = self.book
        sizes = np.bincount(book.owners, minlength=len(book.entries))
        order = np.random.default_rng(0).permutation(len(book.wordings))
        chosen = order[sizes[book.owners[order]] > 1][:_WORDINGS]
        for start in range(0, len(chosen), _BLOCK):
            rows = chosen[start : start + _BLOCK]
            alone = self._nothing(len(rows))
            if book.classifier is not None:
                alone = book.classifier.leave_one_out(book.features, rows)
            for row, like in zip(rows, self._left_out(rows, alone), strict=True):
                yield self._tried("wording", book.wordings[row], like, int(book.owners[row]), int(row))

    def entries_left_out(self) -> Iterator[Tried]:
        """The wordings of some entries, each with its whole entry left out: a question that nothing answers."""
        book = self.book
        left = _LEFT_OUT if len(book.entries) > 1 else 0
        for entry in np.random.default_rng(1).permutation(len(book.entries)):
            if left <= 0:
                break
            rows = np.arange(len(book.wordings), dtype=np.intp)[book.owners == entry][:left]
            left -= len(rows)
            without = self._nothing(len(rows))
            if book.classifier is not None:
                without = book.classifier.entry_out(book.features, int(entry))[: len(rows)]
            for row, like in zip(rows, self._left_out(rows, without), strict=True):
                yield self._without_entry(int(row), int(entry), like)

    def _nothing(self, rows: int) -> Floats:
        return np.zeros((rows, len(self.book.entries)), dtype=np.float32)

    def _left_out(self, rows: npt.NDArray[np.intp], predicted: Floats) -> Iterator[Likeness]:
        """Each wording asked as if the book did not have it."""
        book = self.book
        cosines = book.matrix[rows] @ book.matrix.T
        for row, by_wording, guess in zip(rows, cosines, predicted, strict=True):
            letters = book.lexicon.similarities(book.wordings[row])
            by_wording[row] = letters[row] = _NOWHERE
            visible = self._speaking(book.entries[int(book.owners[row])].language)
            yield likeness_of(book, by_wording, letters, guess, visible)

    def _without_entry(self, row: int, entry: int, like: Likeness) -> Tried:
        gone = self.book.answers == self.book.answers[entry]
        without = like.among(~gone)
        return self._tried("left out", self.book.wordings[row], without, None)

    def _tried(self, kind: Kind, text: str, like: Likeness, wanted: int | None, own_row: int | None = None) -> Tried:
        book = self.book
        best = int(like.together.argmax())
        return Tried(
            kind=kind,
            text=text,
            found=best,
            signals=signals(book, text, like, best, unrelated=self.unrelated, own_row=own_row),
            vetoed_by=look(book, text, best, like, own_row=own_row),
            wanted=wanted,
            right=wanted is not None and bool(book.answers[best] == book.answers[wanted]),
        )

    def _speaking(self, language: Language) -> Flags:
        return np.asarray(self.book.russian == (language == "ru"), dtype=np.bool_)
