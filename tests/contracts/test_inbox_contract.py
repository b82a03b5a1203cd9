"""What every inbox does: the fake, SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from adapters.inbox import InboxStore
from engine import Answer, Citation, Farewell, Inbound, Standing, Turn
from engine.providers.state.database import Database
from engine.providers.state.inbox import SqlInbox
from tests.fake_inbox import FakeInbox
from tests.postgres import fresh_database


@pytest.fixture(params=["fake", "sqlite", "postgresql"])
async def inbox(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[InboxStore]:
    if request.param == "fake":
        yield FakeInbox()
    elif request.param == "sqlite":
        async with Database.open(f"sqlite:///{tmp_path}/state.db") as database:
            yield SqlInbox(database, "desk")
    else:
        async with (
            fresh_database(request.getfixturevalue("postgres_server")) as url,
            Database.open(url) as database,
        ):
            yield SqlInbox(database, "desk")


def message(key: str = "m1", text: str = "Как вернуть депозит?", **values: object) -> Inbound:
    return Inbound(key=key, conversation="c", asker="a", text=text, **values)  # type: ignore[arg-type]


async def accepted(inbox: InboxStore, *messages: Inbound) -> list[Inbound]:
    stored = [await inbox.accept(one) for one in messages]
    assert None not in stored
    return [one for one in stored if one is not None]


async def test_a_message_is_kept_as_it_is(inbox: InboxStore) -> None:
    came = message(
        place={"chat": 5, "nested": {"a": [1]}},
        command="ask",
        unread=("photo",),
        language="ru",
        whole=False,
        sent_at=1.5e9,
    )
    await inbox.accept(came)
    (waiting,) = await inbox.waiting()
    assert waiting.id > 0
    assert (waiting.place, waiting.command, waiting.unread) == (came.place, "ask", ("photo",))
    assert (waiting.language, waiting.whole, waiting.text, waiting.sent_at) == ("ru", False, came.text, 1.5e9)


async def test_a_message_that_comes_again_is_recognised_whatever_became_of_it(inbox: InboxStore) -> None:
    (first,) = await accepted(inbox, message())
    assert await inbox.accept(message(text="the same key")) is None
    exchange = await inbox.open([first])
    await inbox.close(exchange.id, "done")
    assert await inbox.accept(message()) is None
    assert await inbox.waiting() == ()


async def test_messages_wait_in_their_order_until_an_exchange_is_made(inbox: InboxStore) -> None:
    stored = await accepted(inbox, message("m1", "one"), message("m2", "two"), message("m3", "three"))
    assert [one.text for one in await inbox.waiting()] == ["one", "two", "three"]
    exchange = await inbox.open(stored[:2])
    assert exchange.text == "one\ntwo"
    assert [one.text for one in await inbox.waiting()] == ["three"]
    assert await inbox.unfinished() == (exchange,)


async def test_a_joined_message_makes_the_answer_anew(inbox: InboxStore) -> None:
    first, second = await accepted(inbox, message("m1", "у меня"), message("m2", "не входит", place={"message": 2}))
    exchange = await inbox.open([first])
    await inbox.note(exchange.id, ["17"], None)
    await inbox.conclude(exchange.id, Answer(text="?", language="ru"))
    joined = await inbox.join(exchange.id, [second])
    assert (joined.text, joined.place, joined.answer) == ("у меня\nне входит", {"message": 2}, None)
    assert joined.posted == ("17",), "what is before the asker is still there"


async def test_an_exchange_keeps_what_was_posted_and_answered(inbox: InboxStore) -> None:
    exchange = await inbox.open(await accepted(inbox, message()))
    assert await inbox.begin(exchange.id) == 1
    assert await inbox.begin(exchange.id) == 2
    answer = Answer(
        text="Десять дней.",
        language="ru",
        citations=(Citation(document="lease.md", section="7.2", title="Возврат", page=3),),
    )
    await inbox.note(exchange.id, ["5", "6"], "after 6")
    await inbox.conclude(exchange.id, answer)
    (found,) = await inbox.unfinished()
    assert (found.posted, found.sending, found.answer, found.attempts) == (("5", "6"), "after 6", answer, 2)
    await inbox.close(exchange.id, "done")
    await inbox.rate(exchange.id, "not_helpful", "outdated")
    kept = await inbox.exchange(exchange.id)
    assert kept is not None
    assert (kept.ending, kept.rating, kept.reason) == ("done", "not_helpful", "outdated")
    assert await inbox.unfinished() == ()
    assert await inbox.exchange(10**6) is None


async def test_a_new_wording_opens_the_exchange_again_once(inbox: InboxStore) -> None:
    exchange = await inbox.open(await accepted(inbox, message("m1", "deposit"), message("m2", "when?")))
    await inbox.note(exchange.id, ["9"], None)
    await inbox.close(exchange.id, "done")
    edit = message("m1-edit", "deposit of the flat", amends="m1")
    amended = await inbox.amend(edit)
    assert amended is not None
    changed, again = amended
    assert changed.key == "m1"
    assert again is not None
    assert (again.id, again.text, again.ending, again.posted) == (
        exchange.id,
        "deposit of the flat\nwhen?",
        "open",
        ("9",),
    )
    assert await inbox.amend(edit) is None, "delivered twice"
    assert await inbox.amend(message("m1-edit-2", "deposit of the flat", amends="m1")) is None, "nothing changed"
    assert await inbox.amend(message("x-edit", "who?", amends="x")) is None, "no such message"
    assert await inbox.waiting() == ()


async def test_a_new_wording_of_a_message_that_waits_changes_it(inbox: InboxStore) -> None:
    await inbox.accept(message("m1", "depsit"))
    amended = await inbox.amend(message("m1-edit", "deposit", amends="m1"))
    assert amended is not None
    assert amended[1] is None
    (waiting,) = await inbox.waiting()
    assert waiting.text == "deposit"


async def test_the_history_holds_questions_with_their_answers(inbox: InboxStore) -> None:
    for key, kind, command in (
        ("m1", "answered", ""),
        ("m2", "failed", ""),
        ("m3", "answered", "help"),
        ("m4", "faq_direct", "ask"),
    ):
        exchange = await inbox.open(await accepted(inbox, message(key, f"question {key}", command=command)))
        await inbox.conclude(exchange.id, Answer(text=f"answer {key}", language="en", kind=kind))  # type: ignore[arg-type]
        await inbox.close(exchange.id, "done")
    await inbox.open(await accepted(inbox, message("m5", "not answered yet")))
    expected = (
        Turn(question="question m1", answer="answer m1"),
        Turn(question="question m4", answer="answer m4"),
    )
    assert await inbox.history("c", 6) == expected
    assert await inbox.history("c", 1) == expected[-1:]
    assert await inbox.history("another", 6) == ()


async def test_what_is_forgotten_is_not_found_but_still_recognised(inbox: InboxStore) -> None:
    exchange = await inbox.open(await accepted(inbox, message("m1", "my address is 5 Elm Street")))
    await inbox.conclude(exchange.id, Answer(text="noted", language="en"))
    await inbox.close(exchange.id, "done")
    await inbox.forget("b", Farewell(note="", removed=""))
    assert len(await inbox.history("c", 6)) == 1, "somebody else's"
    await inbox.forget("a", Farewell(note="", removed=""))
    kept = await inbox.exchange(exchange.id)
    assert kept is not None
    assert (kept.text, kept.answer) == ("", None)
    assert await inbox.history("c", 6) == ()
    assert await inbox.accept(message("m1", "my address is 5 Elm Street")) is None


async def test_a_conversation_has_one_owner(inbox: InboxStore) -> None:
    assert await inbox.standing("c") == Standing()
    assert await inbox.hand_over("c", "queue")
    assert not await inbox.hand_over("c", "queue"), "asked for twice"
    assert (await inbox.standing("c")).owner == "queue"
    assert await inbox.hand_over("c", "human", timedelta(hours=1))
    assert (await inbox.standing("c")).owner == "human"
    assert (await inbox.standing("another")).owner == "bot"


async def test_a_human_has_a_conversation_for_a_time(inbox: InboxStore) -> None:
    await inbox.hand_over("c", "human", timedelta(seconds=-1))
    assert (await inbox.standing("c")).owner == "bot"


async def test_what_was_said_to_a_human_is_not_left_to_the_bot(inbox: InboxStore) -> None:
    await inbox.hand_over("c", "human", timedelta(hours=1))
    first, second, *_ = await accepted(
        inbox, message("m1"), message("m2"), message("m3"), message("m4", command="help")
    )
    begun, unheard = await inbox.open([first]), await inbox.open([second])
    await inbox.note(begun.id, ["5"], None)
    await inbox.hand_over("c", "bot")
    assert [one.id for one in await inbox.unfinished()] == [begun.id], "what it shows is still to be seen to"
    dropped = await inbox.exchange(unheard.id)
    assert dropped is not None
    assert dropped.ending == "dropped"
    assert [one.key for one in await inbox.waiting()] == ["m4"]
    assert await inbox.accept(message("m3")) is None, "a repeat is still known"
    amended = await inbox.amend(message("m5", "other words", amends="m3"))
    assert amended is not None
    assert amended[1] is None
    await accepted(inbox, message("m6"))
    await inbox.hand_over("c", "bot")
    assert [one.key for one in await inbox.waiting()] == ["m4", "m6"], "said to the bot"


async def test_language_and_reach_do_not_change_the_owner(inbox: InboxStore) -> None:
    await inbox.hand_over("c", "human", timedelta(hours=1))
    await inbox.speak("c", "en")
    await inbox.lose("c")
    assert await inbox.standing("c") == Standing(owner="human", language="en", unreachable=True)
    await inbox.accept(message())
    assert await inbox.standing("c") == Standing(owner="human", language="en", unreachable=False)


async def test_other_desks_are_not_seen(state_url: str) -> None:
    async with Database.open(state_url) as database:
        mine, other = SqlInbox(database, "mine"), SqlInbox(database, "other")
        exchange = await mine.open(await accepted(mine, message("m1")))
        assert await other.accept(message("m1")) is not None, "each platform has its own keys"
        assert await other.unfinished() == ()
        assert await other.exchange(exchange.id) is None


async def test_people_on_another_desk_end_what_was_said_to_them(state_url: str) -> None:
    async with Database.open(state_url) as database:
        askers, people = SqlInbox(database, "askers"), SqlInbox(database, "people")
        await people.hand_over("c", "human", timedelta(hours=1))
        first, _ = await accepted(askers, message("m1"), message("m2"))
        await askers.open([first])
        await people.hand_over("c", "bot")
        assert (await askers.unfinished(), await askers.waiting()) == ((), ())


async def test_old_messages_are_swept_and_those_that_wait_are_not(state_url: str) -> None:
    async with Database.open(state_url) as database:
        inbox = SqlInbox(database, "desk")
        first, _ = await accepted(inbox, message("m1"), message("m2"))
        await inbox.open([first])
        await inbox.sweep(timedelta(seconds=-1))
        assert await inbox.accept(message("m1")) is not None
        assert await inbox.accept(message("m2")) is None


async def test_the_latest_exchanges_are_all_there(inbox: InboxStore) -> None:
    made = []
    for number in range(3):
        (one,) = await accepted(inbox, message(f"m{number}", command="human" if number else ""))
        made.append(await inbox.open([one]))
    await inbox.note(made[0].id, ["5", "6"], None)
    await inbox.close(made[0].id, "done")
    found = await inbox.latest(2)
    assert [one.id for one in found] == [made[2].id, made[1].id]
    assert (await inbox.latest(9))[-1].posted == ("5", "6")
