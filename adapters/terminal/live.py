"""The bottom rows of a terminal which can still be taken back.

Rows that have scrolled off the top of a terminal can never be erased. So no more rows are live than the screen holds:
of a longer text only the end is visible while it is live.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from io import UnsupportedOperation
from typing import TextIO

from rich.cells import cell_len

from adapters.delivery import DeliveryFailed

Size = Callable[[], os.terminal_size]

_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"
_ERASE_BELOW = "\r\x1b[J"
_EMOJI_STYLE = "\ufe0f"  # makes the character before it wider, in some terminals


def terminal_size_of(stream: TextIO) -> Size:
    def size() -> os.terminal_size:
        try:
            columns, lines = os.get_terminal_size(stream.fileno())
        except (OSError, UnsupportedOperation):
            columns, lines = 0, 0
        return os.terminal_size((columns or 80, lines or 24))

    return size


def write(stream: TextIO, text: str) -> None:
    """Write what the stream's encoding can express. Raises DeliveryFailed when nobody reads any longer."""
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, "replace").decode(encoding))
        stream.flush()
    except BrokenPipeError as error:
        raise DeliveryFailed("write") from error


def visible(text: str, *, tabs: bool = False) -> str:
    """Without control codes: a document's or a model's text must not steer a terminal."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not tabs:
        text = text.expandtabs(4)
    return "".join(letter for letter in text if letter in "\n\t" or not _is_control(letter))


def _is_control(letter: str) -> bool:
    return letter < " " or "\x7f" <= letter <= "\x9f"


def dim(text: str) -> str:
    return f"{_DIM}{text}{_PLAIN}"


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the screen, no wider than it."""

    text: str
    faint: bool = False

    def __str__(self) -> str:
        return dim(self.text) if self.faint else self.text


class LiveRows:
    """Draws and redraws the live rows. The cursor rests at the end of the last one."""

    def __init__(self, stream: TextIO, size: Size) -> None:
        self._stream = stream
        self._size = size
        self._rows: list[Row] = []

    def draw(self, paragraphs: Iterable[tuple[str, bool]]) -> None:
        """Make `(text, faint)` paragraphs the live rows, in place of those that were."""
        size = self._size()
        width = max(1, size.columns - 1)  # terminals differ in what they do at the last column
        rows = [Row(piece, faint) for text, faint in paragraphs for piece in _wrap(visible(text), width)]
        rows = rows[-max(1, size.lines - 1) :]
        if rows == self._rows:
            return
        kept = _common(self._rows[:-1], rows[:-1])  # the last row is drawn again, the cursor stands in it
        write(self._stream, self._back_to(kept) + "\n".join(map(str, rows[kept:])))
        self._rows = rows

    def clear(self) -> None:
        write(self._stream, self._back_to(0))
        self._rows = []

    def _back_to(self, index: int) -> str:
        """To the start of a row, with all below it erased."""
        if not self._rows:
            return ""
        columns = max(1, self._size().columns)  # a window made narrower since has wrapped the rows
        up = sum(_rows_taken(row.text, columns) for row in self._rows[index:]) - 1
        return (f"\x1b[{up}A" if up else "") + _ERASE_BELOW


def _wrap(text: str, width: int) -> Iterator[str]:
    for line in text.split("\n"):
        start = used = 0
        for index, letter in enumerate(line):
            used += (wide := _width(letter))
            if used > width and index > start:
                yield line[start:index]
                start, used = index, wide
        yield line[start:]


def _width(letter: str) -> int:
    """Columns of a character; rather one too many than one too few, since a row that overflows cannot be erased."""
    return 1 if letter == _EMOJI_STYLE else cell_len(letter)


def _rows_taken(text: str, columns: int) -> int:
    return max(1, -(-sum(map(_width, text)) // columns))


def _common(old: list[Row], new: list[Row]) -> int:
    count = 0
    for left, right in zip(old, new, strict=False):
        if left != right:
            break
        count += 1
    return count
