"""Which workspaces have installed the app: what is kept of each, and where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from typing import Any, Protocol

from adapters.slack.config import Me


class InstallationStore(Protocol):
    """Of one app. Raises KnowledgeError or ProviderError when the database does not work."""

    async def save(self, workspace: str, content: Mapping[str, Any]) -> None: ...

    async def find(self, workspace: str) -> Mapping[str, Any] | None: ...

    async def all(self) -> dict[str, Mapping[str, Any]]: ...

    async def remove(self, workspace: str) -> None: ...

    async def issue(self, state: str, lasting: timedelta) -> None:
        """Remember a state, with which a browser comes back from Slack."""
        ...

    async def consume(self, state: str, lasting: timedelta) -> bool:
        """True once for each state that was issued within `lasting`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    team: str
    name: str
    user: str
    """The bot's own."""
    bot: str
    token: str = field(repr=False)
    scopes: str = ""
    installed_at: float = 0.0
    """In seconds since 1970."""

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Installation:
        return cls(**stored)

    def stored(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def me(self) -> Me:
        return Me(team=self.team, user=self.user, bot=self.bot, name=self.name)
