"""One digest a week, however many replicas come to say it at once."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from bot.digest import Digester, DigestTime
from bot.gap_desk import GapDesk
from bot.gap_sources import GapSources
from engine import Answer, Inbound, Outcome, Question
from engine.providers.state.answers import SqlAnswerStore
from engine.providers.state.database import Database
from engine.providers.state.faq_store import SqlFaqStore
from engine.providers.state.gaps import SqlGaps
from engine.providers.state.inbox import SqlInbox
from engine.providers.state.stores import SqlMetaStore, SqlMissStore
from engine.providers.state.tickets import SqlTickets
from engine.stages.answer_log import logged
from tests.fake_embedder import FakeEmbedder

DESK = "telegram:1"
MISSED = Outcome(id="o", kind="missed", text="", language="en", miss_reason="nothing_found")


@dataclass(frozen=True)
class Replica:
    digester: Digester
    tickets: SqlTickets


def replica(database: Database) -> Replica:
    embedder, tickets = FakeEmbedder(), SqlTickets(database)
    sources = GapSources(
        gaps=SqlGaps(database),
        answers=SqlAnswerStore(database),
        faq=SqlFaqStore(database),
        meta=SqlMetaStore(database),
        gate_embedder=embedder,
        index_embedder=embedder,
    )
    digester = Digester(
        desk=DESK,
        when=DigestTime.parse("Mon 9:00", ZoneInfo("UTC")),
        tickets=tickets,
        answers=sources.answers,
        gaps=GapDesk(sources, frozenset({"public"})),
        language="en",
    )
    return Replica(digester, tickets)


async def test_replicas_say_a_digest_once(state_url: str) -> None:
    async with AsyncExitStack() as stack:
        databases = [await stack.enter_async_context(Database.open(state_url)) for _ in range(3)]
        await SqlMissStore(databases[0]).add(Question(text="Where is it?"), MISSED)
        await SqlAnswerStore(databases[0]).add(logged(MISSED, datetime.now(UTC)))
        replicas = [replica(database) for database in databases]
        due = replicas[0].digester.when.latest(datetime.now(UTC))
        said = await asyncio.gather(*(one.digester.say(due) for one in replicas))
        assert sorted(said) == [False, False, True]
        assert not await replicas[1].digester.say(due)
        (relay,) = await replicas[2].tickets.due(DESK)
        assert (relay.kind, [gap["misses"] for gap in relay.content["gaps"]]) == ("digest", [[1]])


async def test_what_was_asked_at_one_desk_is_found_apart(state_url: str) -> None:
    """Desks whose names begin alike are two, and so are their questions of the same words."""
    async with Database.open(state_url) as database:
        for desk, missed in (("slack:T1:U", True), ("slack:T1:U2", False), ("slack:T%:U", True)):
            inbox = SqlInbox(database, desk)
            message = await inbox.accept(Inbound(key="m", conversation=f"{desk}:C:1", asker="7", text=f"At {desk}?"))
            assert message is not None
            exchange = await inbox.open([message])
            ended = replace(MISSED, id=str(exchange.id), kind="missed" if missed else "answered")
            if missed:
                question = Question(text=exchange.text, id=ended.id, conversation=exchange.conversation)
                await SqlMissStore(database).add(question, ended)
            await SqlAnswerStore(database).add(logged(ended, datetime.now(UTC)))
            await inbox.conclude(exchange.id, Answer(text="a", kind=ended.kind, language="en"))
        await SqlAnswerStore(database).add(logged(replace(MISSED, id="of no desk"), datetime.now(UTC)))
        found = {}
        for there in (None, "slack:T1:U", "slack:T1:U2", "slack:T%:U", "slack:T2:U"):
            gaps, answers = SqlGaps(database, there), SqlAnswerStore(database, there)
            missed_there = [one.question for one in await gaps.misses("", 9)]
            answered_there = [one.question for one in await gaps.answered("", 9)]
            found[there] = (missed_there, answered_there, len(await answers.since("")))
        assert found == {
            None: (["At slack:T1:U?", "At slack:T%:U?"], ["At slack:T1:U2?"], 4),
            "slack:T1:U": (["At slack:T1:U?"], [], 1),
            "slack:T1:U2": ([], ["At slack:T1:U2?"], 1),
            "slack:T%:U": (["At slack:T%:U?"], [], 1),
            "slack:T2:U": ([], [], 0),
        }
