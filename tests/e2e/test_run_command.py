"""`refdesk run` as people start it: the real command, a real knowledge folder, Telegram on the loopback."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.command_line import Desk
from tests.telegram_server import TOKEN, TelegramServer

QUESTION = "Как продлить прокат велосипеда?"


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer(seconds_between=10).running() as server:
        yield server


def telegram(server: TelegramServer, **values: str) -> dict[str, str]:
    return {"REFDESK_TELEGRAM_TOKEN": TOKEN, "REFDESK_TELEGRAM_API_URL": server.url, **values}


def test_without_a_token_it_says_which_one_to_set(unfilled: Desk) -> None:
    said = unfilled.run("run").complaint
    assert "REFDESK_TELEGRAM_TOKEN" in said
    assert "@BotFather" in said


@pytest.mark.timeout(180)
async def test_a_token_is_all_it_takes(server: TelegramServer, small: Desk) -> None:
    with small.start("run", environment=telegram(server)) as process:
        try:
            server.says(QUESTION)
            await server.until(lambda: bool(server.buttons()), seconds=120)
            process.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(process.wait, 30) == 0
            assert process.stderr is not None
            said = process.stderr.read()
        finally:
            process.kill()
    assert server.texts() == ["Позвоните нам до конца срока, и мы продлим прокат."]
    assert said == "Answering as @desk_bot in Telegram. Stop with Ctrl-C.\n"


@pytest.mark.timeout(180)
async def test_a_refused_token_is_told_in_one_line(server: TelegramServer, small: Desk) -> None:
    environment = {**telegram(server), "REFDESK_TELEGRAM_TOKEN": "1:wrong"}
    ended = await asyncio.to_thread(small.run, "run", environment=environment)
    assert "Telegram does not know this token" in ended.complaint
    assert "1:wrong" not in ended.err


@pytest.mark.timeout(180)
async def test_check_tells_about_telegram(server: TelegramServer, small: Desk, tmp_path: Path) -> None:
    checked = await asyncio.to_thread(small.run, "check", environment=telegram(server))
    assert checked.code == 0, checked.out
    assert "ok    telegram: the token works, this is @desk_bot\n" in checked.out
    assert "/setprivacy" in checked.out
    texts = tmp_path / "texts.yaml"
    texts.write_text("ru: {thankss: x}", encoding="utf-8")
    wrong = await asyncio.to_thread(small.run, "check", environment=telegram(server, REFDESK_TEXTS=str(texts)))
    assert wrong.code == 1
    assert "did you mean thanks" in wrong.out
