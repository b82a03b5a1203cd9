"""Which workspaces installed an app by themselves, on the state database.

What is kept of one is the adapter's own JSON, with the token: the database is as secret as the tokens in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import delete, insert, select

from engine.providers.state.database import Database
from engine.providers.state.tables import install_states, installations


class SqlInstallations:
    """Of one app."""

    def __init__(self, database: Database, app: str) -> None:
        self._database = database
        self._app = app

    async def save(self, workspace: str, content: Mapping[str, Any]) -> None:
        row = {"app": self._app, "workspace": workspace, "content": dict(content)}
        async with self._database.writing() as connection:
            await self._database.upsert(connection, installations, row)

    async def find(self, workspace: str) -> Mapping[str, Any] | None:
        query = select(installations.c.content).where(
            installations.c.app == self._app, installations.c.workspace == workspace
        )
        async with self._database.reading() as connection:
            found: Mapping[str, Any] | None = (await connection.execute(query)).scalar_one_or_none()
        return found

    async def all(self) -> dict[str, Mapping[str, Any]]:
        query = select(installations).where(installations.c.app == self._app).order_by(installations.c.workspace)
        async with self._database.reading() as connection:
            return {row.workspace: row.content for row in (await connection.execute(query)).all()}

    async def remove(self, workspace: str) -> None:
        one = (installations.c.app == self._app) & (installations.c.workspace == workspace)
        async with self._database.writing() as connection:
            await connection.execute(delete(installations).where(one))

    async def issue(self, state: str, lasting: timedelta) -> None:
        """Remember a state; those that are older than `lasting` are forgotten."""
        now = datetime.now(UTC)
        async with self._database.writing() as connection:
            await connection.execute(delete(install_states).where(install_states.c.issued_at < _iso(now - lasting)))
            await connection.execute(insert(install_states).values(state=state, issued_at=_iso(now)))

    async def consume(self, state: str, lasting: timedelta) -> bool:
        """True once for each state that was issued within `lasting`."""
        taken = delete(install_states).where(install_states.c.state == state).returning(install_states.c.issued_at)
        async with self._database.writing() as connection:
            issued: str | None = (await connection.execute(taken)).scalar_one_or_none()
        return issued is not None and issued >= _iso(datetime.now(UTC) - lasting)


def _iso(moment: datetime) -> str:
    """Fixed width, so that the order of texts is the order of time."""
    return moment.isoformat(timespec="microseconds")
