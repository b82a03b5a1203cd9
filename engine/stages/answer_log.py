"""How each question ended, kept for the reports and told in one log line. No text of the question or the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime

import structlog

from engine.logged import LoggedAnswer, LoggedReference
from engine.ports import AnswerStore
from engine.types import Outcome

log = structlog.get_logger()


class StoredAnswers:
    def __init__(self, store: AnswerStore, made_with: Mapping[str, str] | None = None) -> None:
        """`made_with` names versions and models."""
        self._store = store
        self._made_with = made_with or {}

    async def record(self, outcome: Outcome) -> None:
        await self._store.add(logged(outcome, datetime.now(UTC), self._made_with))
        resolved = Counter(reference.by for reference in outcome.references if reference.by)
        log.info(
            "question.answered",
            question_id=outcome.id,
            kind=outcome.kind,
            language=outcome.language,
            passes=outcome.passes,
            references=len(outcome.references),
            resolved_by=dict(resolved),
            model_calls=outcome.usage.model_calls,
            total_ms=outcome.timings_ms.get("total"),
            second_pass_ms=outcome.timings_ms.get("second_pass"),
        )


def logged(outcome: Outcome, moment: datetime, made_with: Mapping[str, str] | None = None) -> LoggedAnswer:
    served = outcome.kind in ("faq_direct", "faq_adjacent") and outcome.faq is not None and outcome.faq.entry
    return LoggedAnswer(
        question_id=outcome.id,
        asked_at=moment.isoformat(timespec="microseconds"),
        kind=outcome.kind,
        language=outcome.language,
        domain=outcome.route.domain if outcome.route else None,
        collection=outcome.route.collection if outcome.route else None,
        faq_entry=served.id if served else None,
        faq_score=float(outcome.faq.score) if outcome.faq else 0.0,
        passes=outcome.passes,
        cited=tuple(dict.fromkeys(citation.document for citation in outcome.citations)),
        references=tuple(
            LoggedReference(type=reference.type, status=reference.status, by=reference.by)
            for reference in outcome.references
        ),
        usage=outcome.usage,
        timings_ms=outcome.timings_ms,
        faq_version=outcome.faq.version if served and outcome.faq else None,
        chunks=tuple((scored.chunk.id, round(float(scored.score), 4)) for scored in outcome.chunks),
        made_with=made_with or {},
    )
