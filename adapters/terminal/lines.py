"""Lines from a text stream without blocking the event loop, whatever bytes they hold."""

from __future__ import annotations

import asyncio
import codecs
import os
import select
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import UnsupportedOperation
from typing import TextIO

if sys.platform != "win32":
    import termios


class Lines:
    """Reads one line when asked for one.

    Bytes come from the descriptor itself: a thread that waits inside the buffered standard input keeps the interpreter
    from leaving, and a strict decoder would stop at the first broken byte. The thread is a daemon, since nothing can
    interrupt its read.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._descriptor = _descriptor_of(stream)
        self._encoding = _encoding_of(stream)
        self._pending = bytearray()
        self._at_start = True

    async def next(self) -> str | None:
        """The next line without its end, or None at the end of the input."""
        loop = asyncio.get_running_loop()
        line: asyncio.Future[str | None] = loop.create_future()
        threading.Thread(target=self._read_into, args=(loop, line), name="terminal-line", daemon=True).start()
        return await line

    def is_waiting(self) -> bool:
        """Whether a line was typed before it was asked for."""
        if b"\n" in self._pending:
            return True
        if self._descriptor is None or sys.platform == "win32":
            return False
        return bool(select.select([self._descriptor], [], [], 0)[0])

    def _read_into(self, loop: asyncio.AbstractEventLoop, line: asyncio.Future[str | None]) -> None:
        try:
            text = self._read()
        except (OSError, ValueError):  # the terminal hung up, or the stream was closed
            text = None

        def settle() -> None:
            if not line.done():
                line.set_result(text)

        with suppress(RuntimeError):  # the loop is closed: nobody waits for the line
            loop.call_soon_threadsafe(settle)

    def _read(self) -> str | None:
        raw = self._stream.readline() if self._descriptor is None else self._decoded(self._descriptor)
        if self._at_start:
            raw, self._at_start = raw.removeprefix("\ufeff"), False
        return raw.removesuffix("\n").removesuffix("\r") if raw else None

    def _decoded(self, descriptor: int) -> str:
        while (end := self._pending.find(b"\n") + 1) == 0:
            chunk = os.read(descriptor, 65536)
            if not chunk:
                end = len(self._pending)
                break
            self._pending += chunk
        raw = bytes(self._pending[:end])
        del self._pending[:end]
        return raw.decode(self._encoding, "replace")


@contextmanager
def unechoed(stream: TextIO) -> Iterator[None]:
    """Keys pressed during an answer are not shown: they would move the rows that are still to be taken back."""
    descriptor = _descriptor_of(stream)
    if sys.platform == "win32" or descriptor is None or not os.isatty(descriptor):
        yield
        return
    before = termios.tcgetattr(descriptor)
    quiet = termios.tcgetattr(descriptor)
    quiet[3] &= ~termios.ECHO
    termios.tcsetattr(descriptor, termios.TCSADRAIN, quiet)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _descriptor_of(stream: TextIO) -> int | None:
    try:
        return stream.fileno()
    except (UnsupportedOperation, ValueError):
        return None


def _encoding_of(stream: TextIO) -> str:
    """The stream's own, but never ASCII: the C locale says so, and people's questions are UTF-8."""
    name = codecs.lookup(stream.encoding or "utf-8").name
    return "utf-8" if name == "ascii" else name
