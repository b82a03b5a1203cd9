"""What an endpoint that calls itself OpenAI-compatible does not understand, learned from its refusals."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, TypeVar

import openai

R = TypeVar("R")

JsonForm = Literal["json_schema", "json_object", "text"]
JSON_FORMS: tuple[JsonForm, ...] = ("json_schema", "json_object", "text")
"""Ways to ask for JSON, the surest first; in the last two the schema must stand in the prompt."""

_NOT_UNDERSTOOD = (400, 422)
_OPTIONAL = ("stream_options", "temperature")
_FORMAT_WORDS = ("response_format", "json_schema", "json_object", "schema", "grammar")


class Dialect:
    """Remembers which parameters to leave out or to call otherwise, and which way of asking for JSON works."""

    def __init__(self) -> None:
        self._unknown: set[str] = set()
        self._json_forms: dict[str, JsonForm] = {}

    async def send(self, create: Callable[..., Awaitable[R]], options: Mapping[str, Any]) -> R:
        """Call `create` with the options, said again in other words for as long as a refusal names what to change."""
        while True:
            try:
                return await create(**self._phrased(options))
            except openai.APIStatusError as refusal:
                unknown = self._named_in(refusal, options)
                if unknown is None:
                    raise
                self._unknown.add(unknown)

    def json_forms(self, schema: str) -> tuple[JsonForm, ...]:
        """The ways still worth trying for the schema of this name."""
        return JSON_FORMS[JSON_FORMS.index(self._json_forms.get(schema, "json_schema")) :]

    def works(self, schema: str, form: JsonForm) -> None:
        self._json_forms[schema] = form

    def _phrased(self, options: Mapping[str, Any]) -> dict[str, Any]:
        phrased = {name: value for name, value in options.items() if name not in self._unknown}
        if "max_tokens" in self._unknown and "max_tokens" in options:
            phrased["max_completion_tokens"] = options["max_tokens"]
        return phrased

    def _named_in(self, refusal: openai.APIStatusError, options: Mapping[str, Any]) -> str | None:
        if refusal.status_code not in _NOT_UNDERSTOOD:
            return None
        said = f"{refusal.param or ''} {said_by(refusal)}".lower()
        # A budget that exceeds the context is refused with the same words, but not called unsupported.
        names = [name for name in _OPTIONAL if name in said]
        if "max_completion_tokens" in said and ("unsupported" in said or "not supported" in said):
            names.append("max_tokens")
        return next((name for name in names if name in options and name not in self._unknown), None)


def said_by(refusal: openai.APIStatusError) -> str:
    """The server's own words: in OpenAI's form, as `{"error": "..."}`, or as FastAPI puts it, `{"detail": ...}`."""
    match refusal.body:
        case str(text) if text.strip() and "<" not in text:
            return text
        case {"message": str(text)} | {"detail": str(text)}:
            return text
        case {"detail": [*parts]}:
            found = [part for part in parts if isinstance(part, dict)]
            return "; ".join(
                f"{part.get('msg', '')} ({'.'.join(map(str, part.get('loc') or ()))})".strip() for part in found
            )
        case _:
            return refusal.message


def refuses_format(refusal: openai.APIStatusError) -> bool:
    """Whether a way of asking for JSON may be why a request failed: some servers answer it with a 500."""
    if refusal.status_code in _NOT_UNDERSTOOD:
        return True
    said = said_by(refusal).lower()
    return refusal.status_code == 500 and any(word in said for word in _FORMAT_WORDS)
