"""What in a text belongs to one person or one case: names, contacts, numbers, dates, sums, favours, places.

Patterns for Russian and English, made to miss little: what they find is shown to a person who decides. See decision
record 16.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.text.given_names import is_given_name
from engine.text.stems import STOP_WORDS

SpecificKind = Literal["name", "email", "handle", "link", "phone", "number", "date", "sum", "favour", "address", "deed"]


@dataclass(frozen=True, slots=True)
class Specific:
    kind: SpecificKind
    start: int
    end: int
    text: str


_NAME = r"[A-ZА-ЯЁ][a-zа-яё]{1,30}(?:['’-][A-ZА-ЯЁ]?[a-zа-яё]{1,30}){0,2}"
_MONTH = (
    r"(?:январ[яь]|феврал[яь]|марта?|апрел[яь]|ма[яй]|июн[яь]|июл[яь]|августа?|сентябр[яь]|октябр[яь]|ноябр[яь]|декабр[яь]"
    r"|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY = (
    r"(?:понедельник\w*|вторник\w*|сред[ауые]|четверг\w*|пятниц\w+|суббот\w+|воскресень\w+|недел[яеюи]|выходны\w+"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|week(?:end)?|month)\b"
)
_MONEY = (
    r"(?:₽|руб(?:л\w*)?\b\.?|р(?:\.|\b)|коп(?:е\w+)?\b\.?|\$|€|£|долл\w*|евро\b|тенге\b|usd\b|eur\b|rub\b|gbp\b"
    r"|dollars?\b|euros?\b|pounds?\b|rubles?\b)"
)
_FAVOUR = (
    r"(?:скидк\w*|промокод\w*|промо-код\w*|купон\w*|бонус\w*|компенсаци\w*|кешб[эе]к\w*|кэшб[эе]к\w*"
    r"|discount\w*|promo(?:tional)?[ -]?codes?|vouchers?|coupons?|goodwill|compensation|cashback)"
)
_NUMBERED = (
    r"(?:заказ\w*|договор\w*|контракт\w*|заявк\w*|заявлени\w*|обращени\w*|тикет\w*|сч[её]т\w*|накладн\w*|квитанци\w*|полис\w*"
    r"|карт[аыеу]|абонент\w*|трек\w*|брон\w+|чек\w*|дел[оаеу]|клиент\w*|паспорт\w*|инн|снилс|кпп|бик|артикул\w*|серия"
    r"|order|contract|agreement|ticket|case|invoice|account|booking|reservation|policy|tracking|customer|client|member"
    r"|reference|ref|receipt|claim|request|passport|card|serial|id)"
)
_STREET = (
    r"(?:ул(?:\.|иц\w+)|пр(?:-т|-кт|осп(?:\.|ект\w*))|пер(?:\.|еул\w+)|бульвар\w*|б-р|ш(?:\.|оссе)|наб(?:\.|ережн\w+)"
    r"|пл(?:\.|ощад\w+)|проезд\w*|мкр\.?|микрорайон\w*)"
)
_ROAD = (
    r"(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Square|Sq|Place|Way|Terrace|Close"
    r"|Crescent|Highway)\b\.?"
)
_DID_RU = (
    r"(?:верну|начисли|отправи|выслал|выслали|сбросил|продли|отмени|перен[её]с|оформи|исправи|восстанови|разблокирова"
    r"|подключи|отключи|закры|переда|провери|посмотре|списал|зачисли|компенсирова)\w*"
)
_DID_EN = (
    r"(?:refunded|sent|reset|cancell?ed|extended|credited|checked|moved|fixed|restored|unblocked|closed|forwarded|updated"
    r"|changed|added|removed|issued|reissued|looked|waived|booked|rescheduled)"
)

_PATTERNS: tuple[tuple[SpecificKind, re.Pattern[str]], ...] = (
    ("email", re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")),
    ("link", re.compile(r"(?:https?://|www\.)[^\s<>\])\"'»]{0,300}(?:\d{4}|[?=])[^\s<>\])\"'»]*", re.I)),
    ("handle", re.compile(r"(?<![\w@.])@[A-Za-z]\w{2,}")),
    ("date", re.compile(r"(?<!\d)\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})(?!\d)|(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")),
    ("date", re.compile(rf"(?<!\d)\d{{1,2}}(?:-?го|st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}(?:,?\s+\d{{4}})?", re.I)),
    ("date", re.compile(rf"\b{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s+\d{{4}})?", re.I)),
    ("date", re.compile(r"\b(?:сегодня|завтра|послезавтра|вчера|позавчера|today|tomorrow|yesterday|tonight)\b", re.I)),
    (
        "date",
        re.compile(
            rf"\b(?:эт(?:от|ой|у|и)|следующ\w+|прошл\w+|ближайш\w+|this|next|last|coming)\s+{_DAY}",
            re.I,
        ),
    ),
    (
        "sum",
        re.compile(
            rf"(?<!\d)\d[\d\s.,]{{0,24}}(?:тыс\w*\.?|млн\.?|k\b|thousand|million)?\s?{_MONEY}|[$€£₽]\s?\d[\d\s.,]{{0,24}}\d|[$€£₽]\d",
            re.I,
        ),
    ),
    (
        "favour",
        re.compile(rf"\b{_FAVOUR}[^.!?\n\d]{{0,40}}\d{{1,9}}(?:[.,]\d{{1,9}})?\s?(?:%|процент\w*|percent)?", re.I),
    ),
    (
        "favour",
        re.compile(
            rf"(?<![\d.,])\d{{1,9}}(?:[.,]\d{{1,9}})?\s?(?:%|процент\w*|percent)[^.!?\n\d]{{0,30}}\b{_FAVOUR}", re.I
        ),
    ),
    ("favour", re.compile(rf"(?i:\b{_FAVOUR})[^\w\n]{{1,4}}(?:is\s|—\s)?[\"«“]?[A-ZА-Я0-9][A-ZА-Я0-9-]{{3,}}")),
    (
        "favour",
        re.compile(
            r"в (?:порядке|виде) исключения|разов\w+\s+(?:скидк|компенсаци|бонус|выплат)\w*"
            r"|персональн\w+\s+(?:скидк|предложени|промокод|услови)\w*"
            r"|(?:только|лично|специально) для вас|в вашем случае"
            r"|\bone[- ](?:off|time)\s+\w+|as an exception|just (?:for you|this once)|(?:especially|only) for you"
            r"|in your case|as a gesture",
            re.I,
        ),
    ),
    (
        "address",
        re.compile(
            rf"(?<!\w)(?i:{_STREET})\s*[«\"]?[А-ЯЁA-Z0-9][\w-]*(?:\s+[А-ЯЁ][\w-]*){{0,2}}[»\"]?"
            r"(?:,?\s*(?:д(?:\.|ом\w?)\s*)?\d+\s?(?:[а-яa-z]\b)?(?:/\d+)?)?(?:,?\s*(?:к(?:\.|орп\w*\.?)|стр\w*\.?)\s*\d+)?"
            r"(?:,?\s*кв(?:\.|артир\w*)\s*\d+)?"
        ),
    ),
    (
        "address",
        re.compile(
            r"(?<!\w)(?:кв(?:\.|артир\w*)|комнат\w*|комн\.|офис\w*|подъезд\w*|палат\w*|дом\w?|д\.|корпус\w*)\s*№?\s*\d+\s?(?:[а-я]\b)?",
            re.I,
        ),
    ),
    ("address", re.compile(rf"\b\d{{1,5}}[A-Za-z]?\s+(?:[A-Z][\w'-]+\s+){{1,3}}{_ROAD}")),
    ("address", re.compile(r"\b(?:apt|apartment|flat|room|suite|unit)\.?\s*(?:no\.?|#)?\s*\d+[a-z]?\b", re.I)),
    ("address", re.compile(r"\b[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}\b|\b[A-Z]{2}\s\d{5}(?:-\d{4})?\b")),
    (
        "number",
        re.compile(
            rf"\b{_NUMBERED}[\s:–-]*(?:(?:номер|number|no\.?|num\.?|id|№|#|n)[\s:–-]*)?(?:[A-ZА-Я]{{1,5}}[-/ ]?)?"
            r"\d[\w/-]*\d[\w/-]*",
            re.I,
        ),
    ),
    ("number", re.compile(r"(?:№|#)\s*(?=[\w/-]*\d[\w/-]*\d)[\w/-]+")),
    (
        "number",
        re.compile(r"(?<![\w-])(?=[\d-]{0,40}[A-ZА-Я])(?=(?:[A-ZА-Я-]{0,40}\d){3})[A-ZА-Я\d]+(?:-[A-ZА-Я\d]+)*\b"),
    ),
    ("number", re.compile(r"(?<![\w.,])\d(?:[ \u00a0-]?\d){5,}(?![\w])")),
    (
        "deed",
        re.compile(
            rf"\b(?:я|мы)\s+(?:уже\s+|только что\s+|вам\s+|сейчас\s+|вс[её]\s+){{0,2}}{_DID_RU}"
            rf"|\b(?:i|we)(?:['’]ve|\s+have)?\s+(?:just\s+|already\s+|now\s+){{0,2}}{_DID_EN}\b",
            re.I,
        ),
    ),
)
_PHONE = re.compile(r"(?<![\w.,/-])(?:\+|00)?\(?\d[\d\s().\u00a0–/-]{5,22}\d(?!\w)")
_CALLED = re.compile(
    rf"(?i:здравствуйте|добрый\s+(?:день|вечер)|доброе\s+утро|привет|уважаем\w+|дорог(?:ой|ая)|hello|hi|hey|dear"
    rf"|good\s+(?:morning|afternoon|evening)|с\s+уважением|всего\s+доброго|(?:(?:best|kind|warm)\s+)?regards|sincerely"
    rf"|меня\s+зовут|my\s+name\s+is|г-н\w*|г-ж\w+|господин\w*|госпож\w+|mr|mrs|ms|miss|dr|менеджер\w*|оператор\w*"
    rf"|сотрудни\w+|коллег\w+|специалист\w*|мастер\w*|курьер\w*|manager|operator|colleague|agent|courier)\b"
    rf"[\s,.]{{1,3}}(?P<name>{_NAME}(?:\s+{_NAME})?)"
)
_PATRONYMIC = re.compile(
    rf"(?:\b{_NAME}\s+)?\b[А-ЯЁ][а-яё]{1, 20}(?:ович|евич|ьич|овн|евн|ичн|иничн)(?:а|у|ем|ом|е|ы|ой)?\b(?:\s+{_NAME})?"
    r"|\b[А-ЯЁ][а-яё]{1,30}\s+[А-ЯЁ]\.\s?(?:[А-ЯЁ]\.)?|\b[А-ЯЁ]\.\s?(?:[А-ЯЁ]\.\s?)?[А-ЯЁ][а-яё]+"
)
_CAPITALISED = re.compile(rf"\b(?P<name>{_NAME})\b(?=(?:[ ]+(?P<surname>{_NAME})\b)?)")
_NO_NAMES = STOP_WORDS | frozenset(
    "клиент клиента клиенты коллеги гость гости пользователь пользователи друзья customer customers client clients user"
    " users guest guests all team everyone sir madam friends there support поддержки поддержка".split()
)
_WORD = re.compile(r"[^\W\d_]{3,}")


def specifics(text: str, *, names: Sequence[str] = (), known: Collection[str] = ()) -> tuple[Specific, ...]:
    """In the order of the text, none overlapping. `names` are of the people involved, as they call themselves.

    What stands in one of the `known` texts too is no secret, and left out.
    """
    chosen: list[Specific] = []
    for one in sorted(_found(text, names), key=lambda one: (one.start, -one.end)):
        if chosen and one.start < chosen[-1].end:  # nothing that was found is left out: the longer one says what it is
            chosen[-1] = _together(text, chosen[-1], one)
        else:
            chosen.append(one)
    told = [_plain(one) for one in known]
    return tuple(one for one in chosen if not any(_plain(one.text) in public for public in told))


def masked(text: str) -> str:
    """The text with dots in the place of whatever tells who it is about."""
    for one in reversed(specifics(text)):
        if one.kind in _TELLING:
            text = f"{text[: one.start]}…{text[one.end :]}"
    return text


_TELLING = frozenset({"name", "email", "handle", "link", "phone", "number", "address"})


def _found(text: str, names: Sequence[str]) -> Iterator[Specific]:
    undated = re.sub(_PATTERNS[3][1], lambda match: "·" * len(match.group()), text)
    for match in _PHONE.finditer(undated):
        if 7 <= sum(letter.isdigit() for letter in match.group()) <= 15 and not match.group().isdigit():
            yield Specific("phone", match.start(), match.end(), text[match.start() : match.end()])
    for kind, pattern in _PATTERNS:
        yield from _all(kind, pattern, text, _CHECKS.get(kind))
    for match in _CALLED.finditer(text):
        yield from _called(match)
    yield from _all("name", _PATRONYMIC, text)
    for match in _CAPITALISED.finditer(text):
        if is_given_name(match["name"]):
            surname = match["surname"] if match["surname"] and match["surname"].lower() not in _NO_NAMES else ""
            end = match.end("surname") if surname else match.end("name")
            yield Specific("name", match.start("name"), end, text[match.start("name") : end])
    for word in {word for name in names for word in _WORD.findall(name) if word.lower() not in _NO_NAMES}:
        yield from _all("name", re.compile(rf"\b{re.escape(_root(word))}[а-яё]{{0,3}}\b", re.I), text)


def _together(text: str, one: Specific, other: Specific) -> Specific:
    longer = max(one, other, key=lambda either: either.end - either.start)
    end = max(one.end, other.end)
    return Specific(longer.kind, one.start, end, text[one.start : end])


def _all(
    kind: SpecificKind, pattern: re.Pattern[str], text: str, good: Callable[[str], bool] | None = None
) -> Iterator[Specific]:
    for match in pattern.finditer(text):
        said = match.group().rstrip(" \t\n\u00a0,")
        if said and (good is None or good(said)):
            yield Specific(kind, match.start(), match.start() + len(said), said)


def _called(match: re.Match[str]) -> Iterator[Specific]:
    """As somebody is greeted; "Dear customer" is nobody."""
    words = match["name"].split()
    if words[0].lower() in _NO_NAMES:
        return
    kept = match["name"] if len(words) == 1 or words[1].lower() not in _NO_NAMES else words[0]
    yield Specific("name", match.start("name"), match.start("name") + len(kept), kept)


def _is_date(text: str) -> bool:
    parts = [int(part) for part in re.split(r"[./-]", text) if part.isdigit()]
    if not re.fullmatch(r"[\d./-]+", text):
        return True
    day, month = (parts[2], parts[1]) if parts[0] > 31 else (parts[0], parts[1])
    return 1 <= day <= 31 and 1 <= month <= 31 and min(day, month) <= 12


_CHECKS: dict[SpecificKind, Callable[[str], bool]] = {"date": _is_date}


def _root(word: str) -> str:
    """What a Russian word keeps in all its cases."""
    return word[:-1] if len(word) > 3 and word[-1].lower() in "аяйьоеиы" else word


def _plain(text: str) -> str:
    return re.sub(r"[\s()\u00a0–-]", "", text).casefold().replace("ё", "е")
