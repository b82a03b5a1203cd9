"""Follow-ups: a message that only makes sense after others becomes a question that stands alone.

A model rewrites it from the last turns of the conversation. Without one, or when what it wrote cannot be the question,
the questions before it are put in front, and the router leans to where they were answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import structlog
from pydantic import BaseModel, Field

from engine.errors import ProviderError
from engine.ports import ChatModel
from engine.stages import prompts
from engine.text.context import goes_on, standalone
from engine.text.facts import numbers
from engine.text.normal import detect_language
from engine.text.stems import content_stems
from engine.types import Question, Turn, Usage

log = structlog.get_logger()

_TURNS = 3
_QUESTION_CHARACTERS = 300
_ANSWER_CHARACTERS = 500
_TOKENS = 120


class Rewritten(BaseModel):
    question: Annotated[str, Field(description="The last message as one question that stands alone")]


class FollowUps:
    def __init__(self, model: ChatModel | None) -> None:
        self._model = model

    async def rewrite(self, question: Question) -> tuple[Question, Usage]:
        """In one model call at most, and none for a question that stands alone."""
        if not goes_on(question):
            return question, Usage()
        by_rule = standalone(question)
        if self._model is None:
            return by_rule, Usage()
        language = question.language or detect_language(question.text)
        history = _bounded(question.history)
        asked = prompts.rewriting(history, language, question.text[:_QUESTION_CHARACTERS])
        try:
            written, usage = await self._model.structured(asked, Rewritten, max_tokens=_TOKENS, attempts=1)
        except ProviderError as error:
            log.warning("follow_up.model_failed", provider=error.provider)
            return by_rule, error.usage
        text = " ".join(written.question.split())
        if not _may_be(text, question, history):
            log.info("follow_up.rewriting_refused")
            return by_rule, usage
        return replace(question, text=text, language=language, follows="no"), usage


def _bounded(history: Sequence[Turn]) -> list[Turn]:
    return [
        Turn(question=turn.question[:_QUESTION_CHARACTERS], answer=turn.answer[:_ANSWER_CHARACTERS])
        for turn in history[-_TURNS:]
    ]


def _may_be(text: str, question: Question, history: Sequence[Turn]) -> bool:
    """Whether a rewriting is about what was said: no numbers of its own, most of its words from the conversation or
    few more, in the asker's language, and no longer than a question."""
    said = "\n".join([question.text, *(f"{turn.question}\n{turn.answer}" for turn in history)])
    stems, known = set(content_stems(text)), set(content_stems(said))
    language = detect_language(question.text, detect_language(history[-1].question))
    return (
        0 < len(text) <= _QUESTION_CHARACTERS
        and detect_language(text) == language
        and bool(stems & known)
        and len(stems - known) <= len(stems & known)
        and numbers(text) <= numbers(said)
    )
