"""The rows of a CSV file, whichever delimiter it was saved with."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable

from engine.errors import SourceError

_DELIMITERS = "\t;|,"
"""In case of doubt the first: decimal commas look like delimiters too."""
_SAMPLE = 20_000
_ROWS_TO_LOOK_AT = 100
_LINES_IN_A_CELL = 200
_LONGEST_CELL = 131_072
"""The csv module's own limit."""


def read_rows(path: str, text: str) -> list[list[str]]:
    """Raises SourceError when a cell is longer than any cell should be."""
    text = text.replace("\x00", "")
    delimiter, text = _named_delimiter(text)
    delimiter = delimiter or sniff_delimiter(text)
    try:
        rows = _parse(text, delimiter, quoted=True)
    except csv.Error:
        rows = []
    if not rows or _has_open_quote(rows):
        rows = _parse_unquoted(path, text, delimiter)
    return rows


def sniff_delimiter(text: str) -> str:
    """The one that gives the most rows of one width; a comma when there is only one column."""
    cut = text[:_SAMPLE]
    sample = cut if len(cut) == len(text) or "\n" not in cut else cut[: cut.rindex("\n")]
    best, best_score = ",", 0.0
    for delimiter in _DELIMITERS:
        try:
            rows = _parse(sample, delimiter, quoted=True)[:_ROWS_TO_LOOK_AT]
        except csv.Error:
            continue
        widths = Counter(len(row) for row in rows if row)
        width, count = max(widths.items(), key=lambda entry: (entry[1] * (entry[0] > 1), entry[0]), default=(1, 0))
        score = count / sum(widths.values()) if width > 1 else 0.0
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _named_delimiter(text: str) -> tuple[str, str]:
    """ "sep=;" on the first line, as spreadsheet programs write it."""
    first, _, rest = text.partition("\n")
    first = first.strip()
    if len(first) == 5 and first.lower().startswith("sep=") and first[4] in _DELIMITERS:
        return first[4], rest
    return "", text


def _parse(text: str, delimiter: str, *, quoted: bool) -> list[list[str]]:
    lines: Iterable[str] = io.StringIO(text, newline="")
    if quoted:
        return list(csv.reader(lines, delimiter=delimiter, skipinitialspace=True))
    return list(csv.reader(lines, delimiter=delimiter, skipinitialspace=True, quoting=csv.QUOTE_NONE))


def _has_open_quote(rows: list[list[str]]) -> bool:
    """A quote that is never closed swallows the rest of the file."""
    return any(cell.count("\n") > _LINES_IN_A_CELL for cell in rows[-1])


def _parse_unquoted(path: str, text: str, delimiter: str) -> list[list[str]]:
    if any(len(line) > _LONGEST_CELL for line in text.split("\n")):
        raise SourceError(path, f"has a line of more than {_LONGEST_CELL:,} characters; it is no table")
    return _parse(text, delimiter, quoted=False)
