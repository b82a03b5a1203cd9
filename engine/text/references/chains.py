"""Chains of places: "подпункт «а» пункта 2 части 3 статьи 19", "Article 12(3), point (a)", "this Section"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.text.references.labels import Label, read_labels
from engine.text.references.mention import Relative
from engine.text.references.words import NEXT, ORDINALS, PLACES, PREVIOUS, THIS, Place

_LONGEST_CHAIN = 8
_ANY_ORDINAL = (
    r"(?:\d{1,2}(?:-(?:й|я|е|го|му|м|ой|ю)|st|nd|rd|th)|" + "|".join(pattern for _, pattern in ORDINALS) + ")"
)
_PLACE = re.compile(
    rf"(?<![\w/-])(?:(?:(?P<this>{THIS})|(?P<previous>{PREVIOUS})|(?P<next>{NEXT})"
    rf"|(?P<ordinals>{_ANY_ORDINAL}(?:(?:,\s?|\s(?:и|или|and|or)\s){_ANY_ORDINAL}){{0,3}}))\s+)?(?:"
    + "|".join(f"(?P<p{index}>{place.pattern})" for index, place in enumerate(PLACES))
    + r")(?:(?<=[.§/])|(?!\w)|(?<=(?-i:App))|(?<=(?-i:APP)))(?!-\w)",
    re.IGNORECASE,
)
_ORDINAL_VALUES = tuple((re.compile(rf"(?:{pattern})\Z", re.IGNORECASE), str(value)) for value, pattern in ORDINALS)
_CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)
_OF = re.compile(r"(?P<comma>\s?,)?[\s\u200e]{1,3}(?P<in>of|in)\s+(?:the\s+)?", re.IGNORECASE)
_SPACE = re.compile(r"\s{1,3}(?:к\s)?")
_COMMA = re.compile(r"\s?,\s{0,3}|\s?\(\s?(?=абз|абзац)")
_OTHER_SENSE = re.compile(
    r"\s+(?:of|on|in)\s+(?:the|this|that|a|an|your|its|their)\s+(?:page|screen|site|website|menu|app|form|file|code|book|year|game|day"
    r"|line|body|road|story|world|tour)\b|\s+(?:меню|экрана|страницы|сайта|формы|файла|назначения|выдачи|питания|фильма)\b"
    r"|\s*[«\"“](?!\w{1,2}[»\"”])",
    re.IGNORECASE,
)
_AMENDS = re.compile(r"\s*:|\s+(?:is|are|shall\s+be)\s+(?:added|inserted|replaced|deleted)|\s+(?:изложить|дополнить)")


@dataclass(frozen=True, slots=True)
class Step:
    """One place of a chain, by numbers or by where it stands from here."""

    place: Place
    labels: tuple[Label, ...]
    relative: Relative | None
    by_ordinal: bool
    russian: bool
    short: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chain:
    """Places inside each other, the innermost first."""

    steps: tuple[Step, ...]
    start: int
    end: int

    @property
    def main(self) -> int:
        """The step that the others are found from: the outermost, or the last that is numbered through the document."""
        absolute = [index for index, step in enumerate(self.steps) if step.place.absolute and not step.relative]
        return absolute[-1] if absolute else len(self.steps) - 1

    @property
    def items(self) -> tuple[str, ...]:
        main = self.steps[self.main]
        if len(main.labels) > 1:
            return ()
        way = list(main.labels[0].items) if main.labels else []
        for step in reversed(self.steps[: self.main]):
            if step.labels:
                way.append(",".join(label.text for label in step.labels))
                way.extend(step.labels[0].items if len(step.labels) == 1 else ())
        return tuple(way)


def next_chain(text: str, at: int) -> tuple[Chain | None, int]:
    """The next chain at or behind `at`, and where to go on; (None, end of text) behind the last one."""
    while match := _PLACE.search(text, at):
        step = _step(text, match)
        chain = _chain(text, step) if step else None
        if chain and _is_meant(text, chain):
            return chain, chain.end
        at = match.end()
    return None, len(text)


def _step(text: str, match: re.Match[str]) -> Step | None:
    place = PLACES[int(str(match.lastgroup)[1:])]
    word_at = match.start(str(match.lastgroup))
    word = match.group(str(match.lastgroup))
    russian = bool(_CYRILLIC.search(word))
    labels = read_labels(text, match.end(), letters=place.rank >= 65 and place.kind == "section")
    if labels:
        start = match.start() if match["this"] else word_at
        return Step(place, labels.all, None, False, russian, word.endswith("."), start, labels.end)
    if match["ordinals"]:
        found = tuple(Label(value, (), match.end()) for value in _ordinals(match["ordinals"]))
        if len(found) == 1 and _is_plural(match["ordinals"], word, russian=russian):
            return None
        return Step(place, found, None, True, russian, False, match.start(), match.end())
    for relative in ("this", "previous", "next"):
        if match[relative] and _is_neighbour(text, match, relative, place, word, russian=russian):
            return Step(place, (), relative, False, russian, False, match.start(), match.end())
    return None


def _ordinals(text: str) -> list[str]:
    words = re.split(r",\s?|\s(?:и|или|and|or)\s", text)
    spelled = [value for word in words for pattern, value in _ORDINAL_VALUES if pattern.match(word)]
    return spelled or re.findall(r"\d+", text)


def _is_plural(ordinal: str, word: str, *, russian: bool) -> bool:
    return bool(re.search("(?:ые|ых|ыми|ие|их|ими|ьи)$", ordinal)) if russian else word.endswith("s")


def _is_neighbour(text: str, match: re.Match[str], relative: str, place: Place, word: str, *, russian: bool) -> bool:
    """Whether "this part", "the next section" mean a place of the document, and not a thing of everyday life."""
    said = match[relative].lower()
    if _OTHER_SENSE.match(text, match.end()):
        return False
    if relative == "next" and (_AMENDS.match(text, match.end()) or (not russian and word.lower().endswith("s"))):
        return False
    if place.kind == "appendix":
        return said.startswith("настоящ") or (not russian and word[0].isupper())
    if place.kind in ("table", "figure"):
        return russian or said == "following"
    if place.loose:
        return said.startswith(("настоящ", "предыд", "предшеств")) if russian else word[0].isupper() and said != "next"
    return not (said in ("данных", "данные", "данными") or word.startswith("§"))


def _chain(text: str, first: Step) -> Chain:
    steps = [first]
    last = first
    while len(steps) < _LONGEST_CHAIN:
        if outer := _outer(text, last, steps):
            steps.append(outer[0])
            last = outer[0]
        elif inner := _inner(text, last):
            steps.insert(steps.index(last), inner)
            last = inner
        else:
            break
    return Chain(tuple(steps), first.start, last.end)


def _outer(text: str, last: Step, steps: list[Step]) -> tuple[Step, bool] | None:
    """What the chain so far stands in, and whether a comma comes first: " of Article 6", " статьи 19"."""
    if of := _OF.match(text, last.end):
        step = _step_at(text, of.end())
        if step and step.place != last.place and (of["in"] == "of" or step.place.rank < last.place.rank):
            return step, bool(of["comma"])
        return None
    space = _SPACE.match(text, last.end)
    comma = _COMMA.match(text, last.end)
    if not last.russian or not (space or comma):
        return None
    step = _step_at(text, (space or comma).end())  # type: ignore[union-attr]
    if not step or not step.russian or step.place.rank >= min(step.place.rank for step in steps):
        return None
    return (step, False) if space or (last.short and step.short) else None


def _inner(text: str, last: Step) -> Step | None:
    """What stands further down: ", point (a)" behind "Article 6(1)", unless it belongs to what follows it."""
    join = _COMMA.match(text, last.end) or (_SPACE.match(text, last.end) if last.russian else None)
    if not join or len(last.labels) != 1:
        return None
    step = _step_at(text, join.end())
    if (
        not step
        or step.place.rank <= last.place.rank
        or step.place.absolute
        or step.relative
        or step.russian != last.russian
    ):
        return None
    if any("." in label.text for label in step.labels) and "." in last.labels[0].text:
        return None
    behind = _outer(text, step, [step])
    return step if not behind or behind[1] else None


def _step_at(text: str, at: int) -> Step | None:
    match = _PLACE.match(text, at)
    return _step(text, match) if match else None


def _is_meant(text: str, chain: Chain) -> bool:
    """Not a heading's own number, and not "the first part" of just anything."""
    first = chain.steps[0]
    if (first.by_ordinal or first.relative) and _OTHER_SENSE.match(text, chain.end):
        return False
    if len(chain.steps) == 1 and first.by_ordinal:
        everyday = first.place.loose or (first.place.kind != "section" and not first.russian)
        return not everyday or bool(_BEHIND.match(text, chain.end))
    return len(chain.steps) > 1 or first.relative is not None or not _is_heading(text, chain)


_BEHIND = re.compile(r"\s+of\s+(?:the\s+)?[A-Z]|\s+[А-ЯЁ]")
_LINE_START = re.compile(r"[\s#*>|_\-]*\Z")
_TITLE = re.compile(
    r"(?:\*\*)?(?:[.:]\*{0,2}[^\S\n]+\S|[.:]?\*{0,2}[^\S\n]+[—–-][^\S\n]|[^\S\n]*(?:\n|\Z)|[^\S\n]*\*\*[^\S\n]*(?:\n|\Z)"
    r"|[^\S\n]+[A-ZА-ЯЁ][a-zа-яё]+(?![^\n]*[.;]))"
)


def _is_heading(text: str, chain: Chain) -> bool:
    """ "Статья 12. Права сторон" at the start of a line names itself; "Section 12 applies" refers."""
    if len(chain.steps[0].labels) != 1 or chain.steps[0].labels[0].items:
        return False
    if text.strip() == text[chain.start : chain.end]:
        return False
    line = text.rfind("\n", 0, chain.start) + 1
    before = text[max(line, chain.start - 12) : chain.start]
    starts = chain.start - line <= 12 and bool(_LINE_START.match(before))
    return starts and text[chain.start].isupper() and bool(_TITLE.match(text, chain.end))
