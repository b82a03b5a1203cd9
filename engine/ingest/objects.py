"""What a reference can name besides sections: tables, figures and formulas by caption, definitions, appendices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.ingest.items import plain
from engine.text.glossaries import is_glossary, is_whole_glossary
from engine.text.normal import fold
from engine.text.stems import STOP_WORDS
from engine.types import Block, DocumentObject, ObjectKind, Section

_LABEL = r"\d{1,3}(?:[.\-–]\d{1,3})*[a-zа-я]?|[A-ZА-Я](?:[.\-]?\d{1,3})*|[IVXLC]{1,6}"
_CAPTION = re.compile(
    r"^(?:(?P<table>таблица|табл\.|table)|(?P<figure>рисунок|рис\.|figure|fig\.)|(?P<formula>формула|equation|formula))"
    rf"\s*(?:№\s*)?(?P<label>(?-i:{_LABEL}))(?P<mark>\s*[.:)]|\s+[-–—]|)(?P<gap>\s+|$)(?P<title>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_CAPTION_LENGTH = 400
_QUOTED = r"[\"“«‘„'](?P<{0}>[^\"“”«»‘’„]{{2,60}}?)[\"”»’“]"
_ANY_QUOTED = re.compile(_QUOTED.format("term"))
_START = r"^(?:[-*•]\s+|\(?\w{1,3}[.)]\s+)?"
_MEANING = (
    r"(?:means\b|mean\s+\w|(?:shall|will) (?:mean|have the meaning)|(?:has|have) the (?:same )?meaning"
    r"|refers? to\b(?! as)|(?:is|are) defined in\b|corresponds? to\b|означа\w+|это\b|понима\w+|—|–|-\s)"
)
_IS_DEFINED = re.compile(
    rf"\*{{0,2}}{_QUOTED.format('term')}\*{{0,2}}"
    rf"(?P<more>(?:(?:,|,?\s(?:or|and|и|или))\s\*{{0,2}}{_QUOTED.format('x').replace('?P<x>', '?:')}\*{{0,2}}){{0,4}})"
    r"\s*,?\s*(?:\([^()]{1,80}\)\s*|(?:of|by|in|for|as|для)\s[^.;:\"“”‘’«»]{1,60}?[,\s]\s*(?=means\b|corresponds|означа|понима))?"
    rf"{_MEANING}",
    re.IGNORECASE,
)
"""' "Processing" or "Process" will have the meaning', " 'consent' of the data subject means"."""
_IS_A = re.compile(
    rf"(?:{_START}|[.;]\s+)(?:An?\s|The\s)?(?:HTTP\s)?{_QUOTED.format('term')}\s(?:is|are)\s(?:an?|the|any|those)\s",
    re.MULTILINE,
)
_IS_IN_GLOSSARY = re.compile(
    rf"{_START}(?:An?\s|The\s)?(?:{_QUOTED.format('term')}|\*(?P<raised>[^*]{{2,60}})\*)\s(?:is|are)\s", re.MULTILINE
)
_CALLED = re.compile(
    r"(?<![\w-])(?:called|known as|referred to as|termed|называ\w+|именуе\w+)\s(?:an?\s|the\s)?"
    rf"{_QUOTED.format('term')}"
)
_PARENTHETIC = re.compile(
    r"\((?:the|each,?(?:\sa|\san)?|an?|collectively,?|together,?|or|hereinafter,?)?\s?"
    r"[\"“]\*{0,2}(?P<term>[^\"“”*()]{2,60})\*{0,2}[\"”]\)"
)
_HEREINAFTER = re.compile(
    r"\((?:именуем\w+\s)?(?:в\s)?(?:далее|дальнейшем)(?P<each>\sсоответственно)?"
    r"(?:\sпо\sтексту|\sтакже|\s(?:в|для)\s(?:целях\s|целей\s)?настояще[йм]\s\w+)*\s*(?:[-–—:]|именуем\w+)?\s*"
    r"[«\"“]?(?P<term>(?!\s*см\.)(?:[^()«»\"“”;]|\([^()]{1,40}\)){2,80}?)[»\"”]?\)",
    re.IGNORECASE,
)
_BOLD_TERM = re.compile(
    r"^(?:[-*•]\s+|\d{1,3}[.)]\s+)?\*\*(?P<term>[^*]{2,80}?)[:.]?\*\*(?P<more>(?:,\s\*\*[^*]{2,80}\*\*)*)\s*"
    rf"(?:\([^()]{{1,80}}\)\s*)?(?::|{_MEANING})",
    re.IGNORECASE,
)
_ANY_BOLD = re.compile(r"\*\*([^*]{2,80})\*\*")
_PLAIN_TERM = re.compile(r"^(?:[-*•]\s+|\d{1,3}[.)]\s+)?(?P<term>[^\W\d_][^.;:!?—–|]{1,60}?)\s+[—–-]\s+\S")
_TERM_WORDS = 8
_PLAIN_TERM_WORDS = 5
_SHORTEST_LOWER_CASE = 3


@dataclass(frozen=True, slots=True)
class Caption:
    kind: ObjectKind
    label: str
    title: str


def read_caption(text: str) -> Caption | None:
    """ "*Таблица 1. Платежи*" taken apart. A sentence that begins with "Table 2 shows" is no caption."""
    if len(text) > _CAPTION_LENGTH:
        return None
    match = _CAPTION.match(plain(text))
    if match is None:
        return None
    title = match.group("title").strip()
    if title and not match.group("mark").strip() and not title[0].isupper():
        return None
    kinds: tuple[ObjectKind, ...] = ("table", "figure", "formula")
    kind = next(kind for kind in kinds if match.group(kind))
    return Caption(kind, match.group("label").replace("–", "-"), title)


def defined_terms(text: str, *, in_glossary: bool) -> list[str]:
    """The terms that a block or chunk of text defines, as written. A glossary needs no quotes around them."""
    terms = _quoted_terms(text)
    if in_glossary:
        terms.extend(match.group("term") or match.group("raised") for match in _IS_IN_GLOSSARY.finditer(text))
        for line in text.split("\n"):
            terms.extend(_row_term(line) if line.startswith("|") else _line_terms(line))
    clean = [plain(term).strip(" .,:;\"'“”«»*") for term in terms]
    return [term for term in dict.fromkeys(clean) if _is_term(term)]


def _quoted_terms(text: str) -> list[str]:
    terms: list[str] = []
    for match in _IS_DEFINED.finditer(text):
        terms.append(match.group("term"))
        terms.extend(_ANY_QUOTED.findall(match.group("more")))
    for pattern in (_IS_A, _CALLED):
        terms.extend(match.group("term") for match in pattern.finditer(text))
    terms.extend(term for term in _PARENTHETIC.findall(text) if _is_name(term))
    for match in _HEREINAFTER.finditer(text):
        term = match.group("term")
        terms.extend(term.split(", ") if match.group("each") else [term])
    return terms


def _is_name(term: str) -> bool:
    """Whether a word in brackets and quotes is a name given to something, and not a letter or a phrase explained."""
    words = term.split()
    if not term[0].isalnum() or fold(words[-1]) in STOP_WORDS or (len(words) > 2 and term.isupper()):
        return False
    return not term.islower() or len(term) >= _SHORTEST_LOWER_CASE


def _line_terms(line: str) -> list[str]:
    if match := _BOLD_TERM.match(line):
        return [match.group("term"), *_ANY_BOLD.findall(match.group("more"))]
    match = _PLAIN_TERM.match(line)
    return [match.group("term")] if match and len(match.group("term").split()) <= _PLAIN_TERM_WORDS else []


def _is_term(term: str) -> bool:
    return len(term) > 1 and term[0].isalpha() and term.count(" ") < _TERM_WORDS and fold(term) not in STOP_WORDS


def label_of(term: str) -> str:
    """The form in which terms are looked up."""
    return fold(term)


def find_objects(
    title: str, sections: Sequence[Section], appendices: Sequence[tuple[int, str, str]]
) -> tuple[DocumentObject, ...]:
    """`appendices` are (section index, label, title). The first object of a kind and label counts."""
    found = [
        DocumentObject(kind="appendix", label=label, title=name, section=index, page=sections[index].page)
        for index, label, name in appendices
    ]
    glossaries = _glossary_sections(title, sections)
    for index, section in enumerate(sections):
        for block in section.blocks:
            found.extend(_in_block(block, index, in_glossary=index in glossaries))
    unique: dict[tuple[str, str], DocumentObject] = {}
    for one in found:
        known = unique.setdefault((one.kind, one.label), one)
        # What a glossary says of a term goes before what is said in passing, wherever that stands.
        if one.kind == "definition" and one.section in glossaries and known.section not in glossaries:
            unique[one.kind, one.label] = one
    return tuple(unique.values())


def glossary_indexes(title: str, sections: Sequence[Section]) -> frozenset[int]:
    return frozenset(_glossary_sections(title, sections))


def _glossary_sections(title: str, sections: Sequence[Section]) -> set[int]:
    """Sections named like a glossary, with their subsections; all of them in a document named so."""
    if is_whole_glossary(title):
        return set(range(len(sections)))
    inside: set[int] = set()
    for index, section in enumerate(sections):
        if section.parent in inside or is_glossary(section.title):
            inside.add(index)
    return inside


def _in_block(block: Block, index: int, *, in_glossary: bool) -> list[DocumentObject]:
    found: list[DocumentObject] = []
    if block.kind == "paragraph" and (caption := read_caption(block.text)):
        found.append(
            DocumentObject(kind=caption.kind, label=caption.label, title=caption.title, section=index, page=block.page)
        )
    if block.kind == "code" or (block.kind == "table" and not (in_glossary and _is_two_columns(block.text))):
        return found
    for term in defined_terms(block.text, in_glossary=in_glossary):
        found.append(
            DocumentObject(kind="definition", label=label_of(term), title=term, section=index, page=block.page)
        )
    return found


def _is_two_columns(table: str) -> bool:
    return table.partition("\n")[0].count("|") == 3


def _row_term(line: str) -> list[str]:
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    if len(cells) != 2 or not cells[1] or set(cells[0]) <= set("-: ") or len(cells[0]) > 60:
        return []
    return [cells[0]]
