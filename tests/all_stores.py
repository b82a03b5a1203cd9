"""Every store in one of its versions, for the contract suites."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from engine.ports import AnswerStore, DocumentStore, FaqStore, MetaStore, MissStore, RouteCache
from engine.providers.state.answers import SqlAnswerStore
from engine.providers.state.database import Database
from engine.providers.state.faq_store import SqlFaqStore
from engine.providers.state.stores import SqlDocumentStore, SqlMetaStore, SqlMissStore, SqlRouteCache
from tests.fake_stores import (
    FakeAnswerStore,
    FakeDocumentStore,
    FakeFaqStore,
    FakeMetaStore,
    FakeMissStore,
    FakeRouteCache,
)

CACHED = 5
"""How many routes the cache under test holds."""


@dataclass(frozen=True)
class Stores:
    documents: DocumentStore
    faq: FaqStore
    misses: MissStore
    answers: AnswerStore
    routes: RouteCache
    meta: MetaStore


def fake_stores() -> Stores:
    return Stores(
        FakeDocumentStore(),
        FakeFaqStore(),
        FakeMissStore(),
        FakeAnswerStore(),
        FakeRouteCache(limit=CACHED),
        FakeMetaStore(),
    )


@asynccontextmanager
async def sql_stores(url: str) -> AsyncIterator[Stores]:
    async with Database.open(url) as database:
        yield Stores(
            SqlDocumentStore(database),
            SqlFaqStore(database),
            SqlMissStore(database),
            SqlAnswerStore(database),
            SqlRouteCache(database, limit=CACHED, slack=0),
            SqlMetaStore(database),
        )
