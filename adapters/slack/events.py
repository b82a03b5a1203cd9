"""Manners: which messages are for the bot, and what of them is the question.

    direct messages      every message of a person
    channels             a mention, a channel set to auto-answer
    threads              those in which the bot has answered, unless the message begins with somebody else's name
    never                bots (ourselves too), edits, unfurls, joins and all other notices, the support channel

Slack tells a mention twice, as `message` and as `app_mention`: both have one key.
"""

from __future__ import annotations

import html
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from adapters.slack.place import Place
from engine import Inbound

Takes = Callable[[str, Place], Awaitable[bool]]
"""Whether the bot takes part in a conversation, as far as whoever writes there knows."""

READ_SUBTYPES = frozenset({None, "", "file_share", "thread_broadcast"})
FEW_WORDS = 4

_LINK = re.compile(r"<((?:https?|mailto|tel):[^|>]+)(?:\|([^>]*))?>")
_REFERENCE = re.compile(r"<([@#!])([^|>]+)(?:\|([^>]*))?>")
_LEADING_MENTION = re.compile(r"\s*<@([A-Z0-9]+)(?:\|[^>]*)?>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    desk: str
    team: str
    user: str
    """The bot's own."""
    takes_part: Takes
    auto_answer: frozenset[str] = frozenset()
    support: str | None = None
    ignored: frozenset[str] = field(default=frozenset({"USLACKBOT"}))

    async def read(self, event: Mapping[str, Any]) -> Inbound | None:
        """What is to be answered, if anything is."""
        if not self._is_of_person(event) or event.get("channel") in (None, self.support):
            return None
        said = str(event.get("text") or "")
        place = self._place(event)
        if not await self._is_addressed(event, said, place):
            return None
        text = readable(self._without_mention(said))
        unread = tuple(dict.fromkeys(_kind(file) for file in event.get("files") or ()))
        if not text and not unread:
            return None
        return Inbound(
            key=f"message:{place.channel}:{place.message}",
            conversation=self.conversation(place.channel, place.thread),
            asker=place.asker,
            text=text,
            place=place.stored(),
            unread=unread,
            whole=text.rstrip().endswith("?") or len(text.split()) >= FEW_WORDS or place.message == place.thread,
            sent_at=float(place.message),
        )

    def conversation(self, channel: str, thread: str) -> str:
        """A thread is a conversation, whoever writes in it."""
        return f"{self.desk}:{channel}:{thread}"

    def _is_of_person(self, event: Mapping[str, Any]) -> bool:
        if event.get("subtype") not in READ_SUBTYPES or event.get("hidden"):
            return False
        if event.get("bot_id") or event.get("bot_profile") or event.get("edited"):
            return False
        user = event.get("user")
        return isinstance(user, str) and user != self.user and user not in self.ignored

    async def _is_addressed(self, event: Mapping[str, Any], said: str, place: Place) -> bool:
        if place.private or event.get("type") == "app_mention" or f"<@{self.user}" in said:
            return True
        first = _LEADING_MENTION.match(said)
        if first is not None and first.group(1) != self.user:
            return False
        if place.thread == place.message:
            return place.channel in self.auto_answer
        if event.get("parent_user_id") == self.user:
            return True
        return await self.takes_part(self.conversation(place.channel, place.thread), place)

    def _place(self, event: Mapping[str, Any]) -> Place:
        channel = str(event["channel"])
        return Place(
            channel=channel,
            thread=str(event.get("thread_ts") or event["ts"]),
            message=str(event["ts"]),
            private=event.get("channel_type") == "im" or channel.startswith("D"),
            asker=str(event["user"]),
            team=str(event.get("team") or self.team),
        )

    def _without_mention(self, said: str) -> str:
        return re.sub(rf"<@{re.escape(self.user)}(?:\|[^>]*)?>[,:]?\s*", "", said).strip()


def readable(said: str) -> str:
    """A message's text as its writer saw it: links by their label, names with their sign, no escapes."""
    said = _LINK.sub(lambda found: found.group(2) or found.group(1).removeprefix("mailto:"), said)
    said = _REFERENCE.sub(lambda found: f"{_sign(found.group(1))}{found.group(3) or found.group(2)}", said)
    return html.unescape(said).strip()


def _sign(kind: str) -> str:
    return "#" if kind == "#" else "@"


def _kind(file: Mapping[str, Any]) -> str:
    kind = str(file.get("mimetype") or "").partition("/")[0]
    if file.get("subtype") == "slack_audio":
        return "voice"
    return {"image": "photo", "audio": "audio", "video": "video"}.get(kind, "document")
