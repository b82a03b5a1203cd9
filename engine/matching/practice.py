"""What a base can be asked without anybody's help: its own wordings, each as if it were not known.

A wording left out must find its entry, and so must one with a light edit. With its whole entry left out it must find
none. Neither must the shipped background
questions, nor the hard negatives, which are made of the wordings.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from engine.matching.background import background
from engine.matching.book import Book, Flags, Floats
from engine.matching.entry_look import look
from engine.matching.likeness import Likeness, likeness, signals
from engine.matching.negatives import hard_negatives, light_edits
from engine.matching.second_look import Veto
from engine.ports import Matrix
from engine.text.normal import detect_language, question_form
from engine.types import Language

Kind = Literal["wording", "edited", "left out", "background", "negative", "labelled"]
Embed = Callable[[Sequence[str]], Awaitable[Matrix]]

_WORDINGS = 2000
_NEGATIVES = 300
_EDITS = 200
_NOWHERE = -1.0


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


async def unrelated_cosine(book: Book, embed: Embed) -> tuple[float, dict[Language, Matrix]]:
    """The cosine that half of the background questions of the base's languages reach, and their vectors."""
    vectors: dict[Language, Matrix] = {}
    reached: list[float] = []
    for language in sorted({entry.language for entry in book.entries}):
        vectors[language] = await embed([question_form(text) for text in background(language)])
        same = book.russian[book.owners] == (language == "ru")
        reached.extend(float(one) for one in (vectors[language] @ book.matrix[same].T).max(axis=1))
    return float(np.median(reached)), vectors


async def practise(book: Book, embed: Embed, labelled: Sequence[Labelled] = ()) -> tuple[list[Tried], float]:
    """All practice questions, tried, and the unrelated cosine."""
    unrelated, backgrounds = await unrelated_cosine(book, embed)
    trial = _Trial(book, unrelated)
    tried = list(trial.own_wordings())
    for language, vectors in backgrounds.items():
        for text, vector in zip(background(language), vectors, strict=True):
            tried.append(trial.ask("background", text, vector, language, wanted=None))
    tried += await _changed(trial, embed, hard_negatives(book.wordings, _NEGATIVES), "negative")
    tried += await _changed(trial, embed, light_edits(book.wordings, _EDITS), "edited")
    ids = {entry.id: index for index, entry in enumerate(book.entries)}
    for one, vector in zip(labelled, await _embedded(embed, [one.question for one in labelled]), strict=True):
        wanted = ids[one.entry] if one.entry is not None else None
        tried.append(trial.ask("labelled", one.question, vector, detect_language(one.question), wanted=wanted))
    return tried, unrelated


async def _changed(trial: _Trial, embed: Embed, made: Sequence[tuple[int, str]], kind: Kind) -> list[Tried]:
    """Changed wordings. A negative counts only beside its own entry: another one may well answer it."""
    tried: list[Tried] = []
    for (row, text), vector in zip(made, await _embedded(embed, [text for _, text in made]), strict=True):
        owner = int(trial.book.owners[row])
        wanted = owner if kind == "edited" else None
        one = trial.ask(kind, text, vector, trial.book.entries[owner].language, wanted=wanted)
        if kind == "edited" or one.found == owner:
            tried.append(one)
    return tried


async def _embedded(embed: Embed, texts: Sequence[str]) -> Matrix:
    if not texts:
        return np.zeros((0, 0), dtype=np.float32)
    return await embed([question_form(text) or text for text in texts])


@dataclass(frozen=True, slots=True)
class _Trial:
    book: Book
    unrelated: float

    def ask(self, kind: Kind, text: str, vector: Floats, language: Language, *, wanted: int | None) -> Tried:
        visible = self._speaking(language)
        if not visible.any():
            visible = np.ones(len(self.book.entries), dtype=np.bool_)
        return self._tried(kind, text, likeness(self.book, text, vector, visible), wanted)

    def own_wordings(self) -> Iterator[Tried]:
        """A sample of the wordings, each left out, and each with its whole entry left out."""
        book = self.book
        chosen = np.random.default_rng(0).permutation(len(book.wordings))[:_WORDINGS]
        sizes = np.bincount(book.owners, minlength=len(book.entries))
        for entry in np.unique(book.owners[chosen]):
            rows = chosen[book.owners[chosen] == entry]
            alone, without = self._predictions(int(entry), rows)
            for row, predicted, unpredicted in zip(rows, alone, without, strict=True):
                like = self._left_out(int(row))
                if sizes[entry] > 1:
                    yield self._tried(
                        "wording", book.wordings[row], replace(like, predicted=predicted), int(entry), int(row)
                    )
                if len(book.entries) > 1:
                    yield self._without_entry(int(row), int(entry), like, unpredicted)

    def _predictions(self, entry: int, rows: npt.NDArray[np.intp]) -> tuple[Floats, Floats]:
        classifier = self.book.classifier
        if classifier is None:
            nothing = np.zeros((len(rows), len(self.book.entries)), dtype=np.float32)
            return nothing, nothing
        features = self.book.features
        alone = classifier.leave_one_out(features, rows)
        places = {row: place for place, row in enumerate(self.book.rows(entry))}
        return alone, classifier.entry_out(features, entry)[[places[int(row)] for row in rows]]

    def _left_out(self, row: int) -> Likeness:
        book = self.book
        by_wording = book.matrix @ book.matrix[row]
        letters = book.lexicon.similarities(book.wordings[row])
        by_wording[row] = letters[row] = _NOWHERE
        visible = self._speaking(book.entries[int(book.owners[row])].language)
        return Likeness(
            by_wording=by_wording,
            cosines=np.where(visible, book.best_of_entries(by_wording), _NOWHERE).astype(np.float32),
            letters=np.where(visible, book.best_of_entries(letters), _NOWHERE).astype(np.float32),
            predicted=np.zeros(len(book.entries), dtype=np.float32),
        )

    def _without_entry(self, row: int, entry: int, like: Likeness, predicted: Floats) -> Tried:
        gone = self.book.answers == self.book.answers[entry]
        without = Likeness(
            by_wording=like.by_wording,
            cosines=np.where(gone, _NOWHERE, like.cosines).astype(np.float32),
            letters=np.where(gone, _NOWHERE, like.letters).astype(np.float32),
            predicted=np.where(gone, _NOWHERE, predicted).astype(np.float32),
        )
        return self._tried("left out", self.book.wordings[row], without, None)

    def _tried(self, kind: Kind, text: str, like: Likeness, wanted: int | None, own_row: int | None = None) -> Tried:
        book = self.book
        best = int(like.together.argmax())
        return Tried(
            kind=kind,
            text=text,
            found=best,
            signals=signals(book, text, like, best, unrelated=self.unrelated, own_row=own_row),
            vetoed_by=look(book, text, best, like.by_wording, own_row=own_row),
            wanted=wanted,
            right=wanted is not None and bool(book.answers[best] == book.answers[wanted]),
        )

    def _speaking(self, language: Language) -> Flags:
        return np.asarray(self.book.russian == (language == "ru"), dtype=np.bool_)
