"""Which messages cannot stand alone, and what they mean together with what was asked before."""

from __future__ import annotations

import re
from dataclasses import replace

from engine.text.normal import fold, is_courtesy, words
from engine.text.stems import content_stems
from engine.types import Question

_OPENERS = re.compile(
    r"^(?:а|и|но|ну а|а если|а как|тогда|еще|тоже|and|but|then|also|what about|how about|and if|what if it|why not)\b"
)
_ANAPHORA = frozenset(
    "он она оно они его ее их ему ей им этот эта это эти этого этой этому этим там туда такой такая такое тот та"
    " it its they them their that these those he she".split()
)
_HABIT = re.compile(r"^(?:ну )?(?:а|и|но|and|but|so)[\s,]+(?!если\b|if\b)")
_EMPTY_IT = re.compile(
    r"\b(?:is|was|would|will) it"
    r" (?=(?:possible|allowed|permitted|ok|okay|necessary|mandatory|required|safe|worth|free)\b)"
    r"|\bdoes it (?=(?:take|cost)\b)"
    r"|\b(?:что|кто) так(?:ое|ой|ая|ие) (?=\w)"
)
""" "It", and the "такое" of "что такое", that stand for nothing said before."""
_REJECTION = re.compile(
    r"(?:(?:нет|no|nope)\b[\s,.!]*)?(?:(?:это )?(?:совсем |вообще )?не (?:то|об этом|про это|это|о том)\b"
    r"|(?:вы )?(?:меня )?не поняли|(?:that(?:'s| is)? )?not (?:that|this|what i)\b"
    r"|that(?:'s| is) not (?:it|what)|wrong answer|you misunderstood)"
    r"|(?:нет|no|nope)[\s,.!]*$"
)
_REJECTION_WORDS = 7
_INSTEAD = frozenset({"а", "но", "but", "about", "про", "instead"})
_DEPENDENT_STEMS = 3
_REMEMBERED_TURNS = 2


def has_words(text: str) -> bool:
    """False for empty, emoji-only and punctuation-only messages."""
    return any(any(letter.isalpha() for letter in word) for word in words(text))


def asks_something(text: str) -> bool:
    """False for messages without words, and for greetings, thanks and nods alone."""
    return has_words(text) and not is_courtesy(text)


def stands_alone(text: str, *, first: bool = False) -> bool:
    """Whether a message says enough by itself to be compared with known questions.

    Where it is the `first` of a conversation, an "and" or "so" at its beginning goes on with nothing.
    """
    if first and len(content_stems(bare := _HABIT.sub("", fold(text)))) > 1:
        text = bare
    if len(words(text)) < 2 or not has_words(text):
        return False
    return not _depends_on_context(text)


def goes_on(question: Question) -> bool:
    """Whether a question makes sense only after those before it."""
    if not question.history:
        return False
    return _depends_on_context(question.text) or not content_stems(question.text) or rejects(question.text)


def rejects(text: str) -> bool:
    """Whether a message says, and says only, that the answer was not what was meant."""
    said = words(text)
    return (
        len(said) <= _REJECTION_WORDS
        and not _INSTEAD.intersection(said)
        and len(content_stems(text)) <= 1
        and _REJECTION.match(fold(text)) is not None
    )


def standalone(question: Question) -> Question:
    """The question, its text preceded by the questions before it when it makes sense only after them."""
    if not goes_on(question):
        return question
    earlier = [turn.question for turn in question.history[-_REMEMBERED_TURNS:]]
    if rejects(question.text):
        return replace(question, text="\n".join(earlier), follows="away")
    return replace(question, text="\n".join([*earlier, question.text]), follows="on")


def _depends_on_context(text: str) -> bool:
    text = _EMPTY_IT.sub(" ", fold(text))
    meaning = content_stems(text)
    if _OPENERS.match(fold(text)):
        return len(meaning) <= _DEPENDENT_STEMS
    return len(meaning) < _DEPENDENT_STEMS and any(word in _ANAPHORA for word in words(text))
