"""Messages that ask for a human in so many words, and nothing else; answers that say a human will see to it."""

from __future__ import annotations

import re

MOST_WORDS = 12
MOST_CHARACTERS = 120

_PERSON_RU = (
    r"(?:жив(?:ой|ого|ому|ым)\s+|настоящ\w+\s+|реальн\w+\s+)?"
    r"(?:человек\w*|людьми|людей|оператор\w*|сотрудник\w*|специалист\w*|менеджер\w*|консультант\w*|поддержк\w+)"
)
_PERSON_EN = (
    r"(?:an?\s+|the\s+|some\s*)?(?:real\s+|live\s+|actual\s+)?"
    r"(?:human(?:\s+being)?|person|people|agent|operator|representative|somebody|support(?:\s+team)?|someone\s+real)"
)
_POLITE = r"(?:[\s,.!)]|пожалуйста|плиз|прошу|срочно|please|now|здесь|мне|меня|с)*"
_RU = (
    r"(?:(?:я\s+)?(?:хочу|хотел\w*\s+бы|можно|нужно|надо|дайте|могу\s+я|как)\s+)*"
    r"(?:(?:поговорить|связаться|пообщаться|соедини\w*|свяжи\w*|переключи\w*|переведи\w*|позови\w*|пригласи\w*|дайте|"
    rf"нужен|нужна|хочу|передай\w*|спросить)\s+)+{_POLITE}(?:с\s+|на\s+|к\s+|у\s+|в\s+|мне\s+)?{_PERSON_RU}"
)
_EN = (
    r"(?:(?:i\s+)?(?:want|would\s+like|need|wish|d\s+like)\s+(?:to\s+)?|(?:can|could|may)\s+(?:i|you)\s+|let\s+me\s+)*"
    r"(?:(?:please\s+)?(?:talk|speak|chat|connect|transfer|put|get|give|call|hand)\s+(?:me\s+)?"
    rf"(?:over\s+|through\s+)?(?:to\s+|with\s+)?)?{_PERSON_EN}"
)
_ASKING = re.compile(rf"{_POLITE}(?:{_RU}|{_PERSON_RU}|{_EN}){_POLITE}\??", re.IGNORECASE)


def asks_for_human(text: str) -> bool:
    """Whether somebody wants a human, and says nothing that the bot could answer."""
    said = re.sub(r"['\N{RIGHT SINGLE QUOTATION MARK}]", " ", " ".join(text.split()))
    return len(said) <= MOST_CHARACTERS and 0 < len(said.split()) <= MOST_WORDS and _ASKING.fullmatch(said) is not None


_TO_RU = (
    r"(?:(?:нашему|нашим|живому|дежурному)\s+)?"
    r"(?:оператор(?:у|ам|а)|специалист(?:у|ам|а)|сотрудник(?:у|ам|а)|менеджер(?:у|ам|а)|коллег(?:е|ам)|"
    r"людям|человеку|(?:в\s+)?(?:службу\s+)?поддержк[уи]|"
    r"с\s+(?:оператором|специалистом|сотрудником|менеджером|коллегами|людьми|человеком|поддержкой))"
)
_PROMISE_RU = (
    r"\b(?:передаю|передам|передала?|перевожу|переведу|переключаю|переключу|соединяю|соединю)\b"
    rf"[^.!?\n]{{0,60}}?\b{_TO_RU}\b"
)
_PROMISE_EN = (
    r"\b(?:i(?:['\N{RIGHT SINGLE QUOTATION MARK}](?:ll|m)|\s+will|\s+am)|let\s+me)\s+(?:now\s+)?"
    r"(?:pass|transferr?|connect|hand|forward|escalat)(?:e|ing)?\b"
    r"[^.!?\n]{0,60}?\b(?:to|with)\s+(?:an?\s+|the\s+|our\s+|my\s+)?(?:\w+\s+)?"
    r"(?:human|person|people|agent|operator|representative|colleagues?|specialist|support(?:\s+team)?)\b"
)
_PROMISE = re.compile(rf"{_PROMISE_RU}|{_PROMISE_EN}", re.IGNORECASE)


def promises_human(text: str) -> bool:
    """Whether an answer says that it passes the asker on to people, which then must be so."""
    return _PROMISE.search(text) is not None
