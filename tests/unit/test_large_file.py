"""A file far larger than any that people write: it is parsed and chunked in time in proportion to its size."""

from __future__ import annotations

import time

from engine.ingest.chunking import chunk
from engine.ingest.parsers import parse
from engine.policy import ChunkPolicy
from engine.types import Collection, Domain

MEGABYTES = 30
SECONDS = 100
"""Of processor time, with a wide margin: it took 15."""


def test_thirty_megabytes_of_text_are_parsed_and_chunked() -> None:
    words = "The tenant pays the rent by the tenth day of each month, and the landlord confirms it in writing.\n\n"
    paragraphs = "".join(f"Line {number}. {words}" for number in range(MEGABYTES * 1_000_000 // (len(words) + 13) + 1))
    data = paragraphs.encode()
    assert len(data) >= (MEGABYTES - 1) * 1_000_000
    began = time.process_time()
    chunks, toc, _ = chunk(
        parse("big/log/lines.txt", data),
        document="big/log/lines.txt",
        revision="r1",
        domain=Domain(id="big", title="Big"),
        collection=Collection(id="log", title="Log"),
        policy=ChunkPolicy(),
        language="en",
    )
    seconds = time.process_time() - began
    assert toc
    assert sum(len(one.text) for one in chunks) >= 0.95 * len(paragraphs)
    assert len({one.id for one in chunks}) == len(chunks)
    assert seconds < SECONDS
