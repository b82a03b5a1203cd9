"""What every store of tickets does: the fake, SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.tickets import TicketStore
from engine import Lease, Relay, Ticket
from engine.providers.state.database import Database
from engine.providers.state.tickets import SqlTickets
from tests.fake_tickets import FakeTickets
from tests.postgres import fresh_database


@pytest.fixture(params=["fake", "sqlite", "postgresql"])
async def tickets(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[TicketStore]:
    if request.param == "fake":
        yield FakeTickets()
    elif request.param == "sqlite":
        async with Database.open(f"sqlite:///{tmp_path}/state.db") as database:
            yield SqlTickets(database)
    else:
        async with (
            fresh_database(request.getfixturevalue("postgres_server")) as url,
            Database.open(url) as database,
        ):
            yield SqlTickets(database)


def ticket(conversation: str = "c", **values: object) -> Ticket:
    given = {"desk": "telegram:1", "asker": "7", "question": "Где мой чек?", "language": "ru", "reason": "missed"}
    return Ticket(conversation=conversation, **{**given, **values})  # type: ignore[arg-type]


def relay(key: str = "m1", **values: object) -> Relay:
    given = {"ticket": 1, "to": "telegram:1", "kind": "asker", "content": {"text": "да"}}
    return Relay(key=key, **{**given, **values})  # type: ignore[arg-type]


async def test_a_ticket_is_kept_as_it_is(tickets: TicketStore) -> None:
    given = ticket(place={"chat": 7, "nested": [1]}, tried={"why": "nothing_found"}, name="Аня", exchange=4, detail="x")
    opened, new = await tickets.open(given)
    assert new
    assert opened.id > 0
    assert opened.opened_at
    assert (opened.place, opened.tried, opened.name) == (given.place, given.tried, "Аня")
    assert (opened.state, opened.home, opened.closing) == ("open", None, None)
    assert await tickets.ticket(opened.id) == opened
    assert await tickets.latest("c") == opened
    assert await tickets.latest("other") is None
    assert await tickets.ticket(99) is None


async def test_a_conversation_has_one_open_ticket(tickets: TicketStore) -> None:
    opened = await asyncio.gather(*(tickets.open(ticket(question=str(number))) for number in range(5)))
    assert sum(new for _, new in opened) == 1
    assert len({one.id for one, _ in opened}) == 1
    other, new = await tickets.open(ticket("d"))
    assert new
    assert await tickets.close(other.id, "answered")
    again, new = await tickets.open(ticket("d"))
    assert new
    assert again.id != other.id


async def test_one_person_takes_a_ticket_and_gives_it_back(tickets: TicketStore) -> None:
    opened, _ = await tickets.open(ticket())
    assert await tickets.take(opened.id, "anna")
    assert await tickets.take(opened.id, "anna")
    assert not await tickets.take(opened.id, "boris")
    assert await tickets.give_back(opened.id)
    assert not await tickets.give_back(opened.id)
    assert await tickets.take(opened.id, "boris")
    found = await tickets.ticket(opened.id)
    assert found is not None
    assert (found.state, found.taken_by) == ("taken", "boris")


async def test_a_ticket_is_closed_once(tickets: TicketStore) -> None:
    opened, _ = await tickets.open(ticket())
    assert await tickets.close(opened.id, "off_topic")
    assert not await tickets.close(opened.id, "answered")
    assert not await tickets.take(opened.id, "anna")
    found = await tickets.latest("c")
    assert found is not None
    assert (found.state, found.closing) == ("closed", "off_topic")


async def test_a_place_leads_to_its_ticket(tickets: TicketStore) -> None:
    opened, _ = await tickets.open(ticket())
    await tickets.house(opened.id, {"chat": -100, "topic": 3})
    await tickets.anchor("telegram:1", "topic:-100:3", opened.id)
    await tickets.anchor("telegram:1", "topic:-100:3", opened.id)
    found = await tickets.anchored("telegram:1", ["message:5", "topic:-100:3"])
    assert found is not None
    assert (found.id, found.home) == (opened.id, {"chat": -100, "topic": 3})
    assert await tickets.anchored("telegram:2", ["topic:-100:3"]) is None
    assert await tickets.anchored("telegram:1", []) is None


async def test_what_was_said_waits_until_it_is_done(tickets: TicketStore) -> None:
    assert await tickets.say(relay("m1"))
    assert await tickets.say(relay("m2", kind="people"))
    assert not await tickets.say(relay("m1", content={"text": "again"}))
    first, second = await tickets.due("telegram:1")
    assert (first.key, first.content, second.kind) == ("m1", {"text": "да"}, "people")
    assert await tickets.due("slack:1") == ()
    await tickets.note(first.id, "55", None)
    await tickets.done(first.id, first.version)
    await tickets.fail(second.id, 1, "blocked")
    assert await tickets.due("telegram:1") == ()
    assert [(one.target, one.failure) for one in await tickets.relays(1)] == [("55", ""), (None, "blocked")]


async def test_a_change_is_to_be_shown_too(tickets: TicketStore) -> None:
    await tickets.say(relay())
    assert not await tickets.amend("unknown", {"text": "x"})
    assert not await tickets.amend("m1", {"text": "да"})
    (before,) = await tickets.due("telegram:1")
    assert await tickets.amend("m1", {"text": "нет"})
    await tickets.done(before.id, before.version)  # what was sent meanwhile was the old wording
    (due,) = await tickets.due("telegram:1")
    assert (due.content, due.version, due.done) == ({"text": "нет"}, 2, 1)


async def test_what_failed_is_tried_again_in_other_words(tickets: TicketStore) -> None:
    await tickets.say(relay())
    (due,) = await tickets.due("telegram:1")
    await tickets.fail(due.id, 1, "blocked")
    assert await tickets.amend("m1", {"text": "нет"})
    (again,) = await tickets.due("telegram:1")
    assert (again.id, again.version, again.failure) == (due.id, 2, "")


async def test_a_change_is_not_given_up_with_what_was_before_it(tickets: TicketStore) -> None:
    await tickets.say(relay())
    (before,) = await tickets.due("telegram:1")
    await tickets.amend("m1", {"gone": "…"})
    await tickets.fail(before.id, before.version, "blocked")
    (due,) = await tickets.due("telegram:1")
    assert (due.content, due.failure) == ({"gone": "…"}, "")
    await tickets.fail(due.id, due.version, "blocked")
    assert await tickets.due("telegram:1") == ()


async def test_a_relay_is_found_by_its_key(tickets: TicketStore) -> None:
    assert await tickets.relay("m1") is None
    await tickets.say(relay())
    found = await tickets.relay("m1")
    assert found is not None
    assert (found.key, found.content) == ("m1", {"text": "да"})


@pytest.mark.parametrize("ends", ["done", "fail"])
async def test_a_file_goes_with_its_relay(tickets: TicketStore, ends: str) -> None:
    await tickets.say(relay("m1"))
    await tickets.say(relay("m2"))
    first, second = await tickets.due("telegram:1")
    for body in (b"old", bytes(range(256))):
        await tickets.keep_file("m1", body)
    await tickets.keep_file("m2", b"other")
    assert await tickets.file("m1") == bytes(range(256))
    await (tickets.done(first.id, 1) if ends == "done" else tickets.fail(first.id, 1, "blocked"))
    assert await tickets.file("m1") is None
    assert await tickets.file("m2") == b"other"


async def test_no_file_is_kept_for_what_is_not_to_be_sent(tickets: TicketStore) -> None:
    """A file that is fetched while its message is deleted comes too late."""
    for key in ("m1", "m2", "m3"):
        await tickets.say(relay(key))
    first, second, _ = await tickets.due("telegram:1")
    await tickets.done(first.id, 1)
    await tickets.fail(second.id, 1, "blocked")
    await tickets.amend("m3", {"gone": "…"})
    for key in ("m1", "m2", "m3", "unknown"):
        await tickets.keep_file(key, b"late")
    assert [await tickets.file(key) for key in ("m1", "m2", "unknown")] == [None] * 3
    (due,) = await tickets.due("telegram:1")
    assert (due.key, due.content, due.version) == ("m3", {"gone": "…"}, 2)
    await tickets.done(due.id, due.version)
    assert await tickets.file("m3") is None


async def test_one_process_has_the_lease_of_a_desk(tickets: TicketStore) -> None:
    taken = await asyncio.gather(*(tickets.lease("telegram:1", f"p{number}") for number in range(5)))
    assert len({one.holder for one in taken}) == 1
    held = taken[0]
    assert await tickets.lease("slack:1", "other") == Lease(holder="other", beat=1)
    beaten = await tickets.lease("telegram:1", held.holder)
    assert (beaten.holder, beaten.beat) == (held.holder, held.beat + 1)


async def test_a_lease_is_taken_from_one_that_lives_no_longer(tickets: TicketStore) -> None:
    held = await tickets.lease("telegram:1", "old")
    assert await tickets.lease("telegram:1", "new", held) != held
    assert (await tickets.lease("telegram:1", "old")).holder == "new"
    stale = await tickets.lease("telegram:1", "new")
    await tickets.lease("telegram:1", "new")
    assert (await tickets.lease("telegram:1", "third", stale)).holder == "new", "it has beaten since"
    await tickets.release("telegram:1", "old")
    assert (await tickets.lease("telegram:1", "third")).holder == "new"
    await tickets.release("telegram:1", "new")
    assert (await tickets.lease("telegram:1", "third")).holder == "third"


async def test_what_was_sent_last_is_known(tickets: TicketStore) -> None:
    for number in range(4):
        await tickets.say(relay(f"m{number}", to="telegram:1" if number else "slack:1"))
        (found,) = [one for one in await tickets.relays(1) if one.key == f"m{number}"]
        await tickets.note(found.id, str(number) if number < 3 else None, None)
    assert [one.key for one in await tickets.sent("telegram:1", 5)] == ["m2", "m1"]
    assert [one.key for one in await tickets.sent("telegram:1", 1)] == ["m2"]
