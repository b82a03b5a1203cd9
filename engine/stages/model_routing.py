"""A routing level chosen by a model: structured output over a closed list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import structlog
from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema, create_model

from engine.errors import ProviderError
from engine.ports import ChatModel
from engine.stages import prompts
from engine.text.normal import detect_language
from engine.types import Level, Question, Usage

log = structlog.get_logger()

_CHOICE_TOKENS = 160
_MOST_CHOSEN = 3
_DESCRIPTION_CHARACTERS = 400


@dataclass(frozen=True, slots=True)
class Choice:
    id: str
    title: str
    description: str


def _listed(value: object) -> object:
    """Small models forget the brackets around one id."""
    chosen = [value] if isinstance(value, str) else value
    return [str(one).strip() for one in chosen if one] if isinstance(chosen, list) else chosen


def _share(value: object) -> object:
    try:
        number = float(str(value).strip().rstrip("%"))
    except ValueError:
        return 0.5
    return min(1.0, max(0.0, number / 100 if number > 1 else number))


class Chosen(BaseModel):
    """The model's answer. The ids are checked against the list by the router, which knows what to do with others."""

    ids: Annotated[
        list[str], BeforeValidator(_listed), Field(description="Ids as listed, the best first; mostly only one")
    ]
    confidence: Annotated[
        float, BeforeValidator(_share), Field(description="How sure of the first, from 0 to 1", ge=0, le=1)
    ] = 0.5


class Counsel:
    """A model for as long as it may be asked: within a budget of calls, and until it fails. None is never asked."""

    def __init__(self, model: ChatModel | None, calls: int) -> None:
        self._model = model
        self._calls = calls
        self.usage = Usage()
        self.whole = True
        """Whether it has answered whenever it was wanted."""

    async def ask(
        self, question: Question, level: Level, choices: Sequence[Choice]
    ) -> tuple[tuple[str, ...], float] | None:
        """The ids that it names, perhaps none of the list, and how sure it is; None when it does not say."""
        if self._model is None or len(choices) < 2:
            return None
        if self._calls <= 0:
            self.whole = False
            return None
        self._calls -= 1
        try:
            ids, confidence, usage = await choose(self._model, question, level, choices)
        except ProviderError as error:
            log.warning("route.model_failed", level=level, provider=error.provider)
            self.usage += error.usage
            self._calls, self.whole = 0, False
            return None
        self.usage += usage
        return ids, confidence


async def choose(
    model: ChatModel, question: Question, level: Level, choices: Sequence[Choice]
) -> tuple[tuple[str, ...], float, Usage]:
    """The listed ids that the model names, each once, perhaps none. One call, whatever comes. Raises ProviderError."""
    listed = "\n".join(
        f"- {choice.id}: {choice.title}. {choice.description[:_DESCRIPTION_CHARACTERS]}".rstrip() for choice in choices
    )
    language = question.language or detect_language(question.text)
    asked = prompts.routing(level, language, listed, question.text)
    chosen, usage = await model.structured(asked, _closed(choices), max_tokens=_CHOICE_TOKENS, attempts=1)
    by_folded = {choice.id.casefold(): choice.id for choice in choices}
    known = [by_folded[one.casefold()] for one in chosen.ids if one.casefold() in by_folded]
    return tuple(dict.fromkeys(known))[:_MOST_CHOSEN], round(chosen.confidence, 3), usage


def _closed(choices: Sequence[Choice]) -> type[Chosen]:
    """`Chosen` with a schema that lists the ids: a server that keeps to schemas can then name no other."""
    one_of: dict[str, Any] = {"type": "string", "enum": [choice.id for choice in choices]}
    ids = Annotated[
        list[Annotated[str, WithJsonSchema(one_of)]],
        BeforeValidator(_listed),
        Field(description=Chosen.model_fields["ids"].description),
    ]
    return create_model("Chosen", __base__=Chosen, ids=(ids, ...))
