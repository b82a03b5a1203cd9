"""DCD routing: domain, then collection, then documents, each a choice from a closed, described list.

Without a model the choice rests on embeddings (`engine.stages.affinity`). With one it is structured output, and the
embeddings stand in when the model fails. Choices are cached by question and registry version. Tried branches lead to
the next best one, and in the end back up to the whole base.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import structlog

from engine.errors import ProviderError
from engine.policy import RoutingPolicy
from engine.ports import ChatModel, ChunkIndex, Embedder, RouteCache
from engine.stages.affinity import Affinity, measure
from engine.stages.library import Library, Shelf
from engine.stages.model_routing import Choice, choose
from engine.text.normal import normalise
from engine.types import ChosenBy, Domain, Level, Question, Route, RouteLevel, Usage

log = structlog.get_logger()


class DcdRouter:
    """Raises ProviderError when the embedder or the index fails; a failing model only costs its better choice."""

    def __init__(
        self,
        library: Library,
        index: ChunkIndex,
        embedder: Embedder,
        cache: RouteCache,
        policy: RoutingPolicy,
        model: ChatModel | None = None,
    ) -> None:
        self._library = library
        self._index = index
        self._embedder = embedder
        self._cache = cache
        self._policy = policy
        self._model = model

    async def route(self, question: Question, tried: Sequence[Route] = ()) -> tuple[Route, Usage] | None:
        shelf = await self._library.shelf()
        if not shelf.domains(question.audience) or len(tried) >= self._policy.branches:
            return None
        key = _cache_key(question)
        if not tried and (cached := await self._cache.get(key, shelf.registry.version)):
            return _marked_cached(cached), Usage()
        affinity = await measure(question, shelf, self._index, self._embedder)
        if not tried:
            route, usage, model = await self._choose(question, shelf, affinity)
            if model is self._model:  # a choice made without a model that failed is not kept
                await self._cache.put(key, shelf.registry.version, route)
            return route, usage + Usage(embeddings=1)
        branch = self._next_branch(shelf, affinity, question, tried)
        return (branch, Usage(embeddings=1)) if branch else None

    async def _choose(
        self, question: Question, shelf: Shelf, affinity: Affinity
    ) -> tuple[Route, Usage, ChatModel | None]:
        """The route, what it cost, and the model unless it failed; one that failed is not asked a second time."""
        domains = shelf.domains(question.audience)
        listed = [Choice(domain.id, domain.title, domain.description) for domain in domains]
        chosen_domain, usage, model = await self._decide(
            question, "domain", listed, affinity.domains, None, self._model
        )
        domain = next(candidate for candidate in domains if candidate.id == chosen_domain.chosen)
        listed = [
            Choice(collection.id, collection.title, collection.description)
            for collection in shelf.collections(domain, question.audience)
        ]
        scores = affinity.collections_of(domain.id)
        chosen, spent, model = await self._decide(
            question, "collection", listed, scores, domain.default_collection, model
        )
        documents, level = self._documents(domain, chosen.chosen, shelf, affinity)
        narrows = self._is_sure(chosen_domain, None)
        deep = narrows and self._is_sure(chosen, domain.default_collection)
        route = Route(
            domain=domain.id if narrows else None,
            collection=chosen.chosen if deep else None,
            documents=documents if deep else (),
            levels=(chosen_domain, chosen, *level),
        )
        return route, usage + spent, model

    def _is_sure(self, level: RouteLevel, default: str | None) -> bool:
        """Whether a level narrows the search: a model's choice and the owner's default do, others if they are clear."""
        named = level.by == "model" or (level.by == "default" and level.chosen == default)
        return named or level.confidence >= self._policy.sure

    async def _decide(
        self,
        question: Question,
        level: Level,
        choices: Sequence[Choice],
        scores: Mapping[str, float],
        default: str | None,
        model: ChatModel | None,
    ) -> tuple[RouteLevel, Usage, ChatModel | None]:
        """One level: by the model if there is one, else by the embeddings; the default when neither can tell."""
        known = {choice.id for choice in choices}
        best = max(known, key=lambda candidate: (scores.get(candidate, 0.0), candidate))
        fallback = default if default in known else best

        def decided(chosen: str, by: ChosenBy, confidence: float | None = None) -> RouteLevel:
            sure = scores.get(chosen, 0.0) if confidence is None else confidence
            return RouteLevel(level=level, chosen=chosen, confidence=round(sure, 3), by=by)

        if model is not None and len(choices) > 1:
            try:
                chosen, confidence, usage = await choose(model, question, level, choices)
            except ProviderError as error:
                log.warning("route.model_failed", level=level, provider=error.provider)
                model = None
            else:
                named = decided(chosen, "model", confidence) if chosen in known else decided(fallback, "default")
                return named, usage, model
        if scores.get(best, 0.0) < self._policy.unsure:
            return decided(fallback, "default"), Usage(), model
        return decided(best, "embedding"), Usage(), model

    def _documents(
        self, domain: Domain, collection: str, shelf: Shelf, affinity: Affinity
    ) -> tuple[tuple[str, ...], tuple[RouteLevel, ...]]:
        """The documents that come close to the best one, best first; all of the collection when too many do."""
        scores = {
            path: score
            for path, score in affinity.documents.items()
            if (shelf.documents[path].domain, shelf.documents[path].collection) == (domain.id, collection)
        }
        ranked = sorted(scores, key=lambda path: (-scores[path], path))
        best = ranked[0]
        if scores[best] == 0.0:
            settings = next((c for c in domain.collections if c.id == collection), None)
            default = f"{domain.id}/{collection}/{settings.default_document}" if settings else ""
            if default in scores:
                level = RouteLevel(level="document", chosen=default, confidence=0.0, by="default")
                return (default,), (level,)
            return (), ()
        close = [path for path in ranked if scores[path] >= self._policy.close_documents * scores[best]]
        level = RouteLevel(level="document", chosen=best, confidence=round(scores[best], 3), by="embedding")
        return (tuple(close) if len(close) <= self._policy.documents else ()), (level,)

    def _next_branch(
        self, shelf: Shelf, affinity: Affinity, question: Question, tried: Sequence[Route]
    ) -> Route | None:
        """The best collection that was not looked into yet, all of its documents; at last the whole base, once."""
        if any(route.domain is None for route in tried):
            return None
        if len(tried) < self._policy.branches - 1:
            seen = {(route.domain, route.collection) for route in tried}
            joint = {
                (domain.id, collection.id): affinity.domains[domain.id] * affinity.collections[domain.id, collection.id]
                for domain in shelf.domains(question.audience)
                for collection in shelf.collections(domain, question.audience)
                if seen.isdisjoint({(domain.id, None), (domain.id, collection.id)})
            }
            if joint:
                domain_id, collection_id = max(joint, key=lambda branch: (joint[branch], branch))
                return Route(
                    domain=domain_id,
                    collection=collection_id,
                    documents=(),
                    levels=(
                        _by_embedding("domain", domain_id, affinity.domains[domain_id]),
                        _by_embedding("collection", collection_id, affinity.collections[domain_id, collection_id]),
                    ),
                )
        return Route(domain=None, collection=None, documents=(), levels=())


def _by_embedding(level: Level, chosen: str, confidence: float) -> RouteLevel:
    return RouteLevel(level=level, chosen=chosen, confidence=round(confidence, 3), by="embedding")


def _cache_key(question: Question) -> str:
    return "\x1f".join([normalise(question.text), *sorted(question.audience)])


def _marked_cached(route: Route) -> Route:
    return replace(route, levels=tuple(replace(level, by="cache") for level in route.levels))
