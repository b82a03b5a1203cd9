"""Where sentences end, in Russian and English: abbreviations, initials, numbers and list marks do not end one."""

from __future__ import annotations

import re

_ABBREVIATIONS = frozenset(
    "т тт п пп ст см разд гл подп абз рис табл прил стр г гг в вв др пр руб коп тыс млн млрд кв эт д ул пер корп стр"
    " тел доб напр ср им проф е ч мин сек etc e.g i.e eg ie vs cf mr mrs ms dr no nos sec secs art arts par fig figs"
    " eq ch pp vol approx inc ltd co st".split()
)
_END = re.compile(r"[.!?…]+[\"'»”)\]]*(?=\s+\S)")
_LAST_END = re.compile(r"[.!?…]+[\"'»”)\]]*(?=\s|$)")
_LONGEST_WORD = 40
_LAST_WORD = re.compile(r"([^\W_]+(?:\.[^\W_]+)*)$")


def split_sentences(text: str) -> list[str]:
    """The sentences of a paragraph, in order, trimmed; line breaks count as spaces."""
    flat = re.sub(r"\s+", " ", text).strip()
    sentences: list[str] = []
    start = 0
    for match in _END.finditer(flat):
        if _ends_sentence(flat, match):
            sentences.append(flat[start : match.end()].strip())
            start = match.end()
    rest = flat[start:].strip()
    if rest:
        sentences.append(rest)
    return sentences


def sentence_end(text: str, start: int, *, whole: bool) -> int | None:
    """Where the sentence or line ends that begins at `start`; None when that cannot be told before the text goes on,
    or when nothing is left. A text that is `whole` ends its last sentence."""
    line_end = text.find("\n", start)
    stop = len(text) if line_end == -1 else line_end + 1
    segment = text[start:stop]
    for match in _END.finditer(segment):
        if _ends_sentence(segment, match):
            return start + match.end()
    return stop if (line_end != -1 or whole) and stop > start else None


def whole_sentences(text: str) -> str:
    """The text up to the end of its last whole sentence or line, as it is written."""
    end = text.rfind("\n") + 1
    for match in _LAST_END.finditer(text, end):
        if _ends_sentence(text, match):
            end = match.end()
    return text[:end].rstrip()


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    following = text[match.end() :].lstrip()
    if following[:1].islower():
        return False
    if match.group()[0] != ".":
        return True
    last = _LAST_WORD.search(text[max(0, match.start() - _LONGEST_WORD) : match.start()])
    if last is None:
        return True
    word = last.group(1)
    if word.lower() in _ABBREVIATIONS or len(word) == 1 and word.isalpha():
        return False
    # "7.2. Payment" and "12. Payment": a number with a full stop before a capital is a list mark, not an end,
    # when it stands at the start of the text so far.
    return not (re.fullmatch(r"[\d.]+", word) and match.start() == len(word))
