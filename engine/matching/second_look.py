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
from engine.matching.surroundings import Surroundings
from engine.matching.typos import is_kin, is_typo
from engine.text.normal import detect_language

Veto = Literal[
    "numbers", "units", "dates", "negation", "opposite", "comparative", "names", "direction", "question type",
    "aspect", "condition", "substitution", "small talk", "ambiguous",
]  # fmt: skip

_SHARED = 0.3
_ASKING_HOW = frozenset({"how", "what to do", "which", None})
_LOOKING = frozenset({"see", "download"})
_ASKING_WHETHER = frozenset({"can", "is", None})
_ASKING_WHAT = frozenset({"what", "meaning"})
_COMPLAINING = frozenset({"why", "meaning", "what to do", None})
"""Kinds that people use for each other; None is a question without a question word. Whoever tells of trouble wants to
know what it is, why it is so and what to do, whichever of these he asks."""

_NO_NAMES = Names()
_ALONE = Surroundings()


def veto(
    question: str,
    wording: str,
    names: Names = _NO_NAMES,
    around: Surroundings = _ALONE,
    *,
    without: frozenset[Veto] = frozenset(),
) -> Veto | None:
    """Why the answer to `wording` must not be served for `question`, or None. Rules in `without` are not asked."""
    asked, known = read(question), read(wording)
    for name, differs in _RULES:
        if name not in without and differs(asked, known):
            if name == "question type" and around.said.answers(asked.question, known.question):
                continue
            return name
    if "names" not in without and _other_names(question, wording, names):
        return "names"
    extra, missing = _differing(asked, known, names, around)
    for name, told in _CONTENT_RULES:
        if name not in without and told(extra, missing, known):
            return name
    return None


def same_content(question: str, wording: str, names: Names = _NO_NAMES, around: Surroundings = _ALONE) -> bool:
    """Whether each says all that the other says, synonyms, typos and what goes without saying apart."""
    asked = read(question)
    return bool(asked.content) and not any(_differing(asked, read(wording), names, around))


def words_in_common(question: str, wording: str) -> int:
    """How many of the question's words the wording has itself, not by a synonym."""
    known = read(wording)
    return sum(_found(one, known.content) for one in read(question).content)


def _differing(asked: Reading, known: Reading, names: Names, around: Surroundings) -> tuple[set[str], set[str]]:
    """Stems that only the question has, and those that only the wording has, without what says nothing here."""
    extra, missing = _unmatched(asked, known) - names.own, _unmatched(known, asked) - names.own
    shared = set(known.content) - missing - names.own
    for one, other in known.either:
        if (one in missing) != (other in missing):
            missing -= {one, other}
    of_course = around.of_course(extra | missing, shared)
    return extra - of_course, missing - of_course


def _other_question(asked: Reading, known: Reading) -> bool:
    return all(_are_other_kinds(asked, known, {asked.question, kind}) for kind in known.questions)


def _are_other_kinds(asked: Reading, known: Reading, both: set[str | None]) -> bool:
    if both == {"how", "where"}:
        # Whoever asks where to see or to find something asks how to.
        return not all(_LOOKING & frozenset().union(*map(synonyms, one.told)) for one in (asked, known))
    if asked.complains and known.complains and both <= _COMPLAINING:
        return False
    return len(both) > 1 and not any(both <= kinds for kinds in (_ASKING_HOW, _ASKING_WHAT, _ASKING_WHETHER))


def _opposed(asked: frozenset[tuple[int, int]], known: frozenset[tuple[int, int]]) -> bool:
    """On some axis the one says one side only and the other another, or one side and both."""
    for axis in {axis for axis, _ in asked} & {axis for axis, _ in known}:
        one = {side for at, side in asked if at == axis}
        other = {side for at, side in known if at == axis}
        if one != other:
            return True
    return False


def _is_either(asked: Reading, known: Reading) -> bool:
    """The wording asks of one thing or its opposite, and the question of one of both: "switch on or off"."""
    return asked.opposites < known.opposites and bool(known.either)


def _redirected(asked: Reading, known: Reading) -> bool:
    """What was the source is the goal, or words changed places: "from card to account" and "from account to card"; or
    one asks what he may do himself, the other what another may."""
    if asked.by and known.by and asked.by != known.by:
        return True
    if (asked.sources & known.targets) - known.sources or (asked.targets & known.sources) - known.targets:
        return True
    return _reversed(asked, known)


def _reversed(asked: Reading, known: Reading) -> bool:
    """Two of the same words changed places. Russian may reorder words that keep their forms."""
    if sorted(asked.content) != sorted(known.content) or asked.content == known.content or len(known.questions) > 1:
        return False
    moved = [at for at, (word, other) in enumerate(zip(asked.content, known.content, strict=True)) if word != other]
    if len(moved) != 2 or _links(asked) != _links(known):
        return False
    return detect_language(asked.text) == "en" or sorted(asked.surface) != sorted(known.surface) or _has_slots(asked)


def _links(reading: Reading) -> set[str]:
    """ "The password of my account" and "my account password" say the same."""
    return {"of", "for"}.intersection(reading.told)


def _has_slots(reading: Reading) -> bool:
    return bool(reading.sources or reading.targets or reading.comparatives)


def _other_names(question: str, wording: str, names: Names) -> bool:
    """Another name, one more, or one less."""
    asked, known = names.in_question(question), names.in_wording(wording)
    said, told = read(question), read(wording)
    more = (one for one in asked - known if not _found(one, (*known, *told.content)))
    return not all(map(told.has_synonym, more)) or not all(map(said.has_synonym, known - asked))


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
    return {
        one
        for one, word in zip(reading.content, reading.surface, strict=False)
        if word not in FILLERS and not _found(one, other.content) and not other.has_synonym(word)
    }


def _found(word: str, others: tuple[str, ...]) -> bool:
    return any(_near(word, other) for other in others)


def _near(word: str, other: str) -> bool:
    """The same stem, one derived from it, or a typo of it. Digits and short words must agree exactly."""
    return is_kin(word, other) or (is_typo(word, other) and not {word, other} <= everyday_stems())


_Rules = tuple[tuple[Veto, Callable[[Reading, Reading], bool]], ...]

_RULES: _Rules = (
    ("numbers", lambda asked, known: asked.numbers != known.numbers),
    ("units", lambda asked, known: asked.units != known.units),
    ("dates", lambda asked, known: asked.dates != known.dates),
    ("negation", lambda asked, known: asked.negated != known.negated),
    ("opposite", lambda asked, known: _opposed(asked.opposites, known.opposites) and not _is_either(asked, known)),
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
