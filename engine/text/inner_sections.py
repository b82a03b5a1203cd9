"""The sections inside a chunk: tiny ones share it, each behind its heading line or its clause's number."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEADING = re.compile(r"^\*\*(?P<heading>[^*\n]+)\*\*$")
_NUMBERED = re.compile(
    r"^(?P<number>(?:[A-ZА-ЯЁ]\.?)?\d{1,4}(?:[.-]\d{1,3})*|[IVXLC]{1,6}|[A-ZА-ЯЁ](?:\.\d{1,3})*)\.\s+(?P<title>\S.*)$"
)
_WORDED = re.compile(
    r"^(?:приложение|глава|раздел|статья|часть|appendix|annex|chapter|section|article|part|schedule|exhibit)\s(?:№\s?)?"
    r"(?P<number>\d{1,4}(?:\.\d{1,3})*|(?-i:[IVXLC]{1,6}|[A-ZА-ЯЁ]))(?![\w])",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"^(?P<number>\d{1,3}(?:\.\d{1,3})+)\.?\s+\S")


@dataclass(frozen=True, slots=True)
class InnerSection:
    number: str
    title: str
    text: str
    """Without the heading line; a clause keeps its number."""


def inner_sections(text: str) -> list[InnerSection]:
    """In their order; what stands before the first heading or clause is of none."""
    found: list[InnerSection] = []
    for line in text.split("\n"):
        if begun := begins_section(line):
            found.append(InnerSection(*begun, "" if _HEADING.match(line) else line))
        elif found:
            last = found[-1]
            found[-1] = InnerSection(last.number, last.title, f"{last.text}\n{line}")
    return found


def begins_section(line: str) -> tuple[str, str] | None:
    """Number and title of the section that a line begins: "**7.2. Refunds**", "2.4 A spill is ...", "**Annex II**"."""
    if heading := _HEADING.match(line):
        title = heading["heading"]
        if numbered := _NUMBERED.match(title):
            return numbered["number"], numbered["title"]
        worded = _WORDED.match(title)
        return (worded["number"] if worded else "", title)
    clause = _CLAUSE.match(line)
    return (clause["number"], "") if clause else None
