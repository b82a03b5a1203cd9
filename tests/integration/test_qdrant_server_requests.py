"""What the index sends to a Qdrant server, and what it makes of its answers: a server of our own on the loopback.

It shows that requests have the form of Qdrant's HTTP interface, not that a server does the right thing with them.
"""

from __future__ import annotations

import asyncio
import json
import threading
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from blockbuster import blockbuster_ctx
from pydantic import SecretStr

from engine.errors import ProviderError, ProviderRateLimited, ProviderRejected, ProviderTimeout, StoreMismatch
from engine.ports import IndexPoint, Probe, Scope, SparseVector
from engine.providers.qdrant_index import QdrantIndex
from engine.types import Chunk

CHUNK_ID = str(uuid.UUID(int=7))
OTHER_ID = str(uuid.UUID(int=8))
SCOPE = Scope(audience=frozenset({"public", "staff"}), domain="жильё", documents=("a.md", "b.md"))
PROBE = Probe(dense=np.array([0.6, 0.8], dtype=np.float32), lex=SparseVector((3, 2**32 - 1), (1.0, 2.0)))
POINT = IndexPoint(
    chunk=Chunk(
        id=CHUNK_ID,
        document="жильё/a.md",
        revision="r1",
        ordinal=0,
        domain="жильё",
        collection="c",
        document_title="T",
        section="1",
        section_title="S",
        section_index=1,
        text="Текст",
        header="h",
        language="ru",
        audience=frozenset({"staff", "public"}),
    ),
    dense=np.array([0.6, 0.8], dtype=np.float32),
    lex=SparseVector((3,), (1.5,)),
    tri=SparseVector((), ()),
)
PAYLOAD = {
    "document": "жильё/a.md",
    "revision": "r1",
    "ordinal": 0,
    "domain": "жильё",
    "collection": "c",
    "document_title": "T",
    "section": "1",
    "section_title": "S",
    "section_index": 1,
    "text": "Текст",
    "header": "h",
    "language": "ru",
    "audience": ["public", "staff"],
    "page": None,
    "anchor": None,
}
VECTORS = {
    "vectors": {"dense": {"size": 2, "distance": "Cosine", "datatype": "float16"}},
    "sparse_vectors": {"lex": {"modifier": "idf"}, "tri": {"modifier": "idf"}},
}
PUBLIC_AND_STAFF = {"key": "audience", "match": {"any": ["public", "staff"]}}


# --- a server that answers from a table -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Canned:
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class StubServer:
    url: str
    answers: dict[str, Canned] = field(default_factory=dict)
    """By method and path: "PUT /collections/refdesk"."""
    requests: list[tuple[str, Any]] = field(default_factory=list)
    """Method, path and query, with the body."""
    api_keys: set[str | None] = field(default_factory=set)
    may_answer: threading.Event = field(default_factory=threading.Event)

    def body_of(self, request: str) -> Any:
        [body] = [body for sent, body in self.requests if sent == request]
        return body


class StubHandler(BaseHTTPRequestHandler):
    stub: StubServer

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.stub.requests.append((f"{self.command} {self.path}", json.loads(body) if body else None))
        self.stub.api_keys.add(self.headers.get("api-key"))
        self.stub.may_answer.wait(10)
        canned = self.stub.answers.get(f"{self.command} {self.path.split('?')[0]}", ok(True))
        content = canned.body if isinstance(canned.body, bytes) else json.dumps(canned.body).encode()
        self.send_response(canned.status)
        for name, value in {"Content-Length": str(len(content)), **canned.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_PUT = do_POST = do_DELETE = do_PATCH = answer

    def log_message(self, format: str, *args: Any) -> None:
        pass


def ok(result: Any) -> Canned:
    return Canned(body={"result": result, "status": "ok", "time": 0.001})


def error(status: int, text: str, **headers: str) -> Canned:
    return Canned(status, {"status": {"error": text}, "time": 0.0}, headers)


def collection(payload_schema: dict[str, Any], **params: Any) -> Canned:
    return ok(
        {
            "status": "green",
            "optimizer_status": "ok",
            "segments_count": 1,
            "points_count": 0,
            "config": {
                "params": VECTORS | params,
                "hnsw_config": {"m": 16, "ef_construct": 100, "full_scan_threshold": 10000},
                "optimizer_config": {
                    "deleted_threshold": 0.2,
                    "vacuum_min_vector_number": 1000,
                    "default_segment_number": 0,
                    "flush_interval_sec": 5,
                },
            },
            "payload_schema": payload_schema,
        }
    )


INDEXED = {
    name: {"data_type": "keyword", "points": 0} for name in ("document", "revision", "domain", "collection", "audience")
}


@pytest.fixture
def server() -> Iterator[StubServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), StubHandler) as http:
        stub = StubServer(f"http://127.0.0.1:{http.server_port}")
        stub.may_answer.set()
        stub.answers = {
            "GET /collections/refdesk/exists": ok({"exists": True}),
            "GET /collections/refdesk": collection(INDEXED),
        }
        http.RequestHandlerClass = type("Handler", (StubHandler,), {"stub": stub})
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        yield stub
        stub.may_answer.set()
        http.shutdown()
        thread.join()


@pytest.fixture
async def index(server: StubServer) -> AsyncIterator[QdrantIndex]:
    async with QdrantIndex.open(server.url, 2) as opened:
        server.requests.clear()
        yield opened


# --- requests -------------------------------------------------------------------------------------------------------


async def test_a_missing_collection_is_made_with_its_payload_indexes(server: StubServer) -> None:
    server.answers["GET /collections/refdesk/exists"] = ok({"exists": False})
    server.answers["GET /collections/refdesk"] = collection({})
    server.answers["PUT /collections/refdesk/index"] = ok({"operation_id": 1, "status": "completed"})
    async with QdrantIndex.open(server.url, 2):
        pass
    assert server.body_of("PUT /collections/refdesk") == VECTORS
    indexes = [body for sent, body in server.requests if sent == "PUT /collections/refdesk/index?wait=true"]
    assert indexes == [{"field_name": name, "field_schema": "keyword"} for name in INDEXED]


async def test_a_collection_that_another_replica_makes_meanwhile_is_used(server: StubServer) -> None:
    server.answers["GET /collections/refdesk/exists"] = ok({"exists": False})
    server.answers["PUT /collections/refdesk"] = error(409, "Collection `refdesk` already exists!")
    async with QdrantIndex.open(server.url, 2):
        pass


async def test_nothing_is_made_where_all_is_there(server: StubServer) -> None:
    async with QdrantIndex.open(server.url, 2):
        pass
    assert [sent.split()[0] for sent, _ in server.requests] == ["GET", "GET"]


@pytest.mark.parametrize(
    "params",
    [
        {"vectors": {"dense": {"size": 3, "distance": "Cosine"}}},
        {"vectors": {"dense": {"size": 2, "distance": "Dot"}}},
        {"vectors": {"size": 2, "distance": "Cosine"}},
        {"sparse_vectors": {"lex": {"modifier": "idf"}}},
        {"sparse_vectors": {"lex": {"modifier": "idf"}, "tri": {}}},
    ],
)
async def test_a_collection_of_another_shape_is_refused(server: StubServer, params: dict[str, Any]) -> None:
    server.answers["GET /collections/refdesk"] = collection(INDEXED, **params)
    with pytest.raises(StoreMismatch):
        async with QdrantIndex.open(server.url, 2):
            pass


async def test_upsert_waits_and_leaves_out_empty_vectors(server: StubServer, index: QdrantIndex) -> None:
    server.answers["PUT /collections/refdesk/points"] = ok({"operation_id": 1, "status": "completed"})
    await index.upsert([POINT])
    body = server.body_of("PUT /collections/refdesk/points?wait=true")
    [point] = body["points"]
    assert point["id"] == CHUNK_ID
    assert point["payload"] == PAYLOAD
    assert point["vector"] == {"dense": pytest.approx([0.6, 0.8]), "lex": {"indices": [3], "values": [1.5]}}


async def test_upsert_sends_batches_of_64(server: StubServer, index: QdrantIndex) -> None:
    server.answers["PUT /collections/refdesk/points"] = ok({"operation_id": 1, "status": "completed"})
    await index.upsert(
        [replace(POINT, chunk=replace(POINT.chunk, id=str(uuid.UUID(int=number)))) for number in range(150)]
    )
    assert [len(body["points"]) for _, body in server.requests] == [64, 64, 22]


async def test_search_asks_for_all_legs_at_once(server: StubServer, index: QdrantIndex) -> None:
    hit = {"version": 0, "payload": {"document": "a.md", "revision": "r1"}}
    dense = {"points": [{"id": OTHER_ID, "score": 0.5, **hit}, {"id": CHUNK_ID, "score": 0.5, **hit}]}
    server.answers["POST /collections/refdesk/points/query/batch"] = ok([dense, {"points": []}])

    hits = await index.search(PROBE, SCOPE, 10)

    assert [(found.chunk_id, found.score, found.document) for found in hits.dense] == [
        (CHUNK_ID, 0.5, "a.md"),
        (OTHER_ID, 0.5, "a.md"),
    ]
    [(sent, body)] = server.requests
    assert sent == "POST /collections/refdesk/points/query/batch"
    inside = {
        "must": [
            PUBLIC_AND_STAFF,
            {"key": "domain", "match": {"any": ["жильё"]}},
            {"key": "document", "match": {"any": ["a.md", "b.md"]}},
        ]
    }
    first, second = body["searches"]
    assert first["query"] == {"nearest": pytest.approx([0.6, 0.8])}
    assert second["query"] == {"nearest": {"indices": [3, 2**32 - 1], "values": [1.0, 2.0]}}
    assert [search["using"] for search in (first, second)] == ["dense", "lex"]
    for search in (first, second):
        assert search["filter"] == inside
        assert search["with_payload"] == ["document", "revision"]
        assert search["limit"] >= 10


async def test_fetch_rebuilds_the_chunk(server: StubServer, index: QdrantIndex) -> None:
    server.answers["POST /collections/refdesk/points"] = ok([{"id": CHUNK_ID, "payload": PAYLOAD}])
    assert await index.fetch([OTHER_ID, CHUNK_ID]) == (POINT.chunk,)
    body = server.body_of("POST /collections/refdesk/points")
    assert (body["ids"], body["with_payload"]) == ([OTHER_ID, CHUNK_ID], True)


async def test_remove_waits_and_deletes_by_filter(server: StubServer, index: QdrantIndex) -> None:
    server.answers["POST /collections/refdesk/points/delete"] = ok({"operation_id": 1, "status": "completed"})
    await index.remove("жильё/a.md", keep_revision="r2")
    await index.remove("b.md")
    assert server.requests == [
        (
            "POST /collections/refdesk/points/delete?wait=true",
            {
                "filter": {
                    "must": [{"key": "document", "match": {"any": ["жильё/a.md"]}}],
                    "must_not": [{"key": "revision", "match": {"any": ["r2"]}}],
                }
            },
        ),
        (
            "POST /collections/refdesk/points/delete?wait=true",
            {"filter": {"must": [{"key": "document", "match": {"any": ["b.md"]}}]}},
        ),
    ]


async def test_the_api_key_goes_with_every_request_and_into_no_error(server: StubServer) -> None:
    server.answers["GET /collections/refdesk"] = error(403, "Forbidden")
    with pytest.warns(UserWarning, match="insecure connection"), pytest.raises(ProviderRejected) as refused:
        async with QdrantIndex.open(server.url, 2, api_key=SecretStr("s3cret")):
            pass
    assert server.api_keys == {"s3cret"}
    assert "refuses the API key" in str(refused.value)
    assert "s3cret" not in str(refused.value)


async def test_nothing_blocks_the_event_loop(server: StubServer) -> None:
    server.answers["POST /collections/refdesk/points"] = ok([])
    # Opened before: the first request of a process may still load modules.
    async with QdrantIndex.open(server.url, 2) as index:
        with blockbuster_ctx():
            await index.fetch([CHUNK_ID])


# --- failures -------------------------------------------------------------------------------------------------------


FETCH = "POST /collections/refdesk/points"


@pytest.mark.parametrize(
    ("answer", "kind", "text"),
    [
        (error(400, "Wrong input: bad id"), ProviderRejected, "Qdrant: 400 Wrong input: bad id"),
        (error(404, "Not found: Collection `refdesk`"), ProviderRejected, "Not found"),
        (error(429, "slow down"), ProviderRateLimited, "slow down"),
        (error(500, "Service internal error"), ProviderError, "Qdrant: 500 Service internal error"),
        (Canned(502, b"<html>\nbad gateway</html>"), ProviderError, "Qdrant: 502 Bad Gateway"),
        (error(504, "too slow"), ProviderTimeout, "too slow"),
        (Canned(200, {"result": "nonsense"}), ProviderRejected, "Qdrant: "),
        (Canned(200, b"not even JSON"), ProviderRejected, "Qdrant: "),
    ],
)
async def test_failures_are_told_apart(
    server: StubServer, index: QdrantIndex, answer: Canned, kind: type[ProviderError], text: str
) -> None:
    server.answers[FETCH] = answer
    with pytest.raises(ProviderError) as failed:
        await index.fetch([CHUNK_ID])
    assert type(failed.value) is kind
    assert text in str(failed.value)
    assert "\n" not in str(failed.value)


async def test_a_rate_limit_says_how_long(server: StubServer, index: QdrantIndex) -> None:
    server.answers[FETCH] = error(429, "slow down", **{"Retry-After": "7"})
    with pytest.raises(ProviderRateLimited) as limited:
        await index.fetch([CHUNK_ID])
    assert limited.value.retry_after == 7


async def test_a_server_that_does_not_answer_in_time(server: StubServer) -> None:
    async with QdrantIndex.open(server.url, 2, deadline=3.0) as index:
        server.may_answer.clear()
        with pytest.raises(ProviderTimeout):
            await index.fetch([CHUNK_ID])
        server.may_answer.set()
        server.answers[FETCH] = ok([])
        assert await index.fetch([CHUNK_ID]) == ()


async def test_a_server_that_is_not_there() -> None:
    unused = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = unused.sockets[0].getsockname()[1]
    unused.close()
    await unused.wait_closed()
    with pytest.raises(ProviderError) as failed:
        async with QdrantIndex.open(f"http://127.0.0.1:{port}", 2):
            pass
    assert type(failed.value) is ProviderError
