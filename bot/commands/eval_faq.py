"""`refdesk eval faq`: the FAQ gate on data sets."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bot.settings import Settings
from bot.wiring import open_gate_embedder, stand_alone_gate
from engine import ConfigurationError
from engine.evaluation import faq_sets
from engine.evaluation.faq_outside import about_documents, besides_money, clinc150_without_money, with_outside
from engine.evaluation.faq_report import evaluate
from engine.evaluation.faq_sets import FaqSet

_SETS = ("hard", "pairs", "rutube", "banking77", "clinc150", "clinc150-near")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    faq = parser.add_argument_group("eval faq")
    faq.add_argument(
        "--sets",
        type=Path,
        metavar="FOLDER",
        help="the folder that holds clinc150, banking77, rutube_ru, pairs (those that are there are measured); the"
        " folder above it may hold questions of other data sets, which none of these answers",
    )
    faq.add_argument("--hard", type=Path, metavar="FILE.jsonl", help="pairs with id, language, question, known")
    faq.add_argument("--only", choices=_SETS, action="append", help="measure this set only; may be repeated")


async def run(options: argparse.Namespace, settings: Settings) -> int:
    if options.sets is None:
        raise ConfigurationError("eval faq needs --sets FOLDER")
    chosen: Sequence[str] = options.only or _SETS
    async with open_gate_embedder(settings) as embedder:
        sys.stdout.write(f"embedder {embedder.fingerprint}; shares with their 95 % intervals\n")
        measured = False
        for parts in _chosen(chosen, options.sets, options.hard):
            measured = True
            async for line in evaluate(parts, embedder, lambda faq, found: stand_alone_gate(faq, found, embedder)):
                sys.stdout.write(line + "\n")
                sys.stdout.flush()
    if not measured:
        raise ConfigurationError(f"none of the sets is in {options.sets}: {', '.join(chosen)}")
    return 0


def _chosen(names: Sequence[str], folder: Path, hard: Path | None) -> Iterator[list[FaqSet]]:
    if "hard" in names and hard is not None:
        yield faq_sets.hard_pairs(hard)
    if "pairs" in names and (folder / "pairs").is_dir():
        yield faq_sets.pairs(folder)
    above, has_clinc = folder.parent, (folder / "clinc150").is_dir()
    if "rutube" in names and (folder / "rutube_ru").is_dir():
        first, *others = faq_sets.rutube(folder)
        yield [with_outside(first, about_documents(above, "ru")), *others]
    if "banking77" in names and (folder / "banking77").is_dir():
        yield [with_outside(faq_sets.banking77(folder), besides_money(folder) if has_clinc else ())]
    if "clinc150" in names and has_clinc:
        yield [with_outside(faq_sets.clinc150(folder), about_documents(above, "en"))]
    if "clinc150-near" in names and has_clinc:
        yield [clinc150_without_money(folder)]
