"""Notes on which law gave a provision its words: "(в ред. Федерального закона № 5-ФЗ)". They answer nothing."""

from __future__ import annotations

import re

_NOTE = re.compile(
    r"\((?=[^()]*(?:№|закон|приказ|указ|постановлен|регламент|regulation|directive|\bact\b|\blaw\b))"
    r"(?:[^\W_]+ ){0,5}(?:в ред(?:акции|\.)|введ[её]н\w*|дополнен\w*|утратил\w* силу"
    r"|исключ[её]н[аоы]?\b|as amended|amended by|inserted by|added by|repealed by)(?:[^()]|\([^()]*\))*\)?",
    re.IGNORECASE,
)


def amendment_notes(text: str) -> list[tuple[int, int]]:
    """Where each begins and ends."""
    return [note.span() for note in _NOTE.finditer(text)]


def is_amendment_note(text: str) -> bool:
    """Whether it is nothing else."""
    return not re.search(r"\w", _NOTE.sub("", text)) and _NOTE.search(text) is not None
