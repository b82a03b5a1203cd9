"""What Slack needs to know to run; filled from the settings by `bot`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from engine import Language

SLACK_URL = "https://slack.com/api/"
AskedFor = Literal["everyone", "asker"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """HTTP mode: where Slack's requests arrive."""

    signing_secret: str = field(repr=False)
    host: str = "127.0.0.1"
    port: int = 3000
    path: str = "/slack/events"


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackConfig:
    """Socket Mode with an app token, else HTTP: one of the two is set."""

    token: str = field(repr=False)
    app_token: str | None = field(default=None, repr=False)
    listening: Listening | None = None
    url: str = SLACK_URL
    support: str | None = None
    """The channel where people answer what the bot could not."""
    support_language: Language | None = None
    """What people are spoken to in; the asker's language when None."""
    remark: str = "//"
    """What begins a remark that stays among people."""
    auto_answer: frozenset[str] = frozenset()
    """Channels in which every message is taken for a question."""
    streams: bool = True
    """Stream natively where Slack allows it, else by edits."""
    asked_for: AskedFor = "everyone"
    """Who sees an answer to `/ask` in a channel; for the asker alone it comes as a direct message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Me:
    """The bot, as Slack knows it."""

    team: str
    user: str
    bot: str
    name: str = ""
    scopes: frozenset[str] = frozenset()

    @property
    def desk(self) -> str:
        return f"slack:{self.team}:{self.user}"
