"""Which questions go unanswered, which are asked often and answered, and what editors make of the former."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import numpy as np

from adapters.digest import GapLook
from bot.faq_base import trial_gate
from bot.gap_sources import GapSources
from engine.matching.background import everyday
from engine.matching.clusters import Floats, clusters
from engine.matching.gaps import Asked, Gap, grouped
from engine.ports import Embedder, FaqGate, MetaStore, StoredFaq
from engine.text.normal import question_form
from engine.text.personal import masked
from engine.types import GapState, Language, Question

DAYS = 90
MOST = 2000
"""Misses that are looked at: the newest ones."""
_MOST_ANSWERED = 1000
_TRIED = 3
_OFTEN = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Popular:
    """A question that is asked often and answered."""

    question: str
    count: int
    last_seen: str
    entry: str | None
    """The entry of the FAQ that answers it; None when the documents do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    gaps: tuple[Gap, ...]
    """What to look at first comes first: new and taken ones, the most asked before others."""
    popular: tuple[Popular, ...]


class GapDesk:
    def __init__(self, sources: GapSources, audience: frozenset[str]) -> None:
        self._from = sources
        self._audience = audience

    async def find(self, days: int = DAYS, *, tried: int = 50) -> Found:
        """Of the last `days`, and whatever an editor marked before; the gate is tried with the first `tried` gaps."""
        since = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="microseconds")
        store = self._from.gaps
        misses, answered = await store.misses(since, MOST), await store.answered(since, _MOST_ANSWERED)
        texts = [*(miss.question for miss in misses), *(one.question for one in answered)]
        groups = await self._groups(texts)
        gaps, always = grouped(misses, answered, groups, await store.marks())
        faq = await self._from.faq.load()
        gate = trial_gate(faq, self._from.meta, self._from.gate_embedder)
        seen = [await self._compared(gate, gap) for gap in gaps[:tried]]
        return Found(
            gaps=tuple(sorted([*seen, *gaps[tried:]], key=_order)), popular=await self._popular(faq, always, since)
        )

    async def mark(self, misses: Sequence[int], state: GapState, by: str) -> None:
        await self._from.gaps.mark(misses, state, by)

    async def look(self, misses: Sequence[int]) -> GapLook:
        """A gap by its misses, in the order of which they were asked."""
        texts, marks = await self._from.gaps.questions(misses), await self._from.gaps.marks()
        given = [marks[miss] for miss in misses if miss in marks]
        mark = max(given, key=lambda one: one.changed_at, default=None)
        question = next((texts[miss] for miss in reversed(misses) if miss in texts), "")
        if mark is None:
            return GapLook(question=masked(question), state="new", by="")
        return GapLook(question=masked(question), state=mark.state, by=mark.changed_by)

    async def _groups(self, texts: Sequence[str]) -> list[list[int]]:
        if not texts:
            return []
        embedder = self._from.index_embedder
        different = list(dict.fromkeys(question_form(text) for text in texts))
        vectors = dict(zip(different, await embedder.embed_questions(different), strict=True))
        every = np.stack([vectors[question_form(text)] for text in texts])
        return await asyncio.to_thread(clusters, texts, every, await middles(embedder, self._from.meta))

    async def _compared(self, gate: FaqGate, gap: Gap) -> Gap:
        """With the entries that come nearest now. It is served when most of its latest wordings are."""
        wordings = list(dict.fromkeys(miss.question for miss in reversed(gap.misses)))[:_TRIED]
        matches = [
            await gate.match(Question(text=text, language=gap.example.language, audience=self._audience))
            for text in wordings
        ]
        served = [match.entry.id for match in matches if match.band == "direct" and match.entry is not None]
        by = Counter(served).most_common(1)[0][0] if 2 * len(served) > len(wordings) else None
        return replace(gap, nearest=matches[0].nearest, served_by=by)

    async def _popular(self, faq: StoredFaq, always: Sequence[tuple[Asked, ...]], since: str) -> tuple[Popular, ...]:
        asked = {entry.id: entry.questions[0] for entry in faq.entries}
        counts: Counter[str] = Counter()
        last: dict[str, str] = {}
        for answer in await self._from.answers.since(since):
            if answer.faq_entry in asked:
                counts[answer.faq_entry] += 1
                last[answer.faq_entry] = answer.asked_at
        by_faq = [
            Popular(question=asked[entry], count=count, last_seen=last[entry], entry=entry)
            for entry, count in counts.items()
        ]
        by_documents = [
            Popular(question=some[-1].question, count=len(some), last_seen=some[-1].asked_at, entry=None)
            for some in always
        ]
        often = [one for one in (*by_faq, *by_documents) if one.count >= _OFTEN]
        return tuple(sorted(often, key=lambda one: (-one.count, one.question)))


def _order(gap: Gap) -> tuple[bool, int, int]:
    return (gap.state in ("written", "wont_do"), -gap.count, gap.id)


async def middles(embedder: Embedder, meta: MetaStore) -> Mapping[Language, Floats]:
    """The mean vectors of everyday questions, made once for each embedder."""
    key = f"everyday:{embedder.fingerprint}"
    stored = await meta.get(key)
    if stored is None:
        made = {
            language: (await embedder.embed_questions([question_form(text) for text in texts])).mean(axis=0)
            for language, texts in everyday().items()
        }
        stored = json.dumps({language: [round(float(one), 6) for one in mean] for language, mean in made.items()})
        await meta.put(key, stored)
    read: dict[Language, list[float]] = json.loads(stored)
    return {language: np.array(mean, dtype=np.float32) for language, mean in read.items()}
