"""How a question becomes an answer. Read this file first.

The flow speaks, stages answer: only this file yields events, and a stage returns values. The one stream below it is
the generator's text, which passes through the guardrail. Expected ends are outcomes; an exception means that something
broke, and is caught here, at the flow's edge, once. Nothing is held across a `yield`; streams are entered on `streams`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, replace

import structlog

from engine.errors import ProviderError, RefdeskError
from engine.events import AnswerEvent, Delta, Escalated, Final, Interim, Retract, Typing
from engine.phrases import Phrases
from engine.policy import Policy
from engine.ports import (
    AnswerLog,
    Draft,
    FaqGate,
    Followed,
    Generator,
    Guardrail,
    MissLog,
    Referencer,
    Retriever,
    Rewriter,
    Router,
    Screen,
    Task,
    Violation,
)
from engine.record import DraftRecord, Record
from engine.text.context import asks_something, has_words, standalone
from engine.types import Evidence, FaqMatch, MissReason, Outcome, Question, Route, Usage

log = structlog.get_logger()

Events = AsyncGenerator[AnswerEvent, None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """Answers questions. Every field is a stage behind a one-method port; replace one by passing another object."""

    screen: Screen
    gate: FaqGate
    router: Router
    retriever: Retriever
    generator: Generator
    fallback: Generator
    """Writes without a model server, for when all generators fail. May be the same object as `generator`."""
    next_generators: tuple[Generator, ...] = ()
    """Ask further endpoints, in order, each when those before it failed."""
    rewriter: Rewriter | None = None
    guardrail: Guardrail
    referencer: Referencer
    misses: MissLog
    answers: AnswerLog
    policy: Policy = Policy()
    phrases: Phrases = Phrases()

    @asynccontextmanager
    async def answer(self, question: Question) -> AsyncGenerator[AsyncIterator[AnswerEvent], None]:
        """`async with engine.answer(question) as events: async for event in events: ...`; see `engine.events`."""
        async with AsyncExitStack() as streams, aclosing(self._guarded(question, streams)) as events:
            yield events

    async def _guarded(self, question: Question, streams: AsyncExitStack) -> Events:
        gate = self.policy.gate
        record = Record.begin(question, offered_from=gate.adjacent if gate.offers else None)
        try:
            async for event in await _enter(streams, self._answer(record, streams)):
                try:
                    yield event
                finally:  # the asker first, and whoever stops listening at the end is logged too
                    if isinstance(event, Final | Escalated):
                        await self._log(event.outcome)
        except Exception as error:  # the flow's edge: whatever broke, the asker gets an honest end
            log.error("answer.failed", question_id=record.id, error=type(error).__name__, exc_info=error)
            if record.showing:
                yield Retract("failed")
            failed = record.outcome("failed", self.phrases("failed", record.language), completeness="incomplete")
            try:
                yield Final(failed)
            finally:
                await self._log(failed)

    async def _log(self, outcome: Outcome) -> None:
        """An answer is not lost over its log."""
        try:
            await self.answers.record(outcome)
        except RefdeskError as error:
            log.warning("answer.not_logged", question_id=outcome.id, error=str(error))

    async def _answer(self, record: Record, streams: AsyncExitStack) -> Events:
        yield Typing()
        if refusal := self._refuse(record):
            yield Final(refusal)
            return

        match = await self._match(record)
        if match.band == "direct" and match.entry:
            if not match.rest:
                yield Final(record.outcome("faq_direct", ""))
                return
            yield Delta(record.ahead)
        elif match.band == "adjacent":
            pairs = Task(question=record.question, language=record.language, pairs=match.nearest)
            async for event in await _enter(streams, self._draft(record, streams, pairs)):
                yield event
            if record.draft.usable and not record.declined:
                for event in record.release():
                    yield event
                yield Final(record.outcome("faq_adjacent", record.draft.text))
                return

        search = await self._standalone(record)
        evidence = await self._find(record, search)
        if not evidence.sufficient:
            yield await self._miss(record, "weak_evidence" if evidence.chunks else "nothing_found")
            return

        record.begin_writing()
        task = Task(question=search, language=record.language, evidence=evidence)
        async for event in await _enter(streams, self._draft(record, streams, task)):
            yield event
        if record.declined:
            yield await self._miss(record, "weak_evidence")
            return
        first = record.draft if record.draft.usable else await self._spare(record, streams, task)
        if first is None:
            yield await self._miss(record, "retracted")
            return
        followed = await self._follow(record, search, first, evidence)
        record.references = followed.references
        if followed.evidence is None:
            for event in record.release():
                yield event
            yield Final(self._answered(record, first))
            return

        async for event in await _enter(streams, self._complete(record, streams, task, first, followed)):
            yield event

    async def _complete(
        self, record: Record, streams: AsyncExitStack, task: Task, first: DraftRecord, followed: Followed
    ) -> Events:
        """The second pass, with what the first draft pointed at. There is never a third."""
        evidence = followed.evidence or task.evidence
        if not followed.only_points:
            for event in record.release():
                yield event
        record.begin_second_pass(evidence)
        gathering = self.phrases.gathering(record.language, record.references)
        yield Interim(gathering, record.references, keeps_draft=record.kept)
        second = replace(task, evidence=evidence, earlier=first.text, references=followed.references)
        async for event in await _enter(streams, self._draft(record, streams, second)):
            yield event
        full = record.draft if record.draft.usable else await self._spare(record, streams, second) or first
        for event in record.release():
            yield event
        beyond = await self._follow(record, task.question, full, evidence)
        record.name_open(beyond.references, full.text)
        yield Final(self._answered(record, full))

    async def _follow(self, record: Record, search: Question, draft: DraftRecord, evidence: Evidence) -> Followed:
        followed = await self.referencer.follow(search, draft.pointing, draft.cited, evidence)
        record.spent(followed.usage)
        return followed

    def _refuse(self, record: Record) -> Outcome | None:
        """The end of a message that is no question, or holds a stop word."""
        if not asks_something(record.question.text):
            said = "courtesy" if has_words(record.question.text) else "not_a_question"
            text = self.phrases(said, record.language)
            return record.outcome("missed", text, completeness="incomplete", miss_reason="not_a_question")
        if self.screen.forbidden(record.question.text):
            return record.outcome("blocked", self.phrases("blocked", record.language), completeness="incomplete")
        return None

    async def _match(self, record: Record) -> FaqMatch:
        if record.question.beyond_faq:
            return FaqMatch(band="miss", score=0.0, cosine=0.0, entry=None)
        with record.timed("gate"):
            match = await self.gate.match(record.question)
        record.faq = match
        record.spent(match.usage + Usage(embeddings=match.embeddings))
        if match.band == "direct" and match.entry:
            entries = [one.entry for one in (match, *match.also) if one.entry]
            record.answered_directly([entry.answer for entry in entries], match.rest)
        return match

    async def _standalone(self, record: Record) -> Question:
        if self.rewriter is None:
            return standalone(record.question)
        with record.timed("route"):
            search, usage = await self.rewriter.rewrite(record.question)
        record.spent(usage)
        return search

    async def _find(self, record: Record, search: Question) -> Evidence:
        """Route and retrieve; go back up and try the next best branch while the evidence is weak."""
        tried: list[Route] = []
        calls = max(0, self.policy.routing.model_calls - record.usage.model_calls)
        while len(tried) < self.policy.routing.branches:
            with record.timed("route"):
                routed = await self.router.route(search, tried, calls=calls)
            if routed is None:
                break
            route, routing = routed
            with record.timed("retrieve"):
                evidence, retrieval = await self.retriever.retrieve(search, route)
            record.spent(routing + retrieval)
            if not tried or _stronger(evidence, record.evidence):
                record.route, record.evidence = route, evidence
            if evidence.sufficient:
                break
            tried.append(route)
        return record.evidence

    async def _draft(self, record: Record, streams: AsyncExitStack, task: Task) -> Events:
        """A draft by the first generator whose endpoint does not fail. What failed before the eyes is taken back."""
        for generator in (self.generator, *self.next_generators):
            async for event in await _enter(streams, self._write(record, streams, generator, task)):
                yield event
            if record.draft.failure != "provider":
                return

    async def _write(self, record: Record, streams: AsyncExitStack, generator: Generator, task: Task) -> Events:
        """Stream a draft through the guardrail, one piece behind: the last piece waits for the reference check."""
        draft = record.begin_draft()
        writing: Draft | None = None
        try:
            writing = await streams.enter_async_context(generator.write(task))
            verdicts = await streams.enter_async_context(self.guardrail.watch(task, aiter(writing)))
            async for verdict in verdicts:
                record.spent(verdict.usage)
                if isinstance(verdict, Violation):
                    draft.fail(verdict.reason)
                    break
                for event in record.release():
                    yield event
                draft.add(verdict.text)
            else:
                draft.end(writing.written)
        except ProviderError as error:
            log.warning("answer.draft_broken", question_id=record.id, provider=error.provider)
            draft.fail("provider")
            record.spent(error.usage)
        if writing is not None:
            record.spent(writing.written.usage)
        if draft.failure and record.showing:
            record.take_back()
            yield Retract(draft.failure)

    async def _spare(self, record: Record, streams: AsyncExitStack, task: Task) -> DraftRecord | None:
        """Another draft, by the generator that needs no model server, whole and not streamed; None if unfit too."""
        record.silent = True
        record.stood_in = record.draft.failure == "provider" and self.fallback is not self.generator
        unjudged = replace(task, judged=False)
        async for _ in await _enter(streams, self._write(record, streams, self.fallback, unjudged)):
            pass
        return record.draft if record.draft.usable else None

    def _answered(self, record: Record, draft: DraftRecord) -> Outcome:
        text = draft.text.strip()
        if draft.written and draft.written.cut_off:
            text = f"{text}\n\n{self.phrases('cut_off', record.language)}"
        if record.stood_in and draft is record.draft:
            text = f"{text}\n\n{self.phrases('only_quoted', record.language)}"
        if record.open_references:
            text = f"{text}\n\n{self.phrases.more_in(record.language, record.open_references)}"
        return record.outcome("answered", text, written=draft.written)

    async def _miss(self, record: Record, reason: MissReason) -> Final | Escalated:
        text = self.phrases("missed", record.language)
        outcome = record.outcome("missed", text, completeness="incomplete", miss_reason=reason)
        escalated = await self.misses.record(record.question, outcome)
        return Escalated(outcome) if escalated else Final(outcome)


async def _enter(streams: AsyncExitStack, events: Events) -> Events:
    return await streams.enter_async_context(aclosing(events))


def _stronger(evidence: Evidence, other: Evidence) -> bool:
    if evidence.sufficient or not other.chunks:
        return True
    return bool(evidence.chunks) and evidence.chunks[0].score > other.chunks[0].score
