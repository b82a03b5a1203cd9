"""What is said about and in tickets, in both languages."""

from __future__ import annotations

from engine import Language

DESK_TEXTS: dict[str, dict[Language, str]] = {
    # To the asker.
    "passed_on": {
        "ru": "Передал ваш вопрос людям, они ответят здесь же.",
        "en": "I have passed your question to people, and they will answer right here.",
    },
    "passed_on_too": {
        "ru": "Ваш вопрос увидят и люди: если нужно, они дополнят ответ здесь же.",
        "en": "People will see your question too, and add to the answer right here if needed.",
    },
    "people_here": {"ru": "Сейчас они на месте.", "en": "They are there now."},
    "people_soon": {"ru": "Это может занять некоторое время.", "en": "This may take a while."},
    "people_from": {"ru": "Они будут на месте {when}.", "en": "They will be there {when}."},
    # To people.
    "ticket_title": {"ru": "#{id} {question}", "en": "#{id} {question}"},
    "ticket_head": {
        "ru": "**Обращение #{id}** · {reason}\nСпрашивает: {asker} · язык: {spoken}\n\n> {question}",
        "en": "**Ticket #{id}** · {reason}\nAsked by: {asker} · language: {spoken}\n\n> {question}",
    },
    "reason_missed": {"ru": "бот не нашёл ответа", "en": "the bot found no answer"},
    "reason_asked": {"ru": "просят человека", "en": "a human is asked for"},
    "reason_not_helpful": {"ru": "ответ дважды не помог", "en": "answers did not help twice"},
    "reason_not_it": {"ru": "дважды «не то»", "en": "“that is not it” twice"},
    "reason_rule": {"ru": "правило: {detail}", "en": "rule: {detail}"},
    "reason_promised": {"ru": "бот обещал передать людям", "en": "the bot has promised to pass it on"},
    "ticket_said": {"ru": "**Разговор**", "en": "**The conversation**"},
    "ticket_why": {"ru": "**Почему нет ответа:** {why}", "en": "**Why there is no answer:** {why}"},
    "why_nothing_found": {"ru": "ничего не найдено", "en": "nothing was found"},
    "why_weak_evidence": {"ru": "найденное слишком слабое", "en": "what was found is too weak"},
    "why_retracted": {"ru": "черновик не прошёл проверку", "en": "the draft did not pass the guardrail"},
    "why_not_a_question": {"ru": "это не вопрос", "en": "it is no question"},
    "ticket_route": {"ru": "**Где искал:** {route}", "en": "**Looked in:** {route}"},
    "ticket_passages": {"ru": "**Лучшие места**", "en": "**Best passages**"},
    "ticket_nearest": {"ru": "**Похожие вопросы FAQ**", "en": "**Nearest FAQ entries**"},
    "ticket_how": {
        "ru": "_Ответ здесь уйдёт спросившему; с «{prefix}» в начале останется между нами._",
        "en": "_What you write here goes to the asker; what begins with “{prefix}” stays inside._",
    },
    "state_open": {"ru": "⚪ Ждёт", "en": "⚪ Waiting"},
    "state_taken": {"ru": "🟡 В работе: {by}", "en": "🟡 Taken by {by}"},
    "state_answered": {"ru": "🟢 Закрыто: {by}", "en": "🟢 Closed by {by}"},
    "state_off_topic": {"ru": "⚫ Не наша тема: {by}", "en": "⚫ Not our topic: {by}"},
    "state_forgotten": {
        "ru": "⚫ Закрыто: спросивший попросил себя забыть",
        "en": "⚫ Closed: the asker wants to be forgotten",
    },
    "ticket_forgotten": {
        "ru": "🧹 Спросивший попросил забыть всё, что он писал: обращение закрыто, его тексты удалены.",
        "en": "🧹 The asker wants all that they wrote to be forgotten: the ticket is closed, their texts are removed.",
    },
    "text_removed": {"ru": "🧹 удалено по просьбе спросившего", "en": "🧹 removed at the asker's wish"},
    "take": {"ru": "✋ Беру", "en": "✋ Take"},
    "give_back": {"ru": "↩️ Вернуть боту", "en": "↩️ Hand back to the bot"},
    "close_ticket": {"ru": "✅ Закрыть", "en": "✅ Close"},
    "off_topic": {"ru": "🚫 Не наша тема", "en": "🚫 Not our topic"},
    "answer_with": {"ru": "📎 {question}", "en": "📎 {question}"},
    "done": {"ru": "Готово.", "en": "Done."},
    "already_taken": {"ru": "Уже у другого сотрудника.", "en": "Somebody else has it."},
    "already_closed": {"ru": "Обращение уже закрыто.", "en": "The ticket is closed."},
    "not_sent_closed": {
        "ru": "⚠️ Обращение закрыто, сообщение не отправлено.",
        "en": "⚠️ The ticket is closed; the message was not sent.",
    },
    "not_sent_taken": {
        "ru": "⚠️ Обращение у другого сотрудника, сообщение не отправлено.",
        "en": "⚠️ Somebody else has the ticket; the message was not sent.",
    },
    "undelivered_gone": {
        "ru": "⚠️ Не доставлено: спросивший заблокировал бота или чат удалён.",
        "en": "⚠️ Not delivered: the asker has blocked the bot, or the chat is gone.",
    },
    "undelivered": {"ru": "⚠️ Не доставлено: {why}", "en": "⚠️ Not delivered: {why}"},
    "holder_left": {
        "ru": "⚠️ Сотрудника, у которого было обращение, здесь больше нет: обращение свободно.",
        "en": "⚠️ Whoever had the ticket has left: it is free.",
    },
    "file_too_big": {
        "ru": "📎 Файл {file} не передан: он больше {most}.",
        "en": "📎 The file {file} was not passed on: it is larger than {most}.",
    },
    "file_lost": {
        "ru": "📎 Файл {file} не удалось передать.",
        "en": "📎 The file {file} could not be passed on.",
    },
    "topic_deleted": {
        "ru": "⚠️ Прежняя тема удалена, обращение продолжается здесь.",
        "en": "⚠️ The earlier topic was deleted; the ticket goes on here.",
    },
    "make_entry": {"ru": "📚 В FAQ", "en": "📚 Make a FAQ entry"},
    "offer_entry": {
        "ru": "Обращение закрыто. Сделать из ответа запись FAQ?",
        "en": "The ticket is closed. Shall the answer become a FAQ entry?",
    },
    "approve_entry": {"ru": "✅ Добавить в FAQ", "en": "✅ Put into the FAQ"},
    "merge_wording": {"ru": "➕ К записи: {question}", "en": "➕ Wording of: {question}"},
    "discard_entry": {"ru": "🗑 Не надо", "en": "🗑 Discard"},
    "no_learning": {"ru": "Здесь записи FAQ не делаются.", "en": "FAQ entries are not made here."},
    "off_topic_said": {
        "ru": "К сожалению, с этим вопросом мы помочь не можем: он не по нашей теме.",
        "en": "I am afraid that we cannot help with this question: it is not our topic.",
    },
}
