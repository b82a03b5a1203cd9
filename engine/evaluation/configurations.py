"""What is compared: how far a question is routed before it is searched for, by the router or by the right labels; how
much the first pass sees, and whether what an answer points at is followed; with the FAQ gate ahead or without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from engine.evaluation.base_questions import Gold
from engine.ports import Followed, Retriever, Router
from engine.types import Evidence, Question, Route, Usage

Depth = Literal["none", "domain", "collection", "document"]
Labels = Literal["routed", "oracle"]

_DEPTHS: tuple[Depth, ...] = ("none", "domain", "collection", "document")
_LOOSE = "general"
"""The collection of documents that lie in a domain's folder itself, as ingestion names it."""
_WHOLE_BASE = Route(domain=None, collection=None, documents=(), levels=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    name: str
    depth: Depth
    labels: Labels = "routed"
    headers: bool = True
    """Whether chunks are indexed with `domain > collection > document > section` ahead of their text."""
    back_up: bool = False
    """Whether weak evidence sends the search elsewhere, at last to the whole base."""
    kept: int | None = None
    """How many chunks the first pass sees; as the policy says if None."""
    follows: bool = True
    """Whether a second pass follows what the first answer points at."""
    gate: bool = False
    """Whether the FAQ gate stands ahead, as it does for people."""


CONFIGURATIONS: Mapping[str, Configuration] = {
    one.name: one
    for one in (
        Configuration(name="naive", depth="none", headers=False),
        Configuration(name="naive+header", depth="none"),
        Configuration(name="domain", depth="domain"),
        Configuration(name="domain:oracle", depth="domain", labels="oracle"),
        Configuration(name="collection", depth="collection"),
        Configuration(name="collection:oracle", depth="collection", labels="oracle"),
        Configuration(name="dcd", depth="document"),
        Configuration(name="dcd:oracle", depth="document", labels="oracle"),
        Configuration(name="dcd+up", depth="document", back_up=True),
        Configuration(name="dcd+up:oracle", depth="document", labels="oracle", back_up=True),
        Configuration(name="one-pass", depth="document", back_up=True, follows=False),
        Configuration(name="one-pass:oracle", depth="document", labels="oracle", back_up=True, follows=False),
        Configuration(name="top-1", depth="document", back_up=True, kept=1),
        Configuration(name="top-1:oracle", depth="document", labels="oracle", back_up=True, kept=1),
        Configuration(name="top-1+one-pass", depth="document", back_up=True, kept=1, follows=False),
        Configuration(name="faq+dcd+up", depth="document", back_up=True, gate=True),
    )
}
PRODUCT = "dcd+up"
"""The configuration that answers people."""


class FirstOnly:
    """A retriever that keeps so many chunks of what another one finds."""

    def __init__(self, retriever: Retriever, kept: int) -> None:
        self._retriever = retriever
        self._kept = kept

    async def retrieve(self, question: Question, route: Route) -> tuple[Evidence, Usage]:
        evidence, usage = await self._retriever.retrieve(question, route)
        return replace(evidence, chunks=evidence.chunks[: self._kept]), usage


class FollowsNothing:
    """A referencer for answers of one pass."""

    async def follow(self, question: Question, draft: str, cited: Sequence[str], evidence: Evidence) -> Followed:
        return Followed()


class MeasuredRouter:
    """Routes as a configuration says, and remembers what the router chose first."""

    def __init__(self, configuration: Configuration, router: Router, golds: Mapping[str, Gold]) -> None:
        self._configuration = configuration
        self._router = router
        self._golds = golds
        self.first: Route | None = None

    async def route(
        self, question: Question, tried: Sequence[Route] = (), *, calls: int = 2
    ) -> tuple[Route, Usage] | None:
        if tried and not self._configuration.back_up:
            return None
        if self._configuration.depth == "none":
            return _WHOLE_BASE, Usage()
        if self._configuration.labels == "oracle":
            return self._by_labels(question, tried)
        routed = await self._router.route(question, tried, calls=calls)
        if routed is None:
            return None
        if not tried:
            self.first = routed[0]
        return cut(routed[0], self._configuration.depth), routed[1]

    def _by_labels(self, question: Question, tried: Sequence[Route]) -> tuple[Route, Usage] | None:
        if tried:
            return (_WHOLE_BASE, Usage()) if len(tried) == 1 else None
        places = self._golds[question.id].places
        branches = [cut(right_route(place), self._configuration.depth) for place in places]
        if not branches:
            return _WHOLE_BASE, Usage()
        return replace(branches[0], also=tuple(branches[1:])), Usage()


def right_route(place: frozenset[str]) -> Route:
    """Straight to where one question's answer stands: all right documents of the first one's collection."""
    first = min(place)
    domain, collection = parts_of(first)
    same = tuple(sorted(path for path in place if parts_of(path) == (domain, collection)))
    return Route(domain=domain, collection=collection, documents=same, levels=())


def cut(route: Route, depth: Depth) -> Route:
    """The route down to a level only."""
    level = _DEPTHS.index(depth)
    return replace(
        route,
        domain=route.domain if level >= 1 else None,
        collection=route.collection if level >= 2 else None,
        documents=route.documents if level >= 3 else (),
        also=tuple(cut(branch, depth) for branch in route.also),
    )


def parts_of(document: str) -> tuple[str, str]:
    """The domain and collection of a document's path."""
    domain, _, rest = document.partition("/")
    collection, slash, _ = rest.partition("/")
    return domain, collection if slash else _LOOSE
