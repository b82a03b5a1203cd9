"""Made-up days of a support bot, for tests of the report and for looking at it."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.gap_desk import Found, Popular
from bot.reports.series import Logged
from engine.logged import LoggedAnswer, LoggedReference
from engine.matching.gaps import Gap, GapMark
from engine.tickets import OpenedTicket
from engine.types import FaqPair, Language, Miss, OutcomeKind, Usage

NOW = datetime(2026, 11, 30, 12, 30, tzinfo=UTC)
HOSTILE = "<script>alert(1)</script> \"><img src=x onerror=alert(1)> & 'quotes' </style></svg>"
DOCUMENTS = tuple(f"housing/rules/{name}.md" for name in ("pets", "rent", "keys", "quiet-hours", "bicycles", HOSTILE))
_KINDS: tuple[OutcomeKind, ...] = ("faq_direct", "faq_adjacent", "answered", "missed", "blocked", "failed")


def moment(days_ago: float) -> str:
    return (NOW - timedelta(days=days_ago)).isoformat(timespec="microseconds")


def answer(
    days_ago: float, kind: OutcomeKind = "answered", *, language: Language = "ru", model: bool = True
) -> LoggedAnswer:
    chance = random.Random(f"{days_ago}{kind}")
    calls = {"answered": 3, "faq_adjacent": 1}.get(kind, 0) if model else 0
    slow = {"faq_direct": 6.0, "faq_adjacent": 900.0}.get(kind, 2400.0) * chance.uniform(0.6, 1.9)
    found = (
        LoggedReference(type="section", status="resolved", by=chance.choice(["toc", "registry", "structure", "model"])),
        LoggedReference(type="external", status="unresolved", by=None),
    )
    return LoggedAnswer(
        question_id=f"q{days_ago}",
        asked_at=moment(days_ago),
        kind=kind,
        language=language,
        domain="housing",
        collection="rules",
        faq_entry="hours" if kind == "faq_direct" else None,
        faq_score=0.9,
        passes=1,
        cited=(chance.choice(DOCUMENTS[:3]),) if kind == "answered" else (),
        references=found[: chance.randint(0, 2)] if kind == "answered" else (),
        usage=Usage(model_calls=calls, prompt_tokens=900 * calls, completion_tokens=80 * calls),
        timings_ms={"total": slow, "first_shown": slow * 0.6},
    )


def gap(
    id: int, question: str, count: int, state: str | None = None, *, languages: tuple[Language, ...] = ("ru",)
) -> Gap:
    misses = tuple(
        Miss(
            id=id * 1000 + number,
            asked_at=moment(count - number),
            question=question,
            language=languages[number % len(languages)],
            conversation="telegram:1::asker-99",
            best_score=0.4,
            reason="nothing_found",
            route=None,
        )
        for number in range(count)
    )
    mark = GapMark(state=state, changed_at=moment(2.5), changed_by="operator-77") if state else None  # type: ignore[arg-type]
    near = FaqPair(entry="pets", question="Можно ли держать кошку?", answer="Да.", score=0.61)
    return Gap(misses=misses, mark=mark, nearest=(near,))


def found() -> Found:
    return Found(
        gaps=(
            gap(1, "Можно ли держать в комнате змею, если она маленькая и не ядовитая?", 14, languages=("ru", "en")),
            gap(2, HOSTILE, 9),
            gap(3, "Где купить билеты в оперу?", 6, "taken"),
            gap(4, "How do I get to the airport by train at night?", 3, languages=("en",)),
            gap(5, "Сколько стоит парковка для мотоцикла во дворе?", 3, "wont_do"),
        ),
        popular=(
            Popular(question="Когда вы открыты?", count=212, last_seen=moment(0.1), entry="hours"),
            Popular(question=HOSTILE, count=31, last_seen=moment(1), entry=None),
        ),
    )


def busy(days: int = 28, *, a_day: int = 40, seed: int = 1, model: bool = True) -> Logged:
    """Questions of all kinds, tickets, ratings and gaps."""
    chance = random.Random(seed)
    answers, tickets = [], []
    for day in range(days):
        weekend = (NOW - timedelta(days=day)).weekday() > 4
        for number in range(int(a_day * chance.uniform(0.6, 1.3) * (0.4 if weekend else 1))):
            ago = day + number / (a_day * 2)
            kind = chance.choices(_KINDS, (45, 10, 30, 12, 2, 1))[0]
            made = answer(ago, kind, language=chance.choice(["ru", "ru", "en"]), model=model)
            if kind in ("faq_direct", "answered") and chance.random() < 0.3:
                made = replace(made, rating="helpful" if chance.random() < 0.8 else "not_helpful")
            answers.append(made)
            if kind == "missed" and chance.random() < 0.7:
                tickets.append(
                    OpenedTicket(opened_at=moment(ago), reason=chance.choice(["missed", "missed", "asked", "not_it"]))
                )
    answers.sort(key=lambda one: one.asked_at)
    return Logged(answers=answers, tickets=tickets, documents=DOCUMENTS, found=found())


EMPTY = Logged(answers=(), tickets=(), documents=(), found=Found(gaps=(), popular=()))
