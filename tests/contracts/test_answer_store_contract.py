"""What every version of the answer log does: the fake, SQLite and PostgreSQL."""

from __future__ import annotations

from engine.logged import LoggedAnswer, LoggedReference
from engine.types import Usage
from tests.all_stores import Stores


def logged_answer(asked_at: str, question_id: str = "q1") -> LoggedAnswer:
    return LoggedAnswer(
        question_id=question_id,
        asked_at=asked_at,
        kind="answered",
        language="ru",
        domain="housing",
        collection=None,
        faq_entry=None,
        faq_score=0.1 + 0.2,
        passes=2,
        cited=("жильё/аренда.md",),
        references=(
            LoggedReference(type="section", status="resolved", by="toc"),
            LoggedReference(type="external", status="unresolved", by=None),
        ),
        usage=Usage(model_calls=1, embeddings=3),
        timings_ms={"total": 12.5, "second_pass": 0.25},
    )


async def test_answers_come_from_a_moment_on_oldest_first(stores: Stores) -> None:
    late = logged_answer("2026-03-02T10:00:00.000000+00:00", "late")
    early = logged_answer("2026-03-01T10:00:00.000000+00:00", "early")
    for answer in (late, early):
        await stores.answers.add(answer)
    assert await stores.answers.since("2026-01-01") == (early, late)
    assert await stores.answers.since("2026-03-01T12:00:00.000000+00:00") == (late,)
