"""The asker's 👍 and 👎 as reactions to an answer, end to end."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine import Final
from tests.delivery_fakes import ScriptedEngine, answered, outcome
from tests.telegram_desk import Desk, telegram_desk
from tests.telegram_server import TelegramServer, person
from tests.waiting import until

QUESTION = "How do I get my deposit back?"
GROUP = -1_000_000_000_001


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer(seconds_between=10).running() as server:
        yield server


async def answer_in(server: TelegramServer, desk: Desk, chat: int = 7) -> dict[str, Any]:
    """The answer's message, when it is delivered and that is stored."""
    server.says(QUESTION if chat > 0 else f"/ask {QUESTION}", chat=chat)
    await server.until(lambda: bool(server.ours(chat)))
    await until(partial(is_idle, desk))
    return server.ours(chat)[-1]


async def is_idle(desk: Desk) -> bool:
    return not (await desk.inbox.waiting() or await desk.inbox.unfinished())


def reacts(
    server: TelegramServer, now: Sequence[str], message: dict[str, Any], *, before: Sequence[str] = (), **by: Any
) -> None:
    """`by` is `user` or `actor_chat`; user 7 unless told."""
    old, new = ([{"type": "emoji", "emoji": one} for one in many] for many in (before, now))
    at = {"chat": message["chat"], "message_id": message["message_id"], "date": message["date"] + 1}
    server.deliver(
        {"message_reaction": {**at, **(by or {"user": person(7)}), "old_reaction": old, "new_reaction": new}}
    )


async def rating(desk: Desk) -> str | None:
    exchange = await desk.inbox.exchange(1)
    assert exchange is not None
    return exchange.rating


async def all_is_read(server: TelegramServer) -> None:
    """Updates are taken in order: what is answered now came after all before it."""
    server.says("/help", chat=99, sender=99)
    await server.until(lambda: bool(server.texts(99)))


@pytest.mark.parametrize("chat", [7, GROUP])
async def test_a_thumb_up_rates_the_answer(server: TelegramServer, tmp_path: Path, chat: int) -> None:
    async with telegram_desk(ScriptedEngine(answered()), tmp_path, server) as desk:
        reacts(server, ["🔥", "👍"], await answer_in(server, desk, chat), before=["🔥"])
        await server.until(lambda: not server.buttons(chat))
        assert await rating(desk) == "helpful"
    assert not server.answered_taps
    asked_for = server.made("getUpdates")[-1].params["allowed_updates"]
    assert "message_reaction" in (json.loads(asked_for) if isinstance(asked_for, str) else asked_for)


async def test_a_thumb_down_asks_what_was_wrong_and_may_become_a_thumb_up(
    server: TelegramServer, tmp_path: Path
) -> None:
    async with telegram_desk(ScriptedEngine(answered()), tmp_path, server) as desk:
        answer = await answer_in(server, desk)
        reacts(server, ["👎"], answer)
        await server.until(lambda: "Something is missing" in server.buttons())
        assert await rating(desk) == "not_helpful"
        reacts(server, ["👍"], answer, before=["👎"])
        await server.until(lambda: not server.buttons())
        assert await rating(desk) == "helpful"


async def test_a_thumb_down_under_a_stored_answer_asks_the_documents(server: TelegramServer, tmp_path: Path) -> None:
    engine = ScriptedEngine([Final(outcome("Stored.", kind="faq_direct"))], answered("From the documents."))
    async with telegram_desk(engine, tmp_path, server) as desk:
        reacts(server, ["👎"], await answer_in(server, desk))
        await server.until(lambda: server.texts() == ["From the documents."] and bool(server.buttons()))
    assert [question.beyond_faq for question in engine.questions] == [False, True]


@pytest.mark.parametrize(
    ("now", "before", "by"),
    [
        (["👎"], [], {"user": person(8)}),
        (["👎"], [], {"actor_chat": {"id": GROUP, "type": "supergroup", "title": "House"}}),
        (["🔥"], [], {}),
        ([], ["👎"], {}),
        (["👎", "🔥"], ["👎"], {}),
    ],
)
async def test_what_others_say_other_emoji_and_what_is_taken_back_rate_nothing(
    server: TelegramServer, tmp_path: Path, now: list[str], before: list[str], by: dict[str, Any]
) -> None:
    async with telegram_desk(ScriptedEngine(answered()), tmp_path, server) as desk:
        answer = await answer_in(server, desk, GROUP)
        buttons = server.buttons(GROUP)
        reacts(server, now, answer, before=before, **by)
        await all_is_read(server)
        assert await rating(desk) is None
    assert server.buttons(GROUP) == buttons


async def test_reactions_to_other_messages_and_their_counts_rate_nothing(
    server: TelegramServer, tmp_path: Path
) -> None:
    async with telegram_desk(ScriptedEngine(answered()), tmp_path, server) as desk:
        answer = await answer_in(server, desk)
        reacts(server, ["👎"], {**answer, "message_id": answer["message_id"] - 1})
        reacts(server, ["👎"], {**answer, "chat": {"id": 8, "type": "private"}})
        many = [{"type": {"type": "emoji", "emoji": "👎"}, "total_count": 3}]
        at = {"chat": answer["chat"], "message_id": answer["message_id"], "date": answer["date"]}
        server.deliver({"message_reaction_count": {**at, "reactions": many}})
        await all_is_read(server)
        assert await rating(desk) is None


async def test_a_miss_is_not_rated(server: TelegramServer, tmp_path: Path) -> None:
    engine = ScriptedEngine([Final(outcome("I do not know.", kind="missed"))])
    async with telegram_desk(engine, tmp_path, server) as desk:
        reacts(server, ["👎"], await answer_in(server, desk))
        await all_is_read(server)
        assert await rating(desk) is None
