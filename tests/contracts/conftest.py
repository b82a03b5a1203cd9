from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.all_stores import Stores, fake_stores, sql_stores
from tests.postgres import fresh_database, running_postgres


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    with running_postgres() as server:
        yield server


@pytest.fixture
async def postgres_url(postgres_server: str) -> AsyncIterator[str]:
    async with fresh_database(postgres_server) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
async def state_url(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    """An empty state database, on each of the two."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/state.db"
        return
    # Asked for by name, so that what needs SQLite only does not start a server.
    async with fresh_database(request.getfixturevalue("postgres_server")) as url:
        yield url


@pytest.fixture(params=["fake", "sqlite", "postgresql"])
async def stores(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Stores]:
    if request.param == "fake":
        yield fake_stores()
        return
    async with AsyncExitStack() as stack:
        url = f"sqlite:///{tmp_path}/state.db"
        if request.param == "postgresql":
            url = await stack.enter_async_context(fresh_database(request.getfixturevalue("postgres_server")))
        yield await stack.enter_async_context(sql_stores(url))
