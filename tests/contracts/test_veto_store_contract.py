"""Vetoed questions on every state database."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import func, select

from engine.matching.vetoes import Vetoed
from engine.providers.state import tables
from engine.providers.state.database import Database
from engine.providers.state.vetoes import SqlVetoes

ONE = Vetoed(question="Как отключить?", entry="on", wording="Как включить?", vetoed_by="opposite", score=0.97)


async def test_a_veto_is_kept_once_and_counted(state_url: str) -> None:
    async with Database.open(state_url) as database:
        vetoes = SqlVetoes(database)
        for question in (ONE.question, "Где?", "как  отключить"):
            await vetoes.add(replace(ONE, question=question))
        (newest, other) = await vetoes.newest(5)
        assert (newest.question, newest.times, newest.last_at > other.last_at) == ("как  отключить", 2, True)
        assert replace(other, last_at="") == replace(ONE, question="Где?")
        assert await vetoes.newest(1) == (newest,)


async def test_the_oldest_vetoes_give_way(state_url: str) -> None:
    async with Database.open(state_url) as database:
        vetoes = SqlVetoes(database, limit=3, slack=1)
        for number in range(10):
            await vetoes.add(replace(ONE, question=f"{number}?"))
        kept = [one.question for one in await vetoes.newest(100)]
        assert kept[:3] == ["9?", "8?", "7?"]
        assert len(kept) <= 3
        async with database.reading() as connection:
            rows = (await connection.execute(select(func.count()).select_from(tables.vetoes))).scalar_one()
        assert rows <= 3 + 2
