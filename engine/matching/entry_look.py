"""The second look at a whole entry: its own wordings show what it does not depend on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable
from functools import lru_cache

import numpy as np

from engine.matching.book import MANY_WORDINGS, Book
from engine.matching.contrasts import FILLERS
from engine.matching.likeness import Likeness
from engine.matching.names import shown
from engine.matching.reading import Reading, read
from engine.matching.second_look import Veto, same_content, veto, words_in_common
from engine.matching.small_talk import is_small_talk
from engine.text.stems import content_stems

_LOOKED_AT = 5
_RIVALS = 3
_NEAR = 0.25
"""Entries that ask the same are among so many, and so near in cosine."""
_VARIETY = 3
"""An entry whose wordings say so many different things about a matter does not depend on it."""
_PAIR = re.compile(r"([^\W\d_]+) (?:and|и) (?:(?:my|the|a|an|your|our|мой|мою|мои|за|на|в|о|об|с) )?([^\W\d_]+)$")
"""What two things at a question's end are called."""
_ABOUT_CONTENT: frozenset[Veto] = frozenset({"substitution", "condition"})
"""Rules for entries with few wordings; what belongs to an entry with many, the classifier has learned from them."""

_MATTERS: tuple[tuple[Veto, Callable[[Reading], Hashable]], ...] = (
    ("numbers", lambda reading: reading.numbers),
    ("units", lambda reading: reading.units),
    ("dates", lambda reading: reading.dates),
    ("question type", lambda reading: reading.question),
    ("aspect", lambda reading: reading.aspects),
)


def look(book: Book, text: str, entry: int, like: Likeness, *, own_row: int | None = None) -> Veto | None:
    """Why the entry must not be served for the question, or None.

    The nearest wording must let it pass. Of many wordings any of the nearest may; of few, another one only when it
    says the
    same: a wording that has nothing in common with the question objects to nothing.
    """
    rows = np.array([row for row in book.rows(entry) if row != own_row], dtype=np.intp)
    many = len(rows) >= MANY_WORDINGS
    if many and _asks_beside(text, book.vocabularies[entry]):
        return "condition"
    nearest = [book.wordings[row] for row in rows[np.argsort(-like.by_wording[rows])][:_LOOKED_AT]]
    if is_small_talk(text) and not (
        any(map(is_small_talk, nearest)) or is_about_the_bot(book.wordings[row] for row in rows)
    ):
        return "small talk"
    without = _free(tuple(book.wordings[row] for row in rows)) if many else frozenset[Veto]()
    if not many and _is_ambiguous(book, text, entry, like):
        return "ambiguous"
    around = book.around(entry)
    first: Veto | None = None
    for place, wording in enumerate(nearest):
        reason = veto(text, wording, book.names, around, without=without)
        if reason is None and (many or place == 0 or same_content(text, wording, book.names, book.base_around(entry))):
            return None
        first = first or reason
    return first


def _is_ambiguous(book: Book, text: str, entry: int, like: Likeness) -> bool:
    """Whether an entry with another answer asks the very same as the question, in as many of its words."""
    near = like.cosines > like.cosines[entry] - _NEAR
    rivals = np.flatnonzero(near & (book.answers != book.answers[entry]))
    likest = map(int, rivals[np.argsort(-like.cosines[rivals])][:_RIVALS])
    same = [_nearest(book, rival, like) for rival in likest if says_the_same(book, text, rival, like)]
    most = max((words_in_common(text, wording) for wording in same), default=-1)
    return most >= words_in_common(text, _nearest(book, entry, like))


def says_the_same(book: Book, text: str, entry: int, like: Likeness) -> bool:
    """Whether the entry's nearest wording and the question say and ask the same."""
    told = (text, _nearest(book, entry, like), book.names, book.around(entry))
    return same_content(*told) and veto(*told) is None


def _nearest(book: Book, entry: int, like: Likeness) -> str:
    return book.wordings[max(book.rows(entry), key=lambda row: float(like.by_wording[row]))]


def is_about_the_bot(wordings: Iterable[str]) -> bool:
    """One such wording among many may be a manner of speaking."""
    return sum(map(is_small_talk, wordings)) >= _VARIETY


def _asks_beside(text: str, vocabulary: Collection[str]) -> bool:
    """Whether two things are asked about, of which no wording names the one: "the fee for transfers and lockers"."""
    pair = _PAIR.search(read(text).text)
    if pair is None or FILLERS & set(pair.groups()):
        return False
    one, other = (content_stems(word) for word in pair.groups())
    return bool(one and other) and set(one).isdisjoint(vocabulary) != set(other).isdisjoint(vocabulary)


def prepare(book: Book) -> None:
    """Read all wordings, so that the first question about an entry does not wait for it."""
    for index in range(len(book.entries)):
        wordings = tuple(book.wordings[row] for row in book.rows(index))
        if len(wordings) >= MANY_WORDINGS:
            _free(wordings)


@lru_cache(maxsize=4096)
def _free(wordings: tuple[str, ...]) -> frozenset[Veto]:
    readings = [read(text) for text in wordings]
    free: set[Veto] = set(_ABOUT_CONTENT)
    for name, matter in _MATTERS:
        if len(Counter(map(matter, readings))) >= _VARIETY:
            free.add(name)
    if (
        min(Counter(reading.negated for reading in readings).values()) >= _VARIETY
        and len({reading.negated for reading in readings}) > 1
    ):
        free.add("negation")
    if len({shown(text) for text in wordings}) >= _VARIETY:
        free.add("names")
    if frozenset().union(*(one.sources for one in readings)) & frozenset().union(*(one.targets for one in readings)):
        free.add("direction")
    return frozenset(free)
