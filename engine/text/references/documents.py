"""Other documents by name: series with numbers (RFC 9110, ГОСТ 34.602-89), laws, contracts, titles, links.

To teach it a series, add a row to `SERIES`: a pattern of the name with its number, and how the name is spelled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from engine.text.references.words import (
    CODES_OF_RUSSIA,
    ENGLISH_TITLE_NOUNS,
    POINTERS,
    SHORT_NAMES,
    TITLE_NOUNS,
)


@dataclass(frozen=True, slots=True)
class Named:
    """A document's name as it stands in the text. The name is None where it is the document that holds the text."""

    name: str | None
    start: int
    end: int


_DATED = r"(?:от\s+\d{1,2}(?:\.\d{1,2}\.|\s+[а-я]{3,8}\s+)\d{4}(?:\s*(?:года|г\.))?\s+)?"
_EU_NUMBER = (
    r"(?:\((?:EU|EC|EEC|Euratom|ЕС|ЕЭС)(?:,\s?\w{1,8})?\)\s+)?(?:No\.?\s+|№\s?)?"
    r"\d{1,4}/\d{1,4}(?:/(?:EC|EU|EEC|JHA|CFSP|ЕС|ЕЭС))?"
)
SERIES: tuple[tuple[str, str], ...] = (
    (r"(?<!\*\*\[)(?:RFC[\s-]?|rfc\s)(?P<n>\d{1,5})(?![\d.]*\w)", "RFC {n}"),
    (r":(?P<s>pep|rfc):`(?P<n>\d{1,5})[^`\n]{0,80}`", "{s} {n}"),
    (r"PEP[\s-]?(?P<n>\d{1,4})(?!\w)", "PEP {n}"),
    (r"(?P<s>BCP|STD|FIPS(?:\sPUB)?|NIST\s(?:SP|IR|CSWP)|IEEE)\s(?P<n>\d[\d.\-]*[\dA-Za-z]|\d)(?!\w)", "{s} {n}"),
    (
        r"(?P<s>(?:ISO|IEC)(?:/IEC|/IEEE|/TS|/TR)*(?:\s(?:TS|TR))?)[\s-](?P<n>\d{3,5}(?:-\d{1,2})?(?::\d{4})?)(?!\w)",
        "{s} {n}",
    ),
    (r"(?P<s>ГОСТ(?:\s?Р)?(?:\s(?:ИСО|МЭК|ISO|IEC|EN|ЕН)(?:/(?:МЭК|IEC))?){0,2})\s(?P<n>\d[\d.\-/]*\d)", "{s} {n}"),
    (r"(?P<s>СанПиН|СНиП|СП)\s(?P<n>\d[\d.\-/*]*\d)", "{s} {n}"),
    (
        rf"(?:(?:[Фф]едеральн\w+\s+конституционн\w+\s+)?[Зз]акон\w*\s+)?{_DATED}(?:(?:№|N)\s?)?(?P<n>\d{{1,4}}-ФКЗ)",
        "Федеральный конституционный закон № {n}",
    ),
    (
        rf"(?:(?:[Фф]едеральн\w+\s+)?[Зз]акон\w*\s+)?{_DATED}(?:(?:№|N)\s?)?(?P<n>\d{{1,4}}-ФЗ)",
        "Федеральный закон № {n}",
    ),
    (
        rf"(?P<s>(?:[Уу]каз|[Пп]остановлени|[Пп]риказ|[Рр]аспоряжени|[Зз]акон)(?:[аеуы]|ом|ам|ами|ах|ем|ях|ям|я|и|ю|й)?\s(?:[А-ЯЁа-яё]+\s){{0,6}}?){_DATED}(?:№|N)\s?(?P<n>\d[\d/]*(?:-[А-Яа-я\d]+)?)",
        "{s}№ {n}",
    ),
    (
        r"(?:(?:Commission|Council|Implementing|Delegated|Framework)\s+){0,3}(?P<s>Regulation|Directive|Decision|Recommendation)s?\s+(?P<n>"
        + _EU_NUMBER
        + ")",
        "{s} {n}",
    ),
    (r"(?P<s>Регламент|Директив|Решени)\w{0,3}\s+(?P<n>" + _EU_NUMBER + ")", "{s} {n}"),
    (r"(?P<n>\d{2,4}/\d{1,4}/(?:EC|EEC|EU|JHA|CFSP))(?!\w)", "Directive {n}"),
    (
        r"(?P<s>(?:[A-Z][\w-]+\s){0,3}(?:Law|Resolution|Decree|Act|Order|Decision)(?:\sBy\sLaw)?)\s(?:No\.?|Number)\s(?P<n>\(?\d{1,4}\)?(?:\sof\s\d{4})?)",
        "{s} No. {n}",
    ),
)
_SERIES = tuple((re.compile(rf"(?<![\w/#]){pattern}"), name) for pattern, name in SERIES)
_STARTS = re.compile(
    r"(?<![\w/#])(?:RFC|rfc\s|:pep:|:rfc:|PEP|BCP|STD|FIPS|NIST|IEEE|ISO|IEC|ГОСТ|СанПиН|СНиП|СП\s|[Фф]едеральн|от\s\d|№|N\s?\d"
    r"|\d{1,4}[-/]|[Уу]каз|[Пп]остановл|[Пп]риказ|[Рр]аспоряж|[Зз]акон|Commission|Council|Implementing|Delegated|Framework|Regulation"
    r"|Directive|Decision|Recommendation|Регламент|Директив|Решени|(?:[A-Z][\w-]{1,20}\s){0,3}(?:Law|Resolution|Decree|Act|Order)\b)"
)
_HEADS = (
    ("Указ", "Указ"),
    ("Постановлени", "Постановление"),
    ("Приказ", "Приказ"),
    ("Распоряжени", "Распоряжение"),
    ("Закон", "Закон"),
    ("Решени", "Решение"),
    ("Директив", "Директива"),
    ("Регламент", "Регламент"),
)


def in_series(text: str, at: int) -> Named | None:
    """A document of a numbered series whose name starts exactly at `at`."""
    for pattern, name in _SERIES:
        if match := pattern.match(text, at):
            parts = {key: " ".join(value.split()) for key, value in match.groupdict().items() if value}
            head = next(
                (nominative for stem, nominative in _HEADS if parts.get("s", "").capitalize().startswith(stem)), ""
            )
            if head:
                parts["s"] = " ".join([head, *parts["s"].split()[1:], ""]) if "{s}№" in name else head
            elif parts.get("s") in ("pep", "rfc"):
                parts["s"] = parts["s"].upper()
            return Named(name.format(**parts), match.start(), match.end())
    return None


def all_in_series(text: str) -> Iterator[Named]:
    at = 0
    while start := _STARTS.search(text, at):
        named = in_series(text, start.start())
        at = (
            named.end
            if named
            else max(start.start() + 1, start.end() - 1 if start.end() - start.start() < 2 else at + 1)
        )
        if named:
            yield named


# --- the document that a place is in: what stands behind "Article 6 ..." ---------------------------------------------

_WORD = re.compile(r"\s*([\w’'&-]+|\([\w\s]{1,40}\))")
_SMALL = frozenset("of on and for the to in by concerning".split())
_NEXT_PLACE = re.compile(
    r"\s+(?:and|or)\s+(?:the\s+|to\s+)?(?:Schedule|Annex|Section|Article|Appendix|Exhibit|Part|Chapter|Clause|Rule)s?\b"
)
_BEFORE_NOUN = frozenset("in by to".split())
_OWN = re.compile(
    r"(?:this|these|the\s+present|our|such)\s+[A-Z]\w+"
    r"|(?:настоящ|данн|эт)(?:ого|его|ей|ой|их|ых)\s+(?:Федеральн\w+\s)?(?:[а-яё]+\s)?[А-ЯЁа-яё]+(?<!стат)",
)
_THAT = re.compile(
    r"(?:that|those|the\s+said)\s+[A-Z]\w+|(?:указанн|названн)(?:ого|ой|ых)\s+(?:закон|кодекс|регламент)\w*", re.I
)
_RU_CODE = re.compile(
    rf"(?P<short>{CODES_OF_RUSSIA})(?:\sРФ\b|\b)|(?P<kind>[А-ЯЁ][а-яё]+(?:-?[а-яё]+)??)(?:ого|его)\s(?P<more>процессуального\s)?"
    r"кодекса(?P<of>\sРФ\b|\sРоссийской\sФедерации)?|(?P<constitution>Конституци[ияею])(?P<whose>\sРФ\b|\sРоссийской\sФедерации)?"
)
_RU_TITLE = re.compile(
    r"(?P<head>" + "|".join(TITLE_NOUNS) + r")(?P<ending>[а-яё]{0,3})(?!\w)"
    r"(?:\s(?P<quoted>[«\"“][^»\"”\n]{2,120}[»\"”])|(?P<tail>(?:\s(?:[а-яё-]{3,25}(?:ия|ий|ов|ев|ей|ого|его|ых|их|ой|ы|и|а|я|ам|ях|ах)"
    r"|об?(?=\s)|по(?=\s)))(?:(?:\s(?:и\s)?[а-яё-]{3,25}(?:ия|ий|ов|ев|ей|ого|его|ых|их|ой|ы|и|а|я|ам|ях|ах)(?![а-яё]))){0,3})?)"
)
_RU_QUOTED = re.compile(
    r"(?:" + "|".join(stem.lower() for stem in TITLE_NOUNS) + r")[а-яё]{0,3}\s(?P<title>[«\"“][^»\"”\n]{2,120}[»\"”])"
)
_KEY = re.compile(r"\[([A-Z][A-Za-z0-9./-]{1,20})\](?!\()")
_CAPITALS = re.compile(r"(?:[A-Z][a-z]{1,3}\s)?[A-Z]{2,7}s?(?:\s[A-Z]{2,7}s?)?(?:[\s-]\d{4})?(?![\w-])")
_OF = re.compile(r"[\s\u200e]*(?:,\s?)?(?:of|in|to|under|from)\s+(?:the\s+)?", re.IGNORECASE)
_GAP = re.compile(r"\s+(?:к\s+)?|\s?,\s?|\s?\(\s?")


def holder(text: str, at: int, before: str | None) -> Named | None:
    """The document that is named behind a place: "Section 4 of RFC 9110", "ст. 7 ГК РФ".

    `before` is the last one named, which "of that Regulation" means.
    """
    if of := _OF.match(text, at):
        return _english(text, at, of.end(), before)
    gap = _GAP.match(text, at)
    if not gap:
        return None
    start = gap.end()
    if gap.group().isspace() or "к" in gap.group():
        if own := _OWN.match(text, start):
            return Named(None, at, own.end())
        if that := _THAT.match(text, start):
            return Named(before, at, that.end())
        if russian := _russian(text, start):
            return Named(russian.name, at, russian.end)
        if (capitals := _CAPITALS.match(text, start)) and capitals.group() in SHORT_NAMES:
            return Named(capitals.group(), at, capitals.end())
    elif "," in gap.group() and (of := re.compile(r"of\s+(?:the\s+)?").match(text, start)):
        return _english(text, at, of.end(), before)
    if (key := _KEY.match(text, start)) and "," not in gap.group() and "(" not in gap.group():
        return Named(in_brackets(key.group(1)), at, key.end())
    named = in_series(text, start)
    return Named(named.name, at, named.end) if named and gap.group().isspace() else None


def _english(text: str, at: int, start: int, before: str | None) -> Named | None:
    if own := _OWN.match(text, start):
        return Named(None, at, own.end())
    if that := _THAT.match(text, start):
        return Named(before, at, that.end())
    if key := _KEY.match(text, start):
        return Named(in_brackets(key.group(1)), at, key.end())
    if named := in_series(text, start):
        return Named(named.name, at, named.end)
    if title := english_title(text, start):
        return Named(title.name, at, title.end)
    if capitals := _CAPITALS.match(text, start):
        return Named(capitals.group(), at, capitals.end())
    return None


def in_brackets(key: str) -> str:
    """ "[RFC3986]" cites RFC 3986; other keys are kept as they are."""
    named = in_series(key, 0)
    return named.name if named and named.name else key


def english_title(text: str, start: int) -> Named | None:
    """A title of capitalised words with a noun such as Agreement among them; one bare noun names no other document."""
    words: list[str] = []
    end, at, noun_at = start, start, 0
    while len(words) < 14 and (match := _WORD.match(text, at)):
        word = match.group(1)
        capital = word[:1].isupper()
        aside = word.startswith("(") and words[-1:] != ["Treaty"]
        if noun_at and (word in _BEFORE_NOUN or _NEXT_PLACE.match(text, at)):
            break
        if not capital and word not in _SMALL and not (noun_at and re.fullmatch(r"(?:19|20)\d\d", word)) and not aside:
            break
        if aside and not text.startswith(" Act", match.end()):
            break
        words.append(word)
        at = match.end()
        if capital and word in ENGLISH_TITLE_NOUNS:
            noun_at = len(words)
        if noun_at and (capital or word.isdigit()):
            end = at
    named = [word for word in words[: len(text[start:end].split())] if word[:1].isupper()]
    if not noun_at or (len(named) < 2 and named != ["Treaty"]):
        return None
    return Named(" ".join(text[start:end].split()), start, end)


def _russian(text: str, start: int) -> Named | None:
    if named := in_series(text, start):
        return named
    if code := _RU_CODE.match(text, start):
        return Named(_code_name(code), start, code.end())
    return russian_title(text, start)


def _code_name(match: re.Match[str]) -> str:
    if match["short"]:
        return f"{match['short']} РФ"
    if match["constitution"]:
        return "Конституция" + (" Российской Федерации" if match["whose"] else "")
    kind = match["kind"]
    ending = "ий" if kind.endswith("ск") else "ой" if kind.endswith("ов") else "ый"
    more = "процессуальный " if match["more"] else ""
    return f"{kind}{ending} {more}кодекс" + (" Российской Федерации" if match["of"] else "")


def russian_title(text: str, start: int) -> Named | None:
    """ "Правил проживания", "регламента «О доступе»", named in the nominative; a bare noun names no other document."""
    if quoted := _RU_QUOTED.match(text, start):
        return Named(quoted["title"], start, quoted.end())
    match = _RU_TITLE.match(text, start)
    if not match or not (match["quoted"] or match["tail"]):
        return None
    head = TITLE_NOUNS[match["head"]]
    return Named(match["quoted"] or f"{head}{match['tail']}", start, match.end())


_RU_NOUN = (
    "(?P<ru>" + "|".join(f"[{stem[0]}{stem[0].lower()}]{stem[1:]}" for stem in TITLE_NOUNS) + r")[а-яё]{0,3}(?!\w)"
)
_EN_NOUN = "(?P<en>" + "|".join(sorted(ENGLISH_TITLE_NOUNS)) + r")(?![\w-]|\s(?:of|on|for)\b|\s[A-Z])"
_NOUN_BEHIND = re.compile(rf"\s(?:к\s)?{_RU_NOUN}|\s(?:of|in|to|under)\sthe\s{_EN_NOUN}")
_NOUN_ALONE = re.compile(rf"(?=[А-ЯЁ]){_RU_NOUN}|{_EN_NOUN}")


def mere_noun(text: str, at: int, *, alone: bool = False) -> Named | None:
    """ "договора" behind "п. 3.4 ", "of the Agreement" behind "Article 4"; `alone`: "Договоре" behind "указано в "."""
    match = (_NOUN_ALONE if alone else _NOUN_BEHIND).match(text, at)
    if not match:
        return None
    russian = match["ru"]
    return Named(TITLE_NOUNS[russian.capitalize()] if russian else match["en"], match.start(), match.end())


# --- titles behind a pointer, and links ------------------------------------------------------------------------------

_POINTER = re.compile(rf"(?<!\w)(?:{POINTERS})(?:the\s+)?", re.IGNORECASE)
_QUOTED_TITLE = re.compile(
    r"[«\"“](?:" + "|".join({*TITLE_NOUNS, *TITLE_NOUNS.values()}) + r")[^»\"”\n]{2,120}[»\"”]"
    r"|документ[а-я]{0,2}\s(?P<title>[«\"“][^»\"”\n]{2,120}[»\"”])"
)
LINK = re.compile(r"(?<![!\\])\[([^\[\]\n]{1,400})\]\(<?([^()\s<>]{1,300})>?(?:\s\"[^\"\n]{0,200}\")?\)")
_FILE = re.compile(
    r"[^?\s:]*\.(?:md|markdown|html?|rst|txt|docx?|pdf|xlsx?|csv|adoc)(?:#\S*)?$|#[^\s#]+$", re.IGNORECASE
)
ROLE = re.compile(r":(?P<role>doc|ref):`(?:[^`<>\n]{1,100}<(?P<target>[^`<>\n]{1,200})>|(?P<plain>[^`<>\n]{1,200}))`")
RST_LINK = re.compile(r"(?<![`:\w])`([^`<>\n]{2,80})`_(?!_)")


@lru_cache(maxsize=256)
def is_file(target: str) -> bool:
    """Whether a link leads to another file of the base or an anchor, not to a site."""
    return bool(_FILE.match(target))


def pointed_at(text: str) -> Iterator[Named]:
    """ "см. Правила проживания", "see the Debian Policy Manual": titles right behind a word that points."""
    for pointer in _POINTER.finditer(text):
        at = pointer.end()
        if quoted := _QUOTED_TITLE.match(text, at):
            name = quoted["title"] or quoted.group()
            yield Named(name.strip('«»"“”'), pointer.start(), quoted.end())
        elif title := _russian(text, at) or english_title(text, at) or _short_name(text, at):
            yield Named((title.name or "").strip('«»"“”'), pointer.start(), title.end)


def called_by_a_noun(text: str) -> Iterator[Named]:
    """ "is stated in the Agreement", "описано в Положении": a document that is pointed at by its noun alone."""
    for pointer in _POINTER.finditer(text):
        if noun := mere_noun(text, pointer.end(), alone=True):
            yield Named(noun.name, pointer.start(), noun.end)


def _short_name(text: str, at: int) -> Named | None:
    match = _CAPITALS.match(text, at)
    return Named(match.group(), at, match.end()) if match and match.group() in SHORT_NAMES else None
