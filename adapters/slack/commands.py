"""What the bot says itself, and the command `/ask`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import structlog
from slack_sdk.errors import SlackApiError

from adapters.delivery import RateLimited
from adapters.escalation import Escalation
from adapters.ledger import Missing, Unreachable
from adapters.reception import Reception
from adapters.slack.calls import FAILURES, Calls
from adapters.slack.config import AskedFor
from adapters.slack.events import readable
from adapters.slack.mrkdwn import fitting
from adapters.slack.place import Place
from adapters.texts import Texts
from engine import Exchange, Inbound, Language, Standing, detect_language

log = structlog.get_logger()

MOST_QUOTED = 1500
"""Escaped, in a section of 3,000."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    texts: Texts
    escalation: Escalation | None = None

    async def own_words(self, exchange: Exchange, standing: Standing, language: Language) -> str | None:
        """None when it is a question for the engine. Raises TakenOver when nothing is to be said."""
        if exchange.command == "human":
            if self.escalation is None:
                return self.texts("human_absent", language)
            return await self.escalation.called(exchange, standing, language)
        if standing.owner == "queue" and not exchange.command and self.escalation is not None:
            return await self.escalation.waiting(exchange, language)
        if not exchange.text.strip():
            kinds = ", ".join(self.texts(kind, language) for kind in exchange.unread)
            return self.texts("only_text", language, kinds=kinds)
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Slash:
    """`/ask` and `/human`: the question is posted as a message, and answered in its thread. And `/forget`."""

    desk: str
    calls: Calls
    reception: Reception
    texts: Texts
    asked_for: AskedFor
    forget: Callable[[str], Awaitable[str]]
    """Removes all that somebody wrote, and says so."""

    async def take(self, body: Mapping[str, Any]) -> str:
        """What the asker is told at once, and nobody else. The question is kept when this returns."""
        if body.get("command") == "/forget":
            return await self.forget(str(body["user_id"]))
        said = readable(str(body.get("text") or ""))
        language = detect_language(said)
        command = "human" if body.get("command") == "/human" else "ask"
        if command == "ask" and said.lower() in ("", "help", "помощь"):
            return self.texts("slash_help", language)
        said = said or self.texts("human_please", language)
        user, channel = str(body["user_id"]), str(body["channel_id"])
        key = f"slash:{body.get('trigger_id') or body.get('command_ts')}"
        try:
            place = await self._begin(said, user, channel, str(body.get("team_id") or ""), language)
        except (RateLimited, Unreachable, Missing, *FAILURES) as error:
            log.warning("slack.command_not_taken", error=type(error).__name__)
            return self.texts("slash_failed", language)
        await self.reception.accept(
            Inbound(
                key=key,
                conversation=f"{self.desk}:{place.channel}:{place.thread}",
                asker=user,
                text=said,
                place=place.stored(),
                command=command,
                sent_at=float(place.message),
            )
        )
        return "" if place.channel == channel else self.texts("slash_direct", language)

    async def _begin(self, said: str, user: str, channel: str, team: str, language: Language) -> Place:
        if self.asked_for == "everyone" or channel.startswith("D"):
            try:
                return await self._root(said, user, channel, team, language)
            except (Unreachable, SlackApiError):
                log.info("slack.command_elsewhere")  # the bot is not in that channel
        direct = await self.calls.direct_channel(user)
        return await self._root(said, user, direct, team, language)

    async def _root(self, said: str, user: str, channel: str, team: str, language: Language) -> Place:
        asked = self.texts("slash_asked", language, asker="\0", text=fitting(said, MOST_QUOTED))
        root = await self.calls.tell_by_name(channel, user, asked)
        return Place(channel=channel, thread=root, message=root, private=channel.startswith("D"), asker=user, team=team)
