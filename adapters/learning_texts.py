"""What is said about drafts of FAQ entries and about editing the FAQ from the support chat, in both languages."""

from __future__ import annotations

from engine import Language

LEARNING_TEXTS: dict[str, dict[Language, str]] = {
    "offer_reply": {
        "ru": "Ответ уходит спросившему. Пригодится и другим?",
        "en": "The answer is on its way to the asker. Would it help others too?",
    },
    "offer_wording": {
        "ru": "Ответ взят из FAQ. Сделать этот вопрос формулировкой записи?",
        "en": "The answer came from the FAQ. Shall the question become a wording of that entry?",
    },
    "draft_head": {"ru": "📝 **Черновик FAQ #{id}** · {state}", "en": "📝 **FAQ draft #{id}** · {state}"},
    "draft_open": {"ru": "ждёт редактора", "en": "waiting for an editor"},
    "draft_approved": {
        "ru": "✅ в FAQ как {entry}, одобрил(а) {by}",
        "en": "✅ in the FAQ as {entry}, approved by {by}",
    },
    "draft_merged": {
        "ru": "✅ формулировка записи {entry}, добавил(а) {by}",
        "en": "✅ a wording of {entry}, added by {by}",
    },
    "draft_rejected": {"ru": "🗑 не нужен: {by}", "en": "🗑 not wanted: {by}"},
    "draft_expired": {"ru": "тексты удалены", "en": "its texts were removed"},
    "draft_undone": {"ru": "↩️ убрано из FAQ: {by}", "en": "↩️ taken back out of the FAQ by {by}"},
    "draft_question": {"ru": "**Вопрос:** {question}", "en": "**Question:** {question}"},
    "draft_answer": {"ru": "**Ответ:**", "en": "**Answer:**"},
    "draft_specifics": {
        "ru": "⚠️ **Похоже на подробности одного случая:**",
        "en": "⚠️ **This may belong to one case only:**",
    },
    "draft_near": {"ru": "**Похожее в FAQ:**", "en": "**Near entries:**"},
    "draft_trouble": {"ru": "⛔ **Пока не добавлено:**", "en": "⛔ **Not added yet:**"},
    "draft_how": {
        "ru": "_Ответьте на это сообщение, чтобы заменить ответ; строки с «?» в начале заменят вопросы._",
        "en": "_Reply to this message to replace the answer; lines that begin with “?” replace the questions._",
    },
    "specific_name": {"ru": "имя", "en": "name"},
    "specific_email": {"ru": "почта", "en": "e-mail"},
    "specific_handle": {"ru": "ник", "en": "handle"},
    "specific_link": {"ru": "ссылка", "en": "link"},
    "specific_phone": {"ru": "телефон", "en": "phone"},
    "specific_number": {"ru": "номер", "en": "number"},
    "specific_date": {"ru": "дата", "en": "date"},
    "specific_sum": {"ru": "сумма", "en": "sum"},
    "specific_favour": {"ru": "разовая уступка", "en": "one-off favour"},
    "specific_address": {"ru": "адрес", "en": "address"},
    "specific_deed": {"ru": "сделано для одного", "en": "done for one person"},
    "trouble_specific": {"ru": "осталось: {kind} «{text}»", "en": "still there: {kind} “{text}”"},
    "trouble_taken": {
        "ru": "«{question}»: не отличить от записи {entry}",
        "en": "“{question}” could not be told from {entry}",
    },
    "trouble_takes": {
        "ru": "ответ ушёл бы и на «{question}» из записи {entry}",
        "en": "it would also answer “{question}” of {entry}",
    },
    "trouble_near": {"ru": "ответ ушёл бы и на «{question}»", "en": "it would also answer “{question}”"},
    "insist_entry": {"ru": "⚠️ Всё равно добавить", "en": "⚠️ Add it all the same"},
    "undo_entry": {"ru": "↩️ Убрать из FAQ", "en": "↩️ Take it back out"},
    # What a tap is answered with.
    "draft_made": {"ru": "Черновик готов.", "en": "The draft is made."},
    "draft_there": {"ru": "Черновик уже есть.", "en": "There is a draft already."},
    "nothing_to_learn": {"ru": "Здесь ещё никто не ответил.", "en": "Nobody has answered here yet."},
    "not_editor": {"ru": "Это решают редакторы FAQ.", "en": "This is for the editors of the FAQ."},
    "draft_decided": {"ru": "Уже решено.", "en": "That has been decided already."},
    "draft_changed": {"ru": "Текст изменился, посмотрите ещё раз.", "en": "The text has changed, look again."},
    "entry_refused": {"ru": "Не добавлено, причина в черновике.", "en": "Not added; the draft says why."},
    "entry_live": {"ru": "Уже отвечает.", "en": "It answers from now on."},
    "entry_undone": {"ru": "Убрано.", "en": "Taken back."},
    "entry_gone": {"ru": "Такой записи больше нет.", "en": "There is no such entry any longer."},
    "edited_later": {"ru": "Запись меняли позже: /faq history", "en": "The entry was changed later: /faq history"},
    # /faq in the support chat.
    "faq_help": {
        "ru": "`/faq list [слова]`, `/faq list flagged`, `/faq show ID`, `/faq retire ID`, `/faq history`,"
        " `/faq undo N`, `/faq drafts`, `/faq approve N`, `/faq reject N`, `/faq clear ID`\n\n"
        "`/faq add`, `/faq edit ID`, `/faq rewrite N` и с новой строки текст: строки с «?» в начале — вопросы,"
        " остальное — ответ. С «!» (`/faq add!`) — вопреки проверке. `/faq draft` в ответ на сообщение сотрудника"
        " делает из него черновик.",
        "en": "`/faq list [words]`, `/faq list flagged`, `/faq show ID`, `/faq retire ID`, `/faq history`,"
        " `/faq undo N`, `/faq drafts`, `/faq approve N`, `/faq reject N`, `/faq clear ID`\n\n"
        "`/faq add`, `/faq edit ID`, `/faq rewrite N` with the text on new lines: those that begin with “?” are"
        " questions, the rest is the answer. With “!” (`/faq add!`) in spite of the check. `/faq draft` as a reply to"
        " what somebody answered makes a draft of it.",
    },
    "faq_none": {"ru": "Ничего нет.", "en": "There is nothing."},
    "faq_more": {"ru": "… и ещё {count}", "en": "... and {count} more"},
    "faq_flagged": {"ru": "⚑ не помогло: {count}, последний раз {when}", "en": "⚑ did not help: {count}, last {when}"},
    "faq_done": {
        "ru": "✅ Правка {edit}: {entry}. Отменить: `/faq undo {edit}`",
        "en": "✅ Edit {edit}: {entry}. Take it back: `/faq undo {edit}`",
    },
    "faq_undone": {
        "ru": "✅ Правка {edit} отменяет правку {undoes}.",
        "en": "✅ Edit {edit} takes back edit {undoes}.",
    },
    "faq_cleared": {"ru": "✅ Отметки сняты: {count}", "en": "✅ Flags cleared: {count}"},
    "faq_refused": {
        "ru": "⛔ Не сделано (с «!» — всё равно сделать):",
        "en": "⛔ Not done (with “!” it is done all the same):",
    },
    "faq_by": {"ru": "{when} · {by} · {kind} · {entry}{undone}", "en": "{when} · {by} · {kind} · {entry}{undone}"},
    "faq_takes_back": {"ru": " (отменяет {edit})", "en": " (takes back {edit})"},
    "faq_wants": {
        "ru": "Нужны и вопрос (строка с «?» в начале), и ответ.",
        "en": "Both a question (a line that begins with “?”) and an answer are needed.",
    },
    "faq_no_entry": {"ru": "Записи {entry} нет.", "en": "There is no entry {entry}."},
    "faq_has_entry": {
        "ru": "Запись {entry} уже есть: `/faq edit {entry}`",
        "en": "There is an entry {entry} already: `/faq edit {entry}`",
    },
    "faq_no_draft": {"ru": "Такого черновика нет.", "en": "There is no such draft."},
}
