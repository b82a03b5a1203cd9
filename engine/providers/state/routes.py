"""Routes as JSON, and back."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter, ValidationError

from engine.types import Route

_ROUTE = TypeAdapter(Route)


def route_to_json(route: Route) -> Any:
    return _ROUTE.dump_python(route, mode="json")


def route_from_json(stored: object) -> Route | None:
    """None for a route in a shape that this version does not know: it can be found again."""
    try:
        return _ROUTE.validate_python(stored)
    except ValidationError:
        return None
