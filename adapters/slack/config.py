"""What Slack needs to know to run; filled from the settings by `bot`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from engine import Language

SLACK_URL = "https://slack.com/api/"
REDIRECT_PATH = "/slack/oauth_redirect"
AskedFor = Literal["everyone", "asker"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """Where Slack's requests arrive, and browsers that install the app."""

    signing_secret: str = field(default="", repr=False)
    """Of HTTP mode; in Socket Mode only browsers come."""
    host: str = "127.0.0.1"
    port: int = 3000
    path: str = "/slack/events"


@dataclass(frozen=True, slots=True, kw_only=True)
class Installing:
    """OAuth: workspaces install the app themselves, and each has a token of its own."""

    client_id: str
    client_secret: str = field(repr=False)
    redirect_url: str | None = None
    """As registered with the app; Slack takes the first one that is when it is not said."""
    teams: frozenset[str] = frozenset()
    """The workspaces that may install it; all when empty."""
    install_path: str = "/slack/install"
    redirect_path: str = REDIRECT_PATH


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackConfig:
    """Socket Mode with an app token, else HTTP. One workspace by its token, or all that install the app."""

    token: str | None = field(default=None, repr=False)
    installing: Installing | None = None
    app_token: str | None = field(default=None, repr=False)
    listening: Listening | None = None
    url: str = SLACK_URL
    support: str | None = None
    """The channel where people answer what the bot could not."""
    supports: Mapping[str, str] = field(default_factory=dict[str, str])
    """The same by workspace, where there are several."""
    support_language: Language | None = None
    """What people are spoken to in; the asker's language when None."""
    remark: str = "//"
    """What begins a remark that stays among people."""
    auto_answer: frozenset[str] = frozenset()
    """Channels in which every message is taken for a question."""
    quiet: frozenset[str] = frozenset()
    """Channels in which an answer is shown to its asker first, and to everyone when the asker says so."""
    streams: bool = True
    """Stream natively where Slack allows it, else by edits."""
    asked_for: AskedFor = "everyone"
    """Who sees an answer to `/ask` in a channel; for the asker alone it comes as a direct message."""

    def of_workspace(self, team: str, token: str) -> SlackConfig:
        return replace(self, token=token, support=self.supports.get(team))


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
