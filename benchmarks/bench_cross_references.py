"""Given the right first section, is the section that it refers to fetched? On the cross-reference questions.

    .venv/bin/python benchmarks/bench_cross_references.py [--data FOLDER] [--embedder use]

The first section's chunks are all the evidence. The quoting generator writes a draft from them, the referencer follows
it. Printed for each question: whether the chunks for the second pass hold the section referred to.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from bench_ingest import data_folder

from bot import log
from bot.bringing_up import ingest
from bot.settings import Settings
from bot.wiring import App, build
from engine import Question
from engine.ports import Task
from engine.stages.places import key, subtree
from engine.text.normal import detect_language
from engine.types import Evidence, ScoredChunk, TocEntry


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, help="keep the index here and use it again")
    parser.add_argument("--embedder", default="use")
    options = parser.parse_args()
    log.set_up("warning")
    source = data_folder()
    if source is None:
        raise SystemExit("the test data is not here; name its folder in REFDESK_TEST_DATA")
    with tempfile.TemporaryDirectory() as scratch:
        settings = Settings(
            knowledge=source / "docs", data=options.data or Path(scratch), index_embedder=options.embedder
        )
        async with build(settings) as app:
            await ingest(app)
            lines = (source / "questions" / "cross_reference.jsonl").read_text(encoding="utf-8").splitlines()
            fetched = [await _one(app, json.loads(line)) for line in lines]
    known = [one for one in fetched if one is not None]
    print(f"fetched {sum(known)} of {len(known)} ({100 * sum(known) / len(known):.0f} %)")


async def _one(app: App, case: dict[str, Any]) -> bool | None:
    rows = _rows(await app.documents.toc(case["doc"]), case["first_section"])
    if not rows:
        print(f"{case['id']}: no section {case['first_section']} in {case['doc']}")
        return None
    toc = await app.documents.toc(case["doc"])
    chunks = await app.index.fetch(list(dict.fromkeys(i for row in rows for i in subtree(toc, row.index))))
    evidence = Evidence(chunks=tuple(ScoredChunk(chunk=one, score=0.8) for one in chunks), sufficient=True)
    question = Question(text=case["question"])
    task = Task(question=question, language=detect_language(question.text), evidence=evidence)
    async with app.engine.fallback.write(task) as draft:
        text = "".join([piece async for piece in draft])
        cited = draft.written.cited
    began = time.perf_counter()
    followed = await app.engine.referencer.follow(question, text, cited, evidence)
    took = (time.perf_counter() - began) * 1000
    document = case["ref_doc"] or case["doc"]
    held = followed.evidence.chunks if followed.evidence else ()
    target_toc = await app.documents.toc(document)
    wanted = {i for row in _rows(target_toc, case["ref_section"]) for i in subtree(target_toc, row.index)}
    found = any(scored.chunk.id in wanted for scored in held)
    references = [(one.marker, one.status, one.document, one.section) for one in followed.references]
    verdict = "ok  " if found else "MISS"
    print(f"{verdict} {case['id']} {took:.1f} ms, {document} {case['ref_section']} wanted: {references}")
    return found


def _rows(toc: tuple[TocEntry, ...], named: str) -> list[TocEntry]:
    """The sections that a question file names: "21", "Article 22", "Appendix B"."""
    label = key(named.split()[-1])
    if named == "tables":
        return [row for row in toc if row.chunk_ids]
    rows = [row for row in toc if key(row.number) == label]
    plain = [row for row in rows if not row.title.lower().startswith(("глава", "chapter"))]
    return (plain or rows)[:1]


if __name__ == "__main__":
    asyncio.run(main())
