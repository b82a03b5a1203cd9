"""References without a number: "as described above", "нижеследующие условия", "as defined in the Glossary"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.text.references.mention import Mention, Relative

_LAID_RU = (
    r"указан\w*|описан\w*|излож\w+|приведен\w*|приведён\w*|перечислен\w*|упомянут\w*|показан\w*|сказан\w*|дан[аоы]?"
    r"|представлен\w*|рассмотрен\w*"
)
_SAID_RU = rf"{_LAID_RU}|установлен\w*|назван\w*|определен\w*|определён\w*|см\.|смотри(?:те)?|говорилось"
_SAID_EN = (
    r"described|set\s+(?:out|forth)|listed|defined|mentioned|specified|stated|noted|discussed|shown|given|outlined|provided|see"
    r"|referred\s+to|explained|indicated|identified|as|detailed|presented|appears?|laid\s+down|summari[sz]ed"
)
_NOUNS_RU = r"(?:раздел|пункт|подпункт|абзац|глав|стать|таблиц|рисунк|пример|списк|переч|услови|инструкци)[а-яё]{0,3}"
_NOUNS_EN = (
    r"sections?|paragraphs?|clauses?|articles?|requirements?|provisions?|lists?|tables?|examples?|definitions?|conditions?|rules?"
    r"|limits?|steps?|figures?|instructions?|procedures?|criteria|exceptions?"
)
_HERE = re.compile(
    rf"(?<!\w)(?:(?:{_SAID_RU})\s+(?P<a>выше|ниже)(?!\s*\d)|(?<!не\s)(?P<b>выше|ниже)\s(?:{_LAID_RU})(?!\w)"
    rf"|(?P<c>выше|ниже)(?:указанн|описанн|изложенн|приведенн|приведённ|перечисленн|упомянут|названн|следующ|сказанн)\w+"
    rf"|(?:{_SAID_EN})\s+(?:herein)?(?P<d>above|below)(?!\s+(?:\d|average|the|zero|par|sea|all|it|this|that))"
    rf"|(?:{_NOUNS_RU})\s+(?P<i>выше|ниже)(?=\s*(?:[.,;:)]|$))|(?:в|из)\s(?:{_NOUNS_RU})\s+(?P<j>выше|ниже)(?=\s+(?!на\s|чем|средн)[а-я])"
    rf"|(?:{_NOUNS_EN})\s+(?P<e>above|below)(?=\s*(?:[.,;:)]|$))"
    rf"|the\s+(?P<f>above|below)\s+(?:{_NOUNS_EN})|(?P<g>above|below)-?(?:mentioned|listed|described)"
    rf"|(?P<h>afore)(?:mentioned|said))(?!\w)",
    re.IGNORECASE,
)
_ABOVE = {"выше", "above", "afore"}

_GLOSSARY = (
    r"(?P<glossary>глоссари\w+|словар\w{1,3}(?:\s+терминов)?|переч(?:не|нем|ень)\s+терминов"
    r"|раздел\w{0,2}\s+[«\"“]?(?:Термины|Определения|Понятия|Основные\s+(?:термины|понятия)|Глоссарий)(?:[^»\"”\n.]{0,60}[»\"”])?"
    r"|(?:the\s+)?(?:Glossary|Definitions(?:\s+(?:Section|Clause|Article))?|Terms\s+and\s+Definitions)(?!\w)"
    r"|(?:section|clause|article|chapter)\s+(?:titled\s+|entitled\s+|called\s+)?[“\"«‘']?(?-i:Definitions|Glossary)[^”\"»’'\n.]{0,40}[”\"»’']?)"
)
_DEFINED = re.compile(
    r"(?<!\w)(?:[«\"“](?P<term>[^«»\"“”\n]{2,60})[»\"”]\s?,?\s?\(?)?"
    r"(?:(?:как\s+(?:это\s+)?)?(?:определен\w*|определён\w*|установлен\w*|указан\w*|приведен\w*|дан[аоы]?|раскрыт\w*|содерж\w+|см\.|смотри(?:те)?)"
    r"|(?:as\s+)?(?:defined|given|set\s+out|explained|found|assigned|ascribed)|see|refer\s+to)"
    rf"(?:\s+to\s+(?:it|them))?\s+(?:в\s+|in\s+|by\s+)?(?:the\s+)?{_GLOSSARY}",
    re.IGNORECASE,
)


def find_relative(text: str) -> Iterator[Mention]:
    """What is said to stand above or below, without a number."""
    for match in _HERE.finditer(text):
        side: Relative = "above" if any((group or "").lower() in _ABOVE for group in match.groups()) else "below"
        yield Mention("section", (), match.group(), match.start(), match.end(), type="relative", relative=side)


def find_definitions(text: str) -> Iterator[Mention]:
    """Terms that are said to be defined in a glossary; one defined "in Section 1" is a reference to section 1."""
    for match in _DEFINED.finditer(text):
        term = match["term"] or match["glossary"]
        yield Mention("section", (), match.group(), match.start(), match.end(), type="definition", term=term)
