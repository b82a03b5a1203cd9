"""What Refdesk itself says to an asker, in both languages. Everything else comes from the knowledge or a model."""

from __future__ import annotations

from collections.abc import Sequence

from engine.types import Language, PlaceKind, Reference

_PLACES: dict[PlaceKind, dict[Language, str]] = {
    "section": {"ru": "раздел", "en": "section"},
    "table": {"ru": "таблица", "en": "table"},
    "figure": {"ru": "рисунок", "en": "figure"},
    "appendix": {"ru": "приложение", "en": "appendix"},
}


_KINDS: dict[str, dict[Language, str]] = {
    "article": {"ru": "статья", "en": "article"},
    "chapter": {"ru": "глава", "en": "chapter"},
    "part": {"ru": "часть", "en": "part"},
    "clause": {"ru": "пункт", "en": "clause"},
    "point": {"ru": "пункт", "en": "point"},
    "paragraph": {"ru": "параграф", "en": "paragraph"},
    "rule": {"ru": "правило", "en": "rule"},
    "annex": {"ru": "приложение", "en": "annex"},
    "schedule": {"ru": "приложение", "en": "schedule"},
    "exhibit": {"ru": "приложение", "en": "exhibit"},
}
"""What a place is called where "section" would not be its name."""


def not_a_question(language: Language) -> str:
    if language == "ru":
        return "Напишите, пожалуйста, вопрос словами, и я поищу ответ."
    return "Please put your question into words, and I will look for an answer."


def blocked(language: Language) -> str:
    if language == "ru":
        return "На такое сообщение я не отвечаю. Задайте, пожалуйста, вопрос спокойно, и я помогу."
    return "I do not answer messages like this. Please ask calmly, and I will help."


def missed(language: Language) -> str:
    if language == "ru":
        return "Ответа на этот вопрос в моих документах нет. Я записал его, чтобы редакторы могли его добавить."
    return "My documents do not answer this question. I have noted it, so that the editors can add an answer."


def failed(language: Language) -> str:
    if language == "ru":
        return "Что-то сломалось, и ответить не получилось. Попробуйте, пожалуйста, ещё раз."
    return "Something broke, and I could not answer. Please try again."


def only_quoted(language: Language) -> str:
    """The note on an answer that stands in for a model's."""
    if language == "ru":
        return "Это выдержки из документов: сформулировать ответ сейчас не получилось."
    return "These are quotes from the documents: an answer in my own words was not possible just now."


def cut_off(language: Language) -> str:
    if language == "ru":
        return "Ответ не поместился целиком, это его начало."
    return "The answer did not fit as a whole; this is its beginning."


def gathering(language: Language, references: Sequence[Reference]) -> str:
    """The interim message of a second pass."""
    resolved = [reference for reference in references if reference.status == "resolved"]
    places = ", ".join(dict.fromkeys(_named(reference, language) for reference in resolved))
    return f"Собираю ещё данные: {places} …" if language == "ru" else f"Gathering more data: {places} ..."


def more_in(language: Language, references: Sequence[Reference]) -> str:
    """Names what an answer points at and could not be followed."""
    places = ", ".join(dict.fromkeys(_named(reference, language) for reference in references))
    return f"Подробнее: {places}." if language == "ru" else f"More in {places}."


def similar_question(language: Language, question: str) -> str:
    return f"Похожий вопрос: «{question}»" if language == "ru" else f"A similar question: “{question}”"


def _named(reference: Reference, language: Language) -> str:
    """ "статья 19", "section 7.2 (RFC 9110)", "RFC 9110", a term in quotes; as written where nothing else fits."""
    target = reference.target.removeprefix("#")
    if reference.type == "definition":
        return f"«{target}»" if language == "ru" else f"“{target}”"
    if not target or (reference.type == "relative" and not target[0].isdigit()):
        return reference.name or target or reference.marker
    kind = _KINDS.get(reference.word, _PLACES[reference.place])[language]
    return f"{kind} {target} ({reference.name})" if reference.name else f"{kind} {target}"
