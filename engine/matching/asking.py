"""Which sentences of a message ask something: two questions in one message, or one in a long complaint."""

from __future__ import annotations

import re

from engine.matching import contrasts
from engine.matching.reading import read
from engine.text.context import stands_alone
from engine.text.normal import fold, is_courtesy
from engine.text.sentences import split_sentences

_JOINED = re.compile(
    r"(?<=\?)\s+|\s*(?:[,;.]\s*)(?:и |а )?(?:ещ[её] (?:вопрос|скажите|подскажите)|а также (?=как|где|когда|сколько"
    r"|можно)|и ещ[её] (?=как|где|когда|"
    r"сколько|можно)|and also |also,? (?=how|where|when|can|what))[\s:,]*"
    r"|\s+(?:и|and) (?=(?:как|где|когда|сколько|почему|можно ли|how|where|when|why|can i)\b)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^(?:(?:и|а|но|так|ну|and|but|so|подскажите|скажите|объясните|пожалуйста|please|tell me|could you tell"
    r" me)[\s,]+){0,3}"
    r"(?:как|где|когда|сколько|почему|зачем|кто|куда|откуда|можно|могу|нужно ли|есть ли|что|чем|какой|какая|какие"
    r"|how|where|when|why|who|"
    r"what|which|can|could|may|do|does|is|are|should|must)\b",
    re.IGNORECASE,
)
_OPENER = re.compile(r"^(?:и|а|ещ[её]|также|and|also|plus)[\s,]+(?:ещ[её] )?", re.IGNORECASE)
_TELLING = 2
MOST = 3
"""Of more questions in one message only so many are looked at."""


def questions_in(message: str) -> list[str]:
    """The asking sentences that make sense alone, in order; [] when the message is one sentence or asks nothing."""
    pieces = [piece.strip(" ,;") for sentence in split_sentences(message) for piece in _JOINED.split(sentence) if piece]
    pieces = [_OPENER.sub("", piece) for piece in pieces if piece and not is_courtesy(piece)]
    if len(pieces) < 2:
        return []
    asking = [piece for piece in pieces if _asks(piece) and stands_alone(piece)]
    if len(asking) < len(pieces):
        # Beside a statement a short question is about that: "My card was declined. What is going on?"
        asking = [piece for piece in asking if _telling_words(piece) >= _TELLING]
    return asking[:MOST]


def _telling_words(piece: str) -> int:
    return sum(word not in contrasts.FILLERS for word in read(piece).surface)


def _asks(piece: str) -> bool:
    if piece.endswith("?"):
        return True
    return bool(_ASKS.match(piece)) and any(pattern.search(fold(piece)) for _, pattern in contrasts.QUESTIONS)
