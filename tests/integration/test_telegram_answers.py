"""Answers in Telegram: unmodified aiogram against our small Bot API server, from the update to what is seen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from adapters.delivery import APOLOGY
from engine import Citation, Delta, Final, Interim, Retract, Typing
from tests.delivery_fakes import Script, ScriptedEngine, answered, outcome
from tests.telegram_desk import telegram_desk
from tests.telegram_faults import Fault, broken, too_many
from tests.telegram_server import Params, TelegramServer
from tests.waiting import until


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer().running() as server:
        yield server


QUESTION = "How do I get my deposit back?"


def seen(server: TelegramServer, *texts: str) -> Callable[[], Awaitable[None]]:
    """A line of a script that waits until the asker sees just this."""
    return lambda: server.until(lambda: [text.strip() for text in server.texts()] == [*texts])


async def test_a_question_gets_its_answer_quoted_and_with_buttons(server: TelegramServer, tmp_path: Path) -> None:
    async with telegram_desk(ScriptedEngine(answered("Ten **working** days.")), tmp_path, server):
        server.says(QUESTION)
        await server.until(lambda: bool(server.ours()))
    (answer,) = server.ours()
    assert answer["text"].strip() == "Ten working days."
    assert answer["entities"] == [{"type": "bold", "offset": 4, "length": 7}]
    assert answer["quotes"] == 1
    assert list(server.buttons()) == ["👍 Helpful", "👎 Not helpful"]


async def test_an_answer_grows_by_edits_of_one_message(server: TelegramServer, tmp_path: Path) -> None:
    script: Script = [
        *(Typing(), 0.1, Delta("Ten "), seen(server, "Ten")),
        *(Delta("working "), seen(server, "Ten working"), Delta("days."), 0.1),
        Final(outcome("Ten working days in all.")),
    ]
    async with telegram_desk(ScriptedEngine(script), tmp_path, server):
        server.says(QUESTION)
        await server.until(lambda: any("in all" in text for text in server.texts()))
    assert [text.strip() for text in server.texts()] == ["Ten working days in all."]
    (sent,) = server.made("sendMessage")
    assert sent.params["text"].strip() == "Ten"
    assert server.made("sendChatAction")
    assert 1 <= len(server.made("editMessageText")) <= 3


async def test_the_interim_message_becomes_the_answer(server: TelegramServer, tmp_path: Path) -> None:
    interim = "Собираю ещё данные: раздел 7.2 …"
    script: Script = [Interim(interim), seen(server, interim), Final(outcome("Десять дней."))]
    async with telegram_desk(ScriptedEngine(script), tmp_path, server):
        server.says("Как вернуть депозит?")
        await server.until(lambda: server.texts() == ["Десять дней."])


async def test_a_kept_draft_stays_above_the_interim_message(server: TelegramServer, tmp_path: Path) -> None:
    script: Script = [
        Delta("Within ten days."),
        0.2,
        Interim("Gathering more data: section 7.2 ...", keeps_draft=True),
        seen(server, "Within ten days.\n\n(being completed ...)\n\nGathering more data: section 7.2 ..."),
    ]
    async with telegram_desk(ScriptedEngine([*script, *answered("All of it.")]), tmp_path, server):
        server.says(QUESTION)
        await server.until(lambda: server.texts() == ["All of it."])


async def test_a_retracted_draft_is_seen_no_longer(server: TelegramServer, tmp_path: Path) -> None:
    script: Script = [
        *(Delta("Never pay."), seen(server, "Never pay.")),
        *(Retract("guardrail"), seen(server, "Checking the answer ...")),
        *answered("Pay by the 10th."),
    ]
    async with telegram_desk(ScriptedEngine(script), tmp_path, server):
        server.says(QUESTION)
        await server.until(lambda: server.texts() == ["Pay by the 10th."])


async def test_a_long_answer_comes_in_several_messages(server: TelegramServer, tmp_path: Path) -> None:
    text = "\n\n".join(f"Шаг {number}. " + "Слово 😀 " * 60 for number in range(1, 25))
    async with telegram_desk(ScriptedEngine(answered(text)), tmp_path, server):
        server.says("Как это сделать?")
        await server.until(lambda: bool(server.buttons()))
    assert len(server.ours()) == 4
    assert "Шаг 24." in server.texts()[-1]
    assert [bool(message.get("quotes")) for message in server.ours()] == [True, False, False, False]
    assert [bool(message.get("reply_markup")) for message in server.ours()] == [False, False, False, True]


async def test_an_engine_that_breaks_ends_in_an_apology_with_a_button(server: TelegramServer, tmp_path: Path) -> None:
    engine = ScriptedEngine([Delta("Ten"), 0.1, ValueError("broken")], answered())
    async with telegram_desk(engine, tmp_path, server):
        server.says(QUESTION)
        await server.until(lambda: server.texts() == [APOLOGY["en"]])
        server.taps(server.buttons()["🔁 Try again"], server.ours()[0])
        await server.until(lambda: server.texts() == ["The final text."])


# --- refusals -------------------------------------------------------------------------------------------------------


def once(method: str, fault: Fault, *, skip: int = 0) -> tuple[list[int], object]:
    seen: list[int] = []

    def faults(called: str, params: Params) -> Fault | None:
        if called != method:
            return None
        seen.append(1)
        return fault if len(seen) == skip + 1 else None

    return seen, faults


SLOW_SCRIPT: Script = [Delta("Ten "), 0.3, Delta("days."), 0.3, *answered()]

FAULTS = {
    "rate limit on the first message": ("sendMessage", too_many(1)),
    "rate limit on typing": ("sendChatAction", too_many(1)),
    "rate limit on an edit": ("editMessageText", too_many(1)),
    "bad gateway before the deed": ("sendMessage", broken()),
    "bad gateway on an edit": ("editMessageText", broken()),
    "the first message's response is lost": ("sendMessage", Fault(lost=True)),
    "an edit's response is lost": ("editMessageText", Fault(lost=True)),
    "slow": ("sendMessage", Fault(seconds=0.7)),
}


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("script", [answered(), SLOW_SCRIPT], ids=["at once", "streamed"])
async def test_whatever_telegram_does_the_answer_is_there_once(
    server: TelegramServer, tmp_path: Path, name: str, script: Script
) -> None:
    method, fault = FAULTS[name]
    _, server.faults = once(method, fault)  # type: ignore[assignment]
    async with telegram_desk(ScriptedEngine([Typing(), *script]), tmp_path, server):
        server.says(QUESTION)
        await server.until(lambda: bool(server.chats[7].messages) and bool(server.ours()) and bool(server.buttons()))
    assert server.texts() == ["The final text."]


async def test_nothing_is_asked_of_telegram_before_a_rate_limit_is_over(server: TelegramServer, tmp_path: Path) -> None:
    _, server.faults = once("editMessageText", too_many(2))  # type: ignore[assignment]
    script: Script = [Delta("Ten "), 1.6, Delta("working "), 0.2, Delta("days "), 0.2, Delta("or so."), *answered()]
    async with telegram_desk(ScriptedEngine(script), tmp_path, server):
        server.says(QUESTION)
        await server.until(lambda: server.texts() == ["The final text."])
    first, second, *_ = server.made("editMessageText")
    assert second.at - first.at >= 2
    asked = server.made("sendMessage", "editMessageText", "sendChatAction", "deleteMessage")
    assert not [call for call in asked if first.at < call.at < first.at + 2]


async def test_a_deleted_message_is_sent_anew(server: TelegramServer, tmp_path: Path) -> None:
    deleted = [seen(server, "Ten days."), lambda: server.chats[7].messages.pop(2)]
    script: Script = [Delta("Ten days."), *deleted, *answered()]
    async with telegram_desk(ScriptedEngine(script), tmp_path, server):
        server.says(QUESTION)
        await server.until(lambda: server.texts() == ["The final text."])


async def test_refused_entities_cost_the_formatting_only(server: TelegramServer, tmp_path: Path) -> None:
    def faults(method: str, params: Params) -> Fault | None:
        refused = method == "sendMessage" and "entities" in params
        refusal = broken(400).refusal
        assert refusal is not None
        said = "Bad Request: can't parse entities: Can't find end of the entity"
        return Fault(type(refusal)(400, said)) if refused else None

    server.faults = faults
    async with telegram_desk(ScriptedEngine(answered("Ten **days**.")), tmp_path, server):
        server.says(QUESTION)
        await server.until(lambda: [text.strip() for text in server.texts()] == ["Ten days."])


async def test_a_blocked_bot_is_recorded_and_the_next_message_heals_it(server: TelegramServer, tmp_path: Path) -> None:
    engine = ScriptedEngine(answered())
    async with telegram_desk(engine, tmp_path, server) as desk:
        server.chat(7).blocked = True
        server.says(QUESTION)
        await server.until(lambda: bool(server.made("sendMessage")))
        conversation = f"{desk.config.desk}::7"

        async def given_up() -> bool:
            standing = await desk.inbox.standing(conversation)
            return standing.unreachable and await desk.inbox.unfinished() == ()

        await until(given_up)
        server.chat(7).blocked = False
        server.says("And now, do you hear me?")
        await server.until(lambda: server.texts() == ["The final text."])
        assert not (await desk.inbox.standing(conversation)).unreachable


async def test_a_migrated_chat_is_followed(server: TelegramServer, tmp_path: Path) -> None:
    server.chat(-5, "group")
    server.chat(-1001, "supergroup")
    async with telegram_desk(ScriptedEngine(answered()), tmp_path, server):
        server.chats[-5].moved_to = -1001
        server.says("/ask " + QUESTION, chat=-5)
        await server.until(lambda: server.texts(-1001) == ["The final text."])


async def test_sources_are_shown_below_the_answer(server: TelegramServer, tmp_path: Path) -> None:
    cited = outcome("Ten days.", citations=(Citation(document="rent/lease.md", section="7.2", title="Refund", page=3),))
    async with telegram_desk(ScriptedEngine([Final(cited)]), tmp_path, server):
        server.says(QUESTION)
        await server.until(lambda: bool(server.ours()) and "📄 Sources" in server.buttons())
        server.taps(server.buttons()["📄 Sources"], server.ours()[0])
        await server.until(lambda: "Sources:" in server.texts()[0])
    assert server.texts()[0].rstrip() == "Ten days.\n\nSources:\n• rent/lease.md, section 7.2 “Refund”, p. 3"
    assert "📄 Sources" not in server.buttons()
    assert "👍 Helpful" in server.buttons()
