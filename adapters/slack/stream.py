"""Slack's native streams: a message that grows by appending, and never changes what it has shown.

https://docs.slack.dev/reference/methods/chat.startStream. Slack ends a stream some five minutes after its start and
refuses more than about 3,000 characters, so it is continued in a new message before either. When anything goes wrong
the stream is over, and the answer goes on by updates of whole texts: no word can be lost or be there twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any
from uuid import uuid4

import structlog
from slack_sdk.errors import SlackApiError

from adapters.budgets import NoRoom
from adapters.delivery import RateLimited
from adapters.ledger import Ledger, Missing, Unreachable
from adapters.slack.calls import FAILURES, Calls, error_of
from adapters.slack.formatting import MOST
from adapters.slack.place import Place

log = structlog.get_logger()

MOST_SECONDS = 240.0

_NEVER = frozenset(
    {"unknown_method", "missing_scope", "not_allowed_token_type", "enterprise_is_restricted", "feature_not_enabled"}
)


class Stream:
    def __init__(self, calls: Calls, place: Place, ledger: Ledger, stopped: Callable[[], object]) -> None:
        self._calls, self._place, self._ledger, self._stopped = calls, place, ledger, stopped
        self.id: str | None = None
        """The message that is being streamed."""
        self._shown = ""
        """Of the whole draft, over all messages."""
        self._here = ""
        """Of it in this message."""
        self._began = 0.0

    async def advance(self, text: str) -> bool:
        """Show a draft that begins as the last one did. False when that cannot be done by appending."""
        if not text.startswith(self._shown):
            await self.stop()
            return False
        news = text[len(self._shown) :]
        if not news:
            return True
        try:
            await self._grow(news)
        except (RateLimited, NoRoom):
            return self.id is not None or bool(self._shown)
        except SlackApiError as error:
            log.info("slack.stream_ended", reason=error_of(error))
            if error_of(error) == "stopped_by_user":
                self._stopped()
            if error_of(error) in _NEVER:
                self._calls.streams_work = False
            await self.stop()
            return False
        except (Missing, *FAILURES):
            await self.stop()
            return False
        return True

    async def stop(self) -> None:
        """What cannot be stopped is stopped by the update that follows, or by Slack."""
        if (id := self.id) is not None:
            self.id = None
            with suppress(RateLimited, Missing, Unreachable, *FAILURES):
                await self._calls.call("chat.stopStream", self._place.channel, ts=id)

    async def _grow(self, news: str) -> None:
        if self.id is not None and asyncio.get_running_loop().time() - self._began > MOST_SECONDS:
            await self._roll_over()
        for piece in _pieces(news):
            if self.id is not None and len(self._here) + len(piece) > MOST:
                await self._roll_over()
            if self.id is None:
                await self._start(piece)
            else:
                await self._ledger.clear()
                await self._calls.call(
                    "chat.appendStream", self._place.channel, draft=self._place.thread, ts=self.id, markdown_text=piece
                )
            self._here += piece
            self._shown += piece

    async def _start(self, text: str) -> None:
        await self._ledger.clear()
        await self._ledger.intend(uuid4().hex)
        arguments: dict[str, Any] = {"thread_ts": self._place.thread, "markdown_text": text}
        if not self._place.private:
            arguments |= {"recipient_team_id": self._place.team, "recipient_user_id": self._place.asker}
        try:
            started = await self._calls.call(
                "chat.startStream", self._place.channel, draft=self._place.thread, **arguments
            )
        except (SlackApiError, RateLimited, NoRoom, Unreachable, Missing):
            await self._ledger.settle(None)
            raise
        self.id, self._here, self._began = str(started["ts"]), "", asyncio.get_running_loop().time()
        await self._ledger.settle(self.id)

    async def _roll_over(self) -> None:
        await self.stop()
        self._here = ""


def _pieces(text: str, most: int = MOST - 300) -> Iterator[str]:
    """Together they are the text, letter by letter: it may go on in another message."""
    while len(text) > most:
        cut = text.rfind(" ", most // 2, most) + 1 or most
        yield text[:cut]
        text = text[cut:]
    yield text
