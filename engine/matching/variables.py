"""Variables in stored answers: `{{support_phone}}` stands for what the settings say."""

from __future__ import annotations

import re
from collections.abc import Mapping

_VARIABLE = re.compile(r"\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}")


def filled(answer: str, variables: Mapping[str, str]) -> str:
    """The answer with each variable's value; one without a value stays as it is written."""
    return _VARIABLE.sub(lambda match: variables.get(match[1], match[0]), answer)


def unknown(answer: str, variables: Mapping[str, str]) -> tuple[str, ...]:
    """The variables of an answer that have no value."""
    return tuple(dict.fromkeys(name for name in _VARIABLE.findall(answer) if name not in variables))
