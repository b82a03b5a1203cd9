"""Finds the JSON object that a model was asked for in what it said, and checks it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

T = TypeVar("T", bound=BaseModel)

_DECODER = json.JSONDecoder(strict=False)
"""Not strict: small models put bare line breaks into strings."""
_FENCE = re.compile(r"```(?:json)?\s*\n(.*?)```", re.IGNORECASE | re.DOTALL)
_STARTS = 20
"""How many opening braces are tried; prose before the object may hold some."""
_PROBLEMS = 3


class NotTheObject(ValueError):
    """A reply without the object; the text says what is wrong, for the model to mend it."""


def parse_reply(reply: str, schema: type[T], accepts: Callable[[T], bool] = lambda _: True) -> T:
    """The first object in the reply that fits and is accepted: the reply itself, in a fence, or after other text."""
    problem = "there is no JSON object in it"
    for candidate in _objects(reply):
        try:
            # By way of JSON again, because only so strict models take their strings for dates and enumerations.
            found = schema.model_validate_json(json.dumps(candidate))
        except ValidationError as mismatch:
            problem = _described(mismatch)
        else:
            if accepts(found):
                return found
            problem = "it repeats the description of the object instead of filling it in"
    raise NotTheObject(problem)


def _objects(reply: str) -> Iterator[dict[str, Any]]:
    for text in (reply, *_FENCE.findall(reply)):
        start = text.find("{")
        for _ in range(_STARTS):
            if start == -1:
                break
            candidate, end = _decoded(text, start)
            if candidate is not None:
                yield candidate
            start = text.find("{", end)


def _decoded(text: str, start: int) -> tuple[dict[str, Any] | None, int]:
    """The object that begins at an opening brace, if it is one, and where to look on."""
    try:
        candidate, end = _DECODER.raw_decode(text, start)
    except (json.JSONDecodeError, RecursionError):
        return None, start + 1
    return candidate, end


def _described(mismatch: ValidationError) -> str:
    """Where it does not fit, without the values: they are the model's own and may be long."""
    problems = mismatch.errors(include_url=False, include_input=False, include_context=False)[:_PROBLEMS]
    return "; ".join(f"{'.'.join(map(str, problem['loc'])) or 'the object'}: {problem['msg']}" for problem in problems)
