"""Both sides of a terminal: who types, and what can be seen."""

from __future__ import annotations

import io
import os
import re

from rich.cells import cell_len

from adapters.terminal.live import Size


class Tty(io.StringIO):
    """A terminal's side of standard input or output."""

    def isatty(self) -> bool:
        return True


class Keyboard(Tty):
    """Lines typed at a terminal, which echoes them on its screen."""

    def __init__(self, typed: str, screen: io.StringIO) -> None:
        super().__init__(typed)
        self._screen = screen

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        line = super().readline(size)
        self._screen.write(line)
        return line


class Screen:
    """As much of a terminal as the adapter uses: wrapping, scrolling, cursor up, erase below, colours ignored."""

    def __init__(self, columns: int, lines: int) -> None:
        self.columns, self.lines = columns, lines
        self._rows: list[list[str]] = [[]]
        self._top = self._row = 0
        self._column = 0

    def feed(self, text: str) -> None:
        for up, erase, letter in re.findall(r"\x1b\[(\d+)A|(\x1b\[J)|\x1b\[\d+m|(\r|\n|[^\x1b])", text):
            if up:
                self._row = max(self._top, self._row - int(up))
            elif erase:
                del self._rows[self._row][self._column :]
                del self._rows[self._row + 1 :]
            elif letter == "\r":
                self._column = 0
            elif letter == "\n":
                self._next_row()
            elif letter:
                self._put(letter)

    def _put(self, letter: str) -> None:
        wide = cell_len(letter)
        if self._column + wide > self.columns:
            self._next_row()
        row = self._rows[self._row]
        row[self._column :] = [letter] + [""] * (wide - 1)
        self._column += wide

    def _next_row(self) -> None:
        self._row, self._column = self._row + 1, 0
        if self._row == len(self._rows):
            self._rows.append([])
        self._top = max(self._top, len(self._rows) - self.lines)

    @property
    def text(self) -> str:
        """All that can be seen, what has scrolled off the top included."""
        return "\n".join("".join(row).rstrip() for row in self._rows).rstrip("\n")


def window(columns: int, lines: int) -> Size:
    return lambda: os.terminal_size((columns, lines))


def on_screen(stream: io.StringIO, columns: int = 40, lines: int = 10) -> str:
    screen = Screen(columns, lines)
    screen.feed(stream.getvalue())
    return screen.text
