"""Which of several processes answers where, on the state database."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from uuid import uuid4

from sqlalchemy import ColumnElement, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.conversations import Claim
from engine.providers.state.database import Database
from engine.providers.state.presence import Presence
from engine.providers.state.tables import claims, replicas

_NOBODY = ""


class SqlClaims:
    """One process's, for one desk."""

    def __init__(self, database: Database, desk: str) -> None:
        self.holder = uuid4().hex
        self._database, self._desk = database, desk
        self._presence = Presence(database.file, self.holder) if database.file is not None else None

    async def beat(self) -> Mapping[str, int]:
        if self._presence is not None:
            await asyncio.to_thread(self._presence.appear)
        async with self._database.writing() as connection:
            mine = update(replicas).where(self._replica(self.holder)).values(beat=replicas.c.beat + 1)
            if (await connection.execute(mine.returning(replicas.c.id))).first() is None:
                first = {"desk": self._desk, "holder": self.holder, "beat": 1}
                await self._database.insert_new(connection, replicas, first)
            others = select(replicas.c.holder, replicas.c.beat).where(
                replicas.c.desk == self._desk, replicas.c.holder != self.holder
            )
            beats = {row.holder: row.beat for row in (await connection.execute(others)).all()}
        if self._presence is None:
            return beats
        dead = [one for one in beats if await asyncio.to_thread(self._presence.has_died, one)]
        for one in dead:
            await self.bury(one, beats.pop(one))
        return beats

    async def bury(self, holder: str, beat: int) -> bool:
        async with self._database.writing() as connection:
            dead = delete(replicas).where(self._replica(holder), replicas.c.beat == beat).returning(replicas.c.id)
            if (await connection.execute(dead)).first() is None:
                return False
            living = select(replicas.c.holder).where(replicas.c.desk == self._desk)
            await self._orphan(connection, claims.c.holder.not_in(living))
        return True

    async def claim(self, key: str) -> Claim:
        async with self._database.writing() as connection:
            mine = {"desk": self._desk, "key": key, "holder": self.holder}
            if await self._database.insert_new(connection, claims, mine) is not None:
                return "fresh"
            free = (claims.c.desk == self._desk) & (claims.c.key == key) & claims.c.holder.in_((_NOBODY, self.holder))
            taken = update(claims).where(free).values(holder=self.holder).returning(claims.c.id)
            return "theirs" if (await connection.execute(taken)).first() is None else "left"

    async def release(self, key: str) -> None:
        mine = (claims.c.desk == self._desk) & (claims.c.key == key) & (claims.c.holder == self.holder)
        async with self._database.writing() as connection:
            await connection.execute(delete(claims).where(mine))

    async def theirs(self) -> frozenset[str]:
        others = claims.c.holder.not_in((_NOBODY, self.holder))
        async with self._database.reading() as connection:
            found = await connection.execute(select(claims.c.key).where(claims.c.desk == self._desk, others))
            return frozenset(found.scalars().all())

    async def leave(self) -> None:
        async with self._database.writing() as connection:
            await connection.execute(delete(replicas).where(self._replica(self.holder)))
            await self._orphan(connection, claims.c.holder == self.holder)
        if self._presence is not None:
            await asyncio.to_thread(self._presence.vanish)

    async def _orphan(self, connection: AsyncConnection, which: ColumnElement[bool]) -> None:
        await connection.execute(update(claims).where(claims.c.desk == self._desk, which).values(holder=_NOBODY))

    def _replica(self, holder: str) -> ColumnElement[bool]:
        return (replicas.c.desk == self._desk) & (replicas.c.holder == holder)
