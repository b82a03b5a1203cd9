"""Names written in another script: "Санни Шор" for Sunny Shore. Compared by their consonants, as they are spoken."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from engine.text.stems import stem

_LATIN: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        (r"^wh?|^v", "в"),
        (r"sch|tch|ch", "ч"),
        (r"sh", "ш"),
        (r"th", "т"),
        (r"ph", "ф"),
        (r"ck|q(?=u)", "к"),
        (r"kh", "х"),
        (r"ts", "ц"),
        (r"zh", "ж"),
        (r"(?<=к)u", "в"),
        (r"gh(?=[^aeiou]|$)", ""),
        (r"dge?(?=$|[^aou])|j|g(?=e$)", "дж"),
        (r"c(?=[eiy])", "с"),
        (r"x", "кс"),
        (r"[aeiouyw]", ""),
    )
)
_LETTERS = str.maketrans("bcdfghklmnpqrstvz", "бкдфгхклмнпкрствз")
_SILENT = re.compile(r"[аеёиоуыэюяйьъ]")
_FEWEST_CONSONANTS = 4
_DOUBLE = re.compile(r"(.)\1+")


@lru_cache(maxsize=1 << 14)
def spoken(word: str) -> frozenset[str]:
    """The consonants of a word of either script, in Cyrillic letters, doubles once; with and without an ending."""
    lowered = word.lower().replace("ё", "е")
    if is_cyrillic(lowered):
        found = {_SILENT.sub("", form) for form in (lowered, stem(lowered))}
    else:
        for pattern, sound in _LATIN:
            lowered = pattern.sub(sound, lowered)
        found = {re.sub(r"[^а-я]", "", lowered.translate(_LETTERS))}
    return frozenset(_DOUBLE.sub(r"\1", form) for form in found)


def sound_alike(words: Sequence[str], name: Sequence[str]) -> bool:
    """Whether words of one script are a name of the other one, word by word, and long enough to tell it from others."""
    if len(words) != len(name) or is_cyrillic("".join(words)) == is_cyrillic("".join(name)):
        return False
    told = sum(len(min(spoken(word), key=len)) for word in name)
    return told >= _FEWEST_CONSONANTS and all(spoken(a) & spoken(b) for a, b in zip(words, name, strict=True))


def is_cyrillic(word: str) -> bool:
    return re.search(r"[а-яё]", word, re.IGNORECASE) is not None
