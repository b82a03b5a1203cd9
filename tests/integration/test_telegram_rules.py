"""Every call of the bot held to the published rules of the Bot API by teremok, which others wrote."""

from __future__ import annotations

import asyncio

import pytest
from aiogram import Bot
from aiogram.methods import EditMessageText, SendMessage
from aiogram.methods.base import Response
from aiogram.types import Message, Update
from teremok import MockedSession

from adapters.support import Support
from adapters.telegram import app as telegram
from adapters.telegram.config import Spot, TelegramConfig
from engine import Citation, Delta, Final
from tests.delivery_fakes import Script, ScriptedEngine, outcome
from tests.fake_inbox import FakeInbox
from tests.fake_tickets import FakeTickets
from tests.telegram_desk import QUICK
from tests.unit.test_telegram_formatting import ANSWER, NASTY
from tests.waiting import PATIENCE


def update(text: str, number: int = 1) -> Update:
    return Update.model_validate(
        {
            "update_id": number,
            "message": {
                "message_id": number,
                "date": 1_700_000_000 + number * 100,
                "chat": {"id": 7, "type": "private", "first_name": "Alice"},
                "from": {"id": 7, "is_bot": False, "first_name": "Alice"},
                "text": text,
            },
        }
    )


async def store_is_done(store: FakeInbox, exchanges: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while sum(one.ending == "done" for one in store.exchanges.values()) < exchanges:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def said(script: Script, session: MockedSession, *texts: str) -> list[SendMessage | EditMessageText]:
    store = FakeInbox()
    config = TelegramConfig(token="42:token", support=Spot(chat=-1, topic=3))
    bot = Bot(config.token, session=session)
    support = Support(tickets=FakeTickets(), desk=config.desk, people=config.desk)
    opened = telegram.opened(bot, config, ScriptedEngine(script), store, limits=QUICK, patience=20, support=support)
    async with opened as app:
        for number, text in enumerate(texts, 1):
            await app.keep(update(text, number))
            await store_is_done(store, number)
        async with asyncio.timeout(PATIENCE):
            while await support.tickets.due(config.desk):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    return [call for call in session.requests if isinstance(call, SendMessage | EditMessageText)]


@pytest.mark.parametrize("markdown", [ANSWER, *NASTY, "😀" * 5000, ANSWER * 12])
async def test_no_answer_breaks_a_rule(markdown: str) -> None:
    session = MockedSession()
    cited = (Citation(document="rent/lease.md", section="7.2", title="Refund"),)
    final = outcome(markdown or "?", citations=cited, language="ru")
    calls = await said([Delta(markdown[: len(markdown) // 2]), 0.1, Final(final)], session, "Как вернуть депозит?")
    assert calls
    keyboard = calls[-1].reply_markup
    assert keyboard is not None


async def test_commands_break_no_rule() -> None:
    calls = await said([], MockedSession(), "/start", "/help", "/language", "/forget", "/ask", "/human")
    assert len(calls) == 7, "and the word to the people in the support chat"


async def test_a_queued_rate_limit_is_waited_for() -> None:
    session = MockedSession()
    refusal = {"ok": False, "error_code": 429, "description": "Too Many Requests: retry after 1"}
    session.add_result(SendMessage, Response[Message].model_validate({**refusal, "parameters": {"retry_after": 1}}))
    calls = await said([Final(outcome("Ten days."))], session, "How do I get my deposit back?")
    assert [(call.text or "").strip() for call in calls] == ["Ten days.", "Ten days."]
