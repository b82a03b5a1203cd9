"""What a model is asked to write as JSON. The schemas are strict; the reading of them forgives what small models do.

`answer` comes first, so that its text streams while the object is still open.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from engine.types import Completeness, ReferenceType

_PLACEHOLDERS = frozenset({"string", "str", "text", "the answer", "your answer"})
_COMPLETENESS = ("complete", "partial", "incomplete")
_TYPES = ("section", "relative", "definition", "external")
_MOST_PENDING = 4
_MOST_CITED = 8


def _completeness(value: object) -> object:
    label = str(value).strip().casefold()
    return label if label in _COMPLETENESS else "partial"


def _type(value: object) -> object:
    label = str(value).strip().casefold()
    return label if label in _TYPES else "section"


def _cited(value: object) -> list[int]:
    """Numbers of sources, also where they were written as text or alone; whether they exist is checked elsewhere."""
    listed = value if isinstance(value, list) else [value]
    numbers = [int(number) for one in listed for number in re.findall(r"\d{1,3}", str(_plain(one)))]
    return list(dict.fromkeys(numbers))[:_MOST_CITED]


def _plain(value: object) -> object:
    return list(value.values()) if isinstance(value, dict) else value


def _pending(value: object) -> list[Any]:
    listed = value if isinstance(value, list) else []
    return [one if isinstance(one, dict) else {"target": str(one)} for one in listed if one][:_MOST_PENDING]


def _short(value: object) -> str:
    return "" if value is None else " ".join(str(value).split())[:120]


class PendingReference(BaseModel):
    """A place that the answer needs and the context does not hold."""

    type: Annotated[ReferenceType, BeforeValidator(_type)] = "section"
    target: Annotated[str, BeforeValidator(_short), Field(description='The place, such as "section 7.2" or "Table 2"')]
    description: Annotated[str, BeforeValidator(_short), Field(description="What should stand there")] = ""


class _Forgiving(BaseModel):
    @model_validator(mode="before")
    @classmethod
    def _lower_names(cls, fields: Any) -> Any:
        return {str(name).strip().casefold(): value for name, value in fields.items()}


class AnswerObject(_Forgiving):
    answer: Annotated[str, Field(description="The answer, with source numbers like [1] after each statement")]
    answer_completeness: Annotated[
        Literal["complete", "partial", "incomplete"],
        BeforeValidator(_completeness),
        Field(description="Whether the context holds all, a part or nothing of the answer"),
    ] = "partial"
    pending_references: Annotated[
        list[PendingReference],
        BeforeValidator(_pending),
        Field(description="Places that the context points at for the rest of the answer"),
    ] = []
    citations: Annotated[list[int], BeforeValidator(_cited), Field(description="Numbers of the sources used")] = []


class Remarks(_Forgiving):
    """The same without the answer, for an endpoint that wrote it as text before."""

    answer_completeness: Annotated[
        Literal["complete", "partial", "incomplete"],
        BeforeValidator(_completeness),
        Field(description="Whether the text holds all, a part or nothing of the answer"),
    ] = "partial"
    pending_references: Annotated[
        list[PendingReference],
        BeforeValidator(_pending),
        Field(description="Places that the text points at without saying what stands there"),
    ] = []
    citations: Annotated[list[int], BeforeValidator(_cited), Field(description="Numbers of the sources used")] = []

    @property
    def completeness(self) -> Completeness:
        return self.answer_completeness


_NAMES = frozenset({*AnswerObject.model_fields, *_COMPLETENESS})


def is_placeholder(answer: str) -> bool:
    """Whether it echoes the schema instead of answering, or is punctuation alone."""
    return echoes_schema(answer) or (not _bare(answer) and bool(answer.strip()))


def echoes_schema(answer: str) -> bool:
    """Whether it is nothing but a name of a field, a value it may have, or what stands for one."""
    return _bare(answer) in _PLACEHOLDERS | _NAMES


def _bare(answer: str) -> str:
    return answer.strip(" \n\t<>.…[](){}\"'`*:,").casefold()
