"""The index on a Qdrant server or cluster, by its URL."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

from pydantic import SecretStr, ValidationError
from qdrant_client import AsyncQdrantClient, models
from qdrant_client.common.client_exceptions import QdrantException, ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from engine.errors import ProviderError, ProviderRateLimited, ProviderRejected, ProviderTimeout, StoreMismatch
from engine.ports import Hit, Hits, IndexPoint, Probe, Scope, SparseVector
from engine.providers.chunk_payload import (
    DENSE,
    HIT_FIELDS,
    KEYWORD_FIELDS,
    LEX,
    TRI,
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

PROVIDER = "Qdrant"
DEADLINE = 30.0
SCROLL_PAGE = 1000
CONFLICT = 409


class QdrantIndex:
    """A `ChunkIndex` in one collection of a server, which any number of Refdesk processes may share."""

    def __init__(
        self, client: AsyncQdrantClient, collection: str, dimensions: int, *, deadline: float = DEADLINE
    ) -> None:
        self._client = client
        self._collection = collection
        self._dimensions = dimensions
        self._deadline = deadline

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        server: str | AsyncQdrantClient,
        dimensions: int,
        *,
        collection: str = "refdesk",
        api_key: SecretStr | None = None,
        deadline: float = DEADLINE,
        rebuild: bool = False,
    ) -> AsyncIterator[QdrantIndex]:
        """Open the collection at a URL (or through a client, which is closed in the end), made where it is missing.

        Raises StoreMismatch when the collection holds other vectors, ProviderError when the server cannot be used.
        With `rebuild`, a collection of ours whose vectors have another size is made anew, empty.
        """
        # In a thread, because the client reads the machine's certificates when it is made.
        client = await asyncio.to_thread(_connect, server, api_key, deadline) if isinstance(server, str) else server
        index = cls(client, collection, dimensions, deadline=deadline)
        try:
            await index._prepare(rebuild=rebuild)
            yield index
        finally:
            await index.aclose()

    async def upsert(self, points: Sequence[IndexPoint]) -> None:
        for batch in batches(points):
            structs = [self._point_struct(point) for point in batch]
            async with self._answering():
                await self._client.upsert(self._collection, structs, wait=True)

    async def search(self, probe: Probe, scope: Scope, limit: int) -> Hits:
        inside = _any_of(scope_conditions(scope))

        async def ask(legs: Mapping[str, Vector], wanted: int) -> Mapping[str, Sequence[Hit]]:
            requests = [
                models.QueryRequest(
                    query=_query(vector), using=name, filter=inside, limit=wanted, with_payload=list(HIT_FIELDS)
                )
                for name, vector in legs.items()
            ]
            async with self._answering():
                answers = await self._client.query_batch_points(self._collection, requests)
            return {name: [_hit(point) for point in answer.points] for name, answer in zip(legs, answers, strict=True)}

        return await search_legs(ask, probe, scope, limit, self._dimensions)

    async def fetch(self, chunk_ids: Sequence[str]) -> tuple[Chunk, ...]:
        if not chunk_ids:
            return ()
        async with self._answering():
            records = await self._client.retrieve(self._collection, list(chunk_ids), with_payload=True)
        return in_asked_order((chunk_of(str(record.id), record.payload or {}) for record in records), chunk_ids)

    async def remove(self, document: str, *, keep_revision: str | None = None) -> None:
        doomed = _any_of({"document": [document]})
        if keep_revision is not None:
            doomed.must_not = [_field("revision", [keep_revision])]
        async with self._answering():
            await self._client.delete(self._collection, models.FilterSelector(filter=doomed), wait=True)

    async def documents(self) -> Mapping[str, frozenset[str]]:
        pairs: set[tuple[str, str]] = set()
        offset = None
        while True:
            async with self._answering():
                records, offset = await self._client.scroll(
                    self._collection, limit=SCROLL_PAGE, offset=offset, with_payload=list(HIT_FIELDS)
                )
            payloads = [record.payload or {} for record in records]
            pairs.update((payload["document"], payload["revision"]) for payload in payloads)
            if offset is None:
                return gather_revisions(pairs)

    async def flush(self) -> None:
        """Nothing to do: each write waited until the server had it."""

    async def optimise(self) -> None:
        """Nothing to do: a server does it by itself, beside the searches."""

    async def aclose(self) -> None:
        await self._client.close()

    def _point_struct(self, point: IndexPoint) -> models.PointStruct:
        sparse = {name: _sparse(vector) for name, vector in sparse_vectors_of(point).items()}
        dense = checked_dense(point.dense, self._dimensions).tolist()
        return models.PointStruct(id=point.chunk.id, vector={DENSE: dense, **sparse}, payload=payload_of(point.chunk))

    # --- the collection ---

    async def _prepare(self, *, rebuild: bool) -> None:
        async with self._answering():
            if not await self._client.collection_exists(self._collection):
                await self._create()
            found = await self._client.get_collection(self._collection)
        size = self._size_of(found.config.params)
        if size != self._dimensions and rebuild:
            async with self._answering():
                await self._client.delete_collection(self._collection)
                await self._create()
                found = await self._client.get_collection(self._collection)
        elif size != self._dimensions:
            raise StoreMismatch(
                f"The Qdrant collection {self._collection!r} holds vectors of {size} dimensions, and the embedder "
                f"makes vectors of {self._dimensions}. Run `refdesk ingest --rebuild`, which makes the collection "
                "anew, or use another name."
            )
        for field in KEYWORD_FIELDS:
            if field not in found.payload_schema:
                async with self._answering():
                    await self._client.create_payload_index(
                        self._collection, field, models.PayloadSchemaType.KEYWORD, wait=True
                    )

    async def _create(self) -> None:
        dense = models.VectorParams(
            size=self._dimensions, distance=models.Distance.COSINE, datatype=models.Datatype.FLOAT16
        )
        sparse = models.SparseVectorParams(modifier=models.Modifier.IDF)
        try:
            await self._client.create_collection(
                self._collection, vectors_config={DENSE: dense}, sparse_vectors_config={LEX: sparse, TRI: sparse}
            )
        except UnexpectedResponse as error:
            # Another replica, started at the same time, was first.
            if error.status_code != CONFLICT:
                raise

    def _size_of(self, params: models.CollectionParams) -> int:
        """Of the dense vectors. Raises StoreMismatch for a collection that is not ours, which is never deleted."""
        dense = params.vectors.get(DENSE) if isinstance(params.vectors, dict) else None
        sparse = params.sparse_vectors or {}
        weighted = {name for name, vector in sparse.items() if vector.modifier == models.Modifier.IDF}
        if dense is None or dense.distance != models.Distance.COSINE or not weighted >= {LEX, TRI}:
            raise StoreMismatch(
                f"The Qdrant collection {self._collection!r} was not made by Refdesk. Use another collection name."
            )
        return dense.size

    @asynccontextmanager
    async def _answering(self) -> AsyncIterator[None]:
        """A deadline, and the client's exceptions as Refdesk's."""
        try:
            async with asyncio.timeout(self._deadline):
                yield
        except TimeoutError:
            raise ProviderTimeout(PROVIDER, f"no answer within {self._deadline:g} s") from None
        except ResourceExhaustedResponse as error:
            raise ProviderRateLimited(PROVIDER, str(error), retry_after=float(error.retry_after_s)) from error
        except UnexpectedResponse as error:
            raise _refusal(error) from error
        except ResponseHandlingException as error:
            kind = ProviderRejected if isinstance(error.source, ValidationError) else ProviderError
            raise kind(PROVIDER, _one_line(str(error.source)) or type(error.source).__name__) from error
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise ProviderRejected(
                PROVIDER, "its answer is not JSON; is this the address of a Qdrant server?"
            ) from error
        except QdrantException as error:
            raise ProviderError(PROVIDER, str(error)) from error


def _connect(url: str, api_key: SecretStr | None, deadline: float) -> AsyncQdrantClient:
    return AsyncQdrantClient(
        url=url,
        api_key=None if api_key is None else api_key.get_secret_value(),
        # Longer than our own deadline, which tells a timeout from other failures.
        timeout=math.ceil(deadline) + 5,
        # It would ask the server for its version, without awaiting.
        check_compatibility=False,
    )


# --- conversions ----------------------------------------------------------------------------------------------------


def _sparse(vector: SparseVector) -> models.SparseVector:
    return models.SparseVector(indices=list(vector.indices), values=list(vector.values))


def _query(vector: Vector) -> models.SparseVector | list[float]:
    return _sparse(vector) if isinstance(vector, SparseVector) else vector


def _field(key: str, values: list[str]) -> models.FieldCondition:
    return models.FieldCondition(key=key, match=models.MatchAny(any=values))


def _any_of(conditions: Mapping[str, list[str]]) -> models.Filter:
    return models.Filter(must=[_field(key, values) for key, values in conditions.items()])


def _hit(point: models.ScoredPoint) -> Hit:
    payload = point.payload or {}
    return Hit(str(point.id), point.score, payload["document"], payload["revision"])


# --- failures -------------------------------------------------------------------------------------------------------


def _refusal(error: UnexpectedResponse) -> ProviderError:
    status = error.status_code or 0
    reason = f"{status} {_reason(error)}"
    if status in (401, 403):
        return ProviderRejected(PROVIDER, f"it refuses the API key ({reason})")
    if status in (408, 504):
        return ProviderTimeout(PROVIDER, reason)
    if status == 429:
        return ProviderRateLimited(PROVIDER, reason)
    return ProviderRejected(PROVIDER, reason) if 400 <= status < 500 else ProviderError(PROVIDER, reason)


def _reason(error: UnexpectedResponse) -> str:
    """What the server says, `{"status": {"error": "..."}}`, or what a proxy before it says."""
    try:
        status = json.loads(error.content)["status"]["error"]
    except (ValueError, KeyError, TypeError):
        return _one_line(error.reason_phrase)
    return _one_line(str(status))


def _one_line(text: str) -> str:
    return " ".join(text.split())
