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
        tried = list(trial.own_wordings())
        for one in self.asked:
            wanted = None if one.kind == "negative" else one.owner
            found = trial.ask(one.kind, one.text, one.vector, one.language, wanted=wanted)
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
