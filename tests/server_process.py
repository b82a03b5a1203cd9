"""A server for tests in a process of its own, which ends with the test run however that ends."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

READY = "listening on "
_START_SECONDS = 60


@contextmanager
def server_process(module: str, *arguments: str) -> Iterator[str]:
    """The address that the module's server announced; see `announce`."""
    with subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=Path(__file__).parent.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        given_up = threading.Timer(_START_SECONDS, process.kill)
        given_up.start()
        try:
            ready = next((line for line in process.stdout if line.startswith(READY)), None)
            given_up.cancel()
            if ready is None:
                pytest.fail(f"the server of {module} did not start within {_START_SECONDS} s")
            yield ready.removeprefix(READY).strip()
        finally:
            given_up.cancel()
            process.kill()


def announce(address: str) -> None:
    """Say where the server listens, and wait for the end of the test run: then standard input ends."""
    sys.stdout.write(f"{READY}{address}\n")
    sys.stdout.flush()
    sys.stdin.read()
