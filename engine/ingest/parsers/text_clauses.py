"""Contracts written line by line, without blank lines: where a clause, a heading or a caption begins inside a block."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.ingest.numbering import is_worded_heading, split_heading
from engine.ingest.objects import read_caption
from engine.ingest.parsers.text_layout import Line

_CLAUSE = re.compile(r"^(?P<number>\d{1,3}(?:\.\d{1,3})+)\.?\s+[A-ZА-ЯЁ\"«“(\d]")
_HEADING_LENGTH = 160
_ENOUGH = 3
_ENDS = (".", ";", ":", "!", "?")


def split_at_clauses(groups: Sequence[list[Line]]) -> list[list[Line]]:
    """The same lines in more groups, when enough clauses stand in the middle of them; a heading's title joins it."""
    inside = sum(_CLAUSE.match(line.text) is not None for group in groups for line in group[1:])
    if inside < _ENOUGH:
        return list(groups)
    return [part for group in groups for part in _split(group)]


def _split(group: list[Line]) -> list[list[Line]]:
    parts: list[list[Line]] = []
    closed = True
    """The line before is a heading, so that whatever follows begins something."""
    lines = iter(enumerate(group))
    for index, line in lines:
        following = group[index + 1] if index + 1 < len(group) else None
        if _is_heading(line, following):
            if following is not None and _is_its_title(line, following):
                line = replace(line, text=f"{line.text.rstrip('.')}. {following.text}")
                next(lines)
            parts.append([line])
            closed = True
        elif closed or _begins(line, parts[-1][-1]):
            parts.append([line])
            closed = False
        else:
            parts[-1].append(line)
    return parts


def _is_heading(line: Line, following: Line | None) -> bool:
    """ "Приложение Б", "Статья 5. Права", and "5. Заморозка" right above "5.1. ..."."""
    if len(line.text) > _HEADING_LENGTH or line.text[-1] in ";:,":
        return False
    if is_worded_heading(line.text):
        return True
    number = split_heading(line.text).number
    clause = _CLAUSE.match(following.text) if following is not None else None
    return clause is not None and bool(number) and clause["number"] == f"{number}.1"


def _is_its_title(heading: Line, line: Line) -> bool:
    if split_heading(heading.text).title or split_heading(line.text).number or _CLAUSE.match(line.text):
        return False
    return line.text[0].isupper() and line.text[-1] not in ".;:," and len(line.text) <= _HEADING_LENGTH


def _begins(line: Line, before: Line) -> bool:
    """A clause behind the end of a sentence, and not a number at which a line was wrapped; a caption."""
    if _CLAUSE.match(line.text):
        return before.text.endswith(_ENDS) or _CLAUSE.match(before.text) is not None
    return read_caption(line.text) is not None
