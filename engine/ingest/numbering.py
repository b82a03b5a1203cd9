"""What a heading's number is, as references spell it: "7.2", "12", "IV", "A.1", "156.1"; and how deep it stands.

To teach it a new kind of heading, add its words to `_WORDS` and its place among the others to `_RANKS`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

HeadingKind = Literal[
    "", "part", "title", "division", "subdivision", "chapter", "section", "paragraph", "article", "clause", "appendix"
]

_WORDS: dict[HeadingKind, str] = {
    "part": r"часть|part",
    "title": r"title",
    "division": r"раздел",
    "subdivision": r"подраздел",
    "chapter": r"глава|chapter",
    "section": r"section",
    "paragraph": r"§|параграф",
    "article": r"статья|article",
    "clause": r"пункт|clause",
    "appendix": r"приложение|appendix|annex|schedule|exhibit",
}
_RANKS: dict[HeadingKind, int] = {
    "part": 1,
    "appendix": 1,
    "title": 2,
    "division": 2,
    "subdivision": 3,
    "chapter": 4,
    "section": 5,
    "paragraph": 5,
    "article": 6,
    "clause": 7,
    "": 7,
}
_ORDINALS = {
    word: str(number)
    for number, words in enumerate(
        (
            "первый первая первое one first",
            "второй вторая второе two second",
            "третий третья третье three third",
            "четвертый четвертая четвёртый четвёртая four fourth",
            "пятый пятая five fifth",
            "шестой шестая six sixth",
            "седьмой седьмая seven seventh",
            "восьмой восьмая eight eighth",
            "девятый девятая nine ninth",
            "десятый десятая ten tenth",
        ),
        start=1,
    )
    for word in words.split()
}
_DECIMAL = r"\d{1,4}(?:\.\d{1,3})*(?:-\d{1,2})?"
_ROMAN = r"[IVXLCDM]{1,7}(?:\.\d{1,3})*"
_LETTER = r"[A-ZА-Я](?:\.\d{1,3})*"
_WORDED = re.compile(
    r"^(?:"
    + "|".join(rf"(?P<{kind}>{words})" for kind, words in _WORDS.items())
    + rf")\s*(?:№\s*|N\s+)?(?P<label>{_DECIMAL}|{_ROMAN}|{_LETTER}|[а-яёa-z]{{3,10}})(?P<mark>\s*[.:)]|\s+[-–—]|)"
    r"(?P<gap>\s+|$)(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_CASED_LABEL = re.compile(rf"(?:{_DECIMAL}|{_ROMAN}|{_LETTER})")
_PLAIN = re.compile(
    rf"^(?P<label>\d{{1,3}}(?:\.\d{{1,3}})*|{_ROMAN}(?=\.\s)|[A-ZА-Я](?:\.\d{{1,3}})+|[A-ZА-Я](?=\.\s))"
    r"(?P<mark>[.)]?)\s+(?P<title>\S.*)$",
    re.DOTALL,
)
_INITIALS = re.compile(r"^[A-ZА-ЯЁ]\.")
_VALID_ROMAN = re.compile(r"^M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})(?:\.\d+)*$")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading taken apart; `kind` is "" when it has no word like "Статья" before its number, or no number."""

    number: str
    title: str
    kind: HeadingKind = ""


def split_heading(text: str) -> Heading:
    """ "7.2. Title", "Статья 12. Title", "Annex II", "§ 4", "IV. Title" as number and title; number "" if none."""
    flat = " ".join(text.split())
    return _worded(flat) or _plain(flat) or Heading("", flat)


def is_worded_heading(text: str) -> bool:
    """Whether a line is a heading by its words alone: "Статья 12. Title", "CHAPTER II", but not "Article 6(1) says"."""
    return _worded(" ".join(text.split())) is not None


def rank(heading: Heading) -> int:
    """How deep a heading stands where nothing but its words tells: chapters over articles, "7" over "7.2"."""
    return _RANKS[heading.kind] + heading.number.count(".") * (heading.kind == "")


def is_inside(number: str, other: str) -> bool:
    """Whether a number belongs under another: 7.2 under 7, A.1 under A."""
    return bool(other) and number.startswith(f"{other}.")


def _worded(text: str) -> Heading | None:
    match = _WORDED.match(text)
    if match is None:
        return None
    kind = next(kind for kind in _WORDS if match.group(kind))
    label, mark, title = match.group("label"), match.group("mark").strip(), match.group("rest").strip()
    number = label if _CASED_LABEL.fullmatch(label) else _ORDINALS.get(label.lower(), "")
    if not number or (len(number) > 1 and number[0] in "IVXLCDM" and not _VALID_ROMAN.match(number)):
        return None
    belongs_to = kind == "appendix" and title.startswith(("к ", "to "))  # "Приложение № 1 к договору"
    if title and not mark and not _starts_title(title) and not belongs_to:
        return None
    return Heading(number, title.strip(" -–—"), kind)


def _plain(text: str) -> Heading | None:
    match = _PLAIN.match(text)
    if match is None:
        return None
    number, mark, title = match.group("label"), match.group("mark"), match.group("title")
    if any(len(part) > 1 and part.startswith("0") for part in number.split(".")):
        return None
    if number[0].isalpha():
        if _INITIALS.match(title) or (len(number) > 1 and "." not in number and not _VALID_ROMAN.match(number)):
            return None
    elif not mark and "." not in number and not _starts_title(title):
        return None
    return Heading(number, title)


def _starts_title(title: str) -> bool:
    first = title.lstrip("\"'«“„‘(*_`")[:1]
    return first.isupper() or first.isdigit()
