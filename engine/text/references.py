"""The grammar of references to numbered places, Russian and English. To teach it a new word, add it to `_KINDS`.

It finds "см. раздел 7.2", "пп. 3.1 и 3.4-3.6", "Article 12(3)", "Annex B", "Table 2", with lists and ranges.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.types import PlaceKind

_KINDS: dict[PlaceKind, str] = {
    "section": r"раздел\w*|разд\.|подраздел\w*|пункт\w*|подпункт\w*|пп\.|п\.|стать\w+|ст\.|глав[аыеуой]\w*|гл\.|§§?"
    r"|sections?|sec\.|clauses?|articles?|art\.|paragraphs?|para\.|chapters?|ch\.",
    "table": r"таблиц\w*|табл\.|tables?",
    "figure": r"рисун\w+|рис\.|figures?|fig\.",
    "appendix": r"приложени\w+|прил\.|appendix|appendices|annex(?:es)?|schedules?",
}
_LABEL = r"\d+(?:\.\d+)*(?:\(\w{1,3}\))*|[IVXLC]{1,6}(?![\w])|[A-ZА-Я](?:\.\d+)*(?![\w])"
_JOIN = r"\s*(?:,\s*(?:и\s+|and\s+)?|\s+и\s+|\s+and\s+|\s+или\s+|\s+or\s+|\s*[-–—]\s*|\s+по\s+|\s+to\s+)\s*"
_POINTER = r"(?:(?:см(?:\.|отрите|отри)?|согласно|see(?:\s+also)?|under|per|pursuant\s+to)\s+)?"
# Case counts for the labels only: "п. 3 и В" names two places, "п. 3 и в" one.
_REFERENCE = re.compile(
    rf"(?P<marker>(?i:{_POINTER}(?:"
    + "|".join(rf"(?P<{kind}>(?<!\w)(?:{pattern}))" for kind, pattern in _KINDS.items())
    + rf"))\s*(?:№\s*)?(?P<labels>(?:{_LABEL})(?:{_JOIN}(?:{_LABEL}))*))"
)
_SPLIT = re.compile(rf"({_JOIN})")
_RANGE = re.compile(r"\s*[-–—]\s*|\s+по\s+|\s+to\s+")
_UNITS = re.compile(
    r"\s*(?:%|₽|(?:час\w*|мин\w*|ден\w|дн\w+|руб\w*|раз\w?|hours?|days?|minutes?|times)\b)", re.IGNORECASE
)
_LONGEST_RANGE = 12

_POINTING_STEMS = frozenset(
    "указа установл определ предусмотр опис см смотр соответств согласн порядк срок услов ниж выш далее привед приведен"
    " describ set specifi accord pursuant subject defin provid see list state refer given period term section claus"
    " articl раздел пункт стат глав таблиц приложен tabl annex appendix".split()
)


@dataclass(frozen=True, slots=True)
class Mention:
    """One reference as written: what kind of place, which labels (ranges expanded), and where in the text it stands."""

    kind: PlaceKind
    labels: tuple[str, ...]
    marker: str
    start: int
    end: int


def find_mentions(text: str) -> list[Mention]:
    """All references to numbered places, in order. A heading's own number at the start of a line is not one."""
    found: list[Mention] = []
    for match in _REFERENCE.finditer(text):
        if _UNITS.match(text, match.end()):
            continue
        kind = next(kind for kind in _KINDS if match.group(kind))
        labels = tuple(expand_labels(match.group("labels")))
        found.append(Mention(kind, labels, match.group("marker").strip(), match.start(), match.end()))
    return found


def expand_labels(text: str) -> list[str]:
    """ "3.1 и 3.4-3.6" as 3.1, 3.4, 3.5, 3.6. A range too long to be meant is kept as its two ends."""
    parts = _SPLIT.split(text)
    labels = [_label(parts[0])]
    for join, part in zip(parts[1::2], parts[2::2], strict=True):
        label = _label(part)
        if _RANGE.fullmatch(join):
            labels.extend(_between(labels[-1], label))
        labels.append(label)
    return list(dict.fromkeys(labels))


def points_only(draft: str, question_stems: frozenset[str], draft_stems: list[str]) -> bool:
    """Whether a draft only points: it has few words beyond the question's and those that point."""
    if not find_mentions(draft):
        return False
    own = [
        stem
        for stem in draft_stems
        if stem not in question_stems and not stem[0].isdigit() and not any(stem.startswith(p) for p in _POINTING_STEMS)
    ]
    return len(set(own)) < 4


def _label(text: str) -> str:
    return re.sub(r"\(.*", "", text.strip()).strip(". ")


def _between(first: str, last: str) -> list[str]:
    """The labels strictly between two of the same shape, e.g. 3.4 and 3.6."""
    head, _, low = first.rpartition(".")
    last_head, _, high = last.rpartition(".")
    if head != last_head or not (low.isdigit() and high.isdigit()) or int(high) - int(low) > _LONGEST_RANGE:
        return []
    prefix = f"{head}." if head else ""
    return [f"{prefix}{number}" for number in range(int(low) + 1, int(high))]
