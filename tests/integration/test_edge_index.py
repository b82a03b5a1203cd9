"""The embedded index as a process: who owns it, how it dies, and what survives."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
from blockbuster import blockbuster_ctx

from engine.errors import KnowledgeError, ProviderError, ProviderTimeout, StoreBusy, StoreMismatch
from engine.ports import IndexPoint, Probe, Scope, SparseVector
from engine.providers.edge_index import EdgeIndex
from engine.types import Chunk

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="stops and kills processes by POSIX signals")

ROOT = Path(__file__).parents[2]
DIMENSIONS = 8
EVERYONE = Scope(audience=frozenset({"public"}))
ANYTHING = Probe(dense=np.ones(DIMENSIONS, dtype=np.float32))
CHUNKS_PER_DOCUMENT = 20
SHORT = 4.0
"""Seconds that a test is willing to lose, and far more than a child needs that is not stopped."""


def chunk_ids(document: int) -> list[str]:
    return [str(uuid.UUID(int=document * 1000 + number)) for number in range(CHUNKS_PER_DOCUMENT)]


def document_points(document: int, text: str = "text") -> list[IndexPoint]:
    return [
        IndexPoint(
            chunk=Chunk(
                id=chunk_id,
                document=f"{document}.md",
                revision="r1",
                ordinal=ordinal,
                domain="d",
                collection="c",
                document_title="T",
                section="1",
                section_title="S",
                section_index=1,
                text=text,
                header="d > c > T > S",
                language="en",
            ),
            dense=np.full(DIMENSIONS, 0.5, dtype=np.float32),
            lex=SparseVector((ordinal,), (1.0,)),
            tri=SparseVector((), ()),
        )
        for ordinal, chunk_id in enumerate(chunk_ids(document))
    ]


async def count_of(index: EdgeIndex, document: int) -> int:
    return len(await index.fetch(chunk_ids(document)))


def send_to_child(index: EdgeIndex, number: signal.Signals) -> None:
    assert index.process_id is not None
    os.kill(index.process_id, number)


async def until_sent(task: asyncio.Task[object]) -> None:
    """Let the task go on until it waits for the child, which is stopped."""
    for _ in range(20):
        await asyncio.sleep(0)
    assert not task.done()


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[EdgeIndex]:
    async with EdgeIndex.open(tmp_path / "index", DIMENSIONS) as opened:
        yield opened


# --- one owner ------------------------------------------------------------------------------------------------------


async def test_a_second_owner_is_told_which_folder_and_why(index: EdgeIndex, tmp_path: Path) -> None:
    await index.upsert(document_points(1))
    await index.flush()
    with pytest.raises(StoreBusy) as refused:
        async with EdgeIndex.open(tmp_path / "index", DIMENSIONS):
            pass
    assert str(tmp_path / "index") in str(refused.value)
    assert "Another Refdesk process" in str(refused.value)
    assert "\n" not in str(refused.value)


async def test_the_first_owner_goes_on_and_flushes_after_a_second_was_refused(index: EdgeIndex, tmp_path: Path) -> None:
    await index.upsert(document_points(1))
    await index.flush()
    with pytest.raises(StoreBusy):
        async with EdgeIndex.open(tmp_path / "index", DIMENSIONS):
            pass
    await index.upsert(document_points(2))
    await index.flush()
    await index.aclose()
    async with EdgeIndex.open(tmp_path / "index", DIMENSIONS) as again:
        assert [await count_of(again, document) for document in (1, 2)] == [CHUNKS_PER_DOCUMENT] * 2


async def test_an_index_of_other_vectors_is_refused(index: EdgeIndex, tmp_path: Path) -> None:
    await index.aclose()
    with pytest.raises(StoreMismatch, match="refdesk ingest"):
        async with EdgeIndex.open(tmp_path / "index", DIMENSIONS + 1):
            pass


async def test_a_damaged_index_is_reported(index: EdgeIndex, tmp_path: Path) -> None:
    await index.aclose()
    (tmp_path / "index" / "shard" / "edge_config.json").write_text("nonsense", encoding="utf-8")
    with pytest.raises(KnowledgeError, match="cannot be opened"):
        async with EdgeIndex.open(tmp_path / "index", DIMENSIONS):
            pass


async def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(KnowledgeError, match="cannot be opened"):
        async with EdgeIndex.open(tmp_path / "file" / "index", DIMENSIONS):
            pass


# --- the child dies -------------------------------------------------------------------------------------------------


async def test_waiting_requests_fail_when_the_child_is_killed_and_the_next_one_starts_it_again(
    index: EdgeIndex,
) -> None:
    await index.upsert(document_points(1))
    first = index.process_id
    send_to_child(index, signal.SIGSTOP)
    waiting = [asyncio.create_task(index.search(ANYTHING, EVERYONE, 5)) for _ in range(3)]
    for task in waiting:
        await until_sent(task)
    send_to_child(index, signal.SIGKILL)
    for outcome in await asyncio.gather(*waiting, return_exceptions=True):
        assert isinstance(outcome, ProviderError)
        assert "has ended" in outcome.reason

    # What was acknowledged is still there, though it was not flushed.
    assert await asyncio.gather(*(count_of(index, 1) for _ in range(3))) == [CHUNKS_PER_DOCUMENT] * 3
    assert index.process_id != first
    await index.upsert(document_points(2))
    await index.flush()


async def die(index: EdgeIndex) -> None:
    """Kill the child while somebody waits for it, so that its death is known on return."""
    send_to_child(index, signal.SIGSTOP)
    task = asyncio.create_task(index.flush())
    await until_sent(task)
    send_to_child(index, signal.SIGKILL)
    with pytest.raises(ProviderError):
        await task


async def test_a_child_that_answers_may_die_more_than_once(index: EdgeIndex) -> None:
    await index.upsert(document_points(1))
    for _ in range(3):
        await die(index)
        assert await count_of(index, 1) == CHUNKS_PER_DOCUMENT


async def test_a_child_that_dies_again_before_it_answers_is_not_started_a_third_time(
    index: EdgeIndex, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    await die(index)
    monkeypatch.setenv("PYTHONHOME", str(tmp_path / "nowhere"))
    with pytest.raises(ProviderError, match="has ended with code 1"):
        await index.flush()
    monkeypatch.delenv("PYTHONHOME")
    with pytest.raises(ProviderError, match="keeps ending"):
        await index.flush()


async def test_another_owner_in_between_does_not_keep_the_first_out_for_ever(index: EdgeIndex, tmp_path: Path) -> None:
    await index.upsert(document_points(1))
    await die(index)
    async with EdgeIndex.open(tmp_path / "index", DIMENSIONS):
        with pytest.raises(StoreBusy):
            await index.flush()
    assert await count_of(index, 1) == CHUNKS_PER_DOCUMENT


async def test_ctrl_c_and_termination_leave_the_child_to_its_parent(index: EdgeIndex) -> None:
    before = index.process_id
    send_to_child(index, signal.SIGINT)
    send_to_child(index, signal.SIGTERM)
    await index.upsert(document_points(1))
    assert index.process_id == before


# --- deadlines and the event loop -----------------------------------------------------------------------------------


async def test_a_child_that_hangs_costs_no_more_than_the_deadline(tmp_path: Path) -> None:
    async with EdgeIndex.open(tmp_path, DIMENSIONS, deadline=SHORT) as index:
        await index.upsert(document_points(1))
        send_to_child(index, signal.SIGSTOP)
        with pytest.raises(ProviderTimeout):
            await index.search(ANYTHING, EVERYONE, 5)
        send_to_child(index, signal.SIGCONT)
        # The late answer to the first question is not taken for the answer to the second.
        assert await index.documents() == {"1.md": {"r1"}}


async def test_closing_ends_a_child_that_hangs(tmp_path: Path) -> None:
    async with EdgeIndex.open(tmp_path, DIMENSIONS, deadline=SHORT) as index:
        await index.upsert(document_points(1))
        send_to_child(index, signal.SIGSTOP)
    with pytest.raises(ProviderError, match="closed"):
        await index.flush()
    async with EdgeIndex.open(tmp_path, DIMENSIONS) as again:
        assert await count_of(again, 1) == CHUNKS_PER_DOCUMENT


async def test_the_event_loop_goes_on_while_the_child_does_not_read(index: EdgeIndex) -> None:
    send_to_child(index, signal.SIGSTOP)
    # Far more than a pipe holds.
    task = asyncio.create_task(index.upsert(document_points(1, text="x" * 200_000)))
    await until_sent(task)
    send_to_child(index, signal.SIGCONT)
    await task
    assert await count_of(index, 1) == CHUNKS_PER_DOCUMENT


async def test_nothing_blocks_the_event_loop(tmp_path: Path) -> None:
    with blockbuster_ctx():
        async with EdgeIndex.open(tmp_path, DIMENSIONS) as index:
            await index.upsert(document_points(1))
            await index.search(ANYTHING, EVERYONE, 5)
            await index.fetch(chunk_ids(1))
            await index.documents()
            await index.remove("1.md")
            await index.flush()
            await index.optimise()


async def test_a_request_that_is_cancelled_leaves_the_others_alone(index: EdgeIndex) -> None:
    send_to_child(index, signal.SIGSTOP)
    given_up = asyncio.create_task(index.upsert(document_points(1)))
    patient = asyncio.create_task(index.documents())
    await until_sent(patient)
    given_up.cancel()
    with pytest.raises(asyncio.CancelledError):
        await given_up
    send_to_child(index, signal.SIGCONT)
    assert await patient == {"1.md": {"r1"}}


# --- the whole process dies -----------------------------------------------------------------------------------------


async def write_until_killed(folder: Path) -> None:
    """Run in a process of its own: names each document on standard output as soon as it is flushed."""
    async with EdgeIndex.open(folder, DIMENSIONS) as index:
        for document in range(10_000):
            await index.upsert(document_points(document))
            if document % 3 == 2:
                await index.flush()
                sys.stdout.write(f"{document}\n")
                sys.stdout.flush()


@pytest.mark.parametrize("flushes", [1, 4])
async def test_killing_refdesk_loses_nothing_that_was_flushed(tmp_path: Path, flushes: int) -> None:
    writer = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.integration.test_edge_index", str(tmp_path)),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    assert writer.stdout is not None
    lines = [await writer.stdout.readline() for _ in range(flushes)]
    writer.kill()
    await writer.communicate()

    last = int(lines[-1])
    async with EdgeIndex.open(tmp_path, DIMENSIONS) as index:
        counts = [await count_of(index, document) for document in range(last + 10)]
        assert counts[: last + 1] == [CHUNKS_PER_DOCUMENT] * (last + 1)
        assert set(counts[last + 1 :]) <= {0, CHUNKS_PER_DOCUMENT}, "a document is there wholly or not at all"
        await index.upsert(document_points(500))
        await index.flush()


SCRIPT_WITHOUT_MAIN_GUARD = """
import asyncio, sys
from pathlib import Path
from engine.providers.edge_index import EdgeIndex

async def main():
    async with EdgeIndex.open(Path(sys.argv[1]), 8) as index:
        print(dict(await index.documents()))

print("started")
asyncio.run(main())
"""

SCRIPT_THAT_FORGETS_TO_CLOSE = """
import asyncio, sys
from pathlib import Path
from engine.providers.edge_index import EdgeIndex

async def main():
    await EdgeIndex.open(Path(sys.argv[1]), 8).__aenter__()

asyncio.run(main())
"""


def run_script(text: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    script = tmp_path / "script.py"
    script.write_text(text, encoding="utf-8")
    return subprocess.run(
        [sys.executable, str(script), str(tmp_path / "index")],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_child_does_not_run_the_main_script_again(tmp_path: Path) -> None:
    done = run_script(SCRIPT_WITHOUT_MAIN_GUARD, tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == ("started\n{}\n", "", 0)


async def test_an_index_that_nobody_closed_keeps_nothing_alive(tmp_path: Path) -> None:
    done = await asyncio.to_thread(run_script, SCRIPT_THAT_FORGETS_TO_CLOSE, tmp_path)
    assert (done.stderr, done.returncode) == ("", 0)
    async with EdgeIndex.open(tmp_path / "index", DIMENSIONS) as index:
        assert await index.documents() == {}


if __name__ == "__main__":
    asyncio.run(write_until_killed(Path(sys.argv[1])))
