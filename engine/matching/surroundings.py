"""What stands around a wording: the answer that it leads to, and the other entries of its base.

An answer that gives steps says how as well as whether; and a word that differs between question and wording matters
less when it is a matter of course in that base.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from engine.matching.reading import synonyms
from engine.matching.typos import is_kin
from engine.text.normal import fold

_COMMON_SHARE = 0.1
_COMMON_FROM = 5
"""A word that a tenth of the entries use, and as many as these, is a matter of course."""
_KEY = 4
_STEPS = re.compile(
    r"\b(?!извините|простите|обратите внимание|учтите)[^\W\d_]{2,}(?:ите|йте|ьте)(?:сь)?\b"
    r"|(?:^|[.:;!)]|\b(?:then|and|please|to|can))\s*(?:open|go to|click|choose|select|press|tap|enter|log in|sign in"
    r"|send|write|call|contact|fill|visit|follow|use|upload|download|add|submit|reply|bring)\b"
)
_REFUSES = re.compile(r"(?:нет|нельзя|к сожалению|no|you cannot|you can't|unfortunately|sorry)\b")


@dataclass(frozen=True, slots=True)
class Said:
    """What an answer shows of the question that it is meant for."""

    tells_how: bool = False
    refuses: bool = False

    def answers(self, asked: str | None, known: str | None) -> bool:
        """Whether it answers either kind of question: steps say that one can, and how; a refusal, that one cannot."""
        return {asked, known} == {"how", "can"} and (self.tells_how or (self.refuses and known == "can"))


@lru_cache(maxsize=4096)
def said(answer: str) -> Said:
    plain = fold(answer)
    return Said(tells_how=bool(_STEPS.search(plain)), refuses=bool(_REFUSES.match(plain)))


class Vocabulary:
    """The words of a base, and which wordings use them."""

    def __init__(
        self, stems: Sequence[frozenset[str]], owners: npt.NDArray[np.intp], answers: npt.NDArray[np.intp]
    ) -> None:
        """The stems of each wording, its entry, and the answer of each entry."""
        rows: dict[str, set[int]] = defaultdict(set)
        for row, told in enumerate(stems):
            for one in told:
                rows[one].add(row)
        alike: dict[str, list[str]] = defaultdict(list)
        for one in rows:
            for key in _keys(one):
                alike[key].append(one)
        self._rows, self._alike = dict(rows), dict(alike)
        self._leads_to = answers[owners]
        often = max(_COMMON_SHARE * len(answers), _COMMON_FROM)
        frequent = [one for one, held in rows.items() if len(np.unique(owners[list(held)])) >= often]
        self.common = frozenset(form for one in frequent for form in self._forms(one))
        """Stems that so many entries use that they seldom tell two of them apart, with their other forms."""

    def name_only(self, told: Iterable[str], answer: int) -> bool:
        """Whether no wording that leads to another answer holds all of these, each in any form or by a synonym."""
        held = [
            set[int]().union(*(self._rows[form] for form in (*self._forms(one), *self._synonyms(one)))) for one in told
        ]
        return all(self._leads_to[row] == answer for row in set.intersection(*held))

    def _forms(self, word: str) -> list[str]:
        return [other for other in self._alike.get(word[:_KEY], ()) if is_kin(word, other)]

    def _synonyms(self, word: str) -> list[str]:
        return [other for group in synonyms(word) for other in self._alike.get(f"={group}", ())]


def _keys(word: str) -> list[str]:
    return [word[:_KEY], *(f"={group}" for group in synonyms(word))]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Those of one entry. Without a base, no word is a matter of course."""

    said: Said = Said()
    vocabulary: Vocabulary | None = None
    answer: int = -1

    def of_course(self, words: Collection[str], shared: Collection[str]) -> frozenset[str]:
        """Those of the words that most of the base is about, where what is shared besides names this entry alone."""
        if self.vocabulary is None or not shared:
            return frozenset()
        common = self.vocabulary.common.intersection(words)
        return common if common and self.vocabulary.name_only(shared, self.answer) else frozenset()
