"""What the chat adapters themselves say, in both languages; the owner may put other words in place of any of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from adapters.delivery import APOLOGY
from adapters.desk_texts import DESK_TEXTS
from adapters.digest_texts import DIGEST_TEXTS
from adapters.learning_texts import LEARNING_TEXTS
from engine import Farewell, Language, Wording

TEXTS: dict[str, dict[Language, str]] = {
    "apology": APOLOGY,
    "back_soon": {
        "ru": "Мне нужно на минуту прерваться. Скоро вернусь и отвечу здесь же.",
        "en": "Back in a moment: I have to pause, and will answer right here.",
    },
    "completing": {"ru": "_(дополняю …)_", "en": "_(being completed ...)_"},
    "checking": {"ru": "Проверяю ответ …", "en": "Checking the answer ..."},
    "sources": {"ru": "Источники:", "en": "Sources:"},
    "section": {"ru": "раздел {number}", "en": "section {number}"},
    "page": {"ru": "стр. {number}", "en": "p. {number}"},
    "title": {"ru": "«{title}»", "en": "“{title}”"},
    "unread": {
        "ru": "_Вложения я не читаю ({kinds}): ответ только на текст._",
        "en": "_I do not read attachments ({kinds}): this answers the text alone._",
    },
    "only_text": {
        "ru": "Я читаю только текст, а вложения ({kinds}) прочитать не могу. Опишите, пожалуйста, вопрос словами.",
        "en": "I read text only and cannot read attachments ({kinds}). Please put your question into words.",
    },
    "photo": {"ru": "фото", "en": "photo"},
    "document": {"ru": "файл", "en": "file"},
    "voice": {"ru": "голосовое сообщение", "en": "voice message"},
    "video": {"ru": "видео", "en": "video"},
    "audio": {"ru": "аудио", "en": "audio"},
    "place": {"ru": "место на карте", "en": "location"},
    "contact": {"ru": "контакт", "en": "contact"},
    # Buttons and what they answer.
    "helpful": {"ru": "👍 Помогло", "en": "👍 Helpful"},
    "not_helpful": {"ru": "👎 Не помогло", "en": "👎 Not helpful"},
    "show_sources": {"ru": "📄 Источники", "en": "📄 Sources"},
    "ask_human": {"ru": "🙋 Спросить человека", "en": "🙋 Ask a human"},
    "reason_wrong": {"ru": "Неверно", "en": "It is wrong"},
    "reason_incomplete": {"ru": "Неполно", "en": "Something is missing"},
    "reason_off_topic": {"ru": "Не о том", "en": "Not what I asked"},
    "reason_unclear": {"ru": "Непонятно", "en": "Hard to understand"},
    "try_again": {"ru": "🔁 Ещё раз", "en": "🔁 Try again"},
    "thanks": {"ru": "Спасибо!", "en": "Thank you!"},
    "asking_documents": {
        "ru": "Поищу ответ в документах …",
        "en": "Let me look in the documents instead ...",
    },
    "what_was_wrong": {"ru": "Что было не так?", "en": "What was wrong?"},
    "not_yours": {
        "ru": "Эта кнопка для того, кто спрашивал.",
        "en": "This button is for the person who asked.",
    },
    "gone": {"ru": "Этот ответ я уже не помню.", "en": "I do not remember this answer any longer."},
    "no_sources": {"ru": "У этого ответа нет источников.", "en": "This answer has no sources."},
    # Commands.
    "start": {
        "ru": "Здравствуйте! Задайте вопрос словами, и я найду ответ в наших документах.\n\n{commands}",
        "en": "Hello! Ask a question in words, and I will look for the answer in our documents.\n\n{commands}",
    },
    "help": {
        "ru": "Напишите вопрос обычным сообщением. В группе обратитесь ко мне по имени, ответьте на моё сообщение или "
        "начните с /ask.\n\n{commands}",
        "en": "Write your question as a usual message. In a group, mention me, reply to me, or begin with /ask."
        "\n\n{commands}",
    },
    "command_start": {"ru": "с чего начать", "en": "how to begin"},
    "command_help": {"ru": "что я умею", "en": "what I can do"},
    "command_ask": {"ru": "задать вопрос: /ask и текст вопроса", "en": "ask: /ask and your question"},
    "command_human": {"ru": "позвать человека", "en": "ask for a human"},
    "command_language": {"ru": "выбрать язык", "en": "choose the language"},
    "command_forget": {"ru": "забыть всё, что я писал", "en": "forget all that I wrote"},
    "ask_what": {
        "ru": "Напишите вопрос после команды: /ask …",
        "en": "Write your question after the command: /ask ...",
    },
    "choose_language": {"ru": "На каком языке отвечать?", "en": "Which language shall I answer in?"},
    "language_ru": {"ru": "Русский", "en": "Русский"},
    "language_en": {"ru": "English", "en": "English"},
    "language_auto": {"ru": "Как в вопросе", "en": "As in the question"},
    "language_chosen": {"ru": "Буду отвечать по-русски.", "en": "I will answer in English."},
    "language_free": {"ru": "Буду отвечать на языке вопроса.", "en": "I will answer in the language of each question."},
    "forgotten": {"ru": "Забыл всё, что вы мне писали.", "en": "I have forgotten all that you wrote to me."},
    "human_waiting": {
        "ru": "Ваш вопрос уже у людей, они ответят здесь же. Чтобы спросить меня, начните с /ask.",
        "en": "People have your question and will answer right here. To ask me instead, begin with /ask.",
    },
    "human_absent": {
        "ru": "Людей, которым я мог бы передать вопрос, ко мне не подключили. Спросите, пожалуйста, меня.",
        "en": "No people are connected whom I could pass your question to. Please ask me.",
    },
    # Slack.
    "searching": {"ru": "Ищу ответ …", "en": "Looking for the answer ..."},
    "status_searching": {"ru": "ищет ответ …", "en": "is searching ..."},
    "stopped": {"ru": "_Остановлено._", "en": "_Stopped._"},
    "show_everyone": {"ru": "👥 Показать всем", "en": "👥 Show everyone"},
    "shown_everyone": {"ru": "Этот ответ уже видят все.", "en": "Everyone can see this answer already."},
    "pane_greeting": {
        "ru": "Здравствуйте! Задайте вопрос словами, и я найду ответ в наших документах. Например:",
        "en": "Hello! Ask a question in words, and I will look for the answer in our documents. For example:",
    },
    "pane_questions": {"ru": "Например", "en": "For example"},
    "slash_asked": {"ru": "<@{asker}> спрашивает: {text}", "en": "<@{asker}> asks: {text}"},
    "slash_help": {
        "ru": "Напишите вопрос после команды: `/ask как вернуть депозит?` Ещё можно написать мне личное сообщение или "
        "упомянуть меня в канале; в ветке с моим ответом упоминать меня не нужно.",
        "en": "Write your question after the command: `/ask how do I get my deposit back?` You can also write to me "
        "directly or mention me in a channel; in a thread that I have answered in there is no need to.",
    },
    "human_please": {"ru": "Позовите человека, пожалуйста.", "en": "A human, please."},
    "slash_failed": {
        "ru": "Не получилось принять вопрос. Попробуйте, пожалуйста, ещё раз или напишите мне личное сообщение.",
        "en": "Your question could not be taken. Please try again, or write to me directly.",
    },
    "slash_direct": {"ru": "Отвечу вам в личных сообщениях.", "en": "I will answer you in a direct message."},
    "forget_button": {"ru": "🧹 Забыть всё, что я писал", "en": "🧹 Forget all that I wrote"},
    "forget_sure": {
        "ru": "Удалить всё, что вы мне писали? Открытые обращения к людям будут закрыты.",
        "en": "Remove all that you wrote to me? Questions that people still have will be closed.",
    },
    "forget_yes": {"ru": "Удалить", "en": "Remove"},
    "forget_no": {"ru": "Отмена", "en": "Cancel"},
    "home_start": {
        "ru": "Задайте вопрос словами в личном сообщении, и я найду ответ в наших документах.",
        "en": "Ask a question in a direct message, and I will look for the answer in our documents.",
    },
    "home_knows": {"ru": "Что я знаю", "en": "What I know about"},
    "home_open": {"ru": "Ваши вопросы, на которые я ещё отвечаю", "en": "Your questions that I am still answering"},
    **DESK_TEXTS,
    **LEARNING_TEXTS,
    **DIGEST_TEXTS,
}


class Texts(Wording):
    """The catalogue with the owner's words on top."""

    def __init__(
        self, overrides: Mapping[str, Mapping[str, str]] | None = None, *, others: Collection[str] = ()
    ) -> None:
        super().__init__(TEXTS, overrides, others=others)


def farewell(texts: Texts, language: Language) -> Farewell:
    """For an asker who wants to be forgotten."""
    return Farewell(note=texts("ticket_forgotten", language), removed=texts("text_removed", language))
