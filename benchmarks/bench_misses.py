"""How well misses are grouped: messages of users whose right FAQ question is known, by purity and completeness.

python benchmarks/bench_misses.py FOLDER     # with rutube_ru/cases.jsonl in it
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from engine.matching.clusters import ALIKE, clusters, purity
from engine.providers.embedders.use import UseEmbedder
from engine.text.normal import question_form


async def main(folder: Path) -> None:
    lines = (folder / "rutube_ru" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    texts = [row["Вопрос пользователя"] for row in rows]
    right = [row["Ответ из БЗ"] for row in rows]
    embedder = UseEmbedder()
    await embedder.load()
    vectors = await embedder.embed_questions([question_form(text) for text in texts])
    await embedder.aclose()
    print(f"{len(texts)} messages, {len(set(right))} right answers")
    for alike in sorted({ALIKE, *(step / 20 for step in range(8, 25))}):
        groups = clusters(texts, vectors, alike)
        label = {place: number for number, group in enumerate(groups) for place in group}
        found = [label[place] for place in range(len(texts))]
        pure, complete = purity(found, right), purity(right, found)
        mark = "  <- used" if alike == ALIKE else ""
        print(f"alike {alike:.2f}: {len(groups)} groups, purity {pure:.3f}, completeness {complete:.3f}{mark}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(main(Path(sys.argv[1])))
    else:
        print("name the folder that holds rutube_ru")
