"""The notes of one answer while it is being made; in the end they become its `Outcome`."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from engine.events import AnswerEvent, Delta
from engine.text.inner_sections import inner_sections
from engine.text.normal import detect_language
from engine.text.overlap import coverage
from engine.text.sentences import split_sentences, whole_sentences
from engine.text.stems import content_stems
from engine.types import (
    Chunk,
    Citation,
    Completeness,
    Evidence,
    FaqMatch,
    FaqPair,
    Language,
    MissReason,
    Outcome,
    OutcomeKind,
    Question,
    Reference,
    Route,
    ScoredChunk,
    Usage,
    Written,
)

_TAKEN_OVER = 0.5
"""Share of a sentence's telling words in an answer from which the answer may rest on its section."""
_ALIKE = 0.8
_STAGES = ("gate", "route", "retrieve", "first_shown", "second_pass")


@dataclass(slots=True)
class DraftRecord:
    """What became of one writing. `text` passed the guardrail; `held`, its last piece, has not been shown yet."""

    text: str = ""
    held: str = ""
    written: Written | None = None
    failure: str | None = None

    @property
    def pointing(self) -> str:
        """The text, with the places that its writer says it points at."""
        unsaid = [marker for marker in (self.written.pending if self.written else ()) if marker not in self.text]
        return "\n".join([self.text, *unsaid])

    @property
    def usable(self) -> bool:
        return self.failure is None and bool(self.text.strip())

    @property
    def cited(self) -> tuple[str, ...]:
        return self.written.cited if self.written else ()

    def add(self, piece: str) -> None:
        self.text += piece
        self.held = piece

    def end(self, written: Written) -> None:
        """The writer has ended. A text that a limit cut off keeps its whole sentences, or fails if it has none."""
        if written.cut_off:
            whole = whole_sentences(self.text)
            self.held = self.held[: max(0, len(self.held) - (len(self.text) - len(whole)))]
            self.text = whole
            if not whole:
                self.fail("cut_off")
        self.written = written

    def fail(self, reason: str) -> None:
        self.failure = reason
        self.held = ""


@dataclass(slots=True)
class Record:
    question: Question
    id: str
    language: Language
    started: float
    offered_from: float | None = None
    """Known questions of this score or more are offered with whatever ends in the adjacent band; None: none are."""
    faq: FaqMatch | None = None
    ahead: str = ""
    """What the FAQ already answers of a message that asks more than one thing; stands before all else."""
    route: Route | None = None
    evidence: Evidence = field(default_factory=lambda: Evidence(chunks=(), sufficient=False))
    references: tuple[Reference, ...] = ()
    beyond: tuple[Reference, ...] = ()
    """What the second draft points at; there is no third pass, so it is named."""
    usage: Usage = field(default_factory=Usage)
    passes: int = 0
    draft: DraftRecord = field(default_factory=DraftRecord)
    showing: bool = False
    """Something of the current draft is before the asker's eyes."""
    kept: bool = False
    """A first draft stays above while the second pass completes it."""
    silent: bool = False
    """A draft was taken back or is a spare one: nothing more of this pass is streamed, the final text comes whole."""
    stood_in: bool = False
    """No model could be asked, and the quotes of the spare generator are the answer."""
    calls_before_writing: int = 0
    second_pass_began: float | None = None
    timings: dict[str, float] = field(default_factory=dict[str, float])

    @classmethod
    def begin(cls, question: Question, *, offered_from: float | None = None) -> Record:
        return cls(
            question=question,
            id=question.id or uuid.uuid4().hex,
            language=question.language or detect_language(question.text),
            started=time.perf_counter(),
            offered_from=offered_from,
        )

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Add the time of the block to a stage. Never hold it across a `yield` of an event."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.timings[stage] = self.timings.get(stage, 0.0) + (time.perf_counter() - began) * 1000

    def shown(self) -> None:
        """Something is about to be shown to the asker; the first time counts."""
        self.timings.setdefault("first_shown", (time.perf_counter() - self.started) * 1000)

    def begin_draft(self) -> DraftRecord:
        self.draft = DraftRecord()
        return self.draft

    def release(self) -> Iterator[AnswerEvent]:
        """The held piece of the current draft, if it may be shown."""
        piece, self.draft.held = self.draft.held, ""
        if piece and not self.silent:
            self.shown()
            self.showing = True
            yield Delta(piece)

    @property
    def declined(self) -> bool:
        """The generator itself said that it cannot answer, before anything was shown."""
        written = self.draft.written
        return written is not None and written.completeness == "incomplete" and not self.showing

    def take_back(self) -> None:
        self.showing = False
        self.silent = True

    def begin_writing(self) -> None:
        self.passes = 1
        self.calls_before_writing = self.usage.model_calls

    def begin_second_pass(self, evidence: Evidence) -> None:
        self.passes = 2
        self.evidence = evidence
        self.kept, self.showing, self.silent = self.showing, False, False
        self.stood_in = False
        self.second_pass_began = time.perf_counter()
        self.shown()

    def name_open(self, references: tuple[Reference, ...], text: str) -> None:
        """Keep what a second draft itself points at beyond the first's references."""
        known = {(reference.target, reference.document) for reference in self.references}
        self.beyond = tuple(one for one in references if one.marker in text and (one.target, one.document) not in known)

    @property
    def open_references(self) -> tuple[Reference, ...]:
        """What the answer points at without saying what stands there, as far as it has a name."""
        unresolved = tuple(one for one in self.references if one.status == "unresolved")
        return tuple(one for one in unresolved + self.beyond if one.type != "relative" or one.target != one.marker)

    def spent(self, usage: Usage) -> None:
        self.usage += usage

    def answered_directly(self, answers: Sequence[str], rest: str) -> None:
        """Stored answers, byte for byte when there is one; what else was asked becomes the question."""
        self.ahead = answers[0] if len(answers) == 1 and not rest else "\n\n".join(one.strip("\n") for one in answers)
        if rest:
            self.ahead += "\n\n"
            self.question = replace(self.question, text=rest)

    def outcome(
        self,
        kind: OutcomeKind,
        text: str,
        *,
        written: Written | None = None,
        completeness: Completeness = "complete",
        miss_reason: MissReason | None = None,
    ) -> Outcome:
        self.shown()
        now = time.perf_counter()
        total = (now - self.started) * 1000
        if self.second_pass_began is not None:
            self.timings["second_pass"] = (now - self.second_pass_began) * 1000
        timings = {"total": total, **{stage: self.timings.get(stage, 0.0) for stage in _STAGES}}
        cited = written.cited if written else ()
        return Outcome(
            id=self.id,
            kind=kind,
            text=self.ahead + text,
            language=self.language,
            faq=self.faq,
            route=self.route,
            chunks=self.evidence.chunks,
            citations=citations(self.evidence.chunks, cited, text),
            completeness=written.completeness if written else completeness,
            references=self.references + self.beyond,
            passes=self.passes,
            calls_before_writing=self.calls_before_writing,
            miss_reason=miss_reason,
            offers=self._offers(),
            usage=self.usage,
            timings_ms={stage: round(milliseconds, 3) for stage, milliseconds in timings.items()},
        )

    def _offers(self) -> tuple[FaqPair, ...]:
        """In the asker's language, or in the other one where there are none in theirs."""
        if self.offered_from is None or self.faq is None or self.faq.band != "adjacent":
            return ()
        near = tuple(pair for pair in self.faq.nearest if pair.score >= self.offered_from)
        return tuple(pair for pair in near if detect_language(pair.question) == self.language) or near


def citations(chunks: tuple[ScoredChunk, ...], cited: tuple[str, ...], text: str) -> tuple[Citation, ...]:
    """Where the cited chunks come from, each section once, in the order of use.

    Where sections share a chunk, those are named that the text took from.
    """
    told = frozenset(content_stems(text))
    by_id = {scored.chunk.id: scored.chunk for scored in chunks}
    places: dict[tuple[str, str, str], Citation] = {}
    for chunk_id in cited:
        if (chunk := by_id.get(chunk_id)) is None:
            continue
        url = f"{chunk.document}#{chunk.anchor}" if chunk.anchor else None
        for section, name in _sections_taken_from(chunk, told):
            title = name or chunk.document_title
            places.setdefault(
                (chunk.document, section, title),
                Citation(document=chunk.document, section=section, title=title, page=chunk.page, url=url),
            )
    return tuple(places.values())


def _sections_taken_from(chunk: Chunk, told: frozenset[str]) -> list[tuple[str, str]]:
    """Number and title of the sections of a chunk that a text took from, the chunk's own when that cannot be told.

    Clauses without titles that share a chunk stand under one heading, which is the title of them all.
    """
    own = (chunk.section, chunk.section_title)
    inner = inner_sections(chunk.text)
    if len(inner) < 2 or (inner[0].number, inner[0].title or chunk.section_title) != own:
        return [own]
    above = "" if inner[0].title else chunk.section_title
    shares = [_most_told(one.text.removeprefix(one.number).lstrip(". "), told) for one in inner]
    taken = [one for one, share in zip(inner, shares, strict=True) if share >= max(_TAKEN_OVER, max(shares) * _ALIKE)]
    return [(one.number, one.title or above) for one in taken] or [own]


def _most_told(text: str, told: frozenset[str]) -> float:
    """The share of its telling words that the sentence most taken from has in an answer."""
    sentences = (dict.fromkeys(content_stems(one), 1.0) for one in split_sentences(text))
    return max((coverage(telling, told) for telling in sentences), default=0.0)
