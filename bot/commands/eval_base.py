"""`refdesk eval base`: the path from a question to its answer, measured on a knowledge folder and a question file."""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from bot.bringing_up import ingest
from bot.commands.arguments import MOST_LISTED, from_1_to
from bot.settings import Settings
from bot.wiring import App, bare_search, build
from engine import ConfigurationError
from engine.evaluation.base_page import evaluation_page, failure_of, listed
from engine.evaluation.base_questions import Gold, read_questions
from engine.evaluation.base_rows import DEEPEST, Row
from engine.evaluation.base_run import KeptRows, Show, Trial, code_version, questions_version
from engine.evaluation.base_summary import MEASURES, Figure, Summary, compare, summarise
from engine.evaluation.configurations import CONFIGURATIONS, PRODUCT, Configuration
from engine.evaluation.model_verdicts import ModelVerdicts
from engine.policy import ChunkPolicy, Policy
from engine.registry import load_registry

_SEED = 20
_FEWEST_TOKENS = 50
_MOST_OVERLAP = 0.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    base = parser.add_argument_group("eval base")
    base.add_argument(
        "--questions", type=Path, metavar="FILE.jsonl", help="questions with what is known of the answers"
    )
    base.add_argument(
        "--config",
        action="append",
        metavar="NAME",
        help=f"what to measure, repeatable: {', '.join(CONFIGURATIONS)}, or all (default: {PRODUCT})",
    )
    base.add_argument("--against", metavar="NAME", help="put each configuration beside this one, question by question")
    base.add_argument(
        "--out", type=Path, metavar="FOLDER", help="rows, index, results (default: eval in the data folder)"
    )
    base.add_argument("--chunk-tokens", type=int, metavar="N", help="cut chunks of about so many tokens")
    base.add_argument("--overlap", type=float, metavar="SHARE", help="share of a chunk that the next one repeats")
    base.add_argument("--first-pass", type=from_1_to(MOST_LISTED), metavar="N", help="chunks that the first pass sees")
    base.add_argument(
        "--repeats",
        type=int,
        default=1,
        metavar="N",
        help="ask each question N times, where a model makes answers differ",
    )
    base.add_argument(
        "--limit",
        type=from_1_to(MOST_LISTED),
        metavar="N",
        help="a random sample of so many questions, always the same",
    )
    base.add_argument(
        "--language", choices=["ru", "en"], help="questions in this language only; of a made-up base: its language"
    )


async def run(options: argparse.Namespace, settings: Settings) -> int:
    if options.questions is None:
        raise ConfigurationError("eval base needs --questions FILE.jsonl; docs/evaluation.md says what stands in it")
    if options.repeats < 1:
        raise ConfigurationError("--repeats must be 1 or more")
    chosen = _chosen(options.config or [PRODUCT], options.against)
    folder: Path = options.out or settings.data / "eval"
    rows: dict[str, tuple[Row, ...]] = {}
    for headers in (True, False):
        wanted = [one for one in chosen if one.headers == headers]
        if wanted:
            rows |= await _measured(wanted, options, settings, folder)
    rows = {one.name: rows[one.name] for one in chosen}
    summaries = [summarise(name, listed) for name, listed in rows.items()]
    against = {name: compare(listed, rows[options.against]) for name, listed in rows.items()} if options.against else {}
    against.pop(options.against, None)
    _write(folder, f"{settings.knowledge.name}: {options.questions.name}", summaries, rows, against, options.against)
    _print(summaries, rows, against, options.against)
    sys.stdout.write(f"all rows, results.json and results.html in {folder}\n")
    return 0


def _chosen(names: Sequence[str], against: str | None) -> list[Configuration]:
    wanted = list(CONFIGURATIONS) if "all" in names else [*names]
    wanted = list(dict.fromkeys([*wanted, *([against] if against else [])]))
    if unknown := [name for name in wanted if name not in CONFIGURATIONS]:
        raise ConfigurationError(f"there is no configuration {unknown[0]}; there are {', '.join(CONFIGURATIONS)}, all")
    return [CONFIGURATIONS[name] for name in wanted]


async def _measured(
    wanted: Sequence[Configuration], options: argparse.Namespace, settings: Settings, folder: Path
) -> dict[str, tuple[Row, ...]]:
    """An index of its own in the folder, so that a desk that is running is not disturbed."""
    headers = wanted[0].headers
    policy = _policy(options, headers)
    own = settings.model_copy(update={"data": folder / _index_name(policy.chunks)})
    async with build(own, policy) as app:
        await ingest(app)
        golds = _asked(read_questions(options.questions, await _paths(app)), options)
        kept = KeptRows(folder / "rows")
        kept.open(await _made_from(app, golds, settings, policy))
        router, wide = bare_search(app, policy, DEEPEST)
        verdicts = ModelVerdicts(app.model) if app.model else None
        trial = Trial(app.engine, router, wide, audience=settings.audiences, verdicts=verdicts)
        repeats = _repeats(options.repeats, app)
        with _progress() as show:
            return {one.name: await kept.complete(trial, one, golds, show, repeats) for one in wanted}


def _repeats(asked_for: int, app: App) -> int:
    """Without a model an answer is the same every time."""
    if asked_for > 1 and app.model is None:
        sys.stderr.write("no model writes or judges, so nothing can differ: each question is asked once\n")
        return 1
    return asked_for


def _policy(options: argparse.Namespace, headers: bool) -> Policy:
    """The product's, but for what is tried."""
    policy = Policy()
    chunks = replace(
        policy.chunks,
        headers=headers,
        tokens=policy.chunks.tokens if options.chunk_tokens is None else options.chunk_tokens,
    )
    if options.overlap is not None:
        chunks = replace(chunks, overlap=options.overlap, overlap_repetitive=max(0.1, options.overlap))
    if not (chunks.tokens >= _FEWEST_TOKENS and 0 <= chunks.overlap <= _MOST_OVERLAP):
        raise ConfigurationError(
            f"--chunk-tokens must be {_FEWEST_TOKENS} or more, --overlap between 0 and {_MOST_OVERLAP}"
        )
    retrieval = replace(policy.retrieval, kept=options.first_pass or policy.retrieval.kept)
    return replace(policy, chunks=chunks, retrieval=retrieval)


def _index_name(chunks: ChunkPolicy) -> str:
    """Each way to cut documents has an index of its own."""
    plain = ChunkPolicy()
    cut = (
        "" if (chunks.tokens, chunks.overlap) == (plain.tokens, plain.overlap) else f"-{chunks.tokens}-{chunks.overlap}"
    )
    return f"index{cut}{'' if chunks.headers else '-without-headers'}"


async def _paths(app: App) -> list[str]:
    return [record.path for record in await app.documents.documents()]


def _asked(golds: Sequence[Gold], options: argparse.Namespace) -> Sequence[Gold]:
    if options.language:
        golds = [gold for gold in golds if gold.language == options.language]
    if options.limit and options.limit < len(golds):
        golds = random.Random(_SEED).sample(golds, options.limit)
    if not golds:
        raise ConfigurationError(f"{options.questions} has no questions to ask")
    return golds


async def _made_from(app: App, golds: Sequence[Gold], settings: Settings, policy: Policy) -> Mapping[str, str]:
    registry, _ = await load_registry(app.meta)
    return {
        "knowledge": registry.version,
        "questions": questions_version(golds),
        "embedder": app.index_embedder.fingerprint,
        "model": settings.model_name or "",
        "code": code_version(),
        "chunks": f"{policy.chunks.tokens} tokens, {policy.chunks.overlap} overlap, {policy.retrieval.kept} seen",
    }


@contextmanager
def _progress() -> Iterator[Show]:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None)

        def show(name: str, done: int, total: int) -> None:
            bar.update(task, description=name, completed=done, total=total)

        yield show


def _write(
    folder: Path,
    title: str,
    summaries: Sequence[Summary],
    rows: Mapping[str, Sequence[Row]],
    against: Mapping[str, Mapping[str, Figure]],
    other: str | None,
) -> None:
    results = {
        "configurations": [asdict(one) for one in summaries],
        "against": other,
        "differences": {
            name: {measure: asdict(figure) for measure, figure in figures.items()} for name, figures in against.items()
        },
    }
    (folder / "results.json").write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "results.html").write_text(evaluation_page(title, summaries, rows, against, other), encoding="utf-8")


def _print(
    summaries: Sequence[Summary],
    rows: Mapping[str, Sequence[Row]],
    against: Mapping[str, Mapping[str, Figure]],
    other: str | None,
) -> None:
    out = sys.stdout
    for one in summaries:
        times = f", each {one.repeats} times (±: standard deviation between those)" if one.repeats > 1 else ""
        failures = sum(bool(failure_of(row)) for row in rows[one.configuration])
        out.write(f"{one.configuration}: {one.questions} questions{times}, {failures} failures, {listed(one.kinds)}\n")
        for measure in MEASURES:
            if measure.name in one.figures:
                lead = against.get(one.configuration, {}).get(measure.name)
                beside = f"   over {other}: {lead}" if lead else ""
                out.write(f"  {measure.title:<36} {one.told(measure.name)}{beside}\n")
        for name, share in one.references.items():
            out.write(f"  reference: {name:<25} {share}\n")
        out.write(f"  written {listed(one.passes)}\n  ms: {listed(one.milliseconds)}\n")
        out.write(f"  each question: {listed(one.calls)}\n")
        if one.judge_errors:
            failed = sum(one.judge_errors.values())
            out.write(f"  the judging model failed {failed} times ({listed(one.judge_errors)}); those are left out\n")
        if one.stood_in:
            out.write(f"  quoted in place of the model: {one.stood_in} answers\n")
