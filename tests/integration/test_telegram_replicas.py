"""Several processes of one bot behind one webhook, on one state database, SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from adapters.reception import Habits
from engine import Inbound
from engine.providers.state.database import Database
from engine.providers.state.inbox import SqlInbox
from tests.telegram_faults import Fault
from tests.telegram_replicas import GatedEngine, replica
from tests.telegram_server import BOT_ID, TelegramServer, person
from tests.waiting import until

GROUP = -1_000_000_000_009
DESK = f"telegram:{BOT_ID}"


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer(seconds_between=10).running() as server:
        yield server


async def all_answered(inbox: SqlInbox) -> None:
    async def answered() -> bool:
        return not await inbox.waiting() and not await inbox.unfinished()

    await until(answered)


async def test_a_burst_over_two_processes_is_answered_once_and_in_order(state_url: str, server: TelegramServer) -> None:
    engine = GatedEngine()
    engine.gate.set()
    texts = [f"{number}?" for number in range(6)]
    async with replica(engine, state_url, server) as first, replica(engine, state_url, server) as second:
        await first.beats(2, second.inbox)  # they know of each other

        async def writes(chat: int) -> None:
            for number, text in enumerate(texts):
                update = server.says(text, chat=chat, sender=chat)
                one, another = (first, second) if (number + chat) % 2 else (second, first)
                await one.hears(update)
                if number % 3 == 0:  # a platform that has heard of no acknowledgement tells it again, to any of them
                    await another.hears(update)

        await asyncio.gather(writes(7), writes(8))
        await all_answered(first.inbox)
    for chat in (7, 8):
        assert server.texts(chat) == [f"To {text}: done." for text in texts]
    assert sorted(engine.questions) == sorted(texts * 2)
    assert engine.most == 1


async def test_a_process_that_starts_leaves_alone_what_another_one_answers(
    state_url: str, server: TelegramServer
) -> None:
    first_engine, second_engine = GatedEngine(), GatedEngine(" by the second")
    async with replica(first_engine, state_url, server) as first:
        for text in ("one?", "two?"):
            await first.hears(server.says(text))
        await until(lambda: bool(server.texts()))
        async with replica(second_engine, state_url, server) as second:
            await second.hears(server.says("three?"))
            await second.beats(5, first.inbox)
            assert second_engine.questions == []
            first_engine.gate.set()
            second_engine.gate.set()
            await all_answered(first.inbox)
    assert [text.replace(" by the second", "") for text in server.texts()] == [
        "To one?: done.",
        "To two?: done.",
        "To three?: done.",
    ]
    assert sorted(first_engine.questions + second_engine.questions) == ["one?", "three?", "two?"]


async def test_a_fragment_and_the_rest_of_it_in_two_processes_are_one_question(
    state_url: str, server: TelegramServer
) -> None:
    engine, habits = GatedEngine(), Habits(burst=60.0, together=60.0)
    engine.gate.set()
    async with (
        replica(engine, state_url, server, habits=habits) as first,
        replica(engine, state_url, server, habits=habits) as second,
    ):
        await first.hears(server.says("здравствуйте"))
        await second.hears(server.says("когда вернут депозит?"))
        await all_answered(first.inbox)
    assert engine.questions == ["здравствуйте\nкогда вернут депозит?"]


async def test_a_process_that_stops_gives_way_at_once(state_url: str, server: TelegramServer) -> None:
    first_engine, second_engine = GatedEngine(), GatedEngine()
    second_engine.gate.set()
    async with replica(second_engine, state_url, server) as second:
        async with replica(first_engine, state_url, server, patience=0.05) as first:
            await first.hears(server.says("one?"))
            await until(lambda: bool(server.texts()))
        await all_answered(second.inbox)
    assert server.texts() == ["To one?: done."]
    assert second_engine.questions == ["one?"]


class Dead:
    """A process that does nothing more: it has claimed a chat and was sending there."""

    def __init__(self, inbox: SqlInbox) -> None:
        self.inbox = inbox

    async def left(self, update: dict[str, Any], mark: int) -> None:
        message = update["message"]
        chat, sender = message["chat"]["id"], message["from"]["id"]
        place = {"chat": chat, "message": message["message_id"], "private": chat > 0, "asker": sender}
        conversation = f"{DESK}::{chat}" if chat > 0 else f"{DESK}:{chat}::{sender}"
        kept = await self.inbox.accept(
            Inbound(
                key=f"message::{chat}:{message['message_id']}",
                conversation=conversation,
                asker=str(sender),
                text=message["text"],
                place=place,
            )
        )
        assert kept is not None
        await self.inbox.claims.beat()

        async def claimed() -> bool:
            return await self.inbox.claims.claim(str(chat)) != "theirs"

        await until(claimed)
        exchange = await self.inbox.open([kept])
        await self.inbox.note(exchange.id, [], str(mark))


@pytest.mark.parametrize("arrived", [True, False])
async def test_a_lost_message_is_never_looked_for_among_those_of_others(
    state_url: str, server: TelegramServer, arrived: bool
) -> None:
    """In a group a process died while it sent; what others said there after its mark is theirs."""
    engine = GatedEngine()
    engine.gate.set()
    server.chat(GROUP, "supergroup")
    async with Database.open(state_url) as database:
        dead = Dead(SqlInbox(database, DESK))
        asked = server.says("lost?", chat=GROUP, sender=501)
        mark = asked["message"]["message_id"]
        lost = {"message_id": 0}
        if arrived:
            lost = server._put(server.chats[GROUP], {"from": person(BOT_ID), "text": "To lost", "quotes": mark})
        async with replica(engine, state_url, server) as living:
            # Said by others after the mark, as an older version did, and every one in doubt.
            await living.hears(server.says("/ask theirs?", chat=GROUP, sender=502))
            await all_answered(living.inbox)
            before = {one["message_id"] for one in server.ours(GROUP)}
            await dead.left(asked, mark)
            await all_answered(living.inbox)
    texts = {one["message_id"]: one["text"] for one in server.ours(GROUP)}
    assert sorted(texts.values()) == ["To lost?: done.", "To theirs?: done."]
    if arrived:
        assert texts[lost["message_id"]] == "To lost?: done.", "adopted"
    edited = [int(one.params["message_id"]) for one in server.made("editMessageText") if one.params["text"] == "…"]
    theirs = next(id for id, text in texts.items() if "theirs" in text)
    assert edited, "it was looked for"
    assert theirs not in edited
    assert before <= texts.keys()


async def test_a_process_that_hangs_while_it_is_taken_over_says_nothing_more(
    state_url: str, server: TelegramServer
) -> None:
    first_engine, second_engine = GatedEngine(" by the first"), GatedEngine(" by the second")
    second_engine.gate.set()
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(replica(first_engine, state_url, server))
        await first.hears(server.says("one?"))
        await until(lambda: bool(server.texts()))
        second = await stack.enter_async_context(replica(second_engine, state_url, server))

        async def buried() -> bool:
            beats = await second.inbox.claims.beat()
            holder = first.inbox.claims.holder
            return holder in beats and await second.inbox.claims.bury(holder, beats[holder])

        await until(buried)
        await all_answered(second.inbox)
        first_engine.gate.set()
        await until(lambda: first_engine.under_way[f"{DESK}::7"] == 0)
        made = len(server.made("sendMessage", "editMessageText", "deleteMessage"))
        await first.beats(5, second.inbox)
        assert len(server.made("sendMessage", "editMessageText", "deleteMessage")) == made
    assert server.texts() == ["To one? by the second: done."]
    assert second_engine.questions == ["one?"]


async def test_a_single_process_asks_the_database_for_known_messages_only_when_one_was_lost(
    tmp_path: Path, server: TelegramServer
) -> None:
    engine = GatedEngine()
    engine.gate.set()
    asked: list[int] = []
    async with replica(engine, f"sqlite:///{tmp_path}/state.db", server) as only:
        posted_at = only.inbox.posted_at

        async def counted(name: str, value: int) -> frozenset[str]:
            asked.append(value)
            return await posted_at(name, value)

        only.inbox.posted_at = counted  # type: ignore[method-assign]
        await only.hears(server.says("one?"))
        await all_answered(only.inbox)
        assert asked == []
        faults = iter([Fault(lost=True)])
        server.faults = lambda method, params: next(faults, None) if method == "sendMessage" else None
        await only.hears(server.says("two?"))
        await all_answered(only.inbox)
    assert server.texts() == ["To one?: done.", "To two?: done."]
