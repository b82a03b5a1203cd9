"""The bot against GramLab, which keeps chats: what is seen is asked of GramLab, not of the bot's requests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from adapters.delivery import Answers
from adapters.texts import TEXTS
from engine import Delta, Final, Interim, Typing
from tests.delivery_fakes import Script, ScriptedEngine, answered, outcome
from tests.fault_proxy import Trouble
from tests.gramlab_desk import GramLab, Shim, buttons, gramlab_running, marked
from tests.telegram_desk import Desk, telegram_desk
from tests.waiting import until

QUESTION = "Как вернуть депозит?"
FINAL = "Депозит 😀 вернут за **десять** дней: [правила](https://example.org/rules), форма `B-7`."
SHOWN = "Депозит 😀 вернут за десять дней: правила, форма B-7."


@pytest.fixture
async def shim() -> AsyncIterator[Shim]:
    async with gramlab_running() as shim:
        yield shim


@pytest.fixture
def gramlab(shim: Shim) -> GramLab:
    return shim.gramlab


def desk(engine: Answers, folder: Path, shim: Shim, **values: Any) -> AbstractAsyncContextManager[Desk]:
    return telegram_desk(engine, folder, shim, token=shim.gramlab.token, **values)


async def test_one_message_grows_into_the_answer(shim: Shim, gramlab: GramLab, tmp_path: Path) -> None:
    interim = "Собираю ещё данные: раздел 7.2 …"
    script: Script = [
        *(Typing(), 0.2, Delta("Депозит "), lambda: gramlab.until_said("Депозит")),
        *(Delta("вернут. "), lambda: gramlab.until_said("Депозит вернут.")),
        *(Interim(interim), lambda: gramlab.until_said(interim)),
    ]
    engine = ScriptedEngine([*script, Final(outcome(FINAL, language="ru"))])
    async with desk(engine, tmp_path, shim):
        await gramlab.says(QUESTION)
        (answer,) = await gramlab.until_said(SHOWN)
    assert [question.text for question in engine.questions] == [QUESTION]
    assert [message["text"].strip() for message in await gramlab.history()] == [QUESTION, SHOWN]
    assert await gramlab.lives(answer["id"]) == ["Депозит", "Депозит вернут.", interim, SHOWN]
    assert marked(answer) == {"bold": "десять", "code": "B-7"}
    assert [button["text"] for button in buttons(answer)] == ["👍 Помогло", "👎 Не помогло"]
    assert shim.refused == []


async def test_a_rating_is_kept_and_its_buttons_go(shim: Shim, gramlab: GramLab, tmp_path: Path) -> None:
    async with desk(ScriptedEngine(answered(FINAL)), tmp_path, shim) as opened:
        await gramlab.says(QUESTION)
        await gramlab.until_said(SHOWN)
        await gramlab.told(await gramlab.taps("👎 Not helpful"))
        (asked,) = await gramlab.until(lambda ours: len(buttons(ours[0])) == 4)
        assert await gramlab.told(await gramlab.taps("It is wrong")) == "Thank you!"
        (thanked,) = await gramlab.until(lambda ours: not buttons(ours[0]))
        exchange = await opened.inbox.exchange(1)
    assert exchange is not None
    assert (exchange.rating, exchange.reason) == ("not_helpful", "wrong")
    assert asked["text"] == thanked["text"]
    assert asked["entities"] == thanked["entities"], "a tap changes the buttons only"
    assert shim.refused == []


async def test_in_a_group_only_what_is_for_the_bot_is_answered(shim: Shim, gramlab: GramLab, tmp_path: Path) -> None:
    engine = ScriptedEngine(answered())
    async with desk(engine, tmp_path, shim):
        for text in ("How is everybody today?", "@somebody_else how is it with you?", "/start@another_bot"):
            await gramlab.says(text, user=gramlab.boris, chat=gramlab.group)
        await gramlab.says("😀 @desk_bot, when is the rent due?", user=gramlab.boris, chat=gramlab.group)
        await gramlab.until_said("The final text.", chat=gramlab.group)
        await gramlab.says("/ask where do I pay it?", chat=gramlab.group)
        await gramlab.until_said("The final text.", "The final text.", chat=gramlab.group)
        tap = await gramlab.taps("👍 Helpful", user=gramlab.boris, chat=gramlab.group)
        not_yours = await gramlab.told(tap, user=gramlab.boris)
    assert sorted(question.text for question in engine.questions) == ["where do I pay it?", "😀 when is the rent due?"]
    assert not_yours in TEXTS["not_yours"].values()
    assert await gramlab.ours() == []
    assert shim.refused == []


async def test_an_edited_question_is_answered_in_place(shim: Shim, gramlab: GramLab, tmp_path: Path) -> None:
    engine = ScriptedEngine(answered("By the tenth."), answered("By the fifth."))
    async with desk(engine, tmp_path, shim):
        asked = await gramlab.says("When is the rent of a flat due?")
        (first,) = await gramlab.until_said("By the tenth.")
        await gramlab.edits(asked["id"], "When is the rent of a garage due?")
        (second,) = await gramlab.until_said("By the fifth.")
    assert [question.text for question in engine.questions] == [
        "When is the rent of a flat due?",
        "When is the rent of a garage due?",
    ]
    assert first["id"] == second["id"]
    assert [message["text"].strip() for message in await gramlab.history()] == [
        "When is the rent of a garage due?",
        "By the fifth.",
    ]


async def test_the_same_answer_again_is_no_trouble(shim: Shim, gramlab: GramLab, tmp_path: Path) -> None:
    engine = ScriptedEngine(answered())
    async with desk(engine, tmp_path, shim):
        asked = await gramlab.says("When is the rent due?")
        before = await gramlab.until_said("The final text.")
        await gramlab.edits(asked["id"], "When is the rent due, please?")
        await until(lambda: bool(shim.refused))
        await gramlab.says("And the next one?")
        after = await gramlab.until_said("The final text.", "The final text.")
    assert shim.refused == ["MESSAGE_NOT_MODIFIED"]
    assert after[0] == before[0]
    assert len(engine.questions) == 3


async def test_a_restart_goes_on_in_the_message_that_is_there(shim: Shim, gramlab: GramLab, tmp_path: Path) -> None:
    begun: Script = [Delta("Депозит "), 3600.0, *answered()]
    async with desk(ScriptedEngine(begun), tmp_path, shim):
        asked = await gramlab.says(QUESTION)
        (started,) = await gramlab.until_said("Депозит")
    (paused,) = await gramlab.ours()
    await gramlab.says("И сколько ждать возврата денег?")
    engine = ScriptedEngine(answered(FINAL), answered("Десять дней."))
    async with desk(engine, tmp_path, shim):
        first, second = await gramlab.until_said(SHOWN, "Десять дней.")
    assert paused["text"].strip() == TEXTS["back_soon"]["ru"]
    assert started["id"] == paused["id"] == first["id"]
    assert asked["id"] < first["id"] < second["id"]
    assert len(await gramlab.history()) == 4


@pytest.mark.parametrize("number", [0, 1])
async def test_a_message_whose_response_is_lost_is_said_once(
    shim: Shim, gramlab: GramLab, tmp_path: Path, number: int
) -> None:
    lost = Trouble(lost=True)
    shim.trouble = lambda method, before: lost if method == "sendMessage" and before == number else None
    script: Script = [Delta("Депозит "), lambda: gramlab.until(bool), *answered(FINAL)]
    async with desk(ScriptedEngine(script), tmp_path, shim):
        await gramlab.says(QUESTION)
        await gramlab.until_said(SHOWN)
        await gramlab.says("И сколько ждать возврата денег?")
        await gramlab.until(lambda ours: len(ours) == 2 and bool(buttons(ours[1])))
    assert await gramlab.texts() == [SHOWN, SHOWN]
    assert all("reply_markup" in message for message in await gramlab.ours())


async def test_a_lost_message_is_found_among_those_of_others(shim: Shim, gramlab: GramLab, tmp_path: Path) -> None:
    lost = Trouble(lost=True, seconds=1.0)
    shim.trouble = lambda method, before: lost if method == "sendMessage" and before == 0 else None
    chatter = ["Hello, all!", "Nice weather today.", "See you tomorrow."]
    async with desk(ScriptedEngine(answered()), tmp_path, shim):
        await gramlab.says("@desk_bot, when is the rent due?", user=gramlab.boris, chat=gramlab.group)
        await until(lambda: any(method == "sendMessage" for method, _ in shim.calls))
        for text in chatter:
            await gramlab.says(text, chat=gramlab.group)
        (answer,) = await gramlab.until(lambda ours: bool(ours) and "edit_date" in ours[0], gramlab.group)
        await gramlab.until_said("The final text.", chat=gramlab.group)
    others = [one["text"] for one in await gramlab.history(gramlab.group) if one["sender_id"] == gramlab.alice]
    assert others == chatter
    assert answer["id"] == len(chatter) + 2
    assert shim.refused == ["Only the sending bot can edit this message"] * len(chatter)


async def test_updates_that_were_not_acknowledged_come_again(shim: Shim, gramlab: GramLab, tmp_path: Path) -> None:
    lost = Trouble(lost=True)
    shim.trouble = lambda method, before: lost if method == "getUpdates" and before in (0, 1) else None
    for text in ("When is the rent due?", "Where is it to be paid?"):
        await gramlab.says(text)
    engine = ScriptedEngine(answered())
    async with desk(engine, tmp_path, shim):
        await gramlab.until_said("The final text.", "The final text.")
    async with desk(engine, tmp_path, shim):
        await gramlab.says("And if the day is a holiday?")
        await gramlab.until_said(*["The final text."] * 3)
    assert len(engine.questions) == 3
