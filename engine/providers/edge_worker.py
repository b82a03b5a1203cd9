"""The child's side of the embedded index: owns the shard and answers one request after the other.

`edge_index.py` runs this file by its path, so nothing of the project and nothing of the parent's `__main__` is
imported here. A message is a pickled tuple of plain values:

    request   (number, operation, argument)     on standard input
    answer    (number, status, value)           on standard output; number 0 tells how opening went

The end of standard input ends the process: the parent closed it, or died.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import portalocker
import qdrant_edge as edge

LOCK_PATIENCE = 2.0
"""Seconds. The child of a killed Refdesk needs a moment to see that its parent is gone."""

SPARSE_NAMES = ("lex", "tri")


class Refusal(Exception):
    """The shard cannot be opened; `status` says why in a word, for the parent."""

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status


# --- opening --------------------------------------------------------------------------------------------------------


def take_lock(folder: Path) -> BinaryIO:
    """Hold the folder until the process ends.

    Needed because the engine's own lock is not enough: a second owner that is refused by it has by then deleted
    files of the first, which cannot flush any more.
    """
    give_up = time.monotonic() + LOCK_PATIENCE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock_file = (folder / "lock").open("ab")
        while not try_lock(lock_file):
            if time.monotonic() > give_up:
                raise Refusal("busy", "it is locked")
            time.sleep(0.05)
    except (OSError, portalocker.LockException) as error:
        raise Refusal("unusable", one_line(error)) from error
    return lock_file


def try_lock(lock_file: BinaryIO) -> bool:
    try:
        portalocker.lock(lock_file, portalocker.LOCK_EX | portalocker.LOCK_NB)
    except portalocker.AlreadyLocked:
        return False
    return True


def shard_config(dimensions: int) -> edge.EdgeConfig:
    """Exact search (m=0): on the sizes that one process serves it is fast, needs no graph and misses nothing."""
    dense = edge.EdgeVectorParams(
        size=dimensions, distance=edge.Distance.Cosine, datatype=edge.VectorStorageDatatype.Float16
    )
    sparse = edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)
    return edge.EdgeConfig(
        vectors={"dense": dense},
        sparse_vectors=dict.fromkeys(SPARSE_NAMES, sparse),
        hnsw_config=edge.HnswIndexConfig(m=0, ef_construct=100, full_scan_threshold=10_000),
        # Cold, the default, makes every hit wait for the disk once segments are optimised.
        payload_memory=edge.Memory.Cached,
        wal_enabled=True,
    )


def open_shard(folder: Path, dimensions: int, keyword_fields: list[str]) -> edge.EdgeShard:
    path = folder / "shard"
    try:
        if (path / "segments").is_dir():
            shard = edge.EdgeShard.load(str(path), shard_config(dimensions))
        else:
            shard = edge.EdgeShard.create(str(path), shard_config(dimensions))
        indexed = shard.info().payload_schema
        for field in keyword_fields:
            if field not in indexed:
                shard.update(edge.UpdateOperation.create_field_index(field, edge.PayloadSchemaType.Keyword))
    except Exception as error:  # the engine raises plain Exceptions, and the parent must hear of each
        status = "mismatch" if "incompatible" in str(error).lower() else "unusable"
        raise Refusal(status, one_line(error)) from error
    return shard


# --- operations -----------------------------------------------------------------------------------------------------


def upsert(shard: edge.EdgeShard, points: list[tuple[str, bytes, dict[str, tuple[Any, Any]], dict[str, Any]]]) -> None:
    shard.update(edge.UpdateOperation.upsert_points([as_point(*point) for point in points]))


def as_point(chunk_id: str, dense: bytes, sparse: dict[str, tuple[Any, Any]], payload: dict[str, Any]) -> edge.Point:
    floats = array("f")
    floats.frombytes(dense)
    vectors: dict[str, edge.NamedVector] = {"dense": floats.tolist()}
    for name, (indices, values) in sparse.items():
        vectors[name] = edge.SparseVector(list(indices), list(values))
    return edge.Point(chunk_id, vectors, payload)


def search(
    shard: edge.EdgeShard, argument: tuple[dict[str, Any], dict[str, list[str]], list[str], int]
) -> dict[str, list[tuple[str, float, dict[str, Any]]]]:
    """All legs in one batch: leg -> (id, score, the payload fields asked for)."""
    legs, conditions, fields, limit = argument
    queries = [
        edge.QueryRequest(
            limit=limit,
            query=edge.Query.Nearest(as_query(vector), using=name),
            filter=any_of(conditions),
            with_payload=edge.PayloadSelector.Include(fields),
        )
        for name, vector in legs.items()
    ]
    answers = shard.query_batch(edge.QueryBatchRequest(queries))
    return {
        name: [(str(point.id), point.score, point.payload or {}) for point in points]
        for name, points in zip(legs, answers, strict=True)
    }


def as_query(vector: list[float] | tuple[Any, Any]) -> edge.NamedVector:
    if isinstance(vector, list):
        return vector
    indices, values = vector
    return edge.SparseVector(list(indices), list(values))


def any_of(conditions: dict[str, list[str]]) -> edge.Filter:
    return edge.Filter(must=[edge.FieldCondition(key, match=edge.MatchAny(found)) for key, found in conditions.items()])


def fetch(shard: edge.EdgeShard, chunk_ids: list[str]) -> list[tuple[str, dict[str, Any]]]:
    # Both flags by position: the binding has no defaults for them, whatever its type stub says.
    return [(str(record.id), record.payload or {}) for record in shard.retrieve(list(chunk_ids), True, False)]


def remove(shard: edge.EdgeShard, argument: tuple[str, str | None]) -> None:
    document, kept = argument
    must_not: list[edge.ConditionType] = []
    if kept is not None:
        must_not.append(edge.FieldCondition("revision", match=edge.MatchValue(kept)))
    doomed = edge.Filter(must=[edge.FieldCondition("document", match=edge.MatchValue(document))], must_not=must_not)
    shard.update(edge.UpdateOperation.delete_points_by_filter(doomed))


def scroll(
    shard: edge.EdgeShard, argument: tuple[str | None, list[str], int]
) -> tuple[list[dict[str, Any]], str | None]:
    """A page of payloads, and where the next one starts."""
    offset, fields, limit = argument
    records, following = shard.scroll(
        edge.ScrollRequest(offset=offset, limit=limit, with_payload=edge.PayloadSelector.Include(fields))
    )
    return [record.payload or {} for record in records], None if following is None else str(following)


def flush(shard: edge.EdgeShard, _: None) -> None:
    shard.flush()


def optimise(shard: edge.EdgeShard, _: None) -> None:
    shard.flush()
    shard.optimize()


OPERATIONS: dict[str, Callable[[edge.EdgeShard, Any], object]] = {
    "upsert": upsert,
    "search": search,
    "fetch": fetch,
    "remove": remove,
    "scroll": scroll,
    "flush": flush,
    "optimise": optimise,
}


# --- the process ----------------------------------------------------------------------------------------------------


def serve(shard: edge.EdgeShard, requests: BinaryIO, answers: BinaryIO) -> None:
    while True:
        try:
            number, operation, argument = pickle.load(requests)
        except (EOFError, pickle.UnpicklingError):
            return  # the parent is gone, perhaps in the middle of a message
        try:
            answer = (number, "ok", OPERATIONS[operation](shard, argument))
        except Exception as error:  # noqa: BLE001 - the engine raises plain Exceptions; the next request may do well
            answer = (number, "failed", one_line(error))
        send(answers, answer)


def send(answers: BinaryIO, message: tuple[int, str, object]) -> None:
    pickle.dump(message, answers, pickle.HIGHEST_PROTOCOL)
    answers.flush()


def one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def reserve_standard_output() -> BinaryIO:
    """A stream of our own on what was standard output, so that nothing printed can get between the messages."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    return answers


def main() -> None:
    # Whoever stops Refdesk means the parent. It still has answers to finish, and ends this process when it is done.
    for interruption in (signal.SIGINT, signal.SIGTERM):
        signal.signal(interruption, signal.SIG_IGN)
    folder, dimensions, keyword_fields = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3].split(",")
    answers = reserve_standard_output()
    try:
        own_folder(folder, dimensions, keyword_fields, answers)
        answers.close()
    except BrokenPipeError:
        # The parent died before it could read the answer, so nobody is left to be told. Nothing acknowledged is lost:
        # it is in the write-ahead log. Leaving at once keeps the interpreter from flushing into the broken pipe.
        os._exit(1)


def own_folder(folder: Path, dimensions: int, keyword_fields: list[str], answers: BinaryIO) -> None:
    try:
        with take_lock(folder):
            shard = open_shard(folder, dimensions, keyword_fields)
            try:
                send(answers, (0, "ok", None))
                serve(shard, sys.stdin.buffer, answers)
            finally:
                shard.close()
    except Refusal as refusal:
        send(answers, (0, refusal.status, str(refusal)))


if __name__ == "__main__":
    main()
