"""Answers by quoting: whole sentences or table rows of the best passages, the shortest that answer. No model server."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import accumulate, islice

import numpy as np
import numpy.typing as npt

from engine.phrases import Phrases
from engine.policy import GenerationPolicy
from engine.ports import Draft, Embedder, Task
from engine.stages.complements import complement, designations, joins
from engine.stages.named_items import named_items
from engine.stages.quotes import Quote, QuotedDraft, paragraph_of, place_of, quotes_of, reading_order, rendered, shown
from engine.text.answer_types import asked_for, hedges, holds_one_of, labels_of, only_announces, refers_back, sets_forth
from engine.text.facts import numbers
from engine.text.focus import names, without_name
from engine.text.overlap import coverage, document_frequencies, weights
from engine.text.sentences import split_sentences
from engine.text.stems import content_stems
from engine.types import Completeness, Reference, ScoredChunk, Usage, Written

_NEWS = 3
"""A sentence that adds fewer telling words than this to the question hardly answers it."""
_SHORT_QUOTE = 160
"""Characters up to which a sentence is quoted together with the next one of its paragraph."""
_SHORT_PLACE = 320
"""Characters up to which a place that is pointed at is quoted whole: half a list misleads."""
_PAIR_COVERAGE = 0.9
"""How much of an adjacent question a known pair must hold to be quoted in its place."""


class QuotingGenerator:
    """`embedder` compares the question with single sentences; a fast one, since there are dozens per answer."""

    def __init__(self, embedder: Embedder, policy: GenerationPolicy, phrases: Phrases | None = None) -> None:
        self._embedder = embedder
        self._policy = policy
        self._phrases = phrases or Phrases()

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
        text = f"{self._phrases('similar_question', task.language, question=best.question)}\n\n{best.answer}"
        return QuotedDraft((text,), Written(completeness="partial", cited=()))

    async def _quote_chunks(self, task: Task) -> QuotedDraft:
        task, named = _focused(task)
        candidates = await asyncio.to_thread(quotes_of, task)
        if not candidates:
            return QuotedDraft((), Written(completeness="incomplete", cited=()))
        if task.evidence.whole:
            return _quoted(candidates, _first_that_fit(candidates, self._policy.quote_characters), Usage())
        vectors = await self._embedder.embed_passages([quote.passage.text for quote in candidates])
        asked = (await self._embedder.embed_questions([task.question.text]))[0]
        scores = await asyncio.to_thread(_score, task, candidates, vectors @ asked)
        chosen = self._choose(candidates, scores, task, named)
        return _quoted(candidates, chosen, Usage(embeddings=len(candidates) + 1))

    def _choose(
        self, candidates: Sequence[Quote], scores: Sequence[float], task: Task, domains: Sequence[str]
    ) -> list[int]:
        """Which to quote, in reading order. A second pass keeps the first draft's and adds what these pointed at."""
        kept = {index for index, quote in enumerate(candidates) if task.earlier and shown(quote) in task.earlier}
        told = {candidates[index].scored.chunk.id for index in kept}
        pointed_at = _pointed_at(candidates, task) if kept else []
        within = {index for indexes in pointed_at for index in indexes} - kept
        fresh = [index for index, one in enumerate(candidates) if one.scored.chunk.id not in told or index in within]
        order = sorted(fresh, key=lambda index: (-scores[index], index))
        if kept:
            bar = self._policy.worth_adding * max(scores[index] for index in kept)
            parts = [(quote.scored.chunk, quote.passage) for quote in candidates]
            named = [index for index in named_items(parts, task.references) if index in set(fresh)]
            told_by_name = {place_of(candidates[index]) for index in named}
            others = [i for i in order if scores[i] >= bar and place_of(candidates[i]) not in told_by_name]
            chosen = named + self._best_of_each_place(candidates, scores, others)
            for indexes in pointed_at:
                if sum(len(candidates[index].passage.text) for index in indexes) <= _SHORT_PLACE:
                    chosen.extend(index for index in indexes if index not in kept and index not in chosen)
                elif not set(indexes) & {*kept, *chosen}:  # what was announced is not passed over
                    chosen.append(max(indexes, key=lambda index: (scores[index], -index)))
        else:
            chosen = self._closest(candidates, scores, order)
            chosen += self._of_each(domains, candidates, scores, chosen, order)
            chosen += _other_thing_asked(candidates, scores, chosen, order, task.question.text)
            chosen += _of_what_is_named(candidates, chosen, order, task.question.text)
        completed = {index + 1 for index in chosen if _needs_next(candidates, index)}
        completed |= {index - 1 for index in chosen if _needs_previous(candidates, index)}
        completed |= _with_what_is_missing(candidates, chosen, task.question.text)
        completed |= self._with_the_kind_asked_for(candidates, scores, chosen, order, task.question.text)
        return sorted(kept | set(chosen) | completed, key=lambda index: reading_order(candidates[index]))

    def _closest(self, candidates: Sequence[Quote], scores: Sequence[float], order: Sequence[int]) -> list[int]:
        """The best quote, and further ones while they come close to it and there is room."""
        chosen: list[int] = []
        length = 0
        home = candidates[order[0]].scored.chunk.document
        for index in order:
            quote = candidates[index]
            here = quote.scored.chunk.document == home
            share = self._policy.close_quotes if here else self._policy.close_quotes_elsewhere
            size = len(quote.passage.text)
            fits = not chosen or length + size <= self._policy.quote_characters
            if scores[index] >= share * scores[order[0]] and fits:
                chosen.append(index)
                length += size
            if len(chosen) == self._policy.quotes:
                break
        return chosen

    def _of_each(
        self,
        domains: Sequence[str],
        candidates: Sequence[Quote],
        scores: Sequence[float],
        chosen: Sequence[int],
        order: Sequence[int],
    ) -> list[int]:
        """The best quote of each domain that a question about several of them names and that has none yet."""
        told = {_domain_of(candidates[index].scored) for index in chosen}
        bar = self._policy.each_domain * scores[order[0]]
        found: dict[str, int] = {}
        for index in order:
            domain = _domain_of(candidates[index].scored)
            if domain in domains and domain not in told and scores[index] >= bar:
                found.setdefault(domain, index)
        return list(found.values())

    def _with_the_kind_asked_for(
        self,
        candidates: Sequence[Quote],
        scores: Sequence[float],
        chosen: Sequence[int],
        order: Sequence[int],
        question: str,
    ) -> set[int]:
        """The best quote that has a figure, a time or what else is asked for, when none of the chosen ones has it."""
        kinds = asked_for(question)
        if not kinds or not chosen or any(holds_one_of(candidates[index].passage.text, kinds) for index in chosen):
            return set()
        bar = self._policy.kind_asked_for * scores[chosen[0]]
        holding = (i for i in order if scores[i] >= bar and holds_one_of(candidates[i].passage.text, kinds))
        return set(islice(holding, 1))

    def _best_of_each_place(
        self, candidates: Sequence[Quote], scores: Sequence[float], order: Sequence[int]
    ) -> list[int]:
        """The best quote of each section that was pointed at, and those of it that come close."""
        places: dict[tuple[str, int], list[int]] = {}
        for index in order:
            chosen = places.setdefault(place_of(candidates[index]), [])
            if not chosen or scores[index] >= self._policy.close_quotes * scores[chosen[0]]:
                chosen.append(index)
        taken: list[int] = []
        length = 0
        for depth in range(self._policy.quotes):
            for chosen in list(places.values())[: self._policy.quotes]:
                size = len(candidates[chosen[depth]].passage.text) if depth < len(chosen) else 0
                if size and (depth == 0 or length + size <= self._policy.quote_characters):
                    taken.append(chosen[depth])
                    length += size
        return taken


def _quoted(candidates: Sequence[Quote], chosen: Sequence[int], usage: Usage) -> QuotedDraft:
    cited = tuple(dict.fromkeys(candidates[index].scored.chunk.id for index in chosen))
    completeness: Completeness = "complete" if chosen else "incomplete"
    return QuotedDraft(rendered(candidates, chosen), Written(completeness=completeness, cited=cited, usage=usage))


def _first_that_fit(candidates: Sequence[Quote], characters: int) -> list[int]:
    """The beginning of a place in its own order; its first quote whatever its length."""
    lengths = accumulate(len(quote.passage.text) for quote in candidates)
    return [index for index, length in enumerate(lengths) if index == 0 or length <= characters]


def _focused(task: Task) -> tuple[Task, tuple[str, ...]]:
    """The task with what is asked inside the domains that the chunks are of, whose names are no words to look for; and
    those that the question names."""
    domains = dict.fromkeys(_domain_of(scored) for scored in task.evidence.chunks)
    named = tuple(domain for domain in domains if names(task.question.text, domain))
    text = task.question.text
    for domain in named:
        text = without_name(text, domain)
    return replace(task, question=replace(task.question, text=text)), named


def _domain_of(scored: ScoredChunk) -> str:
    return scored.chunk.header.split(" > ")[0]


def _score(task: Task, candidates: Sequence[Quote], cosines: npt.NDArray[np.float32]) -> list[float]:
    """How well each part answers: telling words it shares, likeness of meaning, its chunk, a figure if one is asked."""
    stems = [
        frozenset(content_stems(f"{quote.scored.chunk.header} {quote.passage.lead} {quote.passage.text}"))
        for quote in candidates
    ]
    question_stems = frozenset(content_stems(task.question.text))
    asked = weights(question_stems, document_frequencies(stems), len(candidates))
    kinds, called = asked_for(task.question.text), labels_of(task.question.text)

    def score(quote: Quote, held: frozenset[str], cosine: float) -> float:
        news = len(frozenset(content_stems(quote.passage.text)) - question_stems)
        return (
            0.4 * coverage(asked, held)
            + 0.35 * max(0.0, cosine)
            + 0.25 * quote.scored.score
            + (0.12 if holds_one_of(quote.passage.text, kinds) else 0.0)
            + (0.06 if sets_forth(quote.passage.text) else 0.0)
            + (0.06 if not called.isdisjoint(held) else 0.0)
            - (0.1 if hedges(quote.passage.text) else 0.0)
            - (0.2 if only_announces(quote.passage.text) else 0.0)
            - (0.1 if news < _NEWS and not numbers(quote.passage.text) else 0.0)
            - (0.1 if quote.scored.chunk.section_index == 0 else 0.0)
        )

    return [score(quote, held, float(cosine)) for quote, held, cosine in zip(candidates, stems, cosines, strict=True)]


def _needs_next(candidates: Sequence[Quote], index: int) -> bool:
    """Whether a quote is so short that the next sentence of its paragraph should come with it."""
    if index + 1 >= len(candidates) or len(candidates[index].passage.text) > _SHORT_QUOTE:
        return False
    this, following = candidates[index], candidates[index + 1]
    if not this.passage.text.endswith((".", "!", "?")):
        return False
    together = len(this.passage.text) + len(following.passage.text) <= 2 * _SHORT_QUOTE
    return together and paragraph_of(this) == paragraph_of(following)


def _needs_previous(candidates: Sequence[Quote], index: int) -> bool:
    """Whether a sentence speaks of what the one before it names, and both are short."""
    if index == 0 or not refers_back(candidates[index].passage.text):
        return False
    this, before = candidates[index], candidates[index - 1]
    together = len(this.passage.text) + len(before.passage.text) <= 2 * _SHORT_QUOTE
    return together and paragraph_of(this) == paragraph_of(before)


def _with_what_is_missing(candidates: Sequence[Quote], chosen: Sequence[int], question: str) -> set[int]:
    """The sentence of the best quote's paragraph with the most words of the question that no quote has, if any."""
    if not chosen:
        return set()
    quoted = " ".join(f"{candidates[index].passage.lead} {candidates[index].passage.text}" for index in chosen)
    missing = frozenset(content_stems(question)) - frozenset(content_stems(quoted))
    best = candidates[chosen[0]]
    held = {
        index: len(missing & frozenset(content_stems(quote.passage.text)))
        for index, quote in enumerate(candidates)
        if index not in chosen and (quote.rank, quote.passage.group) == (best.rank, best.passage.group)
    }
    found = max(held, key=lambda index: (held[index], -index), default=None)
    return {found} if found is not None and held[found] else set()


def _other_thing_asked(
    candidates: Sequence[Quote], scores: Sequence[float], chosen: Sequence[int], order: Sequence[int], question: str
) -> list[int]:
    """The quote, if any, that says what a question joins to what the chosen ones say."""
    if not joins(question):
        return []
    held = [frozenset(content_stems(f"{one.passage.lead} {one.passage.text}")) for one in candidates]
    asked = weights(frozenset(content_stems(question)), document_frequencies(held), len(candidates))
    told = frozenset[str]().union(*(held[index] for index in chosen))
    found = complement(asked, told, [(index, held[index]) for index in order if index not in chosen])
    return [] if found is None else [found]


def _of_what_is_named(
    candidates: Sequence[Quote], chosen: Sequence[int], order: Sequence[int], question: str
) -> list[int]:
    """The best quote for each thing that the question calls by a designation and that no quote speaks of yet."""
    told = [_said(candidates[index]) for index in chosen]
    found = (
        next((index for index in order if named in designations(_said(candidates[index]))), None)
        for named in sorted(designations(question) - designations(" ".join(told)))
    )
    return [index for index in dict.fromkeys(found) if index is not None]


def _said(quote: Quote) -> str:
    return f"{quote.scored.chunk.section_title} {quote.passage.lead} {quote.passage.text}"


def _pointed_at(candidates: Sequence[Quote], task: Task) -> list[list[int]]:
    """For each place that the first draft points at where it speaks of what was asked, what may be quoted of it.

    Of a document as a whole that is only what has a telling word of the question.
    """
    asked = frozenset(content_stems(task.question.text))
    pointing = [one for one in split_sentences(task.earlier or "") if asked & frozenset(content_stems(one))]
    found: list[list[int]] = []
    for reference in task.references:
        said = any(reference.marker in sentence for sentence in pointing)
        if not said or not reference.chunk_ids or reference.type == "relative":
            continue
        held = [index for index, quote in enumerate(candidates) if quote.scored.chunk.id in reference.chunk_ids]
        inner = [
            index for index in held if reference.section and candidates[index].passage.section == reference.section
        ]
        if not reference.section:
            held = [index for index in held if asked & frozenset(content_stems(candidates[index].passage.text))]
        place = _from_caption(candidates, inner or held, reference)
        named = named_items(
            [(candidates[index].scored.chunk, candidates[index].passage) for index in place], [reference]
        )
        if place:
            found.append([place[index] for index in named] or place)
    return found


def _from_caption(candidates: Sequence[Quote], place: list[int], reference: Reference) -> list[int]:
    """What stands below the caption of a table or figure, where that can be told."""
    if reference.place not in ("table", "figure"):
        return place
    caption = re.compile(rf"\W*[^\W\d]+\.?\s*(?:№\s*)?{re.escape(reference.target)}(?![\w.]*\w)")
    begins = next((at for at, index in enumerate(place) if caption.match(candidates[index].passage.text)), 0)
    return place[begins:]
