"""What the store of installations does, on SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from engine.providers.state.database import Database
from engine.providers.state.installations import SqlInstallations

LASTS = timedelta(minutes=10)


@pytest.fixture
async def database(state_url: str) -> AsyncIterator[Database]:
    async with Database.open(state_url) as database:
        yield database


async def test_installations_are_kept_by_app_and_workspace(database: Database) -> None:
    store, other = SqlInstallations(database, "1.2"), SqlInstallations(database, "3.4")
    await store.save("T02", {"token": "xoxb-2"})
    await store.save("T01", {"token": "xoxb-1"})
    await store.save("T01", {"token": "xoxb-1-again"})
    await other.save("T01", {"token": "xoxb-other"})
    assert await store.find("T01") == {"token": "xoxb-1-again"}
    assert await store.all() == {"T01": {"token": "xoxb-1-again"}, "T02": {"token": "xoxb-2"}}
    await store.remove("T01")
    await store.remove("T01")
    assert await store.find("T01") is None
    assert await other.find("T01") == {"token": "xoxb-other"}


async def test_a_state_is_good_once(database: Database) -> None:
    store = SqlInstallations(database, "1.2")
    await store.issue("a", LASTS)
    taken = await asyncio.gather(*(store.consume("a", LASTS) for _ in range(8)))
    assert sorted(taken) == [False] * 7 + [True]
    assert not await store.consume("never issued", LASTS)


async def test_a_state_that_is_too_old_is_refused_and_forgotten(database: Database) -> None:
    store = SqlInstallations(database, "1.2")
    await store.issue("a", LASTS)
    assert not await store.consume("a", timedelta(0))
    await store.issue("b", LASTS)
    await store.issue("c", timedelta(0))
    assert not await store.consume("b", LASTS), "forgotten when the next was issued"
    assert await store.consume("c", LASTS)
