"""How much a question looks like each entry, and what speaks for and against the best of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from engine.matching.book import Book, Flags, Floats
from engine.matching.second_look import same_content
from engine.text.normal import question_form
from engine.text.stems import content_stems

_LETTERS_WEIGHT = 0.5
"""What letters and words count beside the cosine when the best entry is chosen."""
_NEARNESS_WEIGHT = 0.5
"""What both count beside the classifier, where there is one."""
_NOWHERE = -1.0

SIGNALS = (
    "classifier",
    "classifier lead",
    "cosine",
    "cosine lead",
    "letters",
    "letters lead",
    "question covered",
    "wording covered",
    "same content",
)
"""What `Likeness.signals` holds, in this order. A lead is over the best entry with another answer."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """Each array has a value for each entry; entries that may not be served have -1."""

    by_wording: Floats
    """Cosines, one for each wording."""
    cosines: Floats
    letters: Floats
    predicted: Floats
    """By the classifier; zeros without one."""

    @property
    def together(self) -> Floats:
        nearness = np.asarray(self.cosines + _LETTERS_WEIGHT * self.letters, dtype=np.float32)
        if not self.predicted.any():
            return nearness
        return np.asarray(self.predicted + _NEARNESS_WEIGHT * nearness, dtype=np.float32)

    def among(self, entries: Flags) -> Likeness:
        """As if the book had only these."""
        return replace(
            self,
            cosines=np.where(entries, self.cosines, _NOWHERE).astype(np.float32),
            letters=np.where(entries, self.letters, _NOWHERE).astype(np.float32),
            predicted=np.where(entries, self.predicted, _NOWHERE).astype(np.float32),
        )


def likeness(book: Book, text: str, vector: Floats, visible: Flags) -> Likeness:
    predicted = np.zeros(len(book.entries), dtype=np.float32)
    if book.classifier is not None:
        predicted = book.classifier.predict(book.features_of([text], vector[None]))[0]
    return likeness_of(book, book.matrix @ vector, book.lexicon.similarities(text), predicted, visible)


def likeness_of(book: Book, by_wording: Floats, letters: Floats, predicted: Floats, visible: Flags) -> Likeness:
    """From the cosine and the common letters of each wording, and what the classifier says of each entry."""
    return Likeness(
        by_wording=by_wording,
        cosines=np.where(visible, book.best_of_entries(by_wording), _NOWHERE).astype(np.float32),
        letters=np.where(visible, book.best_of_entries(letters), _NOWHERE).astype(np.float32),
        predicted=np.where(visible, predicted, _NOWHERE).astype(np.float32),
    )


def signals(
    book: Book, text: str, like: Likeness, best: int, *, unrelated: float, own_row: int | None = None
) -> npt.NDArray[np.float64]:
    """What speaks for the entry `best`: see `SIGNALS`.

    `unrelated` is the cosine that unrelated questions reach: with it taken out, embedders can be compared. `own_row` is
    the wording itself when a wording is asked as if it were a question.
    """
    rivals = book.answers != book.answers[best]
    span = 1 - unrelated
    asked = set(content_stems(question_form(text)))
    own = own_row is not None and book.owners[own_row] == best
    vocabulary = {stem for stem, count in book.vocabularies[best].items() if count > own}
    rows = [row for row in book.rows(best) if row != own_row]
    nearest = sorted(rows, key=lambda row: -float(like.by_wording[row]))[:3]
    around = book.base_around(best)
    covered = [book.lexicon.share(book.lexicon.stems[row], asked) for row in nearest]
    return np.array(
        [
            like.predicted[best],
            _lead(like.predicted, best, rivals),
            (like.cosines[best] - unrelated) / span,
            _lead(like.cosines, best, rivals, floor=unrelated) / span,
            like.letters[best],
            _lead(like.letters, best, rivals),
            book.lexicon.share(asked, vocabulary, besides=int(own_row is not None)),
            max(covered, default=0.0),
            any(same_content(text, book.wordings[row], book.names, around) for row in nearest),
        ],
        dtype=np.float64,
    )


def _lead(values: Floats, best: int, rivals: Flags, *, floor: float = 0.0) -> float:
    return float(values[best] - max(float(values[rivals].max(initial=_NOWHERE)), floor))
