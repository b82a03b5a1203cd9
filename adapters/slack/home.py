"""The app's Home: what the bot knows, the language it speaks with a person, and what it still owes them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from adapters.inbox import InboxStore
from adapters.slack.formatting import shielded, shortened
from adapters.texts import Texts, farewell
from engine import Exchange, Language

log = structlog.get_logger()

MOST_SECTION = 3000
MOST_DOMAINS = 30
MOST_OPEN = 10
CHOICES: dict[str, Language | None] = {"ru": "ru", "en": "en", "auto": None}
CHOOSE = "refdesk-language"
FORGET = "forget"

Topics = Callable[[], Awaitable[Sequence[tuple[str, str]]]]
"""Titles and descriptions of what the bot knows about."""


async def no_topics() -> Sequence[tuple[str, str]]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    desk: str
    client: AsyncWebClient
    store: InboxStore
    texts: Texts
    topics: Topics = no_topics
    people_language: Language | None = None
    """What is spoken in the support channel; the asker's language when None."""

    async def chosen(self, exchange: Exchange) -> Language | None:
        return await self.language_of(exchange.asker)

    async def language_of(self, user: str) -> Language | None:
        """As chosen; None when it is to be that of each question."""
        return (await self.store.standing(self._person(user))).language

    async def choose(self, user: str, choice: str) -> None:
        if choice == FORGET:
            await self.forget(user)
        else:
            await self.store.speak(self._person(user), CHOICES.get(choice))

    async def forget(self, user: str) -> str:
        """Remove all that somebody wrote; returns what they are told."""
        language = await self.language_of(user) or "en"
        await self.store.forget(user, farewell(self.texts, self.people_language or language))
        return self.texts("forgotten", language)

    async def publish(self, user: str) -> None:
        chosen = await self.language_of(user)
        owed = [one.text for one in await self.store.unfinished() if one.asker == user]
        view = self.view(chosen, await self.topics(), owed)
        await self.client.api_call("views.publish", json={"user_id": user, "view": view})

    def view(
        self, chosen: Language | None, topics: Sequence[tuple[str, str]], owed: Sequence[str]
    ) -> Mapping[str, Any]:
        language = chosen or "en"
        found: list[dict[str, Any]] = [_section(self.texts("home_start", language))]
        if topics:
            found.append(_header(self.texts("home_knows", language)))
            found.extend(_section(f"*{title}*\n{text}") for title, text in topics[:MOST_DOMAINS])
        if owed:
            found.append(_header(self.texts("home_open", language)))
            found.extend(_section(f"• {shortened(text, 300)}") for text in owed[:MOST_OPEN])
        found.append(_header(self.texts("choose_language", language)))
        found.append({"type": "actions", "elements": [self._choice(name, chosen) for name in CHOICES]})
        found.append({"type": "actions", "elements": [self._forget_button(language)]})
        return {"type": "home", "blocks": found}

    def _choice(self, name: str, chosen: Language | None) -> dict[str, Any]:
        label = {"type": "plain_text", "text": self.texts(f"language_{name}", chosen or "en")}
        style = {"style": "primary"} if CHOICES[name] == chosen else {}
        return {"type": "button", "action_id": f"{CHOOSE}:{name}", "value": name, "text": label, **style}

    def _forget_button(self, language: Language) -> dict[str, Any]:
        def plain(name: str) -> dict[str, str]:
            return {"type": "plain_text", "text": self.texts(name, language)}

        return {
            "type": "button",
            "action_id": f"{CHOOSE}:{FORGET}",
            "value": FORGET,
            "text": plain("forget_button"),
            "style": "danger",
            "confirm": {
                "title": plain("forget_yes"),
                "text": plain("forget_sure"),
                "confirm": plain("forget_yes"),
                "deny": plain("forget_no"),
                "style": "danger",
            },
        }

    def _person(self, user: str) -> str:
        return f"{self.desk}:person:{user}"


def _section(text: str) -> dict[str, Any]:
    escaped = shielded(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return {"type": "section", "text": {"type": "mrkdwn", "text": shortened(escaped, MOST_SECTION)}}


def _header(text: str) -> dict[str, Any]:
    return {"type": "header", "text": {"type": "plain_text", "text": shortened(text, 150)}}
