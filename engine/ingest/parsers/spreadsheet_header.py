"""Which row names the columns of a table, and what columns without a name are called."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMERIC = re.compile(r"^[-+−]?[\d\s.,\u00a0]*\d[\d\s.,\u00a0]*\s*[%₽$€]?$")
_DATE = re.compile(r"^\d{4}-\d{2}-\d{2}|^\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_YEAR = re.compile(r"^(?:19|20)\d{2}$")
_ADDRESS = re.compile(r"^\w+://|^[\w.+-]+@[\w-]+\.\w")
_CYRILLIC = re.compile(r"[а-яё]", re.IGNORECASE)
_LONGEST_NAME = 120
_ROWS_TO_LOOK_AT = 50


def is_header(rows: Sequence[list[str]]) -> bool:
    """Whether the first row names columns: short words, none of them found again in the column below."""
    filled = [(column, cell.strip()) for column, cell in enumerate(rows[0]) if cell.strip()]
    if not filled or len(filled) * 2 < len(rows[0]):
        return False
    if not all(_may_name(cell) for _, cell in filled) or all(_YEAR.match(cell) for _, cell in filled):
        return False
    below = rows[1 : 1 + _ROWS_TO_LOOK_AT]
    return not any(cell == row[column].strip() for column, cell in filled for row in below)


def column_names(rows: list[list[str]], merged: Sequence[tuple[int, int]] = ()) -> tuple[list[str], list[list[str]]]:
    """The names of all columns, and the rows below them. `merged`: cells of the first row that span several columns.

    Below such cells stands a second row of names: "Price" over "Net" and "Gross" is "Price: Net", "Price: Gross".
    """
    if not is_header(rows) and not merged:
        return _complete([""] * len(rows[0]), rows), rows
    names, rest = list(rows[0]), rows[1:]
    within = [(first, last) for first, last in merged if first < last and last - first + 1 < len(names)]
    if within and rest:
        for first, last in within:
            names[first : last + 1] = [names[first]] * (last - first + 1)
        names = [
            above if not below or above == below else f"{above}: {below}" if above else below
            for above, below in zip((_flat(name) for name in names), (_flat(name) for name in rest[0]), strict=True)
        ]
        rest = rest[1:]
    return _complete([_flat(name) for name in names], rows), rest


def _may_name(cell: str) -> bool:
    if len(cell) > _LONGEST_NAME or _DATE.match(cell) or _ADDRESS.match(cell):
        return False
    return _YEAR.match(cell) is not None or not _NUMERIC.match(cell)


def _complete(names: list[str], rows: Sequence[list[str]]) -> list[str]:
    """Columns without a name are counted, equal names told apart."""
    text = " ".join(cell for row in rows[:_ROWS_TO_LOOK_AT] for cell in row)
    word = "Столбец" if len(_CYRILLIC.findall(text)) > len(text) / 5 else "Column"
    seen: dict[str, int] = {}
    done: list[str] = []
    for position, name in enumerate(names, start=1):
        name = name or f"{word} {position}"
        seen[name] = seen.get(name, 0) + 1
        done.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return done


def _flat(text: str) -> str:
    return " ".join(text.split())
