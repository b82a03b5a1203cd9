"""Misses: what nobody could answer is kept for the editors, with why."""

from __future__ import annotations

import structlog

from engine.ports import MissStore
from engine.types import Outcome, Question

log = structlog.get_logger()


class StoredMisses:
    def __init__(self, store: MissStore) -> None:
        self._store = store

    async def record(self, question: Question, outcome: Outcome) -> bool:
        await self._store.add(question, outcome)
        log.info("question.missed", question_id=outcome.id, reason=outcome.miss_reason, language=outcome.language)
        return False
