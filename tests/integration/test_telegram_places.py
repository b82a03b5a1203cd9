"""Topics, native drafts and updates that cannot be read: no emulator has them, so our own small server stands in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.reception import Habits
from engine import Delta, Interim, Retract, Typing
from tests.delivery_fakes import Script, ScriptedEngine, answered
from tests.telegram_desk import telegram_desk
from tests.telegram_faults import Fault, Refusal, too_many
from tests.telegram_server import Params, TelegramServer

GROUP = -1_000_000_000_001
QUESTION = "How do I get my deposit back?"
STREAMED: Script = [
    Typing(),
    0.1,
    Delta("Ten "),
    0.3,
    Interim("Gathering more data: section 7.2 ..."),
    0.3,
    *answered(),
]


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer(seconds_between=10).running() as server:
        yield server


async def test_everything_said_in_a_topic_stays_in_it(server: TelegramServer, tmp_path: Path) -> None:
    server.chat(GROUP, "supergroup", topics={42})
    async with telegram_desk(ScriptedEngine(STREAMED), tmp_path, server):
        server.says(f"/ask {QUESTION}", chat=GROUP, message_thread_id=42, is_topic_message=True)
        await server.until(lambda: server.texts(GROUP) == ["The final text."])
    assert {call.params.get("message_thread_id") for call in server.made("sendMessage", "sendChatAction")} == {42}


async def test_a_topic_that_is_gone_costs_no_answer(server: TelegramServer, tmp_path: Path) -> None:
    server.chat(GROUP, "supergroup")
    async with telegram_desk(ScriptedEngine(STREAMED), tmp_path, server):
        server.says(f"/ask {QUESTION}", chat=GROUP, message_thread_id=42, is_topic_message=True)
        await server.until(lambda: server.texts(GROUP) == ["The final text."])


async def test_native_drafts_stream_in_private_chats_and_leave_one_message(
    server: TelegramServer, tmp_path: Path
) -> None:
    script: Script = [
        *(Typing(), 0.1, Delta("Ten "), lambda: server.until(lambda: len(server.drafts) == 1)),
        *(Interim("Gathering more data: section 7.2 ..."), lambda: server.until(lambda: len(server.drafts) == 2)),
    ]
    async with telegram_desk(ScriptedEngine([*script, *answered()]), tmp_path, server, drafts=True):
        server.says(QUESTION)
        await server.until(lambda: server.texts() == ["The final text."])
    assert [draft["text"].strip() for draft in server.drafts] == ["Ten", "Gathering more data: section 7.2 ..."]
    assert len({draft["draft_id"] for draft in server.drafts}) == 1
    assert not server.made("editMessageText")


async def test_a_retracted_draft_is_emptied_at_once(server: TelegramServer, tmp_path: Path) -> None:
    script: Script = [
        *(Delta("Never pay."), lambda: server.until(lambda: len(server.drafts) == 1)),
        *(Retract("guardrail"), lambda: server.until(lambda: len(server.drafts) == 2)),
        *answered(),
    ]
    async with telegram_desk(ScriptedEngine(script), tmp_path, server, drafts=True):
        server.says(QUESTION)
        await server.until(lambda: server.texts() == ["The final text."])
    assert [draft.get("text", "").strip() for draft in server.drafts] == ["Never pay.", ""]


async def test_a_message_given_up_while_it_was_being_sent_is_used_for_the_answer(tmp_path: Path) -> None:
    given_up = asyncio.Event()

    async def until_given_up() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            given_up.set()

    engine = ScriptedEngine([Delta("About logging in ..."), until_given_up], answered())
    habits = Habits(burst=0.15, together=3600.0)
    slow = iter([Fault(until=given_up.is_set)])
    async with TelegramServer().running() as quick, telegram_desk(engine, tmp_path, quick, habits=habits):
        quick.faults = lambda method, params: next(slow, None) if method == "sendMessage" else None
        quick.says("I cannot log in to my account")
        await quick.until(lambda: bool(quick.made("sendMessage")))
        quick.says("it says that code 12 is wrong")
        await quick.until(lambda: quick.texts() == ["The final text."])
        await asyncio.sleep(0.6)
        assert quick.texts() == ["The final text."]
    assert [len(question.text.splitlines()) for question in engine.questions] == [1, 2]


async def test_groups_are_edited_even_with_drafts(server: TelegramServer, tmp_path: Path) -> None:
    async with telegram_desk(ScriptedEngine(STREAMED), tmp_path, server, drafts=True):
        server.says(f"/ask {QUESTION}", chat=GROUP)
        await server.until(lambda: server.texts(GROUP) == ["The final text."])
    assert server.drafts == []


REFUSED_DRAFTS = {
    "a chat that takes none": (Fault(Refusal(400, "Bad Request: TEXTDRAFT_PEER_INVALID")), True),
    "a rate limit skips the frame": (too_many(280), False),
}


@pytest.mark.parametrize("name", REFUSED_DRAFTS)
async def test_a_refused_draft_costs_no_answer(server: TelegramServer, tmp_path: Path, name: str) -> None:
    fault, edits = REFUSED_DRAFTS[name]
    server.faults = lambda method, params: fault if method == "sendMessageDraft" else None
    shown = [lambda: server.until(lambda: bool(server.ours()))] if edits else [0.5]
    script: Script = [Typing(), 0.1, Delta("Ten "), *shown, *answered()]
    async with telegram_desk(ScriptedEngine(script), tmp_path, server, drafts=True):
        server.says(QUESTION)
        await server.until(lambda: server.texts() == ["The final text."])
    assert bool(server.made("editMessageText")) is edits


async def test_an_update_that_cannot_be_read_stands_in_nobodys_way(server: TelegramServer, tmp_path: Path) -> None:
    async with telegram_desk(ScriptedEngine(answered()), tmp_path, server):
        server.deliver({"message": {"message_id": "not a number", "what": "is this"}})
        server.deliver({"a_kind_of_tomorrow": {"x": 1}})
        server.says(QUESTION)
        await server.until(lambda: server.texts() == ["The final text."])


async def test_a_message_edited_within_a_minute_is_answered_anew_in_place(
    server: TelegramServer, tmp_path: Path
) -> None:
    engine = ScriptedEngine(answered("Which one?"), answered("Ten days."))
    async with telegram_desk(engine, tmp_path, server):
        asked = server.says("How do I get my depsit back?")["message"]["message_id"]
        await server.until(lambda: server.texts() == ["Which one?"])
        server.edits(asked, QUESTION)
        await server.until(lambda: server.texts() == ["Ten days."])
        server.edits(asked, QUESTION, seconds=9)  # as a link preview does
        await asyncio.sleep(0.3)
    assert [question.text for question in engine.questions] == ["How do I get my depsit back?", QUESTION]


async def test_fragments_become_one_question_with_one_answer(tmp_path: Path) -> None:
    engine = ScriptedEngine(answered())
    habits = Habits(burst=1.0, together=3600.0)
    async with TelegramServer().running() as quick, telegram_desk(engine, tmp_path, quick, habits=habits):
        for text in ("здравствуйте", "у меня", "не входит"):
            quick.says(text)
        await quick.until(lambda: bool(quick.ours()))
        await asyncio.sleep(0.3)
        assert len(quick.ours()) == 1
    assert [question.text for question in engine.questions] == ["здравствуйте\nу меня\nне входит"]


async def test_a_rate_limit_in_one_chat_leaves_others_alone(server: TelegramServer, tmp_path: Path) -> None:
    def limited(method: str, params: Params) -> Fault | None:
        return too_many(3600) if params.get("chat_id") == 7 else None

    server.faults = limited
    async with telegram_desk(ScriptedEngine(answered()), tmp_path, server):
        server.says(QUESTION)
        server.says(QUESTION, chat=8, sender=8)
        await server.until(
            lambda: server.texts(8) == ["The final text."],
        )
    limited_ones = [call for call in server.made("sendMessage") if call.params["chat_id"] == 7]
    assert len(limited_ones) <= 1, "the limited chat is not asked again"


async def test_a_lost_message_is_never_taken_for_somebody_elses(server: TelegramServer, tmp_path: Path) -> None:
    """Two answers in one group at once; the response to every other message is lost."""
    count = iter(range(1000))
    server.faults = lambda method, params: (
        Fault(lost=True) if method == "sendMessage" and next(count) % 2 == 0 else None
    )
    script: Script = [Delta("On its way ..."), 0.3, *answered()]
    async with telegram_desk(ScriptedEngine(script), tmp_path, server):
        for sender in (7, 8, 9):
            server.says(f"/ask {QUESTION}", chat=GROUP, sender=sender)
        await server.until(lambda: server.texts(GROUP) == ["The final text."] * 3)
        await asyncio.sleep(0.3)
    assert server.texts(GROUP) == ["The final text."] * 3
    assert len({message["quotes"] for message in server.ours(GROUP)}) == 3
