"""The settings reference, made from the settings themselves: `python -m bot.settings_page > docs/settings.md`."""

from __future__ import annotations

import sys
from pathlib import Path
from types import NoneType
from typing import Literal, get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from bot.settings import PREFIX, Settings

_INTRODUCTION = f"""\
# Settings

<!-- Generated: `python -m bot.settings_page > docs/settings.md`. Change bot/settings.py, not this page. -->

Refdesk reads its settings from environment variables. None of them is needed to start. An empty variable counts as
unset, an unknown one that begins with `{PREFIX}` is an error. `--knowledge FOLDER` and `--data FOLDER` on the command
line win over the environment. Where Secret says yes, keep the value out of files that others read.
"""
_HEAD = ("Variable", "Values", "Default", "Secret", "Meaning")


def render() -> str:
    """The whole page, in Markdown."""
    rows = [_row(name, field) for name, field in Settings.model_fields.items()]
    lines = [_line(_HEAD), _line(["---"] * len(_HEAD)), *map(_line, rows)]
    return _INTRODUCTION + "\n" + "\n".join(lines) + "\n"


def _row(name: str, field: FieldInfo) -> list[str]:
    kinds = _kinds(field.annotation)
    secret = "yes" if SecretStr in kinds else "no"
    return [f"`{PREFIX}{name.upper()}`", _values(kinds), _default(field), secret, field.description or ""]


def _kinds(annotation: object) -> list[object]:
    """What a setting may be, one by one, without None."""
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    members = get_args(annotation) or (annotation,)
    return [kind for member in members if member is not NoneType for kind in _members(member)]


def _members(kind: object) -> list[object]:
    return list(get_args(kind)) if get_origin(kind) is Literal else [kind]


def _values(kinds: list[object]) -> str:
    return ", ".join(_value(kind) for kind in kinds)


def _value(kind: object) -> str:
    if not isinstance(kind, type):
        return f"`{kind}`"
    if kind in (str, SecretStr):
        return "text"
    if kind is bool:
        return "`true`, `false`"
    return {int: "whole number", float: "number"}.get(kind, "path" if issubclass(kind, Path) else kind.__name__)


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True)
    return "unset" if value is None else f"`{value}`"


def _line(cells: list[str] | tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    sys.stdout.write(render())
