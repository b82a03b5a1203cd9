"""The bot in Slack as a test runs it: unmodified slack-bolt, a real state database, a scripted engine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adapters.delivery import Answers
from adapters.inbox import InboxStore
from adapters.pacing import Limits
from adapters.reception import Habits
from adapters.slack import app as slack
from adapters.slack.config import Me, SlackConfig
from adapters.slack.home import Topics, no_topics
from adapters.slack.listeners import OneWorkspace, made_bolt
from adapters.slack.pane import Suggestions, no_suggestions
from adapters.slack.serving import serving
from adapters.support import Support
from adapters.texts import Texts
from engine.providers.state.database import Database
from engine.providers.state.inbox import SqlInbox
from engine.providers.state.tickets import SqlTickets
from tests.slack_server import APP_TOKEN, TOKEN, SlackServer

QUICK = Limits(backoff=0.05, last_word=20.0, typing_every=0.5)


@dataclass
class Desk:
    inbox: InboxStore
    me: Me
    app: slack.SlackApp
    tickets: SqlTickets


def config(url: str, **values: Any) -> SlackConfig:
    return SlackConfig(**{"token": TOKEN, "app_token": APP_TOKEN, "url": url, **values})


@asynccontextmanager
async def slack_desk(
    engine: Answers,
    folder: Path,
    server: SlackServer | str,
    *,
    habits: Habits | None = None,
    texts: Texts | None = None,
    patience: float = 0.3,
    limits: Limits = QUICK,
    topics: Topics = no_topics,
    supported: Mapping[str, Any] | None = None,
    suggestions: Suggestions = no_suggestions,
    **values: Any,
) -> AsyncIterator[Desk]:
    """The bot takes events until the block ends; then it drains."""
    chosen = config(server if isinstance(server, str) else server.url, **values)
    async with Database.open(f"sqlite:///{folder}/state.db") as database, slack.opened_client(chosen) as client:
        me = await slack.who_am_i(client)
        inbox, tickets = SqlInbox(database, me.desk), SqlTickets(database)
        given = {"tickets": tickets, "desk": me.desk, "people": me.desk, **(supported or {})}
        support = Support(**given) if chosen.support or supported else None
        opened = slack.opened(
            client,
            me,
            chosen,
            engine,
            inbox,
            texts=texts or Texts(),
            habits=habits or Habits(burst=0.15, together=0.6),
            limits=limits,
            patience=patience,
            topics=topics,
            support=support,
            suggestions=suggestions,
        )
        async with opened as app, serving(chosen, made_bolt(chosen, OneWorkspace(app))):
            yield Desk(inbox, me, app, tickets)
