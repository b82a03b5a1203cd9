"""What several processes may rely on when they share an inbox: fakes, SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path

import pytest

from adapters.inbox import InboxStore
from engine import AlreadyOpened, Answer, Exchange, Inbound, Relay, RelayKind, Ticket
from engine.providers.state.claims import SqlClaims
from engine.providers.state.database import Database
from engine.providers.state.inbox import SqlInbox
from engine.providers.state.tickets import SqlTickets
from tests.fake_inbox import FakeInbox
from tests.postgres import fresh_database

DESK = "desk"
Two = tuple[InboxStore, InboxStore]


@pytest.fixture(params=["fake", "sqlite", "postgresql"])
async def two(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Two]:
    """One inbox as two processes have it."""
    if request.param == "fake":
        inbox = FakeInbox()
        yield inbox, inbox.beside()
        return
    async with AsyncExitStack() as stack:
        url = f"sqlite:///{tmp_path}/state.db"
        if request.param == "postgresql":
            url = await stack.enter_async_context(fresh_database(request.getfixturevalue("postgres_server")))
        first, second = [await stack.enter_async_context(Database.open(url)) for _ in range(2)]
        yield SqlInbox(first, DESK), SqlInbox(second, DESK)


async def asked(inbox: InboxStore, key: str = "m1", chat: int = 7) -> Exchange:
    return await inbox.open([await accepted(inbox, key, chat)])


async def accepted(inbox: InboxStore, key: str = "m1", chat: int = 7) -> Inbound:
    message = await inbox.accept(
        Inbound(key=key, conversation=f"c{chat}", asker="a", text="?", place={"chat": chat, "message": 1})
    )
    assert message is not None
    return message


async def test_what_one_has_the_other_has_not(two: Two) -> None:
    first, second = two
    assert await first.claims.claim("k") == "fresh"
    assert await second.claims.claim("k") == "theirs"
    assert await first.claims.theirs() == frozenset()
    assert await second.claims.theirs() == {"k"}
    await second.claims.release("k")
    assert await second.claims.claim("k") == "theirs", "only its holder releases it"
    assert await first.claims.claim("k") == "left", "its own, from before"
    await first.claims.release("k")
    assert await second.claims.claim("k") == "fresh"


async def test_who_leaves_leaves_it_at_once(two: Two) -> None:
    first, second = two
    await first.claims.beat()
    await first.claims.claim("k")
    await first.claims.leave()
    assert await second.claims.beat() == {}
    assert await second.claims.theirs() == frozenset()
    assert await second.claims.claim("k") == "left"
    assert await first.claims.claim("k") == "theirs"


async def test_the_dead_are_buried_and_the_living_are_not(two: Two) -> None:
    first, second = two
    await first.claims.beat()
    await first.claims.claim("k")
    ((holder, beat),) = (await second.claims.beat()).items()
    assert len(await first.claims.beat()) == 1
    assert not await second.claims.bury(holder, beat), "it has beaten since"
    assert await second.claims.claim("k") == "theirs"
    ((holder, later),) = (await second.claims.beat()).items()
    assert later > beat
    assert await second.claims.bury(holder, later)
    assert not await second.claims.bury(holder, later), "somebody else was first"
    assert await second.claims.claim("k") == "left"
    await first.claims.beat()
    assert len(await second.claims.beat()) == 1, "it lived after all"
    assert await first.claims.claim("k") == "theirs"


async def test_a_message_belongs_to_one_exchange(two: Two) -> None:
    first, second = two
    message = await accepted(first)
    exchange = await first.open([message])
    with pytest.raises(AlreadyOpened):
        await second.open([message])
    another = await accepted(second, "m2")
    with pytest.raises(AlreadyOpened):
        await second.open([another, message])
    with pytest.raises(AlreadyOpened):
        await second.join(exchange.id, [message])
    assert await second.unfinished() == (exchange,)
    assert await second.waiting() == (another,), "nothing is half done"


async def test_a_new_wording_that_another_process_heard_of_is_what_is_asked(two: Two) -> None:
    first, second = two
    message, another = await accepted(first), await accepted(first, "m2")
    amended = await second.amend(
        Inbound(key="m1-edit", conversation="c7", asker="a", text="deposit?", place=message.place, amends="m1")
    )
    assert amended is not None
    exchange = await first.open([message, another])
    assert exchange.text == "deposit?\n?"


async def test_only_who_has_the_conversation_may_answer(two: Two) -> None:
    first, second = two
    await first.claims.beat()
    exchange = await asked(first)
    assert await second.clearance(exchange.id, "k") == "clear", "nobody has claimed it"
    await first.claims.claim("k")
    assert await first.clearance(exchange.id, "k") == "clear"
    assert await second.clearance(exchange.id, "k") == "elsewhere"
    assert await second.clearance(exchange.id, "another") == "clear"
    await first.claims.leave()
    assert await first.clearance(exchange.id, "k") == "elsewhere", "whoever takes it over"
    await second.claims.claim("k")
    await first.close(exchange.id, "done")
    assert await first.clearance(exchange.id, "k") == "closed"


async def test_a_human_who_takes_over_is_seen_everywhere(two: Two) -> None:
    first, second = two
    exchange = await asked(first)
    await second.hand_over(exchange.conversation, "human", timedelta(hours=1))
    assert await first.clearance(exchange.id, "k") == "taken_over"
    await second.hand_over(exchange.conversation, "human", timedelta(seconds=-1))
    assert await first.clearance(exchange.id, "k") == "clear"


async def test_a_stop_is_seen_everywhere_until_there_is_an_answer(two: Two) -> None:
    first, second = two
    exchange, other = await asked(first), await asked(first, "m2", chat=8)
    assert await second.stop(exchange.conversation)
    assert await first.clearance(exchange.id, "k") == "stopped"
    assert await first.clearance(other.id, "k") == "clear"
    await first.conclude(exchange.id, Answer(text="stopped", language="en", kind="failed"))
    assert await first.clearance(exchange.id, "k") == "clear", "that is to be said"
    await first.close(exchange.id, "done")
    assert not await second.stop(exchange.conversation)
    await first.join(exchange.id, ())
    assert await first.clearance(exchange.id, "k") == "clear", "it is asked again"


async def test_who_closed_an_exchange_has_the_last_word(two: Two) -> None:
    first, second = two
    exchange = await asked(first)
    await first.conclude(exchange.id, Answer(text="first", language="en"))
    await first.close(exchange.id, "done")
    await second.conclude(exchange.id, Answer(text="second", language="en"))
    kept = await second.exchange(exchange.id)
    assert kept is not None
    assert kept.answer == Answer(text="first", language="en")


async def test_all_that_was_posted_in_a_chat_is_known(two: Two) -> None:
    first, second = two
    big = -1_001_234_567_890
    for number, (chat, posted) in enumerate([(7, ["11", "12"]), (7, ["13"]), (8, ["14"]), (big, ["15"])]):
        await first.note((await asked(first, f"m{number}", chat)).id, posted, None)
    lost = await asked(first, "lost")
    await first.note(lost.id, [], "10")
    assert await second.posted_at("chat", 7) == {"11", "12", "13"}
    assert await second.posted_at("chat", big) == {"15"}


async def test_what_tickets_posted_is_known_at_both_ends(state_url: str) -> None:
    async with Database.open(state_url) as database:
        inbox, tickets = SqlInbox(database, DESK), SqlTickets(database)
        opened = Ticket(
            desk=DESK, conversation="c", asker="a", question="?", language="en", reason="asked", place={"chat": 7}
        )
        ticket, _ = await tickets.open(opened)
        await tickets.house(ticket.id, {"chat": -1_000_000_000_009})

        async def sent(kind: RelayKind, id: str | None, to: str = DESK) -> None:
            key = f"{kind} {id} {to}"
            await tickets.say(Relay(ticket=ticket.id, to=to, key=key, kind=kind, content={}))
            relay = await tickets.relay(key)
            assert relay is not None
            await tickets.note(relay.id, id, None)

        await sent("people", "21")
        await sent("word", "22")
        await sent("head", "23")
        await sent("asker", "24")
        await sent("note", None)
        await sent("people", "25", to="another")
        assert await inbox.posted_at("chat", 7) == {"21", "22"}
        assert await inbox.posted_at("chat", -1_000_000_000_009) == {"23", "24"}


async def test_desks_share_nothing(state_url: str) -> None:
    async with Database.open(state_url) as database:
        mine, other = SqlClaims(database, "mine"), SqlClaims(database, "other")
        await mine.beat()
        assert (await mine.claim("k"), await other.claim("k")) == ("fresh", "fresh")
        assert await other.beat() == {}
        assert (await mine.theirs(), await other.theirs()) == (frozenset(), frozenset())
        await mine.leave()
        assert await other.claim("k") == "left", "its own"


_A_PROCESS = """
import asyncio, sys
from engine.providers.state.claims import SqlClaims
from engine.providers.state.database import Database

async def main():
    async with Database.open(sys.argv[1]) as database:
        claims = SqlClaims(database, "desk")
        await claims.beat()
        await claims.claim("k")
        print("lives", flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


async def test_on_one_machine_a_killed_process_is_known_to_be_dead_at_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/state.db"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", _A_PROCESS, url, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"lives\n"
        async with Database.open(url) as database:
            claims = SqlClaims(database, DESK)
            assert len(await claims.beat()) == 1
            assert await claims.claim("k") == "theirs"
            process.kill()
            await process.communicate()
            assert await claims.beat() == {}
            assert await claims.claim("k") == "left"
            await claims.leave()
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
    left = await asyncio.to_thread(lambda: [file.name for file in tmp_path.iterdir() if file.suffix == ".alive"])
    assert left == []
