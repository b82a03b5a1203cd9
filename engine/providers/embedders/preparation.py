"""What happens to a text before it is embedded, and to a vector after: the same for every embedder."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.ports import Matrix
from engine.text.normal import NORMALISER, fold, normalise

QUESTION_CHARACTERS = 512
"""A question's meaning stands in its first lines; a model's time grows with the length."""

PASSAGE_CHARACTERS = 4000
"""Several chunks' worth; only a table without line breaks comes near it."""

PREPARATION = f"{NORMALISER}+p1"
"""Version of both preparations, part of every embedder's fingerprint, since vectors depend on them."""


def prepare_question(text: str) -> str:
    """The form in which questions are compared. Bare punctuation ("???") is kept; ValueError when nothing is left."""
    prepared = (normalise(text) or fold(text))[:QUESTION_CHARACTERS].rstrip()
    return _not_empty(prepared)


def prepare_passage(text: str) -> str:
    """A passage folded as questions are, of bounded length. ValueError when nothing is left.

    Small models take a capital letter for another word: folded passages are found first noticeably more often.
    """
    return _not_empty(fold(text)[:PASSAGE_CHARACTERS].rstrip())


def _not_empty(prepared: str) -> str:
    if not prepared:
        raise ValueError("an empty text cannot be embedded")
    return prepared


def unit_rows(vectors: npt.ArrayLike) -> Matrix:
    """The vectors as float32 rows of unit length. ValueError for a row that has no direction."""
    rows = np.atleast_2d(np.asarray(vectors, dtype=np.float32))
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.all(np.isfinite(lengths)) or not np.all(lengths > 0):
        raise ValueError("a vector without a direction: zero, infinite or not a number")
    return np.asarray(rows / lengths, dtype=np.float32)
