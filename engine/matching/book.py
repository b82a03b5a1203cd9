"""The stored FAQ, arranged for matching."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from engine.matching.classifier import LEXICAL_DIMENSIONS, KernelFeatures, RidgeClassifier
from engine.matching.lexicon import Lexicon
from engine.matching.names import Names
from engine.matching.restoring import Spelling
from engine.matching.surroundings import Surroundings, Vocabulary, said
from engine.ports import Matrix, StoredFaq
from engine.registry import canonical
from engine.text.normal import question_form
from engine.types import FaqEntry

Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]

MANY_WORDINGS = 8
"""From this median number of wordings per entry on, the classifier is asked too."""


@dataclass(frozen=True)
class Book:
    """Rows of one entry are neighbours; `starts` is where each entry begins, `owners` the entry of each row."""

    version: str
    entries: tuple[FaqEntry, ...]
    wordings: tuple[str, ...]
    exact: dict[str, tuple[int, ...]]
    matrix: Matrix
    starts: Indices
    owners: Indices
    answers: Indices
    """A number for each entry's answer: entries with the same answer are no rivals."""
    russian: Flags

    @classmethod
    def arrange(cls, faq: StoredFaq) -> Book:
        rows: dict[str, list[int]] = defaultdict(list)
        exact: dict[str, list[int]] = defaultdict(list)
        for row, (owner, _) in enumerate(faq.wordings):
            rows[owner].append(row)
        entries = tuple(entry for entry in faq.entries if rows[entry.id])
        order = [row for entry in entries for row in rows[entry.id]]
        sizes = [len(rows[entry.id]) for entry in entries]
        for index, entry in enumerate(entries):
            for row in rows[entry.id]:
                exact[question_form(faq.wordings[row][1])].append(index)
        numbers: dict[str, int] = {}
        return cls(
            version=faq.version,
            entries=entries,
            wordings=tuple(faq.wordings[row][1] for row in order),
            exact={text: tuple(dict.fromkeys(indices)) for text, indices in exact.items()},
            matrix=faq.vectors[order] if order else faq.vectors,
            starts=np.cumsum([0, *sizes])[:-1].astype(np.intp),
            owners=np.repeat(np.arange(len(entries), dtype=np.intp), sizes),
            answers=np.array([numbers.setdefault(entry.answer, len(numbers)) for entry in entries], dtype=np.intp),
            russian=np.array([entry.language == "ru" for entry in entries], dtype=np.bool_),
        )

    def rows(self, index: int) -> range:
        end = self.starts[index + 1] if index + 1 < len(self.starts) else len(self.wordings)
        return range(int(self.starts[index]), int(end))

    @cached_property
    def has_chats(self) -> bool:
        """Some entry is for some conversations only."""
        return any(entry.chats for entry in self.entries)

    @cached_property
    def lexicon(self) -> Lexicon:
        return Lexicon(self.wordings)

    @cached_property
    def vocabulary(self) -> Vocabulary | None:
        """None where entries have so many wordings that these show what they depend on."""
        return Vocabulary(self.lexicon.stems, self.owners, self.answers) if self.classifier is None else None

    def around(self, index: int) -> Surroundings:
        """What stands around an entry's wordings."""
        return replace(self.base_around(index), said=said(self.entries[index].answer))

    def base_around(self, index: int) -> Surroundings:
        """Without its answer."""
        return Surroundings(vocabulary=self.vocabulary, answer=int(self.answers[index]))

    @cached_property
    def names(self) -> Names:
        return Names.of([entry.questions for entry in self.entries])

    @cached_property
    def spelling(self) -> Spelling:
        return Spelling(self.wordings)

    @cached_property
    def versions(self) -> tuple[str, ...]:
        """Changes with whatever an editor changes in an entry."""
        return tuple(entry_version(entry) for entry in self.entries)

    def warm(self) -> Book:
        """Make all that is made on first use, in whatever thread this runs in."""
        _ = (
            self.names,
            self.spelling,
            self.versions,
            self.vocabularies,
            self.vocabulary,
            self.lexicon,
            self.classifier,
        )
        return self

    @cached_property
    def features(self) -> Matrix:
        """Rows for the classifier: an embedding, and beside it the letters and words."""
        return self.features_of(self.wordings, self.matrix)

    @cached_property
    def _kernel(self) -> KernelFeatures:
        return KernelFeatures(self.matrix)

    def features_of(self, texts: Sequence[str], vectors: Matrix) -> Matrix:
        return np.hstack([self._kernel.of(vectors), self.lexicon.dense(texts, LEXICAL_DIMENSIONS)])

    @cached_property
    def classifier(self) -> RidgeClassifier | None:
        """None where most entries have too few wordings to learn from."""
        if not self.entries or np.median(np.bincount(self.owners)) < MANY_WORDINGS:
            return None
        return RidgeClassifier(self.features, self.owners, len(self.entries))

    @cached_property
    def vocabularies(self) -> tuple[dict[str, int], ...]:
        """For each entry, in how many of its wordings a stem stands."""
        counts: tuple[dict[str, int], ...] = tuple({} for _ in self.entries)
        for owner, stems in zip(self.owners, self.lexicon.stems, strict=True):
            own = counts[owner]
            for stem in stems:
                own[stem] = own.get(stem, 0) + 1
        return counts

    def best_of_entries(self, by_wording: Floats) -> Floats:
        """The best of each entry's wordings."""
        return np.asarray(np.maximum.reduceat(by_wording, self.starts), dtype=np.float32)


def entry_version(entry: FaqEntry) -> str:
    """Changes with whatever an editor changes in the entry."""
    return hashlib.sha256(canonical(entry).encode()).hexdigest()[:12]
