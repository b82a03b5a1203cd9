"""Ports for servers that must be told theirs beforehand."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def held_port() -> Iterator[int]:
    """A free port of the loopback that nobody else is given meanwhile.

    It is bound and not listened to: a server that reuses addresses, as servers do, may take it all the same.
    """
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]
