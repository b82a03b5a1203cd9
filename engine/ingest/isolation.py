"""Files that a foreign library unpacks are parsed in a child process, with a deadline and a bound on its memory.

A crash, an endless loop or a bomb in one file then costs that file and nothing else.
"""

from __future__ import annotations

import multiprocessing
import sys
from multiprocessing.connection import Connection
from threading import Lock

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

_spawn = multiprocessing.get_context("spawn")


class IsolatedParser:
    """Parses any supported file; those of `parsers.ISOLATED` in a child that lives until `close`. Blocks: for a thread.

    Raises SourceError, also when the child dies over the file, runs out of memory or takes too long.
    """

    def __init__(self, *, seconds: float = SECONDS, megabytes: int = MEGABYTES) -> None:
        self._seconds = seconds
        self._megabytes = megabytes
        self._child: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection | None = None
        self._lock = Lock()

    def parse(self, path: str, data: bytes) -> ParsedDocument:
        if not parsers.is_isolated(path):
            return parsers.parse(path, data)
        with self._lock:
            return self._ask(path, data)

    @property
    def child_id(self) -> int | None:
        """The child's process id, for diagnosis; None when there is none."""
        return self._child.pid if self._child else None

    def start(self) -> None:
        """Start the child before it is needed."""
        with self._lock:
            self._connect()

    def close(self) -> None:
        with self._lock:
            self._end(_END_PATIENCE)

    def _ask(self, path: str, data: bytes) -> ParsedDocument:
        pipe = self._connect()
        try:
            pipe.send((path, data))
            answer: ParsedDocument | str | None = pipe.recv() if pipe.poll(self._seconds) else None
        except (EOFError, OSError) as error:
            self._end(_END_PATIENCE)
            log.warning("parse.child_died", path=path)
            reason = "the reader of this format crashed on it; it may be damaged: save it anew"
            raise SourceError(path, reason) from error
        if answer is None:
            self._end(0)
            raise SourceError(path, f"was not read within {self._seconds:g} seconds; split it or save it anew")
        if isinstance(answer, str):
            raise SourceError(path, answer)
        return answer

    def _connect(self) -> Connection:
        if self._pipe is None:
            self._pipe, theirs = _spawn.Pipe()
            self._child = _spawn.Process(target=_serve, args=(theirs, self._megabytes), daemon=True)
            self._child.start()
            theirs.close()  # so that our end sees when the child is gone
        return self._pipe

    def _end(self, patience: float) -> None:
        if self._pipe is not None:
            self._pipe.close()  # the child ends when its pipe does
        if self._child is not None:
            self._child.join(patience)
            if self._child.exitcode is None:
                self._child.kill()
                self._child.join()
        self._child = self._pipe = None


def _serve(pipe: Connection, megabytes: int) -> None:
    _limit_memory(megabytes)
    while True:
        try:
            path, data = pipe.recv()
        except EOFError:
            return
        pipe.send(_parse(path, data))


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
