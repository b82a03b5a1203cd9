"""Russian typed in Latin letters: by sound ("kak smenit parol") or on the wrong keyboard layout ("rfr cvtybnm
gfhjkm")."""

from __future__ import annotations

import re

_LATIN_KEYS = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`"
_RUSSIAN_KEYS = "йцукенгшщзхъфывапролджэячсмитьбюе"
_TO_RUSSIAN = str.maketrans(_LATIN_KEYS, _RUSSIAN_KEYS)
_TO_LATIN = str.maketrans(_RUSSIAN_KEYS.replace("е", "t"), _LATIN_KEYS) | {ord("е"): "t"}
_SOUNDS = (
    ("shch", "щ"), ("sch", "щ"), ("yo", "е"), ("jo", "е"), ("zh", "ж"), ("kh", "х"), ("ts", "ц"), ("ch", "ч"),
    ("sh", "ш"),
    ("yu", "ю"), ("ju", "ю"), ("ya", "я"), ("ja", "я"), ("iy", "ий"), ("yi", "ый"), ("a", "а"), ("b", "б"),
    ("v", "в"), ("w", "в"),
    ("g", "г"), ("d", "д"), ("e", "е"), ("z", "з"), ("i", "и"), ("j", "й"), ("k", "к"), ("l", "л"), ("m", "м"),
    ("n", "н"), ("o", "о"),
    ("p", "п"), ("r", "р"), ("s", "с"), ("t", "т"), ("u", "у"), ("f", "ф"), ("h", "х"), ("c", "ц"), ("y", "ы"),
    ("x", "кс"), ("q", "к"),
    ("'", "ь"),
)  # fmt: skip
_BY_SOUND = dict(_SOUNDS)
_SOUND = re.compile("|".join(re.escape(latin) for latin, _ in _SOUNDS))


def as_russian_keys(text: str) -> str:
    """What the same keys type on a Russian keyboard."""
    return text.lower().translate(_TO_RUSSIAN)


def as_latin_keys(text: str) -> str:
    """What the same keys type on an English keyboard."""
    return text.lower().translate(_TO_LATIN)


def by_sound(text: str) -> str:
    """Latin letters as the Russian ones they stand for; soft signs, which people leave out, stay out."""
    return _SOUND.sub(lambda match: _BY_SOUND[match.group()], text.lower())
