"""What people wrote is removed wherever it is kept, when it is old or when they want it; what happened stays."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import JSON, LargeBinary, func, insert, select

from engine import Answer, Farewell, Inbound, Outcome, Question, Relay, RelayKind, Ticket
from engine.matching.drafts import FaqDraft, NearEntry
from engine.providers.state.database import Database
from engine.providers.state.drafts import SqlDrafts
from engine.providers.state.inbox import SqlInbox
from engine.providers.state.stores import SqlMissStore
from engine.providers.state.tables import CleanText, metadata, relay_files
from engine.providers.state.texts_of_people import COVERED, FILES, KNOWLEDGE, OTHER, SqlTextsOfPeople
from engine.providers.state.tickets import SqlTickets

FAREWELL = Farewell(note="closed at their wish", removed="removed")
DESK = "telegram:1"


@pytest.fixture
async def database(state_url: str) -> AsyncIterator[Database]:
    async with Database.open(state_url) as database:
        yield database


def test_every_column_with_texts_is_covered_or_holds_none_of_people() -> None:
    cleared = {covered.table.name: frozenset(covered.cleared) for covered in COVERED}
    for table in metadata.sorted_tables:
        if table.name in KNOWLEDGE:
            continue
        texts = {one.name for one in table.columns if isinstance(one.type, CleanText | JSON | LargeBinary)}
        told = frozenset().union(*(columns.get(table.name, ()) for columns in (cleared, FILES, OTHER)))
        assert texts == told, f"{table.name}: say in texts_of_people.py what becomes of its columns"
    places = {table.name for table in metadata.sorted_tables if "place" in table.columns}
    assert places == {covered.table.name for covered in COVERED if covered.named}


async def asked(database: Database, asker: str, secret: str, desk: str = DESK, *, closed: bool = True) -> Ticket:
    """Asked, missed, passed on to people, answered, drafted; the secret is in everything that was said."""
    inbox, tickets = SqlInbox(database, desk), SqlTickets(database)
    conversation, place = f"{desk}::{asker}", {"chat": 1, "message": 2, "name": secret}
    message = await inbox.accept(
        Inbound(key=f"m{asker}", conversation=conversation, asker=asker, text=f"where is {secret}?", place=place)
    )
    assert message is not None
    exchange = await inbox.open([message])
    outcome = Outcome(id=str(exchange.id), kind="missed", text="no idea", language="en", miss_reason="nothing_found")
    question = Question(text=exchange.text, id=outcome.id, conversation=conversation)
    await SqlMissStore(database).add(question, outcome)
    await inbox.conclude(exchange.id, Answer(text=f"about {secret}", language="en", tried={"nearest": [secret]}))
    await inbox.close(exchange.id, "done")
    await inbox.hand_over(conversation, "human")
    ticket, _ = await tickets.open(
        Ticket(desk=desk, conversation=conversation, asker=asker, question=f"where is {secret}?", language="en",
               reason="missed", name=secret, place=place, tried={"said": [[secret, ""]]}, exchange=exchange.id)
    )  # fmt: skip
    native = {"chat": 1, "message": 2, "text": secret, "captioned": False, "entities": []}
    contents: dict[str, tuple[RelayKind, dict[str, object]]] = {
        "head": ("head", {"state": "open"}),
        "asker": ("asker", {"native": native, "markdown": secret}),
        "asker2": ("asker", {"text": secret}),
        "file": ("asker", {"file": {"name": f"{secret}.pdf"}}),
        "people": ("people", {"text": f"it is with {secret}"}),
        "draft": ("note", {"text": f"draft about {secret}", "buttons": []}),
    }
    for name, (kind, content) in contents.items():
        key = f"{name}:{ticket.id}"
        await tickets.say(Relay(ticket=ticket.id, to=desk, key=key, kind=kind, content=content))
        relay = await tickets.relay(key)
        assert relay is not None
        await tickets.note(relay.id, f"t{relay.id}", None)
        await tickets.done(relay.id, 1)
    async with database.writing() as connection:
        await connection.execute(insert(relay_files).values(key=f"file:{ticket.id}", body=secret.encode()))
    await SqlDrafts(database).open(
        FaqDraft(ticket=ticket.id, maker="Anna", questions=(f"where is {secret}?",), answer=f"with {secret}",
                 language="en", near=(NearEntry("e", f"like {secret}", 0.7),))
    )  # fmt: skip
    if closed:
        await tickets.close(ticket.id, "answered")
    return ticket


async def all_rows(database: Database) -> str:
    found = []
    async with database.reading() as connection:
        for table in metadata.sorted_tables:
            rows = (await connection.execute(select(table))).all()
            found += [f"{table.name} {tuple(row)!r}" for row in rows]
    return "\n".join(found)


async def counts(database: Database) -> dict[str, int]:
    async with database.reading() as connection:
        return {
            table.name: (await connection.execute(select(func.count()).select_from(table))).scalar_one()
            for table in metadata.sorted_tables
            if table.name != "relay_files"
        }


async def test_old_texts_are_removed_everywhere_and_counts_stay(database: Database) -> None:
    await asked(database, "7", "Elm Street")
    open_ticket = await asked(database, "8", "Oak Avenue", closed=False)
    texts = SqlTextsOfPeople(database)
    await texts.sweep(timedelta(days=1))
    assert (await all_rows(database)).count("Elm Street") > 10
    before = await counts(database)
    await texts.sweep(timedelta(seconds=-1))
    left = await all_rows(database)
    assert "Elm Street" not in left
    assert await counts(database) == before
    drafts = SqlDrafts(database)
    assert await drafts.waiting() == ()
    assert [one.state for one in [await drafts.draft(1)] if one] == ["expired"]
    # A ticket that is open is still needed by people; it goes when it was closed.
    assert "Oak Avenue" in left
    await SqlTickets(database).close(open_ticket.id, "answered")
    await texts.sweep(timedelta(seconds=-1))
    assert "Oak Avenue" not in await all_rows(database)


async def test_somebody_is_forgotten_everywhere_and_others_are_not(database: Database) -> None:
    await asked(database, "7", "Elm Street", closed=True)
    ticket = await asked(database, "7", "Elm Street 5", "telegram:2", closed=False)
    await asked(database, "8", "Oak Avenue", closed=False)
    await asked(database, "7", "Main Square", "slack:1")
    before, others = await counts(database), (await all_rows(database)).count("Oak Avenue")
    forgotten = await SqlTextsOfPeople(database).forget("telegram", "7", FAREWELL)
    assert (forgotten.questions, forgotten.tickets_closed) == (2, 1)
    left = await all_rows(database)
    assert "Elm Street" not in left
    assert left.count("Oak Avenue") == others
    assert "Main Square" in left, "somebody else, on another platform"
    after = await counts(database)
    assert after == {**before, "relays": before["relays"] + 1}, "one note"
    tickets = SqlTickets(database)
    found = await tickets.ticket(ticket.id)
    assert found is not None
    assert (found.state, found.closing, found.question) == ("closed", "forgotten", "")
    assert (await SqlInbox(database, "telegram:2").standing("telegram:2::7")).owner == "bot"
    due = {one.key.partition(":")[0]: one for one in await tickets.due("telegram:2")}
    assert set(due) == {"head", "asker", "asker2", "file", "draft", "forgotten"}, "what people see goes there"
    assert due["asker"].content == due["asker2"].content == due["file"].content == {"gone": "removed"}
    assert due["draft"].content == {"text": "removed", "buttons": []}
    assert due["forgotten"].content["text"] == "closed at their wish"
    assert due["head"].content == {"state": "closed", "closing": "forgotten", "by": ""}
    again, new = await tickets.open(Ticket(**{**_fields(found), "question": "new"}))
    assert new
    assert again.id != ticket.id


async def test_what_was_not_delivered_yet_is_not_delivered(database: Database) -> None:
    """It may be on its way just now, so it is to be looked at once more."""
    tickets = SqlTickets(database)
    ticket = await asked(database, "7", "Elm Street", closed=False)
    kinds: tuple[RelayKind, ...] = ("asker", "people", "file")
    for kind in kinds:
        content = {"text": f"{kind} says Elm Street"}
        await tickets.say(Relay(ticket=ticket.id, to=DESK, key=kind, kind=kind, content=content))
    await SqlInbox(database, DESK).forget("7", FAREWELL)
    due = {one.key: one for one in await tickets.due(DESK)}
    assert due["asker"].content == due["file"].content == {"gone": "removed"}
    assert due["people"].content == {"text": "people says Elm Street"}, "people's word to the asker still goes out"


async def test_what_was_given_up_goes_when_anything_of_it_may_be_there(database: Database) -> None:
    tickets = SqlTickets(database)
    ticket = await asked(database, "7", "Elm Street", closed=False)
    for key, target, mark in (("nowhere", None, None), ("perhaps", None, "mark"), ("there", "55", None)):
        content = {"text": "Elm Street"}
        await tickets.say(Relay(ticket=ticket.id, to=DESK, key=key, kind="asker", content=content))
        relay = await tickets.relay(key)
        assert relay is not None
        await tickets.note(relay.id, target, mark)
        await tickets.fail(relay.id, relay.version, "blocked")
    await SqlInbox(database, DESK).forget("7", FAREWELL)
    assert {"perhaps", "there"} <= {one.key for one in await tickets.due(DESK)}
    assert "nowhere" not in {one.key for one in await tickets.due(DESK)}
    assert "Elm Street" not in await all_rows(database)


async def test_a_question_that_is_being_answered_is_left_to_its_end(database: Database) -> None:
    inbox = SqlInbox(database, DESK)
    message = await inbox.accept(Inbound(key="m", conversation="c", asker="7", text="Elm Street?"))
    waiting = await inbox.accept(Inbound(key="n", conversation="c", asker="7", text="Elm Street!"))
    assert message is not None
    assert waiting is not None
    exchange = await inbox.open([message])
    await inbox.forget("7", FAREWELL)
    assert [one.text for one in await inbox.unfinished()] == ["Elm Street?"]
    assert [one.text for one in await inbox.waiting()] == ["Elm Street!"]
    await inbox.close(exchange.id, "done")
    await inbox.forget("7", FAREWELL)
    assert "Elm Street?" not in await all_rows(database)


def _fields(ticket: Ticket) -> dict[str, Any]:
    return {name: getattr(ticket, name) for name in ("desk", "conversation", "asker", "language", "reason")}
