"""Normal forms: one for comparing questions, one for cleaning what comes in."""

from __future__ import annotations

import re
import unicodedata

from engine.types import Language

NORMALISER = "n2"
"""Version of `normalise`; part of every gate embedder's fingerprint, since vectors depend on it."""

_POLITE = re.compile(
    r"\b(?:здравствуйте|здравствуй|добрый (?:день|вечер)|доброе утро|привет|подскажите|скажите|пожалуйста|будьте добры"
    r"|не подскажете|хочу (?:узнать|спросить)|хотел[аи]? (?:бы )?(?:узнать|спросить)|интересует|мне"
    r"|hello|hi|hey|good (?:morning|day|evening)|please|could you (?:please )?tell me|can you (?:please )?tell me"
    r"|i (?:would|'d) like to know|i want to know|tell me|thanks|thank you|спасибо|заранее)\b[\s,.!:;]*"
)
_NODS = frozenset(
    "да ок окей ага угу ладно хорошо понятно понял поняла ясно отлично помощь помогите"
    " yes yeah yep ok okay alright understood great thx help".split()
)
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_SPACE = re.compile(r"\s+")
_CYRILLIC = re.compile(r"[а-яё]", re.IGNORECASE)
_LATIN = re.compile(r"[a-z]", re.IGNORECASE)
_INVISIBLE = dict.fromkeys(
    [*range(0x00, 0x09), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F, 0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF]
)


def clean(text: str) -> str:
    """Remove control and invisible characters and lone surrogates; keep line breaks and tabs."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    return unicodedata.normalize("NFC", text.translate(_INVISIBLE))


def fold(text: str) -> str:
    """Lower case, ё as е, compatibility forms unified, white space runs as one space."""
    folded = unicodedata.normalize("NFKC", clean(text)).lower().replace("ё", "е")
    return _SPACE.sub(" ", folded).strip()


def normalise(text: str) -> str:
    """The form in which questions are compared and embedded: folded, without outer punctuation, quotes made plain."""
    folded = fold(text).translate({0x00AB: '"', 0x00BB: '"', 0x201C: '"', 0x201D: '"', 0x201E: '"', 0x2019: "'"})
    return folded.strip(" \t\n.,;:!?…\"'()-–—")


def question_form(text: str) -> str:
    """The normal form without greetings and politeness; the plain one when nothing else is left."""
    plain = normalise(text)
    return normalise(_POLITE.sub(" ", plain)) or plain


def is_courtesy(text: str) -> bool:
    """Whether a message is a greeting, thanks, a nod or a mere call for help, and nothing else."""
    left = normalise(_POLITE.sub(" ", normalise(text)))
    said = words(left)
    return not left or (bool(said) and _NODS.issuperset(said))


def words(text: str) -> list[str]:
    """The folded words of a text, hyphenated ones whole."""
    return _WORD.findall(fold(text))


def detect_language(text: str, default: Language = "en") -> Language:
    """Russian when at least a third of the letters are Cyrillic; `default` when there are no letters."""
    cyrillic = len(_CYRILLIC.findall(text))
    latin = len(_LATIN.findall(text))
    if cyrillic + latin == 0:
        return default
    return "ru" if cyrillic * 2 >= latin else "en"
