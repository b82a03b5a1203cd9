"""Headings of a PDF without an outline, by the size and weight of their letters and by their numbers."""

from __future__ import annotations

import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from engine.ingest.numbering import Heading, is_worded_heading, rank, split_heading
from engine.ingest.objects import read_caption
from engine.ingest.parsers.pdf_lines import Line
from engine.ingest.parsers.pdf_outline import FoundHeading, letters

_LABEL = re.compile(
    r"^(?P<label>\d{1,3}(?:\.\d{1,3}){0,5}|[A-ZА-Я](?:\.\d{1,3}){1,4}|[IVXLC]{1,7}(?=\.)|[A-ZА-Я](?=\.))[.)]?\s+(?=\S)"
)
_LONE_LETTER = re.compile(r"^(?P<label>[A-ZА-Я])\s+(?=[A-ZА-Я])")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_LONGEST = 200
_LONGEST_NUMBERED = 320
_BODY_LINES = 8
_MOST_LINES = 6
_BIGGER = 1.07
_SMALLEST = 0.9
_SMALLEST_DEEP = 0.8
"""Of numbered subsections in bold: browsers set the deepest headings smaller than the text."""
_SENTENCE_ENDS = ".;,:"
_ENOUGH_NUMBERED = 5
_FEW = 3
_FRONT_MATTER = re.compile(
    r"abstract|summary|introduction|preface|foreword|keywords|аннотация|резюме|введение|предисловие", re.IGNORECASE
)
_RUN_IN = re.compile(r"^\d{1,3}(?:\.\d{1,3})*\.")

StyleKey = tuple[float, bool, bool, bool]


@dataclass(frozen=True, slots=True)
class Body:
    """What most of the document is set in."""

    size: float
    bold: bool
    pitch: float
    """Distance of its lines, in units of the letter size."""


@dataclass(slots=True)
class _Candidate:
    start: int
    count: int
    text: str
    style: StyleKey
    heading: Heading
    level: int | None
    """By its number; None without one."""


def body_of(lines: Sequence[Line]) -> Body:
    sizes: Counter[float] = Counter()
    bold = total = 0
    for line in lines:
        sizes[_rounded(line.size)] += len(line.text)
    size = sizes.most_common(1)[0][0] if sizes else 10.0
    distances: list[float] = []
    for line in lines:
        if abs(line.size - size) < 0.3:
            total += len(line.text)
            bold += len(line.text) * line.font.bold
            if 0.8 * size < line.drop_above < 2.5 * size:
                distances.append(line.drop_above / line.size)
    pitch = statistics.median_low(distances) if distances else 1.2
    return Body(size, bold > 0.5 * max(1, total), pitch)


def styled_headings(lines: Sequence[Line], body: Body, title: str) -> list[FoundHeading]:
    candidates: list[_Candidate] = []
    index = 0
    while index < len(lines):
        candidate = _candidate(lines, index, body)
        if candidate is None:
            index += 1
            continue
        candidates.append(candidate)
        index = candidate.start + candidate.count
    start = _end_of_covers(lines, body)
    candidates = [
        one
        for one in candidates
        if (one.level is not None or one.start >= start) and not (title and letters(one.text) in letters(title))
    ]
    candidates = _without_authors(lines, candidates)
    candidates = _without_doubles(_without_odd_numbers(candidates))
    if _is_contract(lines, candidates):
        candidates = [one for one in candidates if one.heading.kind or one.style[0] >= _BIGGER * body.size]
    _close_ranks(candidates)
    levels = _levels(candidates, body)
    return [
        FoundHeading(one.start, one.count, one.text, levels[position], lines[one.start].page, _bare_number(one))
        for position, one in enumerate(candidates)
        if levels[position]
    ]


def _candidate(lines: Sequence[Line], index: int, body: Body) -> _Candidate | None:
    line = lines[index]
    if not _may_be_heading(line, body):
        return None
    count = _count(lines, index, body)
    text = " ".join(one.text for one in lines[index : index + count])
    if line.text.endswith("-") and count > 1:
        text = line.text[:-1] + " ".join(one.text for one in lines[index + 1 : index + count])
    heading = split_heading(text)
    label = _label(line)
    big = line.size >= _BIGGER * body.size
    styled = big or line.font.bold
    if heading.kind and not heading.title and styled:
        title_count = _title_below(lines, index + count, body)
        if title_count:
            below = " ".join(one.text for one in lines[index + count : index + count + title_count])
            text, count = f"{text.rstrip('.')}. {below}", count + title_count
            heading = split_heading(text)
    if len(text) > (_LONGEST_NUMBERED if heading.number else _LONGEST) or not _LETTERS.search(text):
        return None
    if read_caption(text) or (count >= _MOST_LINES and _goes_on(lines, index + count)):
        return None
    number = heading.number or (label.group("label") if label else "")
    if text[-1] in _SENTENCE_ENDS and not number:
        return None
    if not styled and not (number and _is_set_apart(line, text, heading)):
        return None
    if not big and not _stands_apart(lines, index, body):
        return None
    style = (_rounded(line.size), line.font.bold, line.font.italic, text.isupper())
    known = heading if heading.number else Heading(number, text[label.end() :] if label and number else text)
    return _Candidate(index, count, text, style, known, _level(known))


def _may_be_heading(line: Line, body: Body) -> bool:
    label = _label(line)
    deep = line.font.bold and label is not None and "." in label.group("label")
    if line.table or line.note or line.font.mono or line.size < (_SMALLEST_DEEP if deep else _SMALLEST) * body.size:
        return False
    if (len(line.cells) > 3 and line.size < _BIGGER * body.size) or not (
        _LETTERS.search(line.text) or is_worded_heading(line.text)
    ):
        return False
    if line.size >= _BIGGER * body.size or (line.font.bold and not body.bold):
        return True
    return label is not None and len(line.text) < 90


def _goes_on(lines: Sequence[Line], index: int) -> bool:
    """Whether bold text continues: then it is a paragraph in bold."""
    return index < len(lines) and _continues(lines[index - 1], lines[index])


def _stands_apart(lines: Sequence[Line], index: int, body: Body) -> bool:
    """Whether a line begins something, and is no bold line in the middle of a paragraph."""
    line = lines[index]
    before = lines[index - 1] if index else None
    if before is None or before.page != line.page or before.left != line.left or line.drop_above <= 0:
        return True
    full = before.x1 > before.right - 0.12 * (before.right - before.left)
    return (
        line.drop_above > 1.15 * body.pitch * line.size or not full or before.text.endswith((".", "!", "?", ":", ";"))
    )


def _label(line: Line) -> re.Match[str] | None:
    """The number that a line begins with; a letter without a dot counts only with a wide gap after it."""
    match = _LABEL.match(line.text)
    if match is None and len(line.cells) > 1 and len(line.cells[0][2]) == 1:
        match = _LONE_LETTER.match(line.text)
    return match


def _is_set_apart(line: Line, text: str, heading: Heading) -> bool:
    """Numbered lines in the body's own letters: capitals or italics make them headings."""
    title = heading.title or text
    return (sum(map(str.isalpha, title)) >= 3 and title.isupper()) or (line.font.italic and len(text) < 70)


def _count(lines: Sequence[Line], index: int, body: Body) -> int:
    """Of the lines that a heading takes."""
    first = lines[index]
    if not (first.size >= _BIGGER * body.size or first.font.bold or first.text.isupper()):
        return 1
    count = 1
    while (
        count < _MOST_LINES
        and index + count < len(lines)
        and _continues(lines[index + count - 1], lines[index + count])
    ):
        count += 1
    return count


def _continues(before: Line, line: Line) -> bool:
    return (
        (line.page == before.page or (line.page == before.page + 1 and line.drop_above == 0 and _reaches_end(before)))
        and abs(line.size - before.size) < 0.6
        and line.font.bold == before.font.bold
        and line.text.isupper() >= before.text.isupper()
        and (0 < line.drop_above < 1.7 * line.size or line.page > before.page)
        and _label(line) is None
        and not is_worded_heading(line.text)
        and not (is_worded_heading(before.text) and not split_heading(before.text).title)
        and before.x1 > before.left + 0.5 * (before.right - before.left)
        and not line.table
    )


def _reaches_end(line: Line) -> bool:
    return line.x1 > line.right - 0.15 * (line.right - line.left)


def _title_below(lines: Sequence[Line], index: int, body: Body) -> int:
    """Lines of the title under "Глава 1"."""
    if index >= len(lines):
        return 0
    line = lines[index]
    fits = (line.size >= _BIGGER * body.size or line.font.bold) and line.text[:1] != "("
    if not fits or line.page != lines[index - 1].page or line.table or _label(line):
        return 0
    return 0 if is_worded_heading(line.text) else _count(lines, index, body)


def _level(heading: Heading) -> int | None:
    if not heading.number:
        return None
    return rank(Heading(heading.number, "", heading.kind))


def _end_of_covers(lines: Sequence[Line], body: Body) -> int:
    """The first line after the title pages: those which hold next to no running text."""
    texts = Counter(line.page for line in lines if abs(line.size - body.size) < 0.3)
    full = next((line.page for line in lines if texts[line.page] >= _BODY_LINES), None)
    return next((index for index, line in enumerate(lines) if line.page == full), 0)


def _without_authors(lines: Sequence[Line], candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """What stands in big letters over the first numbered section of an article: its authors, not its sections."""
    first = next((one for one in candidates if one.level is not None), None)
    if first is None or sum(one.level is not None for one in candidates) < _ENOUGH_NUMBERED:
        return list(candidates)
    page = lines[first.start].page
    return [
        one
        for one in candidates
        if one.start >= first.start or lines[one.start].page != page or _FRONT_MATTER.search(one.text)
    ]


def _without_odd_numbers(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Without numbered lines in smaller letters than headings below their level have: bold list items."""
    sizes: dict[int, Counter[float]] = defaultdict(Counter)
    for one in candidates:
        if one.level is not None and not one.heading.kind:
            sizes[one.level][one.style[0]] += 1
    usual = {level: counts.most_common(1)[0][0] for level, counts in sizes.items() if counts.total() >= _FEW}
    return [
        one
        for one in candidates
        if one.level is None
        or one.heading.kind
        or all(one.style[0] >= size - 0.6 for level, size in usual.items() if level > one.level)
    ]


def _without_doubles(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Of several headings with one number, those in the biggest letters."""
    biggest: dict[tuple[str, str], float] = defaultdict(float)
    for one in candidates:
        key = (one.heading.kind, one.heading.number)
        biggest[key] = max(biggest[key], one.style[0])
    return [
        one
        for one in candidates
        if one.level is None or one.style[0] >= biggest[one.heading.kind, one.heading.number] - 0.6
    ]


def _is_contract(lines: Sequence[Line], candidates: Sequence[_Candidate]) -> bool:
    """Clauses that begin in bold with their number, in the letters of the text: `promotion` makes sections of them."""
    run_in = sum(_RUN_IN.match(line.bold_start) is not None for line in lines)
    numbered = sum(one.level is not None and not one.heading.kind for one in candidates)
    return run_in >= _ENOUGH_NUMBERED and run_in > numbered


def _close_ranks(candidates: Sequence[_Candidate]) -> None:
    """Levels from 1 without gaps; appendices stand beside the topmost sections."""
    ranks = sorted({one.level for one in candidates if one.level is not None and one.heading.kind != "appendix"})
    for one in candidates:
        if one.level is not None:
            one.level = 1 if one.heading.kind == "appendix" else ranks.index(one.level) + 1


def _levels(candidates: Sequence[_Candidate], body: Body) -> list[int]:
    """Depth of each; 0 for what is no heading after all. Unnumbered ones stand like numbered ones of their style."""
    by_style: dict[StyleKey, list[int]] = defaultdict(list)
    for one in candidates:
        if one.level is not None:
            by_style[one.style].append(one.level)
    numbered = sum(len(levels) for levels in by_style.values())
    typical = {style: round(statistics.median(levels)) for style, levels in by_style.items()}
    unnumbered = Counter(one.style for one in candidates if one.level is None)
    typical = {style: level for style, level in typical.items() if unnumbered[style] <= 2 * len(by_style[style])}
    sizes = sorted({style[0] for style in unnumbered}, reverse=True)
    return [_depth(one, typical, sizes, numbered, body) for one in candidates]


def _depth(one: _Candidate, typical: dict[StyleKey, int], sizes: Sequence[float], numbered: int, body: Body) -> int:
    if one.level is not None:
        return one.level
    size = one.style[0]
    alike = [(style[1:] != one.style[1:], abs(style[0] - size), level) for style, level in typical.items()]
    alike = [entry for entry in alike if entry[1] <= 0.7]
    if numbered >= _ENOUGH_NUMBERED:
        if alike and (size >= _BIGGER * body.size or not min(alike)[0]):
            return min(alike)[2]
        bigger = [level for style, level in typical.items() if style[0] > size + 0.7]
        if size <= _BIGGER * body.size:
            return 0
        return max(bigger) + 1 if bigger else 1
    if alike:
        return min(alike)[2]
    return (
        1 + sizes.index(size)
        if size >= _BIGGER * body.size
        else 1 + len([s for s in sizes if s >= _BIGGER * body.size])
    )


def _bare_number(one: _Candidate) -> str | None:
    """The number when the heading's text alone would not show it."""
    return one.heading.number if one.heading.number and not split_heading(one.text).number else None


def _rounded(size: float) -> float:
    return round(size * 2) / 2
