"""BGE-M3 through FlagEmbedding: the embedder recommended for production, dense vectors and learned lexical weights.

It needs PyTorch and 2.3 GB of weights, so it is an extra (`make setup-bge`). Its cosines were not measured here: the
calibration is a strict guess until `refdesk calibrate` has been run on questions of one's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from engine.errors import ConfigurationError, ProviderError
from engine.ports import Calibration, Matrix, SparseVector
from engine.providers.calibrations import UNMEASURED
from engine.providers.embedders.preparation import PREPARATION, prepare_passage
from engine.providers.embedders.threads import ThreadedEmbedder, ThreadedEncoder

if TYPE_CHECKING:
    from FlagEmbedding import BGEM3FlagModel

DEFAULT_MODEL = "BAAI/bge-m3"

_QUESTION_TOKENS = 256
_PASSAGE_TOKENS = 1024


class _BgeEncoder:
    def __init__(self, model: str, device: str) -> None:
        self._model = _loaded(model, device)
        # Its tokenizer changes its own settings in each call and fails when two threads do that at once.
        self._one_at_a_time = Lock()
        self.dimensions = int(self.questions(["warm up"]).shape[1])

    def questions(self, texts: list[str]) -> Matrix:
        return self._dense(texts, _QUESTION_TOKENS)

    def passages(self, texts: list[str]) -> Matrix:
        return self._dense(texts, _PASSAGE_TOKENS)

    def lexical_weights(self, texts: list[str]) -> list[Mapping[str, float]]:
        """Token ids, as text, with their weights."""
        found = self._encode(texts, _PASSAGE_TOKENS, return_dense=False, return_sparse=True)
        weights: list[Mapping[str, float]] = found["lexical_weights"]
        return weights

    def _dense(self, texts: list[str], max_tokens: int) -> Matrix:
        vectors: Matrix = self._encode(texts, max_tokens, return_dense=True, return_sparse=False)["dense_vecs"]
        return vectors

    def _encode(self, texts: list[str], max_tokens: int, **wanted: bool) -> dict[str, Any]:
        max_tokens = min(max_tokens, self._model.tokenizer.model_max_length)
        # A batch larger than the texts keeps its progress bars off the terminal.
        settings = {"max_length": max_tokens, "batch_size": len(texts) + 1, "return_colbert_vecs": False, **wanted}
        try:
            with self._one_at_a_time:
                found: dict[str, Any] = self._model.encode(texts, **settings)
        except (RuntimeError, AttributeError) as failure:
            # On any failure it tries smaller batches, down to an empty one, which ends in an AttributeError.
            raise ProviderError("bge-m3", f"failed, perhaps for want of memory: {failure}") from failure
        return found


class BgeM3Embedder(ThreadedEmbedder[_BgeEncoder]):
    """Knows no prefixes: questions and passages are embedded alike, but prepared differently."""

    def __init__(
        self, model: str = DEFAULT_MODEL, *, device: str = "cpu", calibration: Calibration = UNMEASURED
    ) -> None:
        """`model` is a folder, or a name that FlagEmbedding downloads; `device` is a PyTorch name: `cpu`, `cuda:0`."""
        self._model = model
        super().__init__(
            ThreadedEncoder("bge", lambda: _BgeEncoder(model, device), threads=1, slice_size=8), calibration
        )

    @property
    def fingerprint(self) -> str:
        """A folder goes by its own name, so that a knowledge base may move to another machine."""
        name = Path(self._model).name if Path(self._model).is_dir() else self._model
        return f"bge-m3:{name}/{PREPARATION}/qq"

    async def embed_sparse(self, texts: Sequence[str]) -> tuple[SparseVector, ...]:
        """The learned weights of each text's tokens, to be compared by dot product.

        Questions and passages are prepared alike, as passages: equal words must become equal tokens.
        """
        if not texts:
            return ()
        return await self._encoder.run(lambda encoder: _sparse(encoder, list(texts)))


def _loaded(model: str, device: str) -> BGEM3FlagModel:
    # Imported here because it takes seconds and is installed only where it is wanted.
    try:
        from FlagEmbedding import BGEM3FlagModel
    except ImportError as problem:
        raise ConfigurationError(f"BGE-M3 needs the extra `bge` (make setup-bge): {problem}") from problem
    try:
        return BGEM3FlagModel(model, devices=device, use_fp16=device != "cpu")
    except (OSError, ValueError, RuntimeError) as problem:
        raise ConfigurationError(f"the model {model!r} cannot be loaded on {device}: {problem}") from problem


def _sparse(encoder: _BgeEncoder, texts: list[str]) -> tuple[SparseVector, ...]:
    prepared = [prepare_passage(text) for text in texts]
    return tuple(_sparse_vector(weights) for weights in encoder.lexical_weights(prepared))


def _sparse_vector(weights: Mapping[str, float]) -> SparseVector:
    by_token = sorted((int(token), float(weight)) for token, weight in weights.items())
    return SparseVector(tuple(token for token, _ in by_token), tuple(weight for _, weight in by_token))
