"""Answers by quoting: whole sentences or table rows of the best passages, the shortest that answer. No model server."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine import phrases
from engine.policy import GenerationPolicy
from engine.ports import Draft, Embedder, Task
from engine.text.facts import numbers
from engine.text.overlap import coverage, document_frequencies, weights
from engine.text.passages import Passage, passages
from engine.text.stems import content_stems
from engine.types import Completeness, ScoredChunk, Usage, Written

_WANTS_FIGURE = re.compile(
    r"сколько|како[йв]\w* (?:срок|размер|сумм|процент|цен)|когда|почём|до скольки|стоит"
    r"|how (?:long|much|many|soon|often|big)|when|what time|price|cost",
    re.IGNORECASE,
)
_PAIR_COVERAGE = 0.7
"""How much of an adjacent question a known pair must hold to be quoted in its place."""


class QuotingGenerator:
    """`embedder` compares the question with single sentences; a fast one, since there are dozens per answer."""

    def __init__(self, embedder: Embedder, policy: GenerationPolicy) -> None:
        self._embedder = embedder
        self._policy = policy

    @asynccontextmanager
    async def write(self, task: Task) -> AsyncGenerator[Draft, None]:
        yield await (self._quote_pair(task) if task.pairs else self._quote_chunks(task))

    async def _quote_pair(self, task: Task) -> QuotedDraft:
        """The nearest known question with its answer, named as such; nothing when it is about something else."""
        asked = frozenset(content_stems(task.question.text))
        best = task.pairs[0]
        held = frozenset(content_stems(f"{best.question} {best.answer}"))
        if coverage(dict.fromkeys(asked, 1.0), held) < _PAIR_COVERAGE:
            return QuotedDraft((), Written(completeness="incomplete", cited=()))
        text = f"{phrases.similar_question(task.language, best.question)}\n\n{best.answer}"
        return QuotedDraft((text,), Written(completeness="partial", cited=()))

    async def _quote_chunks(self, task: Task) -> QuotedDraft:
        candidates = await asyncio.to_thread(_candidates, task)
        if not candidates:
            return QuotedDraft((), Written(completeness="incomplete", cited=()))
        vectors = await self._embedder.embed_passages([quote.passage.text for quote in candidates])
        asked = (await self._embedder.embed_questions([task.question.text]))[0]
        scores = await asyncio.to_thread(_score, task, candidates, vectors @ asked)
        chosen = self._choose(candidates, scores, task)
        pieces = tuple(
            quote.rendered() + ("\n\n" if number < len(chosen) - 1 else "") for number, quote in enumerate(chosen)
        )
        cited = tuple(dict.fromkeys(quote.scored.chunk.id for quote in chosen))
        completeness: Completeness = "complete" if chosen else "incomplete"
        usage = Usage(embeddings=len(candidates) + 1)
        return QuotedDraft(pieces, Written(completeness=completeness, cited=cited, usage=usage))

    def _choose(self, candidates: Sequence[Quote], scores: Sequence[float], task: Task) -> list[Quote]:
        """The best quotes within the budget, in reading order.

        A second pass keeps the first draft's quotes and adds from the chunks that these pointed at.
        """
        kept = [index for index, quote in enumerate(candidates) if task.earlier and quote.passage.text in task.earlier]
        told = {candidates[index].scored.chunk.id for index in kept}
        fresh = [index for index, quote in enumerate(candidates) if quote.scored.chunk.id not in told]
        order = sorted(fresh, key=lambda index: (-scores[index], index))
        added: list[int] = []
        length = 0
        for index in order[: self._policy.quotes]:
            size = len(candidates[index].passage.text)
            if added and scores[index] < self._policy.close_quotes * scores[order[0]]:
                break
            if not added or length + size <= self._policy.quote_characters:
                added.append(index)
                length += size
        chosen = sorted({*kept, *added}, key=lambda index: _reading_order(candidates[index]))
        return [candidates[index] for index in chosen]


@dataclass(frozen=True, slots=True)
class Quote:
    passage: Passage
    scored: ScoredChunk
    rank: int
    """Place of its chunk among the evidence, best first."""

    def rendered(self) -> str:
        lead = self.passage.lead
        return f"{lead}\n{self.passage.text}" if lead.endswith(":") else self.passage.text


class QuotedDraft:
    def __init__(self, pieces: tuple[str, ...], written: Written) -> None:
        self._pieces = pieces
        self._written = written

    async def _text(self) -> AsyncGenerator[str, None]:
        for piece in self._pieces:
            yield piece

    def __aiter__(self) -> AsyncIterator[str]:
        return self._text()

    @property
    def written(self) -> Written:
        return self._written


def _candidates(task: Task) -> list[Quote]:
    """Each quotable part once, although neighbouring chunks overlap."""
    seen: set[str] = set()
    found: list[Quote] = []
    for rank, scored in enumerate(task.evidence.chunks):
        for passage in passages(scored.chunk.text):
            if passage.text not in seen:
                seen.add(passage.text)
                found.append(Quote(passage, scored, rank))
    return found


def _score(task: Task, candidates: Sequence[Quote], cosines: npt.NDArray[np.float32]) -> list[float]:
    """How well each part answers: telling words it shares, likeness of meaning, its chunk, a figure if one is asked."""
    stems = [
        frozenset(content_stems(f"{quote.scored.chunk.section_title} {quote.passage.lead} {quote.passage.text}"))
        for quote in candidates
    ]
    asked = weights(frozenset(content_stems(task.question.text)), document_frequencies(stems), len(candidates))
    wants_figure = _WANTS_FIGURE.search(task.question.text) is not None
    return [
        0.4 * coverage(asked, held)
        + 0.35 * max(0.0, float(cosine))
        + 0.25 * quote.scored.score
        + (0.1 if wants_figure and numbers(quote.passage.text) else 0.0)
        for quote, held, cosine in zip(candidates, stems, cosines, strict=True)
    ]


def _reading_order(quote: Quote) -> tuple[int, int]:
    return quote.rank, quote.passage.order
