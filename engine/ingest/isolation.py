"""Files that a foreign library unpacks are parsed in a child process, with a deadline and a bound on its memory.

A crash, an endless loop or a bomb in one file then costs that file and nothing else.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from threading import Lock, Timer
from typing import IO, Any

import structlog

from engine.errors import SourceError
from engine.ingest import parsers
from engine.types import ParsedDocument

log = structlog.get_logger()

SECONDS = 300.0
"""For one file; a PDF of 5,000 pages takes about a minute and a half."""
MEGABYTES = 3072
"""Of address space, the interpreter and its libraries included."""
_END_PATIENCE = 2.0
_PROGRAM = "import sys; sys.path[:] = {path!r}; from engine.ingest.isolation import serve; serve({megabytes})"
_BROKEN = (EOFError, OSError, pickle.UnpicklingError)
"""What talking to a child that has died raises."""


class IsolatedParser:
    """Parses any supported file; those of `parsers.ISOLATED` in a child that lives until `close`. Blocks: for a thread.

    Raises SourceError, also when the child dies over the file, runs out of memory or takes too long.
    """

    def __init__(self, *, seconds: float = SECONDS, megabytes: int = MEGABYTES) -> None:
        self._seconds = seconds
        self._megabytes = megabytes
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = Lock()

    def parse(self, path: str, data: bytes) -> ParsedDocument:
        if not parsers.is_isolated(path):
            return parsers.parse(path, data)
        with self._lock:
            answer = self._ask(path, data)
        if isinstance(answer, str):
            raise SourceError(path, answer)
        return answer

    @property
    def child_id(self) -> int | None:
        """The child's process id, for diagnosis; None when there is none."""
        return self._child.pid if self._child else None

    def start(self) -> None:
        """Start the child before it is needed."""
        with self._lock:
            self._running()

    def close(self) -> None:
        with self._lock:
            self._end(_END_PATIENCE)

    def _ask(self, path: str, data: bytes) -> ParsedDocument | str:
        """The document, or why there is none."""
        child = self._running()
        late = Timer(self._seconds, child.kill)
        late.start()
        try:
            _send(child.stdin, (path, data))
            answer: ParsedDocument | str = _receive(child.stdout)
        except _BROKEN:
            took_too_long = not late.is_alive()
            self._end(0)
            if took_too_long:
                return f"was not read within {self._seconds:g} seconds; split it or save it anew"
            log.warning("parse.child_died", path=path)
            return "the reader of this format crashed on it; it may be damaged: save it anew"
        finally:
            late.cancel()
        return answer

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None:
            program = _PROGRAM.format(path=sys.path, megabytes=self._megabytes)
            self._child = subprocess.Popen(
                [sys.executable, "-c", program],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self._child

    def _end(self, patience: float) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        try:
            child.communicate(timeout=patience)  # closes its input, upon which it ends
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
        except OSError:
            child.kill()
            child.wait()


def serve(megabytes: int) -> None:
    """The child's side: answer requests until the input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get between the answers
    _limit_memory(megabytes)
    while True:
        try:
            path, data = _receive(sys.stdin.buffer)
        except EOFError:
            return
        _send(answers, _parse(path, data))


def _send(pipe: IO[bytes] | None, message: Any) -> None:
    assert pipe is not None
    pickle.dump(message, pipe)
    pipe.flush()


def _receive(pipe: IO[bytes] | None) -> Any:
    assert pipe is not None
    return pickle.load(pipe)


def _parse(path: str, data: bytes) -> ParsedDocument | str:
    """The document, or why there is none."""
    try:
        return parsers.parse(path, data)
    except SourceError as error:
        return error.reason
    except MemoryError:
        return "needs more memory than a document should; split it or save it anew"
    except RecursionError:
        return "is nested too deeply to be read"


def _limit_memory(megabytes: int) -> None:
    if sys.platform == "win32":
        return
    import resource

    limit = megabytes * 1024 * 1024
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or limit < hard:
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
