"""In Slack, too, what people answered becomes an entry of the FAQ, and the FAQ is edited from the channel."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bot.faq_base import open_faq
from bot.faq_desk import FaqDesk
from bot.learning import FaqLearning
from bot.settings import Settings
from engine import Final
from tests.delivery_fakes import ScriptedEngine, outcome
from tests.slack_desk import slack_desk
from tests.slack_files import Person
from tests.slack_rules import Json
from tests.slack_server import ASKER, BOT, SUPPORT, SlackServer

QUESTION = "May I keep a snake in my room?"
ANNA = "U11ANNA"


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with SlackServer().running() as server:
        server.shared.people |= {ANNA: Person("Anna"), ASKER: Person("Alice")}
        yield server


def note(server: SlackServer, part: str) -> Json:
    return next(one for one in reversed(server.ours(SUPPORT)) if part in str(one))


def tap(server: SlackServer, part: str, caption: str) -> None:
    under = note(server, part)
    data = next(value for text, value in server.buttons(under).items() if caption in text)
    server.taps(data, under, user=ANNA)


def shown(server: SlackServer) -> str:
    return "\n".join(server.texts(SUPPORT))


async def test_an_answer_in_a_thread_becomes_an_entry(server: SlackServer, tmp_path: Path) -> None:
    engine = ScriptedEngine([Final(outcome("I do not know.", kind="missed"))])

    def says(text: str, **values: Any) -> Json:
        return server.says(text, channel=SUPPORT, user=ANNA, **values)

    async with open_faq(Settings(data=tmp_path, knowledge=tmp_path / "knowledge")) as base:
        faq = FaqDesk(base)
        supported = {"learning": partial(FaqLearning, base, faq)}
        async with slack_desk(engine, tmp_path, server, support=SUPPORT, supported=supported):
            server.says(QUESTION)
            await server.until(lambda: bool(server.ours(SUPPORT)))
            thread = server.ours(SUPPORT)[0]["ts"]
            says("// ask Mr. Brown", thread=thread)
            says("Dear Alice, no snakes.", thread=thread)
            await server.until(lambda: "Would it help others too?" in shown(server))
            tap(server, "Would it help others", "Make a FAQ entry")
            await server.until(lambda: "FAQ draft #1" in shown(server))
            assert "Brown" not in shown(server).partition("FAQ draft #1")[2]
            tap(server, "FAQ draft #1", "Put into the FAQ")
            await server.until(lambda: "still there: name" in shown(server))
            assert await faq.entries() == ()
            says(f"<@{BOT}> faq rewrite 1\nNo snakes, sorry.", thread=thread)
            await server.until(lambda: "No snakes, sorry." in shown(server))
            tap(server, "FAQ draft #1", "Put into the FAQ")
            await server.until(lambda: "approved by Anna" in shown(server))
            (entry,) = await faq.entries()
            assert (entry.questions, entry.answer) == ((QUESTION,), "No snakes, sorry.")
            says(f"<@{BOT}> faq list")
            await server.until(lambda: "`draft-1`" in shown(server))
            tap(server, "FAQ draft #1", "Take it back out")
            await server.until(lambda: "taken back out of the FAQ by Anna" in shown(server))
            assert await faq.entries() == ()
    assert not any("faq rewrite" in text or "Brown" in text for text in server.texts())
