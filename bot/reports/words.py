"""The words of the report, in both languages, and how it writes numbers and days."""

from __future__ import annotations

from datetime import date, datetime, tzinfo

from engine.types import Language

WORDS: dict[str, dict[Language, str]] = {
    "title": {"ru": "Отчёт Refdesk", "en": "Refdesk report"},
    "period": {"ru": "{begins} – {ends}", "en": "{begins} – {ends}"},
    "by_day": {"ru": "по дням", "en": "by day"},
    "by_week": {"ru": "по неделям", "en": "by week"},
    "by_month": {"ru": "по месяцам", "en": "by month"},
    "nothing": {"ru": "За это время ничего не было.", "en": "There was nothing in this time."},
    "no_questions": {
        "ru": "За это время никто ничего не спросил. Здесь будет видно, чем кончаются вопросы, когда они появятся.",
        "en": "Nobody asked anything in this time. Once there are questions, this page shows how they were answered.",
    },
    # Kinds of outcome.
    "faq_direct": {"ru": "из FAQ сразу", "en": "FAQ, direct"},
    "faq_adjacent": {"ru": "по FAQ", "en": "FAQ, adjacent"},
    "answered": {"ru": "по документам", "en": "from documents"},
    "missed": {"ru": "без ответа", "en": "unanswered"},
    "blocked": {"ru": "отклонено", "en": "blocked"},
    "failed": {"ru": "сбой", "en": "failed"},
    "escalated": {"ru": "передано людям", "en": "passed to people"},
    # Tiles.
    "questions": {"ru": "Вопросов", "en": "Questions"},
    "with_answer": {"ru": "С ответом", "en": "Answered"},
    "without_answer": {"ru": "Без ответа", "en": "Unanswered"},
    "to_people": {"ru": "Передано людям", "en": "Passed to people"},
    "helpful_share": {"ru": "Помогло", "en": "Helpful"},
    "of_ratings": {"ru": "оценок: {count}", "en": "of {count} ratings"},
    "until_text": {"ru": "До первых слов", "en": "To the first words"},
    "p95": {"ru": "95 % до {time}", "en": "95 % within {time}"},
    "calls": {"ru": "Вызовов модели", "en": "Model calls"},
    "calls_saved": {"ru": "сбережено шлюзом: {count}", "en": "saved by the gate: {count}"},
    "tokens": {"ru": "Токенов", "en": "Tokens"},
    # Plots.
    "plot_volume": {"ru": "Вопросы", "en": "Questions"},
    "plot_shares": {"ru": "Чем кончились вопросы, доли", "en": "How questions ended, shares"},
    "plot_escalated": {"ru": "Передано людям", "en": "Passed to people"},
    "plot_calls": {"ru": "Вызовы модели", "en": "Model calls"},
    "plot_tokens": {"ru": "Токены", "en": "Tokens"},
    "spent": {"ru": "потрачено", "en": "spent"},
    "saved": {"ru": "сбережено шлюзом", "en": "saved by the gate"},
    "saved_how": {
        "ru": "Сбережено: чего стоил бы ответ из FAQ, если бы его писала модель по документам; по среднему за период.",
        "en": "Saved: what an answer from the FAQ would have cost from documents, by the mean of the period.",
    },
    "saved_none": {
        "ru": "Модель за это время не писала ответов, сравнить не с чем.",
        "en": "No model wrote an answer in this time, so there is nothing to compare with.",
    },
    "helpful_by_kind": {"ru": "Помогло, по видам ответа", "en": "Helpful, by kind of answer"},
    "plot_ratings": {"ru": "Оценки спросивших", "en": "Ratings by askers"},
    "helpful": {"ru": "помогло", "en": "helpful"},
    "not_helpful": {"ru": "не помогло", "en": "not helpful"},
    "plot_references": {"ru": "Ссылки внутри ответов", "en": "References within answers"},
    "resolved": {"ru": "найдено, куда ведут", "en": "resolved"},
    "unresolved": {"ru": "не найдено", "en": "unresolved"},
    "resolved_by": {"ru": "Чем найдены", "en": "Resolved by"},
    "by_toc": {"ru": "оглавление", "en": "table of contents"},
    "by_registry": {"ru": "реестр объектов", "en": "object registry"},
    "by_structure": {"ru": "устройство текста", "en": "structure"},
    "by_model": {"ru": "модель", "en": "model"},
    "plot_first_text": {"ru": "До первых слов ответа", "en": "Time to the first words"},
    "median": {"ru": "медиана", "en": "median"},
    "most": {"ru": "95-й процентиль", "en": "95th percentile"},
    "number": {"ru": "число", "en": "number"},
    "p95_short": {"ru": "95 %", "en": "95 %"},
    "times": {"ru": "Время до конца ответа", "en": "Time to the whole answer"},
    "plot_reasons": {"ru": "Почему передано людям", "en": "Why it went to people"},
    "reason_missed": {"ru": "ответа нет", "en": "no answer"},
    "reason_asked": {"ru": "просили человека", "en": "a human was asked for"},
    "reason_not_helpful": {"ru": "дважды не помогло", "en": "did not help twice"},
    "reason_not_it": {"ru": "дважды «не то»", "en": "“not it” twice"},
    "reason_rule": {"ru": "правило", "en": "a rule"},
    "reason_promised": {"ru": "обещал ответ", "en": "the answer promised it"},
    # Tables.
    "gaps": {"ru": "Чего не хватает", "en": "What is missing"},
    "gaps_how": {
        "ru": "Вопросы, на которые не нашлось ответа; одинаковые по смыслу вместе.",
        "en": "Questions that nobody could answer; those that ask the same together.",
    },
    "no_gaps": {"ru": "На всё нашёлся ответ.", "en": "Everything was answered."},
    "popular": {"ru": "Спрашивают часто, ответ есть", "en": "Asked often and answered"},
    "no_popular": {"ru": "Пока ничего дважды.", "en": "Nothing twice so far."},
    "question": {"ru": "вопрос", "en": "question"},
    "times_asked": {"ru": "раз", "en": "times"},
    "weeks": {"ru": "8 недель", "en": "8 weeks"},
    "state": {"ru": "состояние", "en": "state"},
    "nearest": {"ru": "ближайшее в FAQ", "en": "nearest in the FAQ"},
    "last_seen": {"ru": "в последний раз", "en": "last asked"},
    "answered_by": {"ru": "чем отвечено", "en": "answered by"},
    "documents": {"ru": "документы", "en": "documents"},
    "rising": {"ru": "растёт", "en": "rising"},
    "steady": {"ru": "ровно", "en": "steady"},
    "falling": {"ru": "убывает", "en": "falling"},
    "new": {"ru": "новый", "en": "new"},
    "taken": {"ru": "взят", "en": "taken"},
    "written": {"ru": "написан", "en": "written"},
    "wont_do": {"ru": "не будем", "en": "won't do"},
    "again": {"ru": "ещё {count}× с тех пор", "en": "{count}× again since"},
    "kind": {"ru": "чем кончился", "en": "ended as"},
    "share": {"ru": "доля", "en": "share"},
    "cited": {"ru": "Документы, на которые ссылались чаще всего", "en": "Documents cited most"},
    "never_cited": {"ru": "Документы, на которые не ссылались ни разу", "en": "Documents never cited"},
    "never_cited_how": {"ru": "{count} из {all}", "en": "{count} of {all}"},
    "all_cited": {"ru": "Таких нет.", "en": "There are none."},
    "no_documents": {"ru": "Документов нет.", "en": "There are no documents."},
    "foot": {
        "ru": "Времена и доли – по журналу ответов, в нём нет текстов. Вопросы без ответа – те, что ещё хранятся.",
        "en": "Times and shares are from the log of answers, which holds no texts. Questions are those still kept.",
    },
}

_MONTHS: dict[Language, tuple[str, ...]] = {
    "ru": ("янв", "фев", "мар", "апр", "мая", "июн", "июл", "авг", "сен", "окт", "ноя", "дек"),
    "en": ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
}
_THIN_SPACE = "\N{NARROW NO-BREAK SPACE}"
_SECOND = 1000.0


class Wordbook:
    def __init__(self, language: Language) -> None:
        self.language = language

    def __call__(self, name: str, **values: object) -> str:
        return WORDS[name][self.language].format(**values)

    def day(self, day: date, *, year: bool = False) -> str:
        month = _MONTHS[self.language][day.month - 1]
        short = f"{day.day} {month}" if self.language == "ru" else f"{month} {day.day}"
        return f"{short} {day.year}" if year else short

    def local_day(self, moment: str, zone: tzinfo | None) -> str:
        """Of a moment in ISO 8601."""
        return self.day(datetime.fromisoformat(moment).astimezone(zone))

    def month(self, day: date) -> str:
        name = "май" if (self.language, day.month) == ("ru", 5) else _MONTHS[self.language][day.month - 1]
        return f"{name} {day.year}"

    def count(self, value: float) -> str:
        """12,345, from a million on 1.2 M."""
        if value >= 1_000_000:
            return f"{self._decimal(value / 1_000_000)}{_THIN_SPACE}{'млн' if self.language == 'ru' else 'M'}"
        if value != int(value):
            return self._decimal(value)
        grouped = f"{int(value):,}"
        return grouped.replace(",", _THIN_SPACE) if self.language == "ru" else grouped

    def brief(self, value: float) -> str:
        """For an axis: from a thousand on in thousands."""
        if not 1_000 <= value < 1_000_000:
            return self.count(value)
        unit = "тыс" if self.language == "ru" else "k"
        return f"{self._decimal(value / 1_000)}{_THIN_SPACE if self.language == 'ru' else ''}{unit}"

    def share(self, part: float, whole: float) -> str:
        """`38 %`; a dash of nothing, and below one per cent what it is."""
        if not whole:
            return "–"
        percent = 100 * part / whole
        text = self._decimal(percent) if 0 < percent < 1 else f"{percent:.0f}"
        return f"{text}{_THIN_SPACE}%"

    def time(self, milliseconds: float) -> str:
        unit, seconds = ("мс", "с") if self.language == "ru" else ("ms", "s")
        if milliseconds < _SECOND:
            shown = self._decimal(milliseconds) if milliseconds < 10 else f"{milliseconds:.0f}"
            return f"{shown}{_THIN_SPACE}{unit}"
        return f"{self._decimal(milliseconds / _SECOND)}{_THIN_SPACE}{seconds}"

    def _decimal(self, value: float) -> str:
        text = f"{value:.1f}".removesuffix(".0")
        return text.replace(".", ",") if self.language == "ru" else text
