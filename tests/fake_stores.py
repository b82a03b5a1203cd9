"""In-memory versions of the stores of `engine.ports`, held to the contracts of the real ones."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from engine.logged import LoggedAnswer
from engine.ports import StoredFaq
from engine.types import DocumentRecord, Miss, ObjectEntry, Outcome, Question, Route, TocEntry


class FakeDocumentStore:
    def __init__(self) -> None:
        self._published: dict[str, tuple[DocumentRecord, tuple[TocEntry, ...], tuple[ObjectEntry, ...]]] = {}

    async def publish(self, record: DocumentRecord, toc: Sequence[TocEntry], objects: Sequence[ObjectEntry]) -> None:
        in_order = sorted(toc, key=lambda entry: entry.index)
        self._published[record.path] = (record, tuple(in_order), tuple(objects))

    async def withdraw(self, path: str) -> None:
        self._published.pop(path, None)

    async def documents(self) -> tuple[DocumentRecord, ...]:
        return tuple(self._published[path][0] for path in sorted(self._published))

    async def toc(self, document: str) -> tuple[TocEntry, ...]:
        return self._published[document][1] if document in self._published else ()

    async def objects(self, document: str) -> tuple[ObjectEntry, ...]:
        return self._published[document][2] if document in self._published else ()

    async def sections_numbered(self, numbers: Sequence[str]) -> tuple[TocEntry, ...]:
        wanted = set(numbers)
        return tuple(e for path in sorted(self._published) for e in self._published[path][1] if e.number in wanted)

    async def objects_labelled(self, labels: Sequence[str]) -> tuple[ObjectEntry, ...]:
        wanted = set(labels)
        return tuple(e for path in sorted(self._published) for e in self._published[path][2] if e.label in wanted)


class FakeFaqStore:
    def __init__(self) -> None:
        self._faq = StoredFaq(version="")

    async def replace(self, faq: StoredFaq) -> None:
        if len(faq.wordings) != len(faq.vectors):
            raise ValueError(f"{len(faq.wordings)} wordings, {len(faq.vectors)} vectors")
        vectors = np.array(faq.vectors, dtype=np.float32)
        self._faq = StoredFaq(version=faq.version, entries=faq.entries, wordings=faq.wordings, vectors=vectors)

    async def load(self) -> StoredFaq:
        return self._faq

    async def version(self) -> str:
        return self._faq.version


class FakeMissStore:
    def __init__(self) -> None:
        self.misses: list[Miss] = []
        """Oldest first."""

    async def add(self, question: Question, outcome: Outcome) -> None:
        self.misses.append(
            Miss(
                id=len(self.misses) + 1,
                asked_at=datetime.now(UTC).isoformat(timespec="microseconds"),
                question=question.text,
                language=outcome.language,
                conversation=question.conversation,
                best_score=outcome.faq.score if outcome.faq is not None else 0.0,
                reason=outcome.miss_reason or "nothing_found",
                route=outcome.route,
            )
        )

    async def list(self, limit: int) -> tuple[Miss, ...]:
        return tuple(reversed(self.misses))[:limit]


class FakeAnswerStore:
    def __init__(self) -> None:
        self.answers: list[LoggedAnswer] = []

    async def add(self, answer: LoggedAnswer) -> None:
        self.answers.append(answer)

    async def since(self, moment: str) -> tuple[LoggedAnswer, ...]:
        late = [answer for answer in self.answers if answer.asked_at >= moment]
        return tuple(sorted(late, key=lambda answer: answer.asked_at))


class FakeRouteCache:
    def __init__(self, *, limit: int = 10_000) -> None:
        self._limit = limit
        self._routes: dict[str, tuple[str, Route]] = {}

    async def get(self, key: str, version: str) -> Route | None:
        stored_version, route = self._routes.get(key, ("", None))
        return route if stored_version == version else None

    async def put(self, key: str, version: str, route: Route) -> None:
        self._routes.pop(key, None)  # so that it becomes the newest
        self._routes[key] = (version, route)
        while len(self._routes) > self._limit:
            del self._routes[next(iter(self._routes))]


class FakeMetaStore:
    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    async def get(self, key: str) -> str | None:
        return self._values.get(key)

    async def put(self, key: str, value: str) -> None:
        self._values[key] = value
