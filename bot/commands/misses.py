from __future__ import annotations

import argparse
import json
import sys

from bot.settings import Settings
from bot.wiring import open_gate_embedder, open_misses
from engine.matching.clusters import clusters
from engine.text.normal import question_form
from engine.text.personal import masked
from engine.types import Miss

NAME = "misses"
HELP = "the questions that nobody could answer, newest first"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--limit", type=int, default=50, help="how many (default: 50)")
    parser.add_argument("--groups", action="store_true", help="those that ask the same together, the most asked first")
    parser.add_argument("--json", action="store_true", help="one JSON object per line")


async def run(options: argparse.Namespace, settings: Settings) -> int:
    if options.groups:
        return await _groups(options, settings)
    async with open_misses(settings) as misses:
        for miss in await misses.list(options.limit):
            where = "/".join(part for part in (miss.route.domain, miss.route.collection) if part) if miss.route else ""
            if options.json:
                row = {
                    "id": miss.id,
                    "asked_at": miss.asked_at,
                    "question": masked(miss.question),
                    "language": miss.language,
                    "best_score": miss.best_score,
                    "reason": miss.reason,
                    "route": where or None,
                }
                sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
            else:
                facts = [miss.asked_at[:16], miss.language, f"{miss.best_score:.2f}", miss.reason, where or "-"]
                sys.stdout.write("  ".join([*facts, miss.question]) + "\n")
    return 0


async def _groups(options: argparse.Namespace, settings: Settings) -> int:
    async with open_misses(settings) as store:
        misses = [miss for miss in await store.list(options.limit) if miss.reason != "not_a_question"]
    texts = [miss.question for miss in misses]
    async with open_gate_embedder(settings) as embedder:
        vectors = await embedder.embed_questions([question_form(text) for text in texts])
    for group in clusters(texts, vectors):
        _tell_group([misses[place] for place in group], as_json=options.json)
    return 0


def _tell_group(group: list[Miss], *, as_json: bool) -> None:
    seen = sorted(miss.asked_at for miss in group)
    example = max(group, key=lambda miss: miss.asked_at).question
    languages = sorted({miss.language for miss in group})
    if as_json:
        row = {"count": len(group), "first_seen": seen[0], "last_seen": seen[-1], "languages": languages,
               "example": masked(example), "misses": [miss.id for miss in group]}  # fmt: skip
        sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(f"{len(group):>4}  {seen[0][:10]}..{seen[-1][:10]}  {','.join(languages)}  {example}\n")
