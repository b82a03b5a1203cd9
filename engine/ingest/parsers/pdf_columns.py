"""The order in which a page is read: which parts of it stand in columns side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

_STEP = 2.0
_MOST_STEPS = 2_000
_LEAST_GUTTER = 6.0
_LEAST_WIDTH = 180.0
_LEAST_LINES = 4
_LEAST_LENGTH = 18
_LEAST_SHARE = 0.12
_FULL_LINE = 0.75
_FULL_LINES = 0.4
_CROSSING = 0.25
_DEPTH = 3


class Placed(Protocol):
    x0: float
    x1: float
    y: float
    size: float
    length: int


Piece = TypeVar("Piece", bound=Placed)


@dataclass(slots=True)
class Region(Generic[Piece]):
    """Pieces of one column, or of the whole width."""

    segments: list[Piece]
    left: float
    right: float


def regions(segments: Sequence[Piece], depth: int = _DEPTH) -> list[Region[Piece]]:
    """Parts of the page in reading order: what spans all columns parts what stands above from what stands below."""
    if not segments:
        return []
    whole = Region(list(segments), min(one.x0 for one in segments), max(one.x1 for one in segments))
    gutter = _gutter(whole, depth) if depth else None
    if gutter is None:
        return [whole]
    spanning = _spanning(segments, gutter)
    marks = {id(one) for one in spanning}
    sides = sorted((one for one in segments if id(one) not in marks), key=lambda one: -one.y)
    found: list[Region[Piece]] = []
    band: list[Piece] = []
    across: list[Piece] = []
    waiting = sorted(spanning, key=lambda one: -one.y)
    for one in sides:
        while waiting and waiting[0].y > one.y - 0.1 * one.size:
            found.extend(_columns(band, gutter, depth))
            band = []
            across.append(waiting.pop(0))
        if across:
            found.append(Region(across, whole.left, whole.right))
            across = []
        band.append(one)
    found.extend(_columns(band, gutter, depth))
    if waiting:
        found.append(Region(waiting, whole.left, whole.right))
    return found


def _columns(band: list[Piece], gutter: float, depth: int) -> list[Region[Piece]]:
    left = [one for one in band if one.x1 <= gutter]
    right = [one for one in band if one.x1 > gutter]
    return [*regions(left, depth - 1), *regions(right, depth - 1)]


def _spanning(segments: Sequence[Piece], gutter: float) -> list[Piece]:
    """What crosses the gutter, and what goes on beside it on the same line."""
    crossing: dict[int, list[Piece]] = defaultdict(list)
    for one in segments:
        if one.x0 < gutter < one.x1:
            crossing[round(one.y)].append(one)
    return [
        one
        for one in segments
        if one.x0 < gutter < one.x1
        or any(
            max(one.x0 - other.x1, other.x0 - one.x1) < 1.5 * one.size
            for height in range(round(one.y) - 2, round(one.y) + 3)
            for other in crossing.get(height, ())
        )
    ]


def _gutter(region: Region[Piece], depth: int) -> float | None:
    """The middle of an empty strip with running text on both sides; None for a page of one column, or of tables."""
    width = region.right - region.left
    if width < _LEAST_WIDTH or len(region.segments) < 2 * _LEAST_LINES:
        return None
    step = max(_STEP, width / _MOST_STEPS)
    crossings = _crossings(region, step)
    allowed = _CROSSING * len(region.segments)
    first, last = int(len(crossings) * 0.2), int(len(crossings) * 0.8)
    strips: list[tuple[float, float, float]] = []
    start = first
    for position in range(first, last + 1):
        if position == last or crossings[position] > allowed or crossings[position] != crossings[start]:
            if (position - start) * step >= _LEAST_GUTTER and crossings[start] <= allowed:
                middle = region.left + (start + position) / 2 * step
                strips.append((crossings[start], -(position - start), middle))
            start = position
    for _, _, middle in sorted(strips)[:4]:
        if _is_text_on_both_sides(region, middle, depth):
            return middle
    return None


def _crossings(region: Region[Piece], step: float) -> list[int]:
    """How many pieces cross each step of the width."""
    size = int((region.right - region.left) / step) + 2
    changes = [0] * (size + 1)
    for one in region.segments:
        changes[int((one.x0 - region.left) / step)] += 1
        changes[min(size, int((one.x1 - region.left) / step) + 1)] -= 1
    counts: list[int] = []
    total = 0
    for change in changes:
        total += change
        counts.append(total)
    return counts[:size]


def _is_text_on_both_sides(region: Region[Piece], gutter: float, depth: int) -> bool:
    """A side may itself be made of columns."""
    total = sum(one.length for one in region.segments)
    for side in (
        Region([one for one in region.segments if one.x1 <= gutter], region.left, gutter),
        Region([one for one in region.segments if one.x0 >= gutter], gutter, region.right),
    ):
        if not _is_running_text(side.segments, total) and (depth <= 1 or _gutter(side, depth - 1) is None):
            return False
    return True


def _is_running_text(column: Sequence[Piece], total: int) -> bool:
    """Most of it stands in lines that are long, full, and follow each other closely; cells of a table are not."""
    if not column:
        return False
    length = sum(one.length for one in column)
    left, right = min(one.x0 for one in column), max(one.x1 for one in column)
    full = [one for one in column if one.length >= _LEAST_LENGTH and one.x1 - one.x0 >= _FULL_LINE * (right - left)]
    return (
        len(full) >= _LEAST_LINES
        and length >= _LEAST_SHARE * total
        and sum(one.length for one in full) >= _FULL_LINES * length
        and _is_closely_set(full)
    )


def _is_closely_set(lines: Sequence[Piece]) -> bool:
    ordered = sorted(lines, key=lambda one: -one.y)
    close = sum(
        upper.y - lower.y <= 1.9 * max(upper.size, lower.size)
        for upper, lower in zip(ordered, ordered[1:], strict=False)
    )
    return close >= 0.6 * (len(ordered) - 1)
