"""What a question asks once it is known where: the name of the place itself tells nothing apart inside that place.

"What are the quiet hours at Sunny Shore?" asks, among the documents of Sunny Shore, for quiet hours. Left in, the name
draws every search towards whatever repeats it: addresses, contacts, footers.
"""

from __future__ import annotations

import re
from functools import lru_cache

from engine.text.spoken import sound_alike
from engine.text.stems import content_stems, stems

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_LEADS_TO = frozenset("the at in of for on from to within inside в во на по у для из от с со к ко о об".split())
_OPENING, _CLOSING = "«“„\"'", "»”“\"'"

Span = tuple[int, int]


@lru_cache(maxsize=1 << 14)
def names(text: str, name: str) -> bool:
    """Whether the text calls something by this name: by several words in a row, or by one that has a capital; in
    another script as it is spoken."""
    return bool(_mentions(text, name))


@lru_cache(maxsize=1 << 14)
def without_name(text: str, name: str) -> str:
    """The text without the name and the prepositions that lead to it; the text itself when too little is left."""
    rest = text
    for start, end in reversed(_mentions(text, name)):
        rest = f"{rest[:start].rstrip()} {rest[end:].lstrip()}"
    rest = re.sub(r"\s+([?!.,;:])", r"\1", rest).strip().lstrip(",;:. ")
    return rest if content_stems(rest) else text


def _mentions(text: str, name: str) -> list[Span]:
    wanted = stems(name)
    if not content_stems(name):
        return []
    found = list(_WORD.finditer(text))
    told = [stems(match[0]) for match in found]
    called = [match[0] for match in _WORD.finditer(name)]
    spans: list[Span] = []
    at = 0
    while at < len(found):
        end = _end_of(told, at, wanted) or _end_spoken(found, at, called)
        if end is None or (len(wanted) == 1 and (at == 0 or not found[at][0][0].isupper())):
            at += 1
            continue
        spans.append(_widened(text, found, at, end))
        at = end
    return spans


def _end_of(told: list[list[str]], at: int, wanted: list[str]) -> int | None:
    """Where the name that begins at this word ends."""
    held: list[str] = []
    for end in range(at, len(told)):
        held.extend(told[end])
        if held == wanted:
            return end + 1
        if held != wanted[: len(held)]:
            return None
    return None


def _end_spoken(found: list[re.Match[str]], at: int, called: list[str]) -> int | None:
    """The same for a name of another script, written as it is spoken."""
    end = at + len(called)
    return end if sound_alike([match[0] for match in found[at:end]], called) else None


def _widened(text: str, found: list[re.Match[str]], at: int, end: int) -> Span:
    """With the quotation marks around it, what kind of place it is said to be, and the prepositions ahead of it."""
    start, finish = found[at].start(), found[end - 1].end()
    if start and text[start - 1] in _OPENING and text[finish : finish + 1] and text[finish] in _CLOSING:
        start, finish = start - 1, finish + 1
        at = _without_kind(text, found, at, start)
        start = min(start, found[at].start())
    for before in reversed(found[:at]):
        if before[0].lower() not in _LEADS_TO or text[before.end() : start].strip():
            break
        start = before.start()
    return start, finish


def _without_kind(text: str, found: list[re.Match[str]], at: int, start: int) -> int:
    """Where it begins with the noun that a name in quotation marks stands beside: в парке «Тихий бор»."""
    if at < 2 or text[found[at - 1].end() : start].strip():
        return at
    noun, leading = found[at - 1], found[at - 2]
    is_kind = noun[0].lower() not in _LEADS_TO and not text[leading.end() : noun.start()].strip()
    return at - 1 if is_kind and leading[0].lower() in _LEADS_TO else at
