"""The words of the reference grammar. This is the file to extend.

To teach it a new word for a place, add a row to `PLACES`: its English name, what kind of place it is, its rank (smaller
numbers hold larger ones: a chapter 30 holds articles 60) and a pattern of all forms, abbreviations included. The
pattern is matched without regard to case and as a whole word. Russian words need their cases: `forms("раздел", "а")`
writes the endings. A new kind of document goes to `TITLE_NOUNS`, a short name of a law or rule book to `SHORT_NAMES`,
a series with numbers ("RFC 9110") to `documents.SERIES`. Then add a sentence for it to the unit tests.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.types import PlaceKind

_MASCULINE = "|а|у|ом|е|ы|ов|ам|ами|ах"


def forms(stem: str, endings: str = _MASCULINE) -> str:
    return f"{stem}(?:{endings})"


@dataclass(frozen=True, slots=True)
class Place:
    """A kind of numbered place. One that is `absolute` is numbered through the document: "статья 5 главы 2" is article
    5. One that is `loose` is an everyday word too ("this part of it", "the next step") and counts only with a number,
    or in a capital letter.
    """

    name: str
    kind: PlaceKind
    rank: int
    pattern: str
    absolute: bool = False
    loose: bool = False


PLACES: tuple[Place, ...] = (
    Place("section", "section", 20, forms("раздел") + r"|разд\.|р\.(?=\s?\d)"),
    Place("subsection", "section", 25, forms("подраздел") + r"|подразд\."),
    Place("chapter", "section", 30, r"глав(?:а|ы|е|у|ой|ою|ам|ами|ах)?|гл\.|гл(?=\s\d)"),
    Place("paragraph", "section", 40, forms("параграф") + r"|§§?|пар\.(?=\s?\d)"),
    Place(
        "article", "section", 60, r"стать(?:я|и|е|ю|ей|ёй|ею|ям|ями|ях)|статей|ст\.ст\.|ст\.|ст(?=\s?\d)", absolute=True
    ),
    Place("part", "section", 65, r"част(?:ь|и|ью|ей|ям|ями|ях)|чч\.|ч\.(?=[\s\d.,и-]{1,20}ст)|(?<!\d )ч\.", loose=True),
    Place(
        "subclause",
        "section",
        80,
        forms("подпункт") + r"|подп\.|подпп\.|п/п|пп\.(?=\s?[«\"“(]|\s?[а-я]\b|\s?\d{1,3}(?:\.\d)?\s(?:п\.|пункта))",
    ),
    Place("clause", "section", 70, forms("пункт") + r"|п\.\s?п\.|пп\.|п\.|пп?(?=\s?\d)"),
    Place("subparagraph", "section", 90, r"абзац(?:а|у|ем|е|ы|ев|ам|ами|ах)?|абз\."),
    Place("table", "table", 95, r"таблиц(?:а|ы|е|у|ей|ею|ам|ами|ах)?|табл\.", absolute=True),
    Place("figure", "figure", 95, r"рисун(?:ок|ка|ку|ком|ке|ки|ков|кам|ками|ках)|рис\.", absolute=True),
    Place("appendix", "appendix", 10, forms("приложени", "е|я|ю|ем|и|й|ям|ями|ях") + r"|прил\."),
    Place("part", "section", 15, r"parts?|pt\.", loose=True),
    Place("title", "section", 20, r"titles?", loose=True),
    Place("chapter", "section", 30, r"chapters?|chs?\.|chap\."),
    Place("section", "section", 45, r"sections?|secs?\."),
    Place("subsection", "section", 65, r"sub-?sections?"),
    Place("article", "section", 60, r"articles?|arts?\.", absolute=True),
    Place("rule", "section", 60, r"rules?", absolute=True, loose=True),
    Place("clause", "section", 70, r"clauses?|cls?\."),
    Place("paragraph", "section", 75, r"paragraphs?|paras?\.|paras?(?=\s\d)"),
    Place("subclause", "section", 80, r"sub-?clauses?"),
    Place("subparagraph", "section", 80, r"sub-?paragraphs?"),
    Place("point", "section", 85, r"points?", loose=True),
    Place("item", "section", 85, r"items?", loose=True),
    Place("step", "section", 85, r"steps?", loose=True),
    Place("table", "table", 95, r"tables?", absolute=True),
    Place("figure", "figure", 95, r"figures?|figs?\.", absolute=True),
    Place("appendix", "appendix", 10, r"appendix|appendices|annex(?:es)?|(?-i:App\.?|APP)(?=\s?\d)"),
    Place("schedule", "appendix", 10, r"schedules?", loose=True),
    Place("exhibit", "appendix", 10, r"exhibits?", loose=True),
)

NUMBER_SIGN = r"(?:№|N[o0]?\.?(?=\s?\d)|number(?=\s\d)|под\s+номером|номер)"

# --- numbers in words ------------------------------------------------------------------------------------------------

_ADJECTIVE = (
    "(?:ый|ой|ей|ий|ая|ое|ого|его|ому|ему|ым|им|ом|ем|ую|ые|ие|ых|их|ыми|ими"
    "|ья|ье|ью|ьи|ьего|ьему|ьим|ьем|ьей|ьих|ьими)"
)
_RU_ORDINALS = (
    "перв втор трет четв[её]рт пят шест седьм восьм девят десят одиннадцат двенадцат тринадцат четырнадцат пятнадцат"
    " шестнадцат семнадцат восемнадцат девятнадцат двадцат"
).split()
_EN_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
    " sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
_RU_NUMERALS = (
    "один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать четырнадцать пятнадцать"
    " шестнадцать семнадцать восемнадцать девятнадцать двадцать"
).split()
_EN_NUMERALS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty"
).split()
ORDINALS: tuple[tuple[int, str], ...] = tuple(
    (value, rf"{ru}{_ADJECTIVE}|{en}") for value, (ru, en) in enumerate(zip(_RU_ORDINALS, _EN_ORDINALS, strict=True), 1)
)
"""Numbers before the word, as in "the second paragraph"."""
NUMBERS_BEHIND: tuple[tuple[int, str], ...] = tuple(
    (value, rf"{ordinal}{_ADJECTIVE}|{ru}|{en}")
    for value, (ordinal, ru, en) in enumerate(zip(_RU_ORDINALS, _RU_NUMERALS, _EN_NUMERALS, strict=True), 1)
)
"""Numbers behind the word, as in "абзац второй", "раздел семь", "section seven"."""

# --- what is counted, and so no number of a place --------------------------------------------------------------------

UNITS = (
    r"%|₽|€|\$|°|(?:процент|час(?:ов|а|у|ам|ы)?\b|мин\b|минут|секунд|дней|дня|день|дн\b|сут|недел|месяц|мес\b|лет\b|год|руб|коп\b"
    r"|евро|доллар|раз\b|раза\b|человек|рабочих|календарных|кв\b|кг\b|км\b|метр|штук|шт\b|тыс|млн|градус|балл|экземпляр"
    r"|январ|феврал|март|апрел|ма[йя]\b|июн|июл|август|сентябр|октябр|ноябр|декабр"
    r"|hours?\b|days?\b|minutes?\b|seconds?\b|weeks?\b|months?\b|years?\b|times\b|percent|per\scent|people\b|persons\b"
    r"|euros?\b|dollars?\b|usd\b|eur\b|(?:business|working|calendar)\s|dirhams?\b|kg\b|km\b"
    r"|january\b|february\b|march\b|april\b|may\s\d|june\b|july\b|august\b|september\b|october\b|november\b|december\b)"
)

# --- where a place stands from here ----------------------------------------------------------------------------------

THIS = rf"настоящ{_ADJECTIVE}|данн{_ADJECTIVE}|эт(?:от|а|о|ого|ой|ому|им|ом|у|их|ими)|this|the\s+present|the\s+current"
PREVIOUS = rf"предыдущ{_ADJECTIVE}|предшествующ{_ADJECTIVE}|preceding|previous|foregoing"
NEXT = r"следующ(?:ий|ая|ее|его|ей|ему|им|ем|ую)|последующ(?:ий|его|ей|ему|им|ем|ую)|following|next|subsequent"

# --- other documents -------------------------------------------------------------------------------------------------

SHORT_NAMES = frozenset(
    "GDPR CCPA HIPAA TFEU TEU FSMR UCC FEES GEN COBS PRU MIR MKT AML IFR CIR FUNDS GPM PRIN SYSC ICOBS MCOB CASS SUP"
    " DISP COMP BCOBS MAR DTR PERG".split()
)
"""Laws and rule books that are called by capitals, before or after the number: "COBS 3.2", "Article 6 GDPR"."""

CODES_OF_RUSSIA = r"(?:ГК|ЖК|СК|ТК|НК|УК|КоАП|ЗК|БК|ВК|ЛК|ГПК|АПК|УПК|УИК|ГрК|КАС)"

TITLE_NOUNS: dict[str, str] = {
    "Правил": "Правила",
    "Регламент": "Регламент",
    "Положени": "Положение",
    "Инструкци": "Инструкция",
    "Политик": "Политика",
    "Договор": "Договор",
    "Соглашени": "Соглашение",
    "Устав": "Устав",
    "Порядк": "Порядок",
    "Стандарт": "Стандарт",
    "Руководств": "Руководство",
    "Памятк": "Памятка",
    "Услови": "Условия",
    "Оферт": "Оферта",
    "Контракт": "Контракт",
    "Меморандум": "Меморандум",
    "Справочник": "Справочник",
    "Тариф": "Тарифы",
}
"""Stems of Russian nouns that begin a document's title, and how the title is spelled on its cover."""

ENGLISH_TITLE_NOUNS = frozenset(
    "Agreement Regulation Regulations Directive Act Law Code Rules Rulebook Policy Guidance Guide Manual Charter Treaty"
    " Convention Constitution Standard Standards Specification Terms Contract Addendum Order Decision Resolution"
    " Protocol Statute Handbook Guidelines Procedure Procedures Reference Policies Notice Schedules".split()
)

POINTERS = (
    r"(?:см(?:\.|отрите|отри)|обратитесь\s+к|согласно|в\s+соответствии\s+с|(?:установлен|предусмотрен|определен|определён)\w*"
    r"|(?:изложен|указан|описан|установлен|определен|содержит)\w{0,4}\s+в|see(?:\s+also)?|refer\s+to|consult"
    r"|(?:defined|set\s+(?:out|forth)|described|specified|given|found|prescribed|stated|listed|explained)\s+(?:in|by))\s+"
)
"""What may stand before the title of a document that is pointed at as a whole."""
