"""The bot in several workspaces of Slack as a test runs it."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from adapters.delivery import Answers
from adapters.inbox import InboxStore
from adapters.reception import Habits
from adapters.slack.config import Installing, Me, SlackConfig
from adapters.slack.installations import Installation
from adapters.slack.running import run_workspaces
from adapters.support import Support
from engine.providers.state.database import Database
from engine.providers.state.inbox import SqlInbox
from engine.providers.state.installations import SqlInstallations
from engine.providers.state.tickets import SqlTickets
from tests.slack_desk import QUICK

INSTALLING = Installing(client_id="1.2", client_secret="test-client-secret")


@dataclass
class Team:
    installations: SqlInstallations
    database: Database
    inboxes: dict[str, InboxStore]
    """By desk, once it is open."""


def installed(team: str, token: str, user: str, **values: Any) -> Installation:
    return Installation(**{"team": team, "name": f"{team} Ltd", "user": user, "bot": "B01", "token": token, **values})


@asynccontextmanager
async def slack_team(
    engine: Answers, folder: Path, config: SlackConfig, *installed: Installation, patience: float = 0.3
) -> AsyncIterator[Team]:
    """The bot takes events of every workspace that has installed it until the block ends; then it drains."""
    assert config.installing is not None
    async with Database.open(f"sqlite:///{folder}/state.db") as database:
        tickets = SqlTickets(database)
        team = Team(SqlInstallations(database, config.installing.client_id), database, {})
        for one in installed:
            await team.installations.save(one.team, one.stored())

        @asynccontextmanager
        async def equipped(me: Me, config: SlackConfig) -> AsyncIterator[tuple[InboxStore, dict[str, Any]]]:
            team.inboxes[me.desk] = SqlInbox(database, me.desk)
            habits = Habits(burst=0.15, together=0.6)
            support = Support(tickets=tickets, desk=me.desk, people=me.desk) if config.support else None
            yield (
                team.inboxes[me.desk],
                {
                    "habits": habits,
                    "limits": QUICK,
                    "patience": patience,
                    "support": support,
                },
            )

        stop, ready = asyncio.Event(), asyncio.Event()
        running = asyncio.create_task(
            run_workspaces(config, team.installations, engine, equipped, stop, ready=lambda name: ready.set())
        )
        waiting = asyncio.create_task(ready.wait())
        try:
            await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if ready.is_set():
                yield team
        finally:
            waiting.cancel()
            stop.set()
            await running


async def posted(url: str, event: dict[str, Any], *, secret: str) -> tuple[int, str]:
    """A signed event by HTTP."""
    body = json.dumps(event)
    at = str(int(time.time()))
    signature = "v0=" + hmac.new(secret.encode(), f"v0:{at}:{body}".encode(), hashlib.sha256).hexdigest()
    headers = {"X-Slack-Request-Timestamp": at, "X-Slack-Signature": signature, "Content-Type": "application/json"}
    async with aiohttp.ClientSession() as session, session.post(url, data=body, headers=headers) as response:
        return response.status, await response.text()
