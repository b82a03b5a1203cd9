"""The second look before a direct answer: small embedding models see no difference between "enable" and "disable".

Each rule compares the question with the stored wording that it resembles, without a model. A veto names its rule.
"""

from __future__ import annotations

from difflib import SequenceMatcher

from engine.text.facts import spelled_numbers
from engine.text.stems import content_stems, is_negated

_NEAR = 0.8
_SHARED = 0.5


def veto(question: str, wording: str) -> str | None:
    """Why the answer to `wording` must not be served for `question`, or None."""
    if spelled_numbers(question) != spelled_numbers(wording):
        return "numbers"
    if is_negated(question) != is_negated(wording):
        return "negation"
    asked, known = content_stems(question), content_stems(wording)
    if _substituted(asked, known):
        return "substitution"
    if _reversed(asked, known):
        return "order"
    return None


def _substituted(asked: list[str], known: list[str]) -> bool:
    """Much is shared, yet each side has a word that the other lacks: "block the card" and "block the account"."""
    extra, missing = _unmatched(asked, known), _unmatched(known, asked)
    shared = len(set(known)) - len(missing)
    return bool(extra) and bool(missing) and shared >= _SHARED * len(set(known))


def _reversed(asked: list[str], known: list[str]) -> bool:
    """The same words in another order may say the opposite: "from card to account" and "from account to card"."""
    if sorted(asked) != sorted(known) or asked == known:
        return False
    moved = [word for word, other in zip(asked, known, strict=True) if word != other]
    return len(moved) == 2


def _unmatched(words: list[str], others: list[str]) -> set[str]:
    return {word for word in words if not any(_near(word, other) for other in others)}


def _near(word: str, other: str) -> bool:
    """The same stem, or a typo of it. Digits and short words must agree exactly."""
    if word == other:
        return True
    if min(len(word), len(other)) < 5 or word[0] != other[0]:
        return False
    return SequenceMatcher(None, word, other).ratio() >= _NEAR
