"""The embedded index: Qdrant's own engine (`qdrant-edge-py`) in a child process behind a pipe.

A process of its own, because the engine holds the interpreter's lock for the whole of a call, minutes for a large
optimisation, and the chat would stand still meanwhile. `edge_worker.py` is the child's side.
"""

from __future__ import annotations

import asyncio
import itertools
import pickle
import queue
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import IO, Any

import structlog

from engine.errors import KnowledgeError, ProviderError, ProviderTimeout, RefdeskError, StoreBusy, StoreMismatch
from engine.ports import Hit, Hits, IndexPoint, Probe, Scope, SparseVector
from engine.providers.chunk_payload import (
    HIT_FIELDS,
    KEYWORD_FIELDS,
    Payload,
    Vector,
    batches,
    checked_dense,
    chunk_of,
    gather_revisions,
    in_asked_order,
    payload_of,
    scope_conditions,
    search_legs,
    sparse_vectors_of,
)
from engine.types import Chunk

log = structlog.get_logger()

PROVIDER = "embedded index"
WORKER = Path(__file__).with_name("edge_worker.py")

DEADLINE = 30.0
"""Seconds for an ordinary request, the wait for those before it included."""
OPEN_DEADLINE = 180.0
OPTIMISE_DEADLINE = 3600.0
"""Both take time in proportion to what is stored: half a minute and a minute at 200,000 chunks."""
CLOSE_DEADLINE = 10.0
"""Seconds for the flush when closing; a flush takes two at most, unless an optimisation is running."""
END_PATIENCE = 5.0
"""Seconds for the child to end by itself when its input is closed; then it is killed."""

SCROLL_PAGE = 2000

OPENING = 0
"""The number of the answer that the child gives without being asked, when it has opened the shard."""


class EdgeIndex:
    """A `ChunkIndex` in a folder of this machine, for one Refdesk process at a time."""

    def __init__(self, folder: Path, dimensions: int, deadline: float) -> None:
        self._folder = folder
        self._dimensions = dimensions
        self._deadline = deadline
        self._closed = False
        self._starting = asyncio.Lock()
        self._was_restarted = False
        self._child = _ShardProcess(folder, dimensions)

    @classmethod
    @asynccontextmanager
    async def open(cls, folder: Path, dimensions: int, *, deadline: float = DEADLINE) -> AsyncIterator[EdgeIndex]:
        """Open the index in the folder, or make one there.

        Raises StoreBusy when another process has it, StoreMismatch when it holds other vectors, KnowledgeError when it
        cannot be read.
        """
        index = cls(folder, dimensions, deadline)
        try:
            await index._child.opened()
            yield index
        finally:
            await index.aclose()

    @property
    def process_id(self) -> int | None:
        """The child's, for diagnosis."""
        return self._child.process_id

    async def upsert(self, points: Sequence[IndexPoint]) -> None:
        for batch in batches(points):
            await self._ask("upsert", [self._plain_point(point) for point in batch])

    async def search(self, probe: Probe, scope: Scope, limit: int) -> Hits:
        conditions = scope_conditions(scope)

        async def ask(legs: Mapping[str, Vector], wanted: int) -> Mapping[str, Sequence[Hit]]:
            plain = {name: _plain_vector(vector) for name, vector in legs.items()}
            answers = await self._ask("search", (plain, conditions, HIT_FIELDS, wanted))
            return {name: [_hit(*point) for point in points] for name, points in answers.items()}

        return await search_legs(ask, probe, scope, limit, self._dimensions)

    async def fetch(self, chunk_ids: Sequence[str]) -> tuple[Chunk, ...]:
        if not chunk_ids:
            return ()
        records = await self._ask("fetch", list(chunk_ids))
        return in_asked_order((chunk_of(chunk_id, payload) for chunk_id, payload in records), chunk_ids)

    async def remove(self, document: str, *, keep_revision: str | None = None) -> None:
        await self._ask("remove", (document, keep_revision))

    async def documents(self) -> Mapping[str, frozenset[str]]:
        pairs: set[tuple[str, str]] = set()
        offset: str | None = None
        while True:
            payloads, offset = await self._ask("scroll", (offset, HIT_FIELDS, SCROLL_PAGE))
            pairs.update((payload["document"], payload["revision"]) for payload in payloads)
            if offset is None:
                return gather_revisions(pairs)

    async def flush(self) -> None:
        await self._ask("flush", None)

    async def optimise(self) -> None:
        await self._ask("optimise", None, deadline=OPTIMISE_DEADLINE)

    async def aclose(self) -> None:
        """Make durable what was written, and end the child. Closing again does nothing."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._child.is_serving:
                await self._child.request("flush", None, min(self._deadline, CLOSE_DEADLINE))
        except ProviderError as error:
            # Nothing is lost but to a power cut, and raising would hide why the index is being closed.
            log.warning("index.closed_unflushed", reason=error.reason)
        finally:
            await self._child.end()

    def _plain_point(self, point: IndexPoint) -> tuple[str, bytes, dict[str, Any], Payload]:
        dense = checked_dense(point.dense, self._dimensions).tobytes()
        sparse = {name: _plain_vector(vector) for name, vector in sparse_vectors_of(point).items()}
        return point.chunk.id, dense, sparse, payload_of(point.chunk)

    async def _ask(self, operation: str, argument: object, *, deadline: float | None = None) -> Any:
        if self._closed:
            raise ProviderError(PROVIDER, "it is closed")
        if self._child.has_ended:
            await self._restart()
        return await self._child.request(operation, argument, deadline or self._deadline)

    async def _restart(self) -> None:
        """Start the child again after it died, but not for ever: one that dies before it has answered stays dead."""
        async with self._starting:
            if self._closed or not self._child.has_ended:
                return  # nothing to do any more, or another caller was first
            if self._was_restarted and not self._child.has_answered:
                raise ProviderError(PROVIDER, f"its process keeps ending ({self._child.ending}); restart Refdesk")
            log.warning("index.restarted", reason=self._child.ending)
            self._was_restarted = True
            self._child = _ShardProcess(self._folder, self._dimensions)
            await self._child.opened()


def _plain_vector(vector: Vector) -> list[float] | tuple[tuple[int, ...], tuple[float, ...]]:
    return (vector.indices, vector.values) if isinstance(vector, SparseVector) else vector


def _hit(chunk_id: str, score: float, payload: Payload) -> Hit:
    return Hit(chunk_id, score, payload["document"], payload["revision"])


class _ShardProcess:
    """The child, and the requests that wait for its answers.

    Pipes block, so two threads work on them: one runs the child and reads, one writes. They talk to the event loop
    through a queue and `call_soon_threadsafe` only.
    """

    def __init__(self, folder: Path, dimensions: int) -> None:
        self._folder = folder
        self._command = [sys.executable, "-P", str(WORKER), str(folder), str(dimensions), ",".join(KEYWORD_FIELDS)]
        self._loop = asyncio.get_running_loop()
        self._numbers = itertools.count(OPENING + 1)
        self._to_send: queue.SimpleQueue[tuple[int, str, object] | None] = queue.SimpleQueue()
        self._waiting: dict[int, asyncio.Future[Any]] = {OPENING: self._loop.create_future()}
        self._ended: asyncio.Future[str] = self._loop.create_future()
        self._process: subprocess.Popen[bytes] | None = None
        self.is_serving = False
        self.has_answered = False
        # Daemons: an index that nobody closed must not keep Refdesk from ending.
        Thread(target=self._run, name="edge-index-reader", daemon=True).start()

    @property
    def process_id(self) -> int | None:
        return None if self._process is None else self._process.pid

    @property
    def has_ended(self) -> bool:
        return self._ended.done()

    @property
    def ending(self) -> str:
        return self._ended.result()

    # --- on the event loop ---

    async def opened(self) -> None:
        await self._answer(OPENING, OPEN_DEADLINE)

    async def request(self, operation: str, argument: object, deadline: float) -> Any:
        if self._ended.done():
            raise ProviderError(PROVIDER, self.ending)
        number = next(self._numbers)
        self._waiting[number] = self._loop.create_future()
        self._to_send.put((number, operation, argument))
        return await self._answer(number, deadline)

    async def _answer(self, number: int, deadline: float) -> Any:
        try:
            async with asyncio.timeout(deadline):
                return await self._waiting[number]
        except TimeoutError:
            raise ProviderTimeout(PROVIDER, f"no answer within {deadline:g} s") from None
        finally:
            del self._waiting[number]

    async def end(self) -> None:
        self._to_send.put(None)
        # Waiting this way leaves the future alone when the caller is cancelled; the threads tidy up by themselves.
        await asyncio.wait([self._ended], timeout=END_PATIENCE)
        if not self._ended.done() and self._process is not None:
            self._process.kill()
            await asyncio.wait([self._ended], timeout=END_PATIENCE)

    def _settle(self, number: int, status: str, value: object) -> None:
        if number == OPENING and status == "ok":
            self.is_serving = True
        else:
            self.has_answered = True
        future = self._waiting.get(number)
        if future is None or future.done():
            return  # whoever asked has given up
        if status == "ok":
            future.set_result(value)
        else:
            future.set_exception(self._failure(status, str(value)))

    def _failure(self, status: str, reason: str) -> RefdeskError:
        if status == "busy":
            return StoreBusy(
                f"Another Refdesk process is using the index in {self._folder}. "
                "Stop it first, or give this one another data folder."
            )
        if status == "mismatch":
            return StoreMismatch(
                f"The index in {self._folder} was made by another embedder or version ({reason}). "
                "Delete this folder and run `refdesk ingest`."
            )
        if status == "unusable":
            return KnowledgeError(
                f"The index in {self._folder} cannot be opened ({reason}). "
                "If it is damaged, delete this folder and run `refdesk ingest`."
            )
        return ProviderError(PROVIDER, reason)

    def _bury(self, ending: str) -> None:
        self.is_serving = False
        self._ended.set_result(ending)
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(ProviderError(PROVIDER, ending))

    # --- on the threads ---

    def _run(self) -> None:
        ending = "its process was lost"
        try:
            ending = self._run_child()
        except OSError as error:
            ending = f"its process cannot be started: {error}"
        finally:
            self._tell(self._bury, ending)

    def _run_child(self) -> str:
        # A session of its own, so that Ctrl-C in the terminal reaches the parent only.
        process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        self._process = process
        assert process.stdin is not None
        assert process.stdout is not None
        with process:
            writer = Thread(target=self._write, args=(process.stdin,), name="edge-index-writer", daemon=True)
            writer.start()
            self._read(process.stdout)
            self._to_send.put(None)
            writer.join()
        return f"its process has ended with code {process.returncode}"

    def _read(self, answers: IO[bytes]) -> None:
        # A child that is killed may leave a message half written.
        with suppress(EOFError, pickle.UnpicklingError):
            while True:
                self._tell(self._settle, *pickle.load(answers))

    def _write(self, requests: IO[bytes]) -> None:
        # A broken pipe means that the child has died: the reader sees that too, and tells whoever waits.
        with suppress(OSError), requests:
            while (message := self._to_send.get()) is not None:
                pickle.dump(message, requests, pickle.HIGHEST_PROTOCOL)
                requests.flush()

    def _tell(self, what: Callable[..., None], *arguments: Any) -> None:
        # The loop is closed when Refdesk ended without closing the index; then nobody waits for the answer.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(what, *arguments)
