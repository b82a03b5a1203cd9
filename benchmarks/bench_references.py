"""How well and how fast references are detected, on labels made by reading and on the labels of rule books.

    .venv/bin/python -m benchmarks.bench_references

What is measured and how is told in `tests/labelled_references.py`. The speed is that of `find_mentions` over the
labelled sentences, many times over, one thread; the longest of the unit tests' awkward texts bounds the worst case.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from engine.text.references import find_mentions
from tests.labelled_references import Detection, labelled_sentences, on_rule_books, on_sentences

ROUNDS = 20
AWKWARD = "ст. 5 " * 17_000


def main() -> int:
    named = os.environ.get("REFDESK_TEST_DATA")  # noqa: TID251  where the data lies is no setting of Refdesk
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not (folder / "docs").is_dir():
        print(f"NO DATA in {folder}: set REFDESK_TEST_DATA to the folder that holds docs/")
        return 1
    labelled, drawn = labelled_sentences(folder / "docs")
    print(f"labelled sentences: {len(labelled)} of {drawn} stand in the documents as they are parsed now")
    report("sentences", on_sentences(labelled))
    report("rule books", on_rule_books(folder / "qa" / "obliqa_xref" / "CrossReferenceData.csv"))
    start = time.perf_counter()
    for _ in range(ROUNDS):
        for one in labelled:
            find_mentions(one.text)
    seconds = time.perf_counter() - start
    characters = ROUNDS * sum(len(one.text) for one in labelled)
    print(f"speed: {ROUNDS * len(labelled) / seconds:,.0f} sentences/s, {characters / seconds:,.0f} characters/s")
    start = time.perf_counter()
    find_mentions(AWKWARD)
    print(f"{len(AWKWARD):,} characters of one reference after another: {time.perf_counter() - start:.2f} s")
    return 0


def report(name: str, detection: Detection) -> None:
    print(
        f"{name}: precision {detection.precision:.3f} of {detection.found} mentions,"
        f" recall {detection.recall:.3f} of {detection.expected} references"
    )


if __name__ == "__main__":
    sys.exit(main())
