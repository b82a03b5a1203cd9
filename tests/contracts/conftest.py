from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.all_stores import Stores, fake_stores, sql_stores
from tests.postgres import fresh_database


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
