"""What the terminal itself says, in both languages."""

from __future__ import annotations

from engine import Language

COMPLETING: dict[Language, str] = {"ru": "(дополняю …)", "en": "(being completed ...)"}
STOPPED: dict[Language, str] = {"ru": "Остановлено.", "en": "Stopped."}
SOURCES: dict[Language, str] = {"ru": "Источники:", "en": "Sources:"}
SECTION: dict[Language, str] = {"ru": "раздел", "en": "section"}
PAGE: dict[Language, str] = {"ru": "стр.", "en": "p."}
QUOTES: dict[Language, tuple[str, str]] = {"ru": ("«", "»"), "en": ("“", "”")}
SEE_ALSO: dict[Language, str] = {"ru": "См. также:", "en": "More in:"}
OFFERS: dict[Language, str] = {
    "ru": "Возможно, вы спрашивали (наберите номер):",
    "en": "You may have meant (type its number):",
}
NEW: dict[Language, str] = {"ru": "Начинаем новый разговор.", "en": "A new conversation."}
HELP: dict[Language, str] = {
    "ru": "Задайте вопрос и нажмите Enter. /new — новый разговор, /help — подсказка, /quit — выход, "
    "Ctrl-C — прервать ответ.",
    "en": "Ask a question and press Enter. /new: a new conversation, /help: this text, /quit: leave, "
    "Ctrl-C: stop an answer.",
}
