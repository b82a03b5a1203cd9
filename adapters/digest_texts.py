"""What the weekly digest of unanswered questions says, in both languages."""

from __future__ import annotations

from engine import Language

DIGEST_TEXTS: dict[str, dict[Language, str]] = {
    "digest_title": {
        "ru": "**Вопросы без ответа, {begins} – {ends}**",
        "en": "**Unanswered questions, {begins} – {ends}**",
    },
    "digest_counts": {
        "ru": "Вопросов: {asked}, без ответа: {missed}.",
        "en": "Questions: {asked}, unanswered: {missed}.",
    },
    "digest_none": {"ru": "На всё нашёлся ответ.", "en": "Everything was answered."},
    "digest_gap": {
        "ru": "{mark} **{number}.** {question}\n{count}× за неделю, {trend}{always}",
        "en": "{mark} **{number}.** {question}\n{count}× this week, {trend}{always}",
    },
    "digest_always": {"ru": ", всего {total}×", "en": ", {total}× in all"},
    "digest_by": {"ru": " · {by}", "en": " · {by}"},
    "digest_forgotten": {"ru": "(текст удалён)", "en": "(the text was removed)"},
    "digest_popular": {"ru": "**Спрашивают часто, ответ есть**", "en": "**Asked often and answered**"},
    "digest_buttons": {
        "ru": "_✋ беру · ✅ ответ написан · 🚫 не будем_",
        "en": "_✋ I take it · ✅ written · 🚫 won't do_",
    },
    "digest_rising": {"ru": "растёт", "en": "rising"},
    "digest_steady": {"ru": "без перемен", "en": "steady"},
    "digest_falling": {"ru": "убывает", "en": "falling"},
    "digest_gone": {"ru": "Этой сводки уже нет.", "en": "This digest is there no longer."},
    "gap_new": {"ru": "Снова новый.", "en": "New again."},
    "gap_taken": {"ru": "Взято.", "en": "Taken."},
    "gap_written": {"ru": "Отмечено: ответ написан.", "en": "Marked as written."},
    "gap_wont_do": {"ru": "Отмечено: отвечать не будем.", "en": "Marked as won't do."},
}
