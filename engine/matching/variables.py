"""Variables in stored answers: `{{support_phone}}` stands for what the settings say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from engine.types import FaqEntry

_VARIABLE = re.compile(r"\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}")


def filled(answer: str, variables: Mapping[str, str]) -> str:
    """The answer with each variable's value; one without a value stays as it is written."""
    return _VARIABLE.sub(lambda match: variables.get(match[1], match[0]), answer)


def unknown(answer: str, variables: Mapping[str, str]) -> tuple[str, ...]:
    """The variables of an answer that have no value."""
    return tuple(dict.fromkeys(name for name in _VARIABLE.findall(answer) if name not in variables))


def valueless(entries: Iterable[FaqEntry], variables: Mapping[str, str]) -> list[str]:
    """A line for each variable that askers would see instead of its value, with an entry whose answer holds it."""
    holding: dict[str, list[str]] = {}
    for entry in entries:
        for name in unknown(entry.answer, variables):
            holding.setdefault(name, []).append(entry.id)
    return [
        f"{{{{{name}}}}} has no value in REFDESK_ANSWER_VARIABLES, and stands in the answer of {first}"
        + (f" and {len(others)} other FAQ entries" if others else "")
        for name, (first, *others) in holding.items()
    ]
