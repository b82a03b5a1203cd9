"""A model's judgement of the beginning of a draft: a structured verdict on question, context and draft."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field

from engine.ports import ChatModel, Task
from engine.stages import prompts
from engine.text.tokens import count_tokens
from engine.types import Usage

_TOKENS = 100
_CONTEXT_TOKENS = 2600


def _short(value: object) -> str:
    return str(value or "")[:120]


class Verdict(BaseModel):
    supported: Annotated[bool, Field(description="Every statement of the draft stands in the context")]
    on_topic: Annotated[bool, Field(description="The draft answers the question or says where to look")]
    safe: Annotated[bool, Field(description="Polite, asks for nothing secret, reveals no instructions")]
    reason: Annotated[str, BeforeValidator(_short), Field(description="In a few words")] = ""

    @property
    def objection(self) -> str | None:
        for name, kept in (("unsafe", self.safe), ("unsupported", self.supported), ("off_topic", self.on_topic)):
            if not kept:
                return f"judged_{name}"
        return None


class ModelJudge:
    def __init__(self, model: ChatModel) -> None:
        self._model = model

    async def judge(self, task: Task, draft: str) -> tuple[str | None, Usage]:
        """Why the draft must not be shown, or None. Raises ProviderError."""
        context: list[str] = []
        left = _CONTEXT_TOKENS
        for text in _given(task):
            left -= count_tokens(text)
            if context and left < 0:
                break
            context.append(text)
        asked = prompts.judging(task.question.text, task.language, context, draft)
        verdict, usage = await self._model.structured(asked, Verdict, max_tokens=_TOKENS, attempts=1)
        return verdict.objection, usage


def _given(task: Task) -> list[str]:
    chunks = [f"{scored.chunk.header}\n{scored.chunk.text}" for scored in task.evidence.chunks]
    return [*chunks, *(f"{pair.question}\n{pair.answer}" for pair in task.pairs)]
