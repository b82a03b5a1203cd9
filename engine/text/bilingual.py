"""Words of one language for those of the other: a question in Russian about documents in English, and the reverse.

A small lexicon of what people ask support for (`words_ru_en.txt`), looked up by stem. It holds no word of a particular
base; what it does not know is left to the embedder.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from engine.text.stems import STOP_WORDS, stems

_NONE: frozenset[str] = frozenset()
_SHORTEST, _ENDING = 5, 3
"""A stem that is not known is looked up without up to three last letters, while five are left."""
_FLEETING = re.compile(r"(?<=[бвгджзклмнпрстфхцчшщ])[оеё](?=[кц]$)")
_SOFT = re.compile(r"(?<=л)е(?=ц$)")
_JOINED = re.compile(r"(?<=[бвгджзлмнпрстфхцчшщ])(?=к$)")


@lru_cache(maxsize=1 << 14)
def counterparts(stem: str) -> frozenset[str]:
    """Stems of the other language that may stand for this one; none for a word that the lexicon does not know."""
    return frozenset(one for one in kindred(stem) if _is_cyrillic(one) != _is_cyrillic(stem))


@lru_cache(maxsize=1 << 14)
def kindred(stem: str) -> frozenset[str]:
    """Stems of either language that may stand for this one: what shares a line of the lexicon with it."""
    known = _lexicon()
    if stem in known or not _is_cyrillic(stem):
        return known.get(stem, _NONE)
    shorter = (stem[:end] for end in range(len(stem) - 1, max(_SHORTEST, len(stem) - _ENDING) - 1, -1))
    return next((known[one] for one in shorter if one in known), _NONE)


def _is_cyrillic(stem: str) -> bool:
    return "а" <= stem[:1] <= "я"


@lru_cache
def _lexicon() -> Mapping[str, frozenset[str]]:
    text = files("engine.text").joinpath("words_ru_en.txt").read_text(encoding="utf-8")
    found: dict[str, set[str]] = defaultdict(set)
    for line in text.splitlines():
        if line and not line.startswith("#"):
            told = _stems_of(line)
            for one in told:
                found[one] |= told - {one}
    return {one: frozenset(others) for one, others in found.items()}


def _stems_of(line: str) -> set[str]:
    words = line.replace(" = ", " ").split()
    return {form for word in words if word not in STOP_WORDS for stem in stems(word) for form in _forms(stem)}


def _forms(stem: str) -> set[str]:
    """With the vowel that comes and goes, which the stemmer leaves: потолок, потолка; владелец, владельца; площадка,
    площадок."""
    return {stem, _FLEETING.sub("", stem), _SOFT.sub("ь", stem), _JOINED.sub("о", stem), _JOINED.sub("е", stem)}
