"""Two real processes behind one webhook, of which now one and now the other is killed or told to stop."""

from __future__ import annotations

import asyncio
import random
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest

from adapters.telegram.webhook import SECRET_HEADER
from tests.faults import Params
from tests.lives import Lives, answer_to, lives
from tests.ports import held_port
from tests.telegram_replicas import SECRET
from tests.telegram_server import Json, TelegramServer
from tests.waiting import until

MODULE = "tests.telegram_replica_lives"
QUESTIONS, DEATHS = 24, 12
CHATS = (11, 12, -1_000_000_000_021)
VISIBLE = ("sendMessage", "editMessageText", "deleteMessage")


@dataclass
class Process:
    bots: Lives
    url: str

    async def hears(self, session: aiohttp.ClientSession, update: Json) -> bool:
        """False when it is no more, or lives not long enough to say that it has heard."""
        with suppress(aiohttp.ClientError):
            async with session.post(self.url, json=update, headers={SECRET_HEADER: SECRET}) as response:
                return response.status == 200
        return False


@asynccontextmanager
async def process(server: TelegramServer, folder: Path) -> AsyncIterator[Process]:
    with held_port() as port:
        await asyncio.to_thread(folder.mkdir)
        await asyncio.to_thread((folder / "port").write_text, str(port))
        async with lives(MODULE, server.url, folder) as bots:
            yield Process(bots, f"http://127.0.0.1:{port}/telegram")


async def delivered(session: aiohttp.ClientSession, processes: list[Process], dice: random.Random, one: Json) -> None:
    """As Telegram does: again and again, until somebody says that it has come."""
    await until(lambda: dice.choice(processes).hears(session, one))


@pytest.mark.timeout(600)
async def test_while_one_dies_the_other_answers_and_nothing_is_lost_or_said_twice(tmp_path: Path) -> None:
    dice = random.Random(20_261_130)
    asked: dict[int, list[str]] = {chat: [] for chat in CHATS}

    def said(chat: int) -> list[str]:
        return [one["text"] for one in server.ours(chat)]

    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(TelegramServer(seconds_between=10).running())
        session = await stack.enter_async_context(aiohttp.ClientSession())
        processes = [await stack.enter_async_context(process(server, tmp_path / str(one))) for one in range(2)]

        async def ask() -> None:
            for number in range(QUESTIONS):
                chat = CHATS[number % len(CHATS)]
                text = f"question number {number} of the day?"
                asked[chat].append(answer_to(text))
                update = server.says(text if chat > 0 else f"/ask {text}", chat=chat, sender=abs(chat) % 1000)
                await delivered(session, processes, dice, update)
                if dice.random() < 0.3:
                    await delivered(session, processes, dice, update)
                await asyncio.sleep(dice.uniform(0, 0.4))

        for one in processes:
            await one.bots.begin()
        asking = asyncio.create_task(ask())
        for death in range(DEATHS):
            dying = processes[death % 2]
            if dice.random() < 0.5:
                killed = asyncio.Event()
                server.after = _killer(dying.bots, killed)
                with suppress(TimeoutError):
                    async with asyncio.timeout(1.0):
                        await killed.wait()
                server.after = _nothing
            else:
                await asyncio.sleep(dice.uniform(0.2, 0.8))
            dying.bots.kill(dice.choice((signal.SIGKILL, signal.SIGTERM)))
            await dying.bots.ended()
            await dying.bots.begin()
        await asking
        await until(lambda: all(said(chat) == answers for chat, answers in asked.items()), 240)
        made = len(server.made(*VISIBLE))
        for one in processes:
            one.bots.kill(signal.SIGTERM)
            await one.bots.ended()
        assert len(server.made(*VISIBLE)) == made, "nothing was left to be said"
    assert {chat: said(chat) for chat in CHATS} == asked


def _nothing(method: str, params: Params) -> None:
    return


def _killer(bots: Lives, killed: asyncio.Event) -> Callable[[str, Params], None]:
    """In the worst moment: the deed is done, perhaps by the one that is killed, and its response never arrives."""

    def kill(method: str, params: Params) -> None:
        if method in VISIBLE and not killed.is_set():
            bots.kill()
            killed.set()

    return kill
