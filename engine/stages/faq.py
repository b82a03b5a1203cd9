"""The FAQ gate: known questions are answered from the stored text, byte for byte, with no model call.

Exact normalised match first, then likeness on the calibrated scale, then a second look. A message that asks two
things is
taken apart; typos and the wrong alphabet are read as they were meant.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Protocol

import numpy as np
import structlog

from engine.errors import RefdeskError
from engine.matching.asking import questions_in
from engine.matching.book import Book, Flags
from engine.matching.calibration import Findings
from engine.matching.chance import PRIOR, Chance
from engine.matching.entry_look import prepare
from engine.matching.matcher import Matcher
from engine.matching.stored import findings_stamp, load_findings
from engine.matching.variables import filled
from engine.matching.vetoes import Vetoed, VetoStore
from engine.policy import GatePolicy
from engine.ports import Embedder, FaqStore, MetaStore
from engine.text.context import stands_alone
from engine.text.normal import detect_language, question_form
from engine.types import FaqEntry, FaqMatch, FaqPair, Question, Usage

log = structlog.get_logger()

_MISS = FaqMatch(band="miss", score=0.0, cosine=0.0, entry=None)
_REFRESH_SECONDS = 0.5
_REMEMBERED = 256

_Scope = tuple[str, frozenset[str], str, str | None, str, str]


class FaqJudge(Protocol):
    async def agrees(self, question: str, pair: FaqPair) -> tuple[bool, Usage]:
        """Whether the stored answer answers the question. Never raises for a model that is down: then it agrees."""
        ...


@dataclass(frozen=True, slots=True)
class _Edition:
    """The FAQ and its calibration as they were read together."""

    book: Book
    chance: Chance
    stamp: str | None
    newest: Book
    """The FAQ as it is stored now: known wordings are looked up here, while the rest is still being made ready."""


class CalibratedFaqGate:
    """Reads the FAQ and its calibration from the stores and follows their changes within seconds.

    `variables` fill `{{name}}` in answers. `judge`, where there is one, has the last word on a direct answer. `vetoes`
    keeps what was nearly served.
    """

    def __init__(
        self,
        store: FaqStore,
        embedder: Embedder,
        policy: GatePolicy,
        *,
        meta: MetaStore | None = None,
        variables: Mapping[str, str] | None = None,
        judge: FaqJudge | None = None,
        vetoes: VetoStore | None = None,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._policy = policy
        self._meta = meta
        self._variables = variables or {}
        self._judge = judge
        self._vetoes = vetoes
        self._edition: _Edition | None = None
        self._checked = 0.0
        self._findings: Findings | None = None
        self._loading = asyncio.Lock()
        self._readying: asyncio.Task[None] | None = None
        self._seen: dict[_Scope, Flags] = {}

    @classmethod
    def calibrated(
        cls, store: FaqStore, embedder: Embedder, policy: GatePolicy, findings: Findings
    ) -> CalibratedFaqGate:
        """A gate with these findings, whatever is stored."""
        gate = cls(store, embedder, policy)
        gate._findings = findings
        return gate

    async def match(self, question: Question) -> FaqMatch:
        """Which known question this is. Raises ProviderError when the embedder or the store fails."""
        alone = stands_alone(question.text, first=not question.history)
        parts = [] if alone else questions_in(question.text)
        if not parts and not alone:
            return _MISS
        edition = await self._current()
        if alone and (exact := self._exact(edition, question)) is not None:
            return self._filled(exact)
        visible = self._visible(edition.book, question)
        if edition.newest is not edition.book:
            visible = visible & _unchanged(edition)
        if not visible.any():
            return _MISS
        parts = parts or questions_in(question.text)
        match = await self._whole(edition, question, visible)
        if match.band != "direct" and parts:
            match = await self._apart(edition, question, parts, visible, match)
        if (vetoed := Vetoed.of(question, match)) is not None:
            await self._tell(vetoed)
        return self._filled(match)

    async def _tell(self, vetoed: Vetoed) -> None:
        """An answer is not lost over it."""
        log.info("faq.vetoed", entry=vetoed.entry, vetoed_by=vetoed.vetoed_by, score=vetoed.score)
        try:
            if self._vetoes is not None:
                await self._vetoes.add(vetoed)
        except RefdeskError as error:
            log.warning("faq.veto_not_kept", error=str(error))

    def _exact(self, edition: _Edition, question: Question) -> FaqMatch | None:
        book = edition.newest
        if question_form(question.text) not in book.exact:
            return None
        matcher = Matcher(book, edition.chance, self._embedder.calibration, self._policy)
        language = question.language or detect_language(question.text)
        return matcher.exact(question.text, self._visible(book, question), language)

    async def _whole(self, edition: _Edition, question: Question, visible: Flags) -> FaqMatch:
        (match,) = await self._matched(edition, [question.text], question, visible)
        return match

    async def _apart(
        self, edition: _Edition, question: Question, parts: Sequence[str], visible: Flags, whole: FaqMatch
    ) -> FaqMatch:
        """Each question of the message by itself: direct when the first known one is, with the others beside it."""
        matches = await self._matched(edition, parts, question, visible)
        direct = [match for match in matches if match.band == "direct"]
        embeddings = whole.embeddings + sum(match.embeddings for match in matches)
        if not direct:
            return replace(whole, embeddings=embeddings)
        rest = "\n".join(part for part, match in zip(parts, matches, strict=True) if match.band != "direct")
        answers = {match.entry.answer: match for match in direct if match.entry is not None}
        first, *others = answers.values()
        return replace(first, also=tuple(others), rest=rest, embeddings=embeddings)

    async def _matched(
        self, edition: _Edition, texts: Sequence[str], question: Question, visible: Flags
    ) -> list[FaqMatch]:
        book = edition.book
        matcher = Matcher(book, edition.chance, self._embedder.calibration, self._policy)
        meant = [book.spelling.restored(text) for text in texts]
        languages = [
            detect_language(text) if text != given else question.language or detect_language(given)
            for text, given in zip(meant, texts, strict=True)
        ]
        found: list[FaqMatch | None] = [
            matcher.exact(text, visible, language) for text, language in zip(meant, languages, strict=True)
        ]
        open_ones = [place for place, match in enumerate(found) if match is None]
        if open_ones:
            vectors = await self._embedder.embed_questions([question_form(meant[place]) for place in open_ones])
            for place, vector in zip(open_ones, vectors, strict=True):
                match = matcher.nearest(meant[place], visible, languages[place], vector)
                found[place] = await self._judged(texts[place], match)
        return [match for match in found if match is not None]

    async def _judged(self, text: str, match: FaqMatch) -> FaqMatch:
        if self._judge is None or match.band != "direct" or not match.nearest:
            return match
        agrees, usage = await self._judge.agrees(text, match.nearest[0])
        match = replace(match, usage=usage)
        return match if agrees else replace(match, band="adjacent", vetoed_by="model")

    async def aclose(self) -> None:
        """Let go of what is still being made ready."""
        if self._readying is not None:
            self._readying.cancel()
            await asyncio.gather(self._readying, return_exceptions=True)

    async def _current(self) -> _Edition:
        now = time.monotonic()
        if self._edition is not None and now - self._checked < _REFRESH_SECONDS:
            return self._edition
        async with self._loading:
            edition = self._edition
            stamp = await findings_stamp(self._meta, self._embedder.fingerprint) if self._meta else None
            if edition is None:
                book = await self._arranged()
                edition = _Edition(await asyncio.to_thread(_readied, book), await self._chance(), stamp, book)
            elif await self._store.version() != edition.newest.version:
                edition = replace(edition, newest=await self._arranged())
                self._make_ready(edition.newest)
            if edition.stamp != stamp:
                edition = replace(edition, chance=await self._chance(), stamp=stamp)
            self._edition = edition
            self._checked = time.monotonic()
            return edition

    async def _arranged(self) -> Book:
        faq = await self._store.load()
        return await asyncio.to_thread(Book.arrange, faq)

    def _make_ready(self, book: Book) -> None:
        """Beside the answering; only the newest book is waited for."""
        if self._readying is not None:
            self._readying.cancel()
        self._readying = asyncio.create_task(self._readied(book), name="faq-readying")

    async def _readied(self, book: Book) -> None:
        ready = await asyncio.to_thread(_readied, book)
        if self._edition is not None and self._edition.newest is book:
            self._edition = replace(self._edition, book=ready)

    async def _chance(self) -> Chance:
        """As calibrated for this embedder, if only for an earlier state of the FAQ; else the usual one."""
        if self._findings is not None:
            return self._findings.chance
        stored = await load_findings(self._meta, self._embedder.fingerprint) if self._meta else None
        if stored is not None:
            return stored.findings.chance
        return replace(PRIOR, unrelated=self._embedder.calibration.unrelated)

    def _visible(self, book: Book, question: Question) -> Flags:
        """Which entries this question may be served today; remembered, since it takes a look at every entry."""
        today = datetime.now(UTC).date().isoformat()
        language = question.language or detect_language(question.text)
        conversation = question.conversation if book.has_chats else ""
        key = (book.version, question.audience, conversation, question.domain, language, today)
        if key not in self._seen:
            if len(self._seen) >= _REMEMBERED:
                self._seen.clear()
            self._seen[key] = np.array([_served(entry, question, language, today) for entry in book.entries], np.bool_)
        return self._seen[key]

    def _filled(self, match: FaqMatch) -> FaqMatch:
        """With the settings' variables in every answer that leaves."""
        if match.entry is None or not self._variables:
            return match
        return replace(
            match,
            entry=replace(match.entry, answer=filled(match.entry.answer, self._variables)),
            nearest=tuple(replace(pair, answer=filled(pair.answer, self._variables)) for pair in match.nearest),
            also=tuple(self._filled(other) for other in match.also),
        )


def _readied(book: Book) -> Book:
    prepare(book.warm())
    return book


def _unchanged(edition: _Edition) -> Flags:
    """Which entries of the book in use are as they are stored now."""
    newest = {entry.id: version for entry, version in zip(edition.newest.entries, edition.newest.versions, strict=True)}
    book = edition.book
    same = [newest.get(entry.id) == version for entry, version in zip(book.entries, book.versions, strict=True)]
    return np.array(same, dtype=np.bool_)


def _served(entry: FaqEntry, question: Question, language: str, today: str) -> bool:
    return (
        bool(entry.audience & question.audience)
        and (entry.valid_from is None or entry.valid_from <= today)
        and (entry.valid_until is None or today <= entry.valid_until)
        and (not entry.chats or question.conversation in entry.chats)
        and (not entry.languages or language in entry.languages)
        and (question.domain is None or entry.domain is None or entry.domain == question.domain)
    )
