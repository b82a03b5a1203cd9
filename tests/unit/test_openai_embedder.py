"""How embeddings from an endpoint are checked, and what its failures become."""

from __future__ import annotations

from typing import Any

import httpx2
import numpy as np
import pytest
from pydantic import SecretStr

from engine.errors import ProviderError, ProviderRateLimited, ProviderRejected
from engine.providers.embedders.openai_embedder import OpenAIEmbedder
from tests.openai_stub import URL, OpenAIStub, Prepared, refusal

KEY = "sk-secret-0123456789"


def vectors(*rows: list[Any], indices: list[int] | None = None) -> httpx2.Response:
    order = indices or list(range(len(rows)))
    data = [{"object": "embedding", "index": at, "embedding": row} for at, row in zip(order, rows, strict=True)]
    return httpx2.Response(200, json={"object": "list", "data": data, "model": "stub"})


def embedder_on(*prepared: Prepared, **settings: Any) -> tuple[OpenAIEmbedder, OpenAIStub]:
    stub = OpenAIStub(*prepared)
    defaults: dict[str, Any] = {"base_url": URL, "api_key": SecretStr(KEY), "http_client": stub.client}
    return OpenAIEmbedder("stub", **(defaults | settings)), stub


async def test_rows_are_scaled_to_unit_length_and_put_in_order() -> None:
    embedder, _ = embedder_on(vectors([0, 2], [3, 0], indices=[1, 0]))
    np.testing.assert_allclose(await embedder.embed_questions(["one", "two"]), [[1, 0], [0, 1]])
    assert embedder.dimensions == 2


async def test_texts_go_out_prepared_prefixed_and_in_batches() -> None:
    embedder, stub = embedder_on(vectors([1, 0], [1, 0]), vectors([0, 1]), batch_size=2, question_prefix="query: ")
    rows = await embedder.embed_questions(["Как ОТМЕНИТЬ?", " two ", "three"])
    assert [request["input"] for request in stub.requests] == [["query: как отменить", "query: two"], ["query: three"]]
    np.testing.assert_allclose(rows, [[1, 0], [1, 0], [0, 1]])
    assert "query: " in embedder.fingerprint


async def test_the_dimensions_are_known_after_the_probe_only() -> None:
    embedder, stub = embedder_on(vectors([1, 0, 0]))
    with pytest.raises(RuntimeError, match="load"):
        _ = embedder.dimensions
    assert (await embedder.embed_passages([])).shape == (0, 3)
    assert len(stub.requests) == 1


@pytest.mark.parametrize(
    "answer",
    [
        vectors([1, 0]),
        vectors([1, 0], [1, 0], [1, 0]),
        vectors([1, 0], [1, 0, 0]),
        vectors([1, 0], [0, 0]),
        vectors([1, 0], [1, None]),
        vectors([1, 0], ["a", "b"]),
        vectors([1, 0], [1, 0], indices=[0, 0]),
        vectors([1, 0], []),
        httpx2.Response(200, json={"data": "none"}),
        httpx2.Response(200, json=[]),
        httpx2.Response(200, text="<html>Sign in</html>", headers={"content-type": "text/html"}),
    ],
)
async def test_what_are_not_two_vectors_is_rejected(answer: httpx2.Response) -> None:
    embedder, _ = embedder_on(answer)
    with pytest.raises(ProviderRejected, match="not the embeddings"):
        await embedder.embed_questions(["one", "two"])


async def test_other_dimensions_than_before_are_rejected() -> None:
    embedder, _ = embedder_on(vectors([1, 0]), vectors([1, 0, 0]))
    await embedder.load()
    with pytest.raises(ProviderRejected, match="dimensions"):
        await embedder.embed_questions(["one"])


async def test_an_ingestion_waits_for_a_rate_limit() -> None:
    limited = refusal(429, "slow down", {"retry-after": "0.01"})
    embedder, stub = embedder_on(limited, limited, vectors([1, 0]))
    await embedder.embed_passages(["one"])
    assert len(stub.requests) == 3


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (refusal(429, "slow down"), ProviderRateLimited),
        (refusal(500, "boom"), ProviderError),
        (refusal(401, f"Incorrect API key provided: {KEY}"), ProviderRejected),
        (httpx2.ConnectError("refused"), ProviderError),
    ],
)
async def test_failures_are_provider_errors_without_the_key(failure: Prepared, expected: type[ProviderError]) -> None:
    embedder, _ = embedder_on(failure, attempts=1)
    with pytest.raises(expected) as caught:
        await embedder.load()
    assert KEY not in str(caught.value)
