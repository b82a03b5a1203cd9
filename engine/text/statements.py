"""A chunk taken apart for comparing it with questions: its words, and each of its statements with what that has."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from engine.text.answer_types import AnswerType, hedges, held_kinds, only_announces, sets_forth
from engine.text.passages import passages
from engine.text.stems import content_stems


@dataclass(frozen=True, slots=True)
class Statement:
    stems: frozenset[str]
    """Of the statement, of what leads into it, and of the chunk's header."""
    kinds: frozenset[AnswerType]
    plain: bool
    """Whether it says what is, rather than what may be or where it is told."""


@dataclass(frozen=True, slots=True)
class Anatomy:
    stems: frozenset[str]
    statements: tuple[Statement, ...]
    sets_forth: bool
    kinds: frozenset[AnswerType]


@lru_cache(maxsize=1 << 13)
def anatomy(header: str, text: str) -> Anatomy:
    """Remembered: the same chunks are candidates for many questions."""
    above = frozenset(content_stems(header))
    return Anatomy(
        stems=above | frozenset(content_stems(text)),
        statements=tuple(
            Statement(
                stems=above | frozenset(content_stems(f"{one.lead} {one.text}")),
                kinds=held_kinds(one.text),
                plain=not hedges(one.text) and not only_announces(one.text),
            )
            for one in passages(text)
        ),
        sets_forth=sets_forth(text),
        kinds=held_kinds(text),
    )
