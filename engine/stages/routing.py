"""DCD routing: domain, then collection, then documents, each a choice from a closed, described list.

The choice rests on embeddings (`engine.stages.affinity`). Where their lead is thin and there is a model, it is the
model's, as structured output, within a budget of calls; a question may need several branches. Choices are cached by
question and registry version. Tried branches lead to the next best one, and in the end back up to the whole base.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.policy import RoutingPolicy
from engine.ports import ChatModel, ChunkIndex, Embedder, RouteCache
from engine.stages.affinity import Affinity, context_domain, measure
from engine.stages.library import Library, Shelf
from engine.stages.model_routing import Choice, Counsel
from engine.text.normal import normalise
from engine.types import ChosenBy, Domain, Level, Question, Route, RouteLevel, Usage


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

    async def route(
        self, question: Question, tried: Sequence[Route] = (), *, calls: int = 2
    ) -> tuple[Route, Usage] | None:
        shelf = await self._library.shelf()
        if not shelf.domains(question.audience) or len(tried) >= self._policy.branches:
            return None
        key = _cache_key(question, question.text, context_domain(question, shelf) or "")
        fresh = not tried and question.follows == "no"
        if fresh and (cached := await self._cache.get(key, shelf.registry.version)):
            return _marked_cached(cached), Usage()
        affinity = await measure(question, shelf, self._index, self._embedder)
        if question.follows != "no" and (before := await self._route_before(question, shelf)):
            affinity = affinity.leaning(before, self._policy.prior * (1 if question.follows == "on" else -1))
        if not tried:
            counsel = Counsel(self._model, calls)
            route = await self._choose(question, shelf, affinity, counsel)
            if fresh and counsel.whole:  # a choice made without a model that failed is not kept
                await self._cache.put(key, shelf.registry.version, route)
            return route, counsel.usage + Usage(embeddings=1)
        branch = self._next_branch(shelf, affinity, question, tried)
        return (branch, Usage(embeddings=1)) if branch else None

    async def _route_before(self, question: Question, shelf: Shelf) -> Route | None:
        """Where the last question before this one was looked for that could be understood alone."""
        for turn in reversed(question.history):
            if found := await self._cache.get(_cache_key(question, turn.question), shelf.registry.version):
                return found
        return None

    async def _choose(self, question: Question, shelf: Shelf, affinity: Affinity, counsel: Counsel) -> Route:
        domains = {domain.id: domain for domain in shelf.domains(question.audience)}
        listed = [Choice(domain.id, domain.title, domain.description) for domain in domains.values()]
        first, others = await self._decide(question, "domain", listed, affinity.domains, None, counsel)
        if first.chosen in affinity.named:
            others = tuple(dict.fromkeys([*others, *(one for one in affinity.named if one != first.chosen)]))
        domain = domains[first.chosen]
        collection, siblings = await self._decide_collection(question, domain, shelf, affinity, counsel)
        if not siblings and affinity.named[:1] == (domain.id,) and collection.chosen in affinity.beside:
            siblings = (affinity.beside[collection.chosen],)
        documents, level = self._documents(domain, collection.chosen, shelf, affinity)
        narrows = self._is_sure(first, None)
        deep = narrows and self._is_sure(collection, domain.default_collection)
        also = [self._branch(domain, sibling, shelf, affinity) for sibling in siblings]
        for other in others:
            of_other, _ = await self._decide_collection(question, domains[other], shelf, affinity, Counsel(None, 0))
            sure = self._is_sure(of_other, domains[other].default_collection)
            also.append(self._branch(domains[other], of_other.chosen if sure else None, shelf, affinity))
        return Route(
            domain=domain.id if narrows else None,
            collection=collection.chosen if deep else None,
            documents=documents if deep else (),
            levels=(first, collection, *level),
            also=tuple(also),
        )

    def _branch(self, domain: Domain, collection: str | None, shelf: Shelf, affinity: Affinity) -> Route:
        documents = self._documents(domain, collection, shelf, affinity)[0] if collection else ()
        return Route(domain=domain.id, collection=collection, documents=documents, levels=())

    def _is_sure(self, level: RouteLevel, default: str | None) -> bool:
        """Whether a level narrows the search: a model's choice and the owner's default do, others if they are clear."""
        named = level.by == "model" or (level.by == "default" and level.chosen == default)
        return named or level.confidence >= self._policy.sure

    async def _decide_collection(
        self, question: Question, domain: Domain, shelf: Shelf, affinity: Affinity, counsel: Counsel
    ) -> tuple[RouteLevel, tuple[str, ...]]:
        listed = [
            Choice(collection.id, collection.title, collection.description)
            for collection in shelf.collections(domain, question.audience)
        ]
        scores = affinity.collections_of(domain.id)
        return await self._decide(question, "collection", listed, scores, domain.default_collection, counsel)

    async def _decide(
        self,
        question: Question,
        level: Level,
        choices: Sequence[Choice],
        scores: Mapping[str, float],
        default: str | None,
        counsel: Counsel,
    ) -> tuple[RouteLevel, tuple[str, ...]]:
        """One level, and what else the question needs: by the embeddings where they are clear, else by the model if
        there is one; the default when neither can tell."""
        ranked = sorted(choices, key=lambda choice: (-scores.get(choice.id, 0.0), choice.id))
        best = ranked[0].id
        fallback = default if default in {choice.id for choice in choices} else best
        lead = scores.get(best, 0.0) - (scores.get(ranked[1].id, 0.0) if len(ranked) > 1 else -1.0)

        def decided(chosen: str, by: ChosenBy, confidence: float | None = None) -> RouteLevel:
            sure = scores.get(chosen, 0.0) if confidence is None else confidence
            return RouteLevel(level=level, chosen=chosen, confidence=round(sure, 3), by=by)

        if lead < self._policy.clear_margin:
            listed = sorted(ranked[: self._policy.listed], key=lambda choice: choice.id)
            answer = await counsel.ask(question, level, listed)
            if answer is not None:
                ids, confidence = answer
                if not ids:
                    return decided(fallback, "default"), ()
                return decided(ids[0], "model", confidence), ids[1:]
        if scores.get(best, 0.0) < self._policy.unsure:
            return decided(fallback, "default"), ()
        return decided(best, "embedding"), ()

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
        level = RouteLevel(level="document", chosen=best, confidence=min(1.0, round(scores[best], 3)), by="embedding")
        return (tuple(close) if len(close) <= self._policy.documents else ()), (level,)

    def _next_branch(
        self, shelf: Shelf, affinity: Affinity, question: Question, tried: Sequence[Route]
    ) -> Route | None:
        """The best collection that was not looked into yet, all of its documents; at last the whole base, once.

        A question that calls a domain by its name is not answered from another: the way up ends at that domain.
        """
        top = affinity.named[0] if affinity.named else None
        if any(route.domain in (None, top) and route.collection is None for route in tried):
            return None
        if len(tried) < self._policy.branches - 1:
            seen = {(branch.domain, branch.collection) for route in tried for branch in (route, *route.also)}
            joint = {
                (domain.id, collection.id): affinity.domains[domain.id] * affinity.collections[domain.id, collection.id]
                for domain in shelf.domains(question.audience)
                for collection in shelf.collections(domain, question.audience)
                if (top is None or domain.id in affinity.named)
                and seen.isdisjoint({(domain.id, None), (domain.id, collection.id)})
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
        others = tuple(Route(domain=one, collection=None, documents=(), levels=()) for one in affinity.named[1:])
        return Route(domain=top, collection=None, documents=(), levels=(), also=others)


class ForgetfulRouteCache:
    """Remembers nothing, so that every route is chosen anew."""

    async def get(self, key: str, version: str) -> Route | None:
        return None

    async def put(self, key: str, version: str, route: Route) -> None:
        return None


def _by_embedding(level: Level, chosen: str, confidence: float) -> RouteLevel:
    return RouteLevel(level=level, chosen=chosen, confidence=round(confidence, 3), by="embedding")


def _cache_key(question: Question, text: str, meant: str = "") -> str:
    """`meant` is the domain that the conversation is about, since the same words may mean another place elsewhere."""
    return "\x1f".join([normalise(text), *sorted(question.audience), *([f"\x1e{meant}"] if meant else [])])


def _marked_cached(route: Route) -> Route:
    return replace(route, levels=tuple(replace(level, by="cache") for level in route.levels))
