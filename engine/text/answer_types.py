"""What kind of thing a question asks for, and whether a text has such a thing: a figure, a time, a telephone number."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from engine.text.stems import stems

AnswerType = Literal["figure", "time", "phone", "email", "whether"]

_ASKED: tuple[tuple[AnswerType, re.Pattern[str]], ...] = (
    (
        "figure",
        re.compile(
            r"сколько|почём|сто[ия]т|цен[аеуы]|како[йваяе]\w* (?:\w+ )?(?:срок|размер|сумм|процент|штраф|площад|высот|"
            r"ставк|взнос|депозит|залог|стоимост|плат)|штраф|до скольки|с какого"
            r"|how (?:long|much|many|soon|often|big|large|high|tall|wide|far|expensive|late|early)|price|cost|charge|"
            r"fees?\b|\bpay\b|\brent\b|\brate\b|\bfine\b|\bsizes?\b|\barea\b|deposit|\bnumber of\b|percent",
            re.IGNORECASE,
        ),
    ),
    (
        "time",
        re.compile(
            r"\bкогда\b|в какое время|до скольки|во сколько|за какое время|часы работы|как часто|\bwhen\b|what time|"
            r"opening hours|office hours|how (?:long|soon|often|late|early)",
            re.IGNORECASE,
        ),
    ),
    (
        "phone",
        re.compile(
            r"телефон|по какому номеру|какой номер|позвонить|звонить|phone|hotline|number (?:do|can|should|to) \w*"
            r" ?(?:call|ring)|call",
            re.IGNORECASE,
        ),
    ),
    ("email", re.compile(r"e-?mail|электронн\w+ (?:почт|адрес)|\bпочт[ауы]\b|\bписать\b|write to", re.IGNORECASE)),
    (
        "whether",
        re.compile(
            r"^\W*(?:can|may|do|does|did|is|are|will|must|should|have|has|am)\b|\w+ ли\b|^\W*(?:можно|нужно|надо)\b",
            re.IGNORECASE,
        ),
    ),
)
_LABELS: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = tuple(
    (re.compile(asked, re.IGNORECASE), frozenset(stems(words)))
    for asked, words in (
        (r"\bhow many\b|\bсколько\b(?! (?:это )?сто[ия]т)", "number count quantity количество число"),
        (
            r"\bhow much\b|\bcheaper\b|\bдешевле\b|\bдороже\b|\bсколько (?:это )?сто[ия]т\b|\bпочём\b",
            "price cost rate fee цена стоимость тариф",
        ),
        (r"\bhow (?:big|large)\b|какого размера|какой площади", "size area размер площадь"),
        (
            r"\bhow (?:long|soon)\b|как долго|как скоро|за какое время|на какой срок",
            "time duration term period срок время",
        ),
        (r"\bwhen\b|\bкогда\b", "date hours time date schedule deadline дата часы время график срок"),
        (r"\bwhere\b|\b(?:где|куда)\b", "address location place адрес место"),
        (r"\bwho(?:m)?\b|\b(?:кто|кому|кем)\b", "contact name person контакт"),
    )
)
_HELD: dict[AnswerType, re.Pattern[str]] = {
    "figure": re.compile(r"\d"),
    "time": re.compile(
        r"\d|\b(?:daily|hourly|weekly|monthly|mon|tue|wed|thu|fri|sat|sun|пн|вт|ср|чт|пт|сб|вс)\b|ежедневно|круглосуточно"
        r"|еженедельно|ежемесячно|every (?:day|hour|week|month)",
        re.IGNORECASE,
    ),
    "phone": re.compile(r"\+?\d[\d\s()–-]{5,}\d"),
    "email": re.compile(r"[\w.+-]+@[\w-]+\.\w+"),
    "whether": re.compile(
        r"\b(?:yes|no|not|all|only|none|free|allowed|permitted|prohibited|forbidden|required|included|excluded|must"
        r"|да|нет|не|все|только|бесплатно|разреш\w+|запрещ\w+|можно|нельзя|обязан\w*|включ\w+|входит|входят)\b",
        re.IGNORECASE,
    ),
}
_HEDGES = re.compile(
    r"\b(?:may|might|typically|usually|generally|often|various|varies|vary|depends?|depending|some developments"
    r"|where applicable|are available in|as specified)\b"
    r"|\b(?:может|могут|обычно|как правило|зависит|в зависимости|различные|при необходимости)\b",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"^(?:(?:more|further|full|detailed) )?(?:details|information|terms|rules)\b"
    r"[^.]*\b(?:available|found|provided|given)\b"
    r"|^(?:подробн\w+|полная|более подробн\w+)\b[^.]*\b(?:доступн\w+|привед\w+|найти|указан\w+|содерж\w+)\b",
    re.IGNORECASE,
)
_REFERS_BACK = re.compile(
    r"^(?:\w+[ ,]+){0,5}(?:this|these|those|such|it|they|этот|эта|это|эти|этих|этой|этого|такой|такая|"
    r"такие|он|она|они)\b",
    re.IGNORECASE,
)
_MEASURE = re.compile(
    r"\b(how) (?:big|large|small|long|high|tall|deep|wide|far|fast|quickly|often|soon|early|late|old|expensive)\b"
    r"|\b(what|which) (?:type|kind|sort)s? of\b|\b(как\w+) (?:тип|вид)\w*\b"
    r"|()\b(?:cheaper|dearer|bigger|larger|smaller|longer|shorter|higher|lower|faster|slower|earlier|later|better"
    r"|worse|more expensive|дешевле|дороже|больше|меньше|длиннее|короче|выше|ниже|быстрее|медленнее|раньше|позже"
    r"|лучше|хуже)\b"
    r"|()\bсколько (?:это |будет |будут )?сто[ия]т\w*\b|\b((?:do|does|did|will|would) [^?!.\n]{1,80}?) cost\b"
    r"|()\b(?:must|shall|may(?! \d)|might|должен|должна|должно|должны|следует)\b",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"\*\*[^*]+\*\*|^[^.:|]{2,40}: \S|^\|.*\|$", re.MULTILINE)


@lru_cache(maxsize=1 << 12)
def asked_for(question: str) -> frozenset[AnswerType]:
    return frozenset(kind for kind, pattern in _ASKED if pattern.search(question))


@lru_cache(maxsize=1 << 12)
def labels_of(question: str) -> frozenset[str]:
    """Stems of the words, of both languages, by which what a question word asks for is often called: "how many" asks
    for a number, "сколько стоит" for a price."""
    return frozenset[str]().union(*(called for pattern, called in _LABELS if pattern.search(question)))


def without_measure(question: str) -> str:
    """Without words that say how an answer is to be measured, compared or meant: "how big is the deposit" asks for the
    deposit, and so do "what kind of deposit", "where is the deposit lower" and "must there be a deposit"; "what does a
    boat cost" asks for the boat, and a text that tells what something else costs is no answer."""
    return _MEASURE.sub(lambda found: found[found.lastindex or 0], question)


@lru_cache(maxsize=1 << 14)
def held_kinds(text: str) -> frozenset[AnswerType]:
    return frozenset(kind for kind, pattern in _HELD.items() if pattern.search(text))


def holds_one_of(text: str, kinds: frozenset[AnswerType]) -> bool:
    return not kinds.isdisjoint(held_kinds(text))


def hedges(text: str) -> bool:
    """Whether it says what may be, rather than what is; a value set forth with a reservation is a value."""
    return _HEDGES.search(text) is not None and not sets_forth(text)


def only_announces(text: str) -> bool:
    """Whether it says no more than that something is told elsewhere, without saying where."""
    return _ANNOUNCES.search(text) is not None and not sets_forth(text)


def refers_back(text: str) -> bool:
    """Whether it begins by what the sentence before it speaks of."""
    return _REFERS_BACK.search(text) is not None


def sets_forth(text: str) -> bool:
    """Whether it names a value as such: in bold, behind a label, or in the row of a table."""
    return _LABELLED.search(text) is not None
