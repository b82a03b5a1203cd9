"""A reference that fits several places, put to a model: structured output over a closed list, one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import structlog
from pydantic import BaseModel, Field

from engine.errors import ProviderError
from engine.ports import ChatModel, Meaning
from engine.stages import prompts
from engine.types import Question, Reference, Usage

log = structlog.get_logger()

_CHOICE_TOKENS = 60


class MeantPlace(BaseModel):
    """The model's answer."""

    number: Annotated[int, Field(description="The number of the place that is meant; 0 when it cannot be told", ge=0)]


class ModelReferenceChooser:
    """Without an answer of use the reference stays open: a model that fails costs a reference, not an answer."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    async def choose(
        self, question: Question, reference: Reference, context: str, meanings: Sequence[Meaning]
    ) -> tuple[int | None, Usage]:
        listed = "\n".join(
            f"{number}. {place.document}: {place.section} {place.title}".rstrip()
            for number, place in enumerate(meanings, start=1)
        )
        messages = prompts.meaning(question.text, reference.marker, context, listed)
        try:
            meant, usage = await self._model.structured(messages, MeantPlace, max_tokens=_CHOICE_TOKENS)
        except ProviderError as error:
            log.warning("reference.not_chosen", provider=error.provider)
            return None, Usage(model_calls=1)
        return (meant.number - 1 if 1 <= meant.number <= len(meanings) else None), usage
