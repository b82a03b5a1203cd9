"""What askers and people do about tickets on the Slack server of the tests."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.slack_desk import Desk
from tests.slack_files import Person
from tests.slack_rules import Json
from tests.slack_server import ASKER, SUPPORT, SlackServer
from tests.waiting import PATIENCE

QUESTION = "Can I keep a snake in my room?"
ANNA, BORIS = "U11ANNA", "U12BORIS"


def peopled() -> SlackServer:
    server = SlackServer()
    server.shared.people |= {ANNA: Person("Anna"), BORIS: Person("Boris"), ASKER: Person("Alice")}
    return server


def head(server: SlackServer) -> Json:
    return next(one for one in server.ours(SUPPORT) if "thread_ts" not in one)


def people_say(server: SlackServer, text: str, *, user: str = ANNA, **values: Any) -> Json:
    return server.says(text, channel=SUPPORT, user=user, thread=head(server)["ts"], **values)


def tap(server: SlackServer, caption: str, *, user: str = ANNA) -> None:
    data = next(value for text, value in server.buttons(head(server)).items() if caption in text)
    server.taps(data, head(server), user=user)


def shown(server: SlackServer, channel: str = SUPPORT) -> str:
    return "\n".join(server.texts(channel))


async def ticket_made(server: SlackServer, text: str = QUESTION, **values: Any) -> Json:
    asked = server.says(text, **values)
    await server.until(lambda: bool(server.ours(SUPPORT)))
    return asked


async def all_carried(desk: Desk) -> None:
    async with asyncio.timeout(PATIENCE):
        while await desk.tickets.due(desk.me.desk):  # noqa: ASYNC110 - a store tells nobody
            await asyncio.sleep(0.02)


async def owner(desk: Desk, asked: Json) -> str:
    return (await desk.inbox.standing(f"{desk.me.desk}:{asked['channel']}:{asked['ts']}")).owner
