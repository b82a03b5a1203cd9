"""An asker in Slack who wants to be forgotten: by the command, and in the Home."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine import Final
from tests.delivery_fakes import ScriptedEngine, outcome
from tests.slack_desk import Desk, slack_desk
from tests.slack_files import Person
from tests.slack_server import ASKER, DIRECT, SUPPORT, SlackServer
from tests.waiting import PATIENCE

SECRET = "12 Elm Street"


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with SlackServer().running() as server:
        server.shared.people |= {ASKER: Person("Alice")}
        yield server


def missed() -> ScriptedEngine:
    return ScriptedEngine([Final(outcome("I do not know.", kind="missed"))])


async def asked(server: SlackServer) -> None:
    server.says(f"Who lives at {SECRET}?")
    await server.until(lambda: any(SECRET in text for text in server.texts(SUPPORT)))


async def forgotten(server: SlackServer, desk: Desk) -> None:
    await server.until(lambda: not any(SECRET in text for text in server.texts(SUPPORT)))
    await server.until(lambda: any("ticket is closed" in text for text in server.texts(SUPPORT)))
    ticket = await desk.tickets.ticket(1)
    assert ticket is not None
    assert (ticket.closing, ticket.question) == ("forgotten", "")


async def test_a_command_takes_the_texts_out_of_the_support_channel(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(missed(), tmp_path, server, support=SUPPORT) as desk:
        await asked(server)
        server.commands("", command="/forget")
        said = "I have forgotten all that you wrote to me."
        await server.until(lambda: any(said in str(one["answer"]) for one in server.acknowledged))
        await forgotten(server, desk)


async def test_pictures_and_files_go_too(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(missed(), tmp_path, server, support=SUPPORT) as desk:
        question = server.says("Who lives in this house?")
        await server.until(lambda: bool(server.ours(SUPPORT)))
        file = server.shared.attached("plan.pdf", SECRET.encode())
        server.says(f"I mean {SECRET}.", thread=question["ts"], files=[file], subtype="file_share")
        await server.until(lambda: len(server.ours(SUPPORT)) == 3)
        (copy,) = server.ours(SUPPORT)[2]["files"]
        assert server.shared.bodies[copy["id"]] == SECRET.encode()
        async with asyncio.timeout(PATIENCE):  # what is being answered is left to its end
            while await desk.inbox.unfinished() or await desk.inbox.waiting():  # noqa: ASYNC110 - a store tells nobody
                await asyncio.sleep(0.02)
        server.commands("", command="/forget")
        await forgotten(server, desk)
        await server.until(lambda: len(server.ours(SUPPORT)) == 2)  # what the ticket is, and the note
        await server.until(lambda: copy["id"] not in server.shared.bodies)


async def test_the_home_has_a_button_for_it_that_asks_first(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(missed(), tmp_path, server, support=SUPPORT) as desk:
        await asked(server)
        server.deliver({"type": "app_home_opened", "user": ASKER, "tab": "home", "channel": DIRECT})
        await server.until(lambda: len(server.views) == 1)
        assert "Questions that people still have will be closed." in str(server.views[0])
        server.taps("forget", {"channel": DIRECT, "ts": "1.1"}, action="refdesk-language:forget")
        await forgotten(server, desk)
