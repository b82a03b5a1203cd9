"""What Refdesk itself says to an asker, in both languages. Everything else comes from the knowledge or a model."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from engine.types import Language, PlaceKind, Reference
from engine.wording import Wording

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


PHRASES: dict[str, dict[Language, str]] = {
    "not_a_question": {
        "ru": "Напишите, пожалуйста, вопрос словами, и я поищу ответ.",
        "en": "Please put your question into words, and I will look for an answer.",
    },
    "courtesy": {
        "ru": "Я на связи: задайте вопрос, и я поищу ответ.",
        "en": "I am here: ask your question, and I will look for an answer.",
    },
    "blocked": {
        "ru": "На такое сообщение я не отвечаю. Задайте, пожалуйста, вопрос спокойно, и я помогу.",
        "en": "I do not answer messages like this. Please ask calmly, and I will help.",
    },
    "missed": {
        "ru": "Ответа на этот вопрос в моих документах нет. Я записал его, чтобы редакторы могли его добавить.",
        "en": "My documents do not answer this question. I have noted it, so that the editors can add an answer.",
    },
    "failed": {
        "ru": "Что-то сломалось, и ответить не получилось. Попробуйте, пожалуйста, ещё раз.",
        "en": "Something broke, and I could not answer. Please try again.",
    },
    "only_quoted": {
        "ru": "Это выдержки из документов: сформулировать ответ сейчас не получилось.",
        "en": "These are quotes from the documents: an answer in my own words was not possible just now.",
    },
    "cut_off": {
        "ru": "Ответ не поместился целиком, это его начало.",
        "en": "The answer did not fit as a whole; this is its beginning.",
    },
    "gathering": {"ru": "Собираю ещё данные: {places} …", "en": "Gathering more data: {places} ..."},
    "more_in": {"ru": "Подробнее: {places}.", "en": "More in {places}."},
    "similar_question": {"ru": "Похожий вопрос: «{question}»", "en": "A similar question: “{question}”"},
}
"""`only_quoted` is the note on quotes that stand in for a model's answer, `gathering` the interim message of a second
pass; `more_in` names what an answer points at and could not be followed."""


class Phrases(Wording):
    """The catalogue with the owner's words on top."""

    def __init__(
        self, overrides: Mapping[str, Mapping[str, str]] | None = None, *, others: Collection[str] = ()
    ) -> None:
        super().__init__(PHRASES, overrides, others=others)

    def gathering(self, language: Language, references: Sequence[Reference]) -> str:
        resolved = [reference for reference in references if reference.status == "resolved"]
        return self("gathering", language, places=_listed(resolved, language))

    def more_in(self, language: Language, references: Sequence[Reference]) -> str:
        return self("more_in", language, places=_listed(references, language))


def _listed(references: Sequence[Reference], language: Language) -> str:
    """Each place once."""
    return ", ".join(dict.fromkeys(_named(reference, language) for reference in references))


def _named(reference: Reference, language: Language) -> str:
    """ "статья 19", "section 7.2 (RFC 9110)", "RFC 9110", a term in quotes; as written where nothing else fits."""
    target = reference.target.removeprefix("#")
    if reference.type == "definition":
        return f"«{target}»" if language == "ru" else f"“{target}”"
    if not target or (reference.type == "relative" and not target[0].isdigit()):
        return reference.name or target or reference.marker
    kind = _KINDS.get(reference.word, _PLACES[reference.place])[language]
    return f"{kind} {target} ({reference.name})" if reference.name else f"{kind} {target}"
