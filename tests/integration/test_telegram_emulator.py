"""The bot against a Bot API emulator that others wrote: by polling and by webhook, with faults in between.

lo-bot-api-emulator holds requests to a contract and delivers updates; it keeps no chats. It knows no link previews.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from lo_bot_api_emulator import LoBotApiEmulator

from adapters.telegram import app as telegram
from adapters.telegram.config import TelegramConfig, Webhook
from adapters.telegram.polling import Poller
from adapters.telegram.webhook import SECRET_HEADER
from adapters.texts import Texts
from engine import ConfigurationError, Delta
from engine.providers.state.database import Database
from engine.providers.state.inbox import SqlInbox
from tests.delivery_fakes import Script, ScriptedEngine, answered
from tests.fault_proxy import FaultProxy, Trouble
from tests.loopback import served
from tests.ports import held_port
from tests.telegram_desk import QUICK
from tests.waiting import until

TOKEN = "4242:synthetic-token"
NOT_MODELLED = ("link_preview_options",)
STREAMED: Script = [Delta("Ten "), 0.4, Delta("days."), 0.2, *answered()]


class Emulator:
    def __init__(self, emulator: LoBotApiEmulator, proxy: FaultProxy) -> None:
        self.emulator, self.proxy = emulator, proxy
        self._message = 100

    async def says(self, text: str) -> dict[str, Any]:
        self._message += 1
        update = {
            "message": {
                "message_id": self._message,
                "date": 1_700_000_000 + self._message * 10,
                "chat": {"id": 7, "type": "private", "first_name": "Alice"},
                "from": {"id": 7, "is_bot": False, "first_name": "Alice"},
                "text": text,
            }
        }
        await self.emulator.enqueue_update(update, token=TOKEN)
        return update

    def shown(self) -> list[str]:
        visible = ("sendMessage", "editMessageText")
        return [str(form["text"]) for method, form in self.proxy.calls if method in visible]

    async def until(self, text: str) -> None:
        await until(lambda: text in self.shown())

    async def until_called(self, method: str) -> None:
        await until(lambda: any(called == method for called, _ in self.proxy.calls))

    @property
    def refused(self) -> list[Any]:
        return [one for one in self.emulator.requests if one["status"] >= 400 and one["method"] != "editMessageText"]


@pytest.fixture
async def emulator() -> AsyncIterator[Emulator]:
    lo = LoBotApiEmulator(allow_insecure_loopback_webhooks=True)
    async with (
        served(lo.app()) as address,
        FaultProxy(address, dropped=NOT_MODELLED).running() as proxy,
    ):
        yield Emulator(lo, proxy)


@asynccontextmanager
async def serving(
    engine: ScriptedEngine, folder: Path, emulator: Emulator, webhook: Webhook | None = None
) -> AsyncIterator[None]:
    config = TelegramConfig(token=TOKEN, url=emulator.proxy.url, webhook=webhook)
    async with Database.open(f"sqlite:///{folder}/state.db") as database:
        inbox = SqlInbox(database, config.desk)
        async with (
            telegram.opened_bot(config) as bot,
            telegram.opened(bot, config, engine, inbox, limits=QUICK, patience=0.3) as app,
        ):
            work = asyncio.create_task(telegram.serve(bot, config, app, Texts()))
            try:
                yield
            finally:
                work.cancel()
                await asyncio.wait({work})
                if not work.cancelled():
                    work.result()


@pytest.fixture
def webhook() -> Iterator[Webhook]:
    with held_port() as port:
        yield Webhook(url=f"http://127.0.0.1:{port}", secret="s3cret", port=port)


async def test_polling_answers_and_breaks_no_rule_of_the_contract(emulator: Emulator, tmp_path: Path) -> None:
    async with serving(ScriptedEngine(STREAMED), tmp_path, emulator):
        await emulator.says("How do I get my deposit back?")
        await emulator.until("The final text.")
    assert emulator.shown()[0].startswith("Ten")
    assert emulator.refused == []


async def test_a_webhook_answers_and_breaks_no_rule_of_the_contract(
    emulator: Emulator, tmp_path: Path, webhook: Webhook
) -> None:
    async with serving(ScriptedEngine(STREAMED), tmp_path, emulator, webhook):
        await emulator.until_called("setWebhook")
        await emulator.says("How do I get my deposit back?")
        await emulator.until("The final text.")
    assert emulator.refused == []


async def test_a_webhook_believes_nobody_else(emulator: Emulator, tmp_path: Path, webhook: Webhook) -> None:
    engine = ScriptedEngine(answered())
    async with serving(engine, tmp_path, emulator, webhook), aiohttp.ClientSession() as session:
        await emulator.until_called("setWebhook")
        url = f"{webhook.url}{webhook.path}"
        update = {"update_id": 1, "message": {"message_id": 1, "date": 1, "chat": {"id": 7, "type": "private"}}}
        statuses = [
            (await session.post(url, json=update, headers={SECRET_HEADER: secret})).status
            for secret in ("", "s3cre", "S3cret", "s3cret")
        ]
        broken = await session.post(url, data=b"{nonsense", headers={SECRET_HEADER: "s3cret"})
    assert statuses == [401, 401, 401, 200]
    assert broken.status == 200, "or it would come again for ever"
    assert engine.questions == []


TROUBLES = {
    "too many requests": Trouble(429, retry_after=1),
    "bad gateway": Trouble(502),
    "slow": Trouble(seconds=0.5),
}


@pytest.mark.parametrize("name", TROUBLES)
@pytest.mark.parametrize("method", ["getUpdates", "sendMessage", "editMessageText", "sendChatAction", "setMyCommands"])
async def test_a_fault_on_the_way_costs_time_only(emulator: Emulator, tmp_path: Path, name: str, method: str) -> None:
    emulator.proxy.trouble = lambda called, before: TROUBLES[name] if called == method and before == 0 else None
    engine = ScriptedEngine([0.1, *STREAMED])
    async with serving(engine, tmp_path, emulator):
        await emulator.says("How do I get my deposit back?")
        await emulator.until("The final text.")
    assert len(engine.questions) == 1


async def test_updates_whose_acknowledgement_is_lost_are_answered_once(emulator: Emulator, tmp_path: Path) -> None:
    lost = Trouble(lost=True)
    emulator.proxy.trouble = lambda method, before: lost if method == "getUpdates" and before in (1, 2) else None
    engine = ScriptedEngine(answered())
    async with serving(engine, tmp_path, emulator):
        for number in range(3):
            await emulator.says(f"How do I get my deposit back, number {number}?")
            await asyncio.sleep(0.3)
        await until(lambda: emulator.shown().count("The final text.") == 3)
        await asyncio.sleep(0.5)
    assert len(engine.questions) == 3


async def test_a_second_poller_gives_way_with_a_clear_message(emulator: Emulator) -> None:
    config = TelegramConfig(token=TOKEN, url=emulator.proxy.url)

    async def keep(_: object) -> None:
        return

    async with telegram.opened_bot(config) as first, telegram.opened_bot(config) as second:
        incumbent = asyncio.create_task(Poller(first, keep, ("message",)).run())
        await emulator.until_called("getUpdates")
        with pytest.raises(ConfigurationError, match="token is in use elsewhere"):
            await Poller(second, keep, ("message",), conflict_pause=0.2).run()
        assert not incumbent.done()
        incumbent.cancel()
        await asyncio.wait({incumbent})
