"""Embeddings from an OpenAI-compatible endpoint. Its models were not measured: the calibration is a strict guess."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Self

import numpy as np
from pydantic import BaseModel, SecretStr

from engine.errors import ProviderRejected
from engine.ports import Calibration, Matrix
from engine.providers.calibrations import UNMEASURED
from engine.providers.embedders.preparation import PREPARATION, prepare_passage, prepare_question, unit_rows
from engine.providers.openai_endpoint import OPENAI_URL, Endpoint

if TYPE_CHECKING:
    import httpx2


class OpenAIEmbedder:
    """Texts go out in batches, one after the other; a batch waits for a rate limit, since an ingestion can."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str = OPENAI_URL,
        api_key: SecretStr | None = None,
        question_prefix: str = "",
        passage_prefix: str = "",
        batch_size: int = 32,
        timeout: float = 60.0,
        attempts: int = 4,
        patience: float = 20.0,
        calibration: Calibration = UNMEASURED,
        http_client: httpx2.AsyncClient | None = None,
    ) -> None:
        """The prefixes are what a model wants before each text, such as `query: `. `timeout` is a batch's, with all its
        attempts; `patience` the longest pause between two; both in seconds."""
        self._model = model
        self._question_prefix = question_prefix
        self._passage_prefix = passage_prefix
        self._batch_size = batch_size
        self._calibration = calibration
        self._dimensions: int | None = None
        self._endpoint = Endpoint(
            model,
            base_url=base_url,
            api_key=api_key,
            timeout=timeout,
            attempts=attempts,
            patience=patience,
            http_client=http_client,
        )

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        model: str,
        *,
        base_url: str = OPENAI_URL,
        api_key: SecretStr | None = None,
        question_prefix: str = "",
        passage_prefix: str = "",
    ) -> AsyncIterator[Self]:
        """An embedder that has been tried out, closed at the end."""
        embedder = cls(
            model,
            base_url=base_url,
            api_key=api_key,
            question_prefix=question_prefix,
            passage_prefix=passage_prefix,
        )
        try:
            await embedder.load()
            yield embedder
        finally:
            await embedder.aclose()

    @property
    def fingerprint(self) -> str:
        """Without the endpoint's address: the same model may move."""
        prefixes = f"{self._question_prefix}|{self._passage_prefix}" if self._prefixed else "qq"
        return f"openai:{self._model}/{PREPARATION}/{prefixes}"

    @property
    def dimensions(self) -> int:
        """Known once a text has been embedded."""
        if self._dimensions is None:
            raise RuntimeError("the dimensions are not known yet: await load() first")
        return self._dimensions

    @property
    def calibration(self) -> Calibration:
        return self._calibration

    async def load(self) -> None:
        """Embed one text, which shows that the endpoint works and how long its vectors are."""
        await self.embed_questions(["How do I cancel?"])

    async def embed_questions(self, texts: Sequence[str]) -> Matrix:
        return await self._embed(texts, prepare_question, self._question_prefix)

    async def embed_passages(self, texts: Sequence[str]) -> Matrix:
        return await self._embed(texts, prepare_passage, self._passage_prefix)

    async def aclose(self) -> None:
        await self._endpoint.aclose()

    @property
    def _prefixed(self) -> bool:
        return bool(self._question_prefix or self._passage_prefix)

    async def _embed(self, texts: Sequence[str], prepare: Callable[[str], str], prefix: str) -> Matrix:
        if not texts:
            if self._dimensions is None:
                await self.load()
            return np.zeros((0, self.dimensions), dtype=np.float32)
        prepared = await asyncio.to_thread(lambda: [prefix + prepare(text) for text in texts])
        batches = [prepared[at : at + self._batch_size] for at in range(0, len(prepared), self._batch_size)]
        parts = [await self._embed_batch(batch) for batch in batches]
        return parts[0] if len(parts) == 1 else await asyncio.to_thread(np.concatenate, parts)

    async def _embed_batch(self, batch: list[str]) -> Matrix:
        body = await self._endpoint.call(lambda: self._request(batch))
        try:
            # Thousands of numbers as text: too much work for the event loop.
            rows = await asyncio.to_thread(_rows, body, len(batch))
        except ValueError:
            # What is wrong with nonsense says less than that it is nonsense.
            raise ProviderRejected(self._endpoint.provider, "answered something that is not the embeddings") from None
        dimensions = rows.shape[1]
        if self._dimensions is not None and dimensions != self._dimensions:
            reason = f"its vectors had {self._dimensions} dimensions and now have {dimensions}"
            raise ProviderRejected(self._endpoint.provider, reason)
        self._dimensions = dimensions
        return rows

    async def _request(self, batch: list[str]) -> bytes:
        # Asked for as plain numbers: not every endpoint knows the client's default, base64. Read raw, because the
        # client would make an object of every single number.
        answer = await self._endpoint.client.embeddings.with_raw_response.create(
            model=self._model, input=batch, encoding_format="float"
        )
        return answer.http_response.content


class _Item(BaseModel):
    embedding: list[float]
    index: int | None = None


class _Answer(BaseModel):
    data: list[_Item]


def _rows(body: bytes, expected: int) -> Matrix:
    """The vectors in the order of their texts, which endpoints need not keep. ValueError when they are not those."""
    items = _Answer.model_validate_json(body).data
    vectors = {at if item.index is None else item.index: item.embedding for at, item in enumerate(items)}
    if len(items) != expected or vectors.keys() != set(range(expected)):
        raise ValueError(f"{len(items)} vectors for {expected} texts")
    return unit_rows([vectors[at] for at in range(expected)])
