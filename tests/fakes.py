"""In-memory versions of the stages' ports. Fakes of outside resources stand in `fake_*.py` beside this file."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from engine.errors import ProviderError
from engine.ports import Draft, Followed, Passed, Task, Violation
from engine.types import (
    Chunk,
    Evidence,
    FaqEntry,
    FaqMatch,
    Outcome,
    Question,
    Reference,
    Route,
    RouteLevel,
    ScoredChunk,
    Usage,
    Written,
)

MISS = FaqMatch(band="miss", score=0.1, cosine=0.1, entry=None)


def faq_entry(id: str = "cancel", answer: str = "Call us.  \n") -> FaqEntry:
    return FaqEntry(id=id, questions=("How do I cancel?",), answer=answer, language="en")


def chunk(id: str = "c1", text: str = "The deposit is returned within 10 days.", section: str = "7.2") -> Chunk:
    return Chunk(
        id=id,
        document="housing/contracts/lease.md",
        revision="r1",
        ordinal=0,
        domain="housing",
        collection="contracts",
        document_title="Lease",
        section=section,
        section_title="Deposit",
        section_index=1,
        text=text,
        header="Housing > Contracts > Lease > Deposit",
        language="en",
    )


def evidence(*chunks: Chunk, sufficient: bool = True, score: float = 0.8) -> Evidence:
    return Evidence(chunks=tuple(ScoredChunk(chunk=one, score=score) for one in chunks), sufficient=sufficient)


def route(domain: str = "housing", collection: str = "contracts") -> Route:
    level = RouteLevel(level="domain", chosen=domain, confidence=0.9, by="embedding")
    return Route(domain=domain, collection=collection, documents=(), levels=(level,))


@dataclass
class FakeScreen:
    words: tuple[str, ...] = ("idiot",)

    def forbidden(self, text: str) -> str | None:
        return next((word for word in self.words if word in text.lower().split()), None)


@dataclass
class FakeGate:
    answer: FaqMatch = MISS

    async def match(self, question: Question) -> FaqMatch:
        return self.answer


@dataclass
class FakeRouter:
    routes: Sequence[Route] = field(default_factory=lambda: (route(),))

    async def route(
        self, question: Question, tried: Sequence[Route] = (), *, calls: int = 2
    ) -> tuple[Route, Usage] | None:
        return (self.routes[len(tried)], Usage(embeddings=1)) if len(tried) < len(self.routes) else None


@dataclass
class FakeRetriever:
    """Evidence by collection; nothing elsewhere."""

    found: dict[str, Evidence] = field(default_factory=lambda: {"contracts": evidence(chunk())})
    asked: list[Question] = field(default_factory=list[Question])

    async def retrieve(self, question: Question, route: Route) -> tuple[Evidence, Usage]:
        self.asked.append(question)
        return self.found.get(route.collection or "", Evidence(chunks=(), sufficient=False)), Usage()


class FakeDraft:
    def __init__(self, pieces: Sequence[str | ProviderError], written: Written) -> None:
        self._pieces = pieces
        self.written = written

    async def _text(self) -> AsyncGenerator[str, None]:
        for piece in self._pieces:
            if isinstance(piece, ProviderError):
                raise piece
            yield piece

    def __aiter__(self) -> AsyncIterator[str]:
        return self._text()


@dataclass
class FakeGenerator:
    """Writes its scripts in turn, the last one again and again; an error among the pieces is raised there."""

    scripts: Sequence[Sequence[str | ProviderError]]
    written: Written = Written(completeness="complete", cited=("c1",))
    tasks: list[Task] = field(default_factory=list[Task])
    open: int = 0

    @asynccontextmanager
    async def write(self, task: Task) -> AsyncGenerator[Draft, None]:
        script = self.scripts[min(len(self.tasks), len(self.scripts) - 1)]
        self.tasks.append(task)
        self.open += 1
        try:
            yield FakeDraft(script, self.written)
        finally:
            self.open -= 1


@dataclass
class FakeGuardrail:
    """Passes every piece as it comes, and refuses the draft at the first forbidden one."""

    forbidden: str = "FORBIDDEN"

    @asynccontextmanager
    async def watch(
        self, task: Task, pieces: AsyncIterator[str]
    ) -> AsyncGenerator[AsyncIterator[Passed | Violation], None]:
        async def verdicts() -> AsyncGenerator[Passed | Violation, None]:
            async for piece in pieces:
                if self.forbidden in piece:
                    yield Violation("stop_word")
                    return
                yield Passed(piece)

        yield verdicts()


@dataclass
class FakeReferencer:
    """Follows a draft that holds "see 7.2" to one more chunk; one with "only see" merely points."""

    target: Chunk = field(default_factory=lambda: chunk("c2", "Ten days."))

    async def follow(self, question: Question, draft: str, cited: Sequence[str], evidence: Evidence) -> Followed:
        if "see 7.2" not in draft:
            return Followed()
        reference = Reference(type="section", target="7.2", marker="see 7.2", status="resolved", by="toc")
        more = Evidence(chunks=(*evidence.chunks, ScoredChunk(chunk=self.target, score=0.8)), sufficient=True)
        return Followed(references=(reference,), evidence=more, only_points="only see" in draft)


@dataclass
class FakeMisses:
    escalates: bool = False
    recorded: list[Outcome] = field(default_factory=list[Outcome])

    async def record(self, question: Question, outcome: Outcome) -> bool:
        self.recorded.append(outcome)
        return self.escalates


@dataclass
class FakeAnswers:
    error: Exception | None = None
    recorded: list[Outcome] = field(default_factory=list[Outcome])

    async def record(self, outcome: Outcome) -> None:
        if self.error:
            raise self.error
        self.recorded.append(outcome)
