"""The second look before a direct answer: small embedding models see no difference between "enable" and "disable".

Each rule compares the question with a stored wording that it resembles, without a model. A veto names its rule.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from engine.matching.background import everyday_stems
from engine.matching.contrasts import FILLERS
from engine.matching.names import Names
from engine.matching.reading import Reading, read, synonyms
from engine.matching.typos import is_typo
from engine.text.normal import detect_language

Veto = Literal[
    "numbers", "units", "dates", "negation", "opposite", "comparative", "names", "direction", "question type",
    "aspect", "condition", "substitution", "small talk",
]  # fmt: skip

_SHARED = 0.3
_ASKING_HOW = frozenset({"how", "which", None})
_LOOKING = frozenset({"see", "download"})
_ASKING_WHETHER = frozenset({"can", None})
"""Kinds that people use for each other; None is a question without a question word."""

_NO_NAMES = Names()


def veto(
    question: str, wording: str, names: Names = _NO_NAMES, *, without: frozenset[Veto] = frozenset()
) -> Veto | None:
    """Why the answer to `wording` must not be served for `question`, or None. Rules in `without` are not asked."""
    asked, known = read(question), read(wording)
    for name, differs in _RULES:
        if name not in without and differs(asked, known):
            return name
    if "names" not in without and _other_names(question, wording, names):
        return "names"
    extra, missing = _unmatched(asked, known) - names.own, _unmatched(known, asked) - names.own
    for name, told in _CONTENT_RULES:
        if name not in without and told(extra, missing, known):
            return name
    return None


def same_content(question: str, wording: str, names: Names = _NO_NAMES) -> bool:
    """Whether each says all that the other says, synonyms, typos and the company's own name apart."""
    asked, known = read(question), read(wording)
    return bool(asked.content) and not (_unmatched(asked, known) | _unmatched(known, asked)) - names.own


def _other_question(asked: Reading, known: Reading) -> bool:
    both = {asked.question, known.question}
    if both == {"how", "where"}:
        # Whoever asks where to see or to find something asks how to.
        return not all(_LOOKING & frozenset().union(*map(synonyms, one.told)) for one in (asked, known))
    return len(both) > 1 and not (both <= _ASKING_HOW or both <= _ASKING_WHETHER)


def _opposed(asked: frozenset[tuple[int, int]], known: frozenset[tuple[int, int]]) -> bool:
    """On some axis the one says one side only and the other another, or one side and both."""
    for axis in {axis for axis, _ in asked} & {axis for axis, _ in known}:
        one = {side for at, side in asked if at == axis}
        other = {side for at, side in known if at == axis}
        if one != other:
            return True
    return False


def _redirected(asked: Reading, known: Reading) -> bool:
    """What was the source is the goal, or words changed places: "from card to account" and "from account to card"."""
    if (asked.sources & known.targets) - known.sources or (asked.targets & known.sources) - known.targets:
        return True
    return _reversed(asked, known)


def _reversed(asked: Reading, known: Reading) -> bool:
    """Two of the same words changed places. Russian may reorder words that keep their forms."""
    if sorted(asked.content) != sorted(known.content) or asked.content == known.content:
        return False
    moved = [at for at, (word, other) in enumerate(zip(asked.content, known.content, strict=True)) if word != other]
    if len(moved) != 2 or _has_of(asked) != _has_of(known):
        return False
    return detect_language(asked.text) == "en" or sorted(asked.surface) != sorted(known.surface) or _has_slots(asked)


def _has_of(reading: Reading) -> bool:
    """ "The password of my account" and "my account password" say the same."""
    return " of " in reading.text


def _has_slots(reading: Reading) -> bool:
    return bool(reading.sources or reading.targets or reading.comparatives)


def _other_names(question: str, wording: str, names: Names) -> bool:
    """Another name, one more, or one less."""
    asked, known = names.in_question(question), names.in_wording(wording)
    return any(not _found(one, (*known, *read(wording).content)) for one in asked - known) or bool(known - asked)


def _substituted(extra: set[str], missing: set[str], known: Reading) -> bool:
    """Much is shared, yet each side has a word that the other lacks: "block the card" and "block the account". Where
    nothing is shared, nothing shows that the same is meant."""
    shared = len(set(known.content)) - len(missing)
    return bool(extra) and bool(missing) and (shared <= 0 or shared >= _SHARED * len(set(known.content)))


def _conditioned(extra: set[str], missing: set[str], _: Reading) -> bool:
    """The one says all that the other says, and something more that may matter."""
    return bool(extra) != bool(missing)


def _unmatched(reading: Reading, other: Reading) -> set[str]:
    """Stems of one that the other has neither itself nor by a synonym."""
    said = frozenset().union(*map(synonyms, other.surface))
    return {
        one
        for one, word in zip(reading.content, reading.surface, strict=False)
        if word not in FILLERS and not _found(one, other.content) and not synonyms(word) & said
    }


def _found(word: str, others: tuple[str, ...]) -> bool:
    return any(_near(word, other) for other in others)


def _near(word: str, other: str) -> bool:
    """The same stem, one derived from it, or a typo of it. Digits and short words must agree exactly."""
    if word == other:
        return True
    shorter, longer = sorted((word, other), key=len)
    if len(shorter) >= 4 and longer.startswith(shorter) and len(longer) - len(shorter) <= 2 and shorter.isalpha():
        return True
    return is_typo(word, other) and not {word, other} <= everyday_stems()


_Rules = tuple[tuple[Veto, Callable[[Reading, Reading], bool]], ...]

_RULES: _Rules = (
    ("numbers", lambda asked, known: asked.numbers != known.numbers),
    ("units", lambda asked, known: asked.units != known.units),
    ("dates", lambda asked, known: asked.dates != known.dates),
    ("negation", lambda asked, known: asked.negated != known.negated),
    ("opposite", lambda asked, known: _opposed(asked.opposites, known.opposites)),
    ("comparative", lambda asked, known: _opposed(asked.comparatives, known.comparatives)),
    ("direction", _redirected),
    ("question type", _other_question),
    ("aspect", lambda asked, known: asked.aspects != known.aspects),
)
_CONTENT_RULES: tuple[tuple[Veto, Callable[[set[str], set[str], Reading], bool]], ...] = (
    ("substitution", _substituted),
    ("condition", _conditioned),
)
"""Each is told which stems only the question has, and which only the wording."""
