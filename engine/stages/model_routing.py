"""A routing level chosen by a model: structured output over a closed list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, Field

from engine.ports import ChatModel
from engine.stages import prompts
from engine.types import Level, Question, Usage

_CHOICE_TOKENS = 120


@dataclass(frozen=True, slots=True)
class Choice:
    id: str
    title: str
    description: str


class Chosen(BaseModel):
    """The model's answer. `id` is checked against the list by the router, which knows what to do with another one."""

    id: Annotated[str, Field(description="The id of the best place, exactly as listed", max_length=200)]
    confidence: Annotated[float, Field(description="How sure, from 0 to 1", ge=0, le=1)] = 0.5


async def choose(
    model: ChatModel, question: Question, level: Level, choices: Sequence[Choice]
) -> tuple[str, float, Usage]:
    """The id that the model names, which may be none of the list. Raises ProviderError."""
    listed = "\n".join(f"- {choice.id}: {choice.title}. {choice.description}".rstrip() for choice in choices)
    chosen, usage = await model.structured(
        prompts.routing(level, listed, question.text), Chosen, max_tokens=_CHOICE_TOKENS
    )
    return chosen.id.strip(), round(chosen.confidence, 3), usage
