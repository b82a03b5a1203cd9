"""Numbers of places as written: "3.4", "IV", "А", "12(3)(a)", "156<sup>1</sup>", "а)", with lists and ranges."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.text.references.words import NUMBER_SIGN, NUMBERS_BEHIND, UNITS

_LONGEST_RANGE = 20
_MOST_LABELS = 60

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_RAISED = r"(?:<sup>\d{1,3}</sup>|\^\d{1,3}|[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})"
_ITEM = r"(?:\d{1,3}[A-Za-z]?|[a-zа-яё](?:\.\d)?|aa|bb|cc|dd|ee|ff|gg|hh|[ivx]{1,6}|[A-Z])"
_BRACKETED = re.compile(rf"\s?\({_ITEM}\)")
_NAMED_ITEM = re.compile(
    r"\s?\((?:част[ьи]|ч\.|пункты?|п\.|абзацы?|подпункты?|подп\.|parts?|paragraphs?|points?)\s?"
    r"(\d{1,3}(?:\.\d{1,2})?(?:(?:\s?[,-]\s?|\sи\s|\sand\s)\d{1,3}(?:\.\d{1,2})?){0,6})\)",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    rf"(?:[A-ZА-ЯЁ]\.?)?\d{{1,4}}(?!\d)(?:[A-Z](?=\.\d))?{_RAISED}?(?:\.(?:\d{{1,4}}[A-Z]?(?!\w)|\d{{1,4}}(?=\.)|[A-Z](?=\.\d)))*{_RAISED}?"
    r"(?:[A-Za-zА-Яа-я](?!\w))?(?!\w)(?!/\d|,\d{3}|-(?:й|я|е|го|му|м|ой|ю)\b)"
)
_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.(?:19|20)\d\d(?!\d)")
_SUBNUMBER = re.compile(r"-(\d{1,2})(?![\d.])")
_ROMAN = re.compile(r"[IVXLCХ]{1,7}(?:\.\d{1,3}|\.[A-Z](?!\w))*(?![\w'’])")
_LETTER = re.compile(r"[A-ZА-ЯЁ](?:\.\d{1,3})*(?![\w'’-])")
_QUOTED = re.compile(rf"[«\"“'‘]((?:[a-zа-яё]{{1,2}}|\d{{1,3}}(?:\.\d{{1,3}})*){_RAISED}?)\)?[»\"”'’]\)?")
_PAREN = re.compile(rf"\(({_ITEM})\)|([a-zа-яё]|\d{{1,3}})\)")
_BARE = re.compile(r"[а-яё](?=\s+(?:п|ст|ч|пункт\w*|част\w+|стать\w+)\b)")
_SIGN = re.compile(
    rf"[\s\u200e\u200f]*(?:{NUMBER_SIGN}\s?|(?:с|from)\s(?=\d[\d.]{{0,12}}\s(?:по|до|to)\s))?", re.IGNORECASE
)
_RANGE = re.compile(r"\s?[-–—]\s?|\s+(?:по|до|to|through)\s+", re.IGNORECASE)
_LIST = re.compile(r"\s?,\s?(?:(?:и|или|and|or)\s+)?|\s+(?:и|или|либо|и/или|and|or|and/or|&)\s+", re.IGNORECASE)
_ASIDE = re.compile(r"\s?\([A-Z][^()\d]{2,80}\)(?=,?\s(?:and|or)\s\d)")
_UNIT = re.compile(rf"\s?(?:{UNITS})", re.IGNORECASE)
_PROSE = re.compile(r"\s+[a-zа-яё]")
_AFTER_LETTER = re.compile(r"\s+(?:of|and|or|to|in|applies|is|are|lists|shows|и|или|к)\b", re.IGNORECASE)
_WORD = re.compile(
    "(?:" + "|".join(rf"(?P<n{value}>{pattern})" for value, pattern in NUMBERS_BEHIND) + r")\b(?!\s+из\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Label:
    """One number with the items written behind it: "12(3)(a)" is 12 with items ("3", "a")."""

    text: str
    items: tuple[str, ...]
    end: int


@dataclass(frozen=True, slots=True)
class Labels:
    all: tuple[Label, ...]
    end: int


def read_labels(text: str, at: int, *, letters: bool = False) -> Labels | None:
    """The list of numbers that starts at `at`, ranges expanded. `letters`: "а)" and "(a)" are numbers of this place."""
    sign = _SIGN.match(text, at)
    first = _label(text, sign.end() if sign else at, letters=letters)
    if not first:
        return None
    found = [[first]]
    end = first.end
    while len(found) < _MOST_LABELS and (step := _next(text, end, found[-1][-1], letters=letters)):
        found.append(step)
        end = step[-1].end
    while found and _UNIT.match(text, found[-1][-1].end):
        found.pop()
    if not found:
        return None
    unique = {label.text: label for step in found for label in step}
    return Labels(tuple(unique.values()), found[-1][-1].end)


def expand(text: str) -> list[str]:
    """ "3.1 и 3.4-3.6" as 3.1, 3.4, 3.5, 3.6. A range too long to be meant is kept as its two ends."""
    labels = read_labels(text, 0, letters=True)
    return [label.text for label in labels.all] if labels else []


def _next(text: str, at: int, last: Label, *, letters: bool) -> list[Label] | None:
    """What a join adds: one label, or the rest of a range."""
    if (range_ := _RANGE.match(text, at)) and (label := _label(text, range_.end(), letters=letters)):
        if _shape(label.text) == _shape(last.text):
            return [Label(one, (), label.end) for one in between(last.text, label.text)] + [label]
        head, _, part = last.text.rpartition(".")
        if head and part.isdigit() and label.text.isdigit() and len(range_.group()) == 1:
            end = f"{head}.{label.text}"
            return [Label(one, (), label.end) for one in (*between(last.text, end), end)]
        return None
    aside = _ASIDE.match(text, at)
    join = _LIST.match(text, aside.end() if aside else at)
    if not join or not (label := _label(text, join.end(), letters=letters)):
        return None
    if _LETTER.fullmatch(label.text) and _PROSE.match(text, label.end) and not _AFTER_LETTER.match(text, label.end):
        return None
    return [label]


def _label(text: str, at: int, *, letters: bool) -> Label | None:
    if (number := _NUMBER.match(text, at)) and not _DATE.match(text, at):
        label, end = _plain(number.group()), number.end()
        if (sub := _SUBNUMBER.match(text, end)) and int(sub[1]) <= _last_part(label):
            return Label(label + sub.group(), (), sub.end())
        items, end = _items(text, end)
        return Label(label, items, end)
    if letter := _ROMAN.match(text, at) or _LETTER.match(text, at):
        prose = _PROSE.match(text, letter.end()) and not _AFTER_LETTER.match(text, letter.end())
        if letter.group() in ("I", "A") and prose:
            return None
        items, end = _items(text, letter.end())
        return Label(letter.group(), items, end)
    if quoted := _QUOTED.match(text, at):
        return Label(_plain(quoted.group(1)), (), quoted.end())
    if letters and (paren := _PAREN.match(text, at)):
        items, end = _items(text, paren.end())
        return Label(paren.group(1) or paren.group(2), items, end)
    if letters and (bare := _BARE.match(text, at)):
        return Label(bare.group(), (), bare.end())
    word = _WORD.match(text, at)
    return Label(str(word.lastgroup)[1:], (), word.end()) if word else None


def _items(text: str, at: int) -> tuple[tuple[str, ...], int]:
    """ "(3)(a) and (b)" as ("3", "a,b"), " (часть 1)" as ("1",): a step a level, items of one level by commas."""
    items: list[str] = []
    while len(items) < 6 and (match := _BRACKETED.match(text, at)):
        items.append(match.group().strip(" ()"))
        at = match.end()
    while items and len(items[-1]) < 60:
        if (join := _RANGE.match(text, at)) and (match := _BRACKETED.match(text, join.end())):
            last = match.group().strip(" ()")
            items[-1] = ",".join([items[-1], *between(items[-1].rpartition(",")[2], last), last])
        elif (join := _LIST.match(text, at)) and (match := _BRACKETED.match(text, join.end())):
            items[-1] += "," + match.group().strip(" ()")
        else:
            break
        at = match.end()
    if not items and (named := _NAMED_ITEM.match(text, at)):
        return (",".join(expand(named.group(1))),), named.end()
    return tuple(items), at


def _last_part(label: str) -> int:
    """66.3-1 is a number of its own, 5.1-3 a range."""
    last = label.rpartition(".")[2]
    return int(last) if last.isdigit() else 0


def _plain(text: str) -> str:
    """A raised number is the last part: "156<sup>1</sup>" is "156.1"."""
    raised = re.search(_RAISED, text)
    if not raised:
        return text
    value = re.sub(r"</?sup>|\^", "", raised.group()).translate(_SUPERSCRIPTS)
    return f"{text[: raised.start()]}.{value}{text[raised.end() :]}"


def _shape(label: str) -> int:
    """Ranges run between labels of one shape: numbers of as many parts, or letters and Roman numerals (-1)."""
    return label.count(".") if any(char.isdigit() for char in label) else -1


def between(first: str, last: str) -> list[str]:
    """The labels strictly between two of one shape, as 3.5 between 3.4 and 3.6; none if they are too many."""
    head, _, low = first.rpartition(".")
    last_head, _, high = last.rpartition(".")
    prefix = f"{head}." if head else ""
    if head == last_head and low.isdigit() and high.isdigit():
        start, end = int(low), int(high)
        return [f"{prefix}{n}" for n in range(start + 1, end)] if end - start <= _LONGEST_RANGE else []
    if (start := roman(first)) and (end := roman(last)) and len(first) + len(last) > 2:
        return [_to_roman(n) for n in range(start + 1, end)] if end - start <= _LONGEST_RANGE else []
    if len(first) == len(last) == 1 and first.isalpha() and 0 < ord(last) - ord(first) <= _LONGEST_RANGE:
        return [chr(code) for code in range(ord(first) + 1, ord(last)) if chr(code) not in "йЙ"]
    return []


_ROMAN_VALUES = ((100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))


def _to_roman(number: int) -> str:
    text = ""
    for value, sign in _ROMAN_VALUES:
        text += sign * (number // value)
        number %= value
    return text


def roman(text: str) -> int:
    """The value of a Roman numeral below 400, 0 if it is none."""
    rest, total = text, 0
    for value, sign in _ROMAN_VALUES:
        while rest.startswith(sign):
            total, rest = total + value, rest[len(sign) :]
    return 0 if rest or _to_roman(total) != text else total
