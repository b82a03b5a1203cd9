"""YAML with errors that say where: file, line and column, in one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import BaseModel, TypeAdapter, ValidationError

from engine.errors import SourceError
from engine.text.mismatch import reason_of
from engine.types import PUBLIC, Language

T = TypeVar("T")

Place = tuple[int | str, ...]
"""Where in the data: keys and positions from the top, such as ("domains", 0, "id")."""


class _Positions(yaml.SafeLoader):
    """Remembers where each mapping began, so that a wrong value can be found in the file."""


def _with_line(loader: yaml.SafeLoader, node: yaml.MappingNode) -> dict[object, object]:
    # Before the mapping is made: that puts what `<<` brings in among the keys, which may repeat it.
    keys = [key.value for key, _ in node.value]
    mapping: dict[object, object] = loader.construct_mapping(node, deep=True)
    repeated = next((key for key in keys if keys.count(key) > 1), None)
    if repeated is not None:
        raise yaml.constructor.ConstructorError(None, None, f"the key {repeated!r} stands twice", node.start_mark)
    return mapping


_Positions.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _with_line)


def read_yaml(
    location: Path, name: str, shape: TypeAdapter[T], problem_of: Callable[[T], tuple[Place, str] | None] | None = None
) -> T:
    """The file's content in the given shape. Raises SourceError with line and column.

    `problem_of` may find what the shape alone cannot tell, and where.
    """
    try:
        text = location.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SourceError(name, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SourceError(name, f"is not UTF-8 (byte {error.start})") from error
    try:
        loader = _Positions(text)
        try:
            node = loader.get_single_node()
            value = loader.construct_document(node) if node is not None else None
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise SourceError(name, f"{where}{error.problem or 'is not YAML'}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SourceError(name, f"is not YAML: {str(error).splitlines()[0]}") from error
    try:
        content = shape.validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        reason = reason_of(first["type"], first["msg"])
        # "{description: Who may borrow, how long}" is two keys to YAML, the second without a value.
        hint = (
            "; in {...} a text with a comma needs quotes"
            if first["type"] == "extra_forbidden" and first["input"] is None
            else ""
        )
        raise _error_at(node, name, first["loc"], reason + hint) from error
    problem = problem_of(content) if problem_of is not None else None
    if problem is not None:
        raise _error_at(node, name, *problem)
    return content


def _error_at(node: yaml.Node | None, name: str, place: Place, reason: str) -> SourceError:
    mark = _mark_of(node, place) if node is not None else None
    where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
    field = ".".join(str(part) for part in place)
    return SourceError(name, f"{where}{field + ': ' if field else ''}{reason}")


def _mark_of(node: yaml.Node, location: Place) -> yaml.Mark:
    """Where the value at this place of the data begins, or the nearest thing around it that is in the file."""
    for part in location:
        if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
        elif isinstance(node, yaml.MappingNode):
            found = next((value for key, value in node.value if key.value == part), None)
            if found is None:
                break
            node = found
    return node.start_mark


class Strict(BaseModel, extra="forbid"):
    pass


def audience_of(names: list[str] | None, default: frozenset[str] = PUBLIC) -> frozenset[str]:
    return frozenset(names) if names else default


def languages_of(text: str | None) -> tuple[Language, ...]:
    """ "ru/en" as two languages."""
    known: dict[str, Language] = {"ru": "ru", "en": "en"}
    return tuple(known[part.strip()] for part in (text or "").split("/") if part.strip() in known)
