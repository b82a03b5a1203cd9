"""Slack's calls that change a thread, with its refusals understood.

message gone, not ours    Missing: whoever asked posts anew
blocks refused            the same text without them
still streaming           the stream is stopped, then the same again
channel gone, left        Unreachable
too many requests         RateLimited, with the server's own deadline, for that method alone
anything else             as it is: it may have been done, or not
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import aiohttp
import structlog
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from adapters.budgets import NoRoom
from adapters.buttons import Keyboard
from adapters.delivery import RateLimited
from adapters.ledger import Ledger, Missing, Trace, Unreachable
from adapters.slack.budgets import Budgets
from adapters.slack.formatting import Part, blocks, shielded
from adapters.slack.mrkdwn import escaped as mrkdwn_escaped
from adapters.slack.place import Place

log = structlog.get_logger()

EVENT_TYPE = "refdesk_answer"
PAGE = 200
MOST_PAGES = 50
DEFAULT_RETRY = 30.0

FAILURES = (SlackClientError, aiohttp.ClientError, TimeoutError, OSError)
"""Whatever a call may end in: refused, not arrived, or answered with what the library cannot read."""

_MISSING = frozenset(
    "message_not_found cant_update_message cant_delete_message edit_window_closed "
    "compliance_exports_prevent_deletion".split()
)
_BLOCKS = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "invalid_attachments"})
_GONE = frozenset(
    "channel_not_found not_in_channel is_archived user_not_found restricted_action restricted_action_read_only_channel "
    "restricted_action_thread_locked cannot_dm_bot account_inactive user_disabled messages_tab_disabled".split()
)
_NOT_DONE = frozenset({"msg_too_long", "no_text", "invalid_auth", "not_authed", "missing_scope", "token_revoked"})


class ThreadGone(Exception):
    """The thread was deleted, and the place is to be in no other one."""


def error_of(error: BaseException) -> str:
    """Slack's own name for what went wrong; never a whole response."""
    if isinstance(error, SlackApiError):
        said = error.response  # the library gives a bare text where there is no JSON
        return "unknown" if isinstance(said, str) else str(said.get("error", "unknown"))
    return type(error).__name__


@contextmanager
def understood(method: str, budgets: Budgets | None = None) -> Iterator[None]:
    """Slack's refusals as ours. Raises RateLimited, Missing, Unreachable, or what the library raises."""
    try:
        yield
    except SlackApiError as error:
        name = error_of(error)
        if status_of(error) == 429 or name in ("ratelimited", "rate_limited"):
            wait = retry_after(error)
            if budgets is not None:
                budgets.of(method).refused(wait)
            raise RateLimited(wait) from error
        if name in _MISSING:
            raise Missing(name) from error
        if name in _GONE:
            raise Unreachable("write") from error
        raise


def status_of(error: SlackApiError) -> int:
    """Of HTTP; 0 when it is not known."""
    return int(getattr(error.response, "status_code", 0))


class Calls:
    """Of one workspace."""

    def __init__(self, client: AsyncWebClient, budgets: Budgets, user: str) -> None:
        self._client = client
        self.budgets = budgets
        self._user = user
        self.streams_work = True

    async def call(self, method: str, channel: str, *, draft: str = "", **arguments: Any) -> Mapping[str, Any]:
        """`draft` names the answer of which this is a frame.

        Raises NoRoom for a frame, RateLimited, Missing, Unreachable, or what the library raises.
        """
        self.budgets.spend(method, channel, draft)
        with understood(method, self.budgets):
            response = await self._client.api_call(method, json={"channel": channel, **arguments})
        data = response.data
        return data if isinstance(data, dict) else {}

    async def send(self, place: Place, part: Part, keyboard: Keyboard, ledger: Trace, *, draft: str = "") -> str:
        """Post in the thread and have the trace keep the message's id, whatever happens in between."""
        await ledger.clear()
        mark = uuid4().hex
        await ledger.intend(mark)
        try:
            id = await self._post(place, part, keyboard, mark, draft)
        except (NoRoom, RateLimited, Unreachable, Missing, ThreadGone):
            await ledger.settle(None)
            raise
        except SlackApiError as error:
            if error_of(error) in _NOT_DONE:
                await ledger.settle(None)
            raise
        await ledger.settle(id)
        return id

    async def edit(self, place: Place, id: str, part: Part, keyboard: Keyboard, *, draft: str = "") -> None:
        """Raises Missing, and NoRoom for a frame."""
        content: dict[str, Any] = {
            "ts": id,
            "text": part.text,
            "blocks": blocks(part, keyboard),
            "metadata": _marked(""),
        }
        for _ in range(2):
            try:
                await self.call("chat.update", place.channel, draft=draft, parse="none", **content)
                return
            except SlackApiError as error:
                if error_of(error) == "streaming_state_conflict":  # an earlier process did not live to stop it
                    await self.call("chat.stopStream", place.channel, ts=id)
                elif error_of(error) in _BLOCKS:
                    log.warning("slack.blocks_refused", reason=error_of(error))
                    content["blocks"] = []
                else:
                    raise
        await self.call("chat.update", place.channel, draft=draft, parse="none", **content)

    async def delete(self, place: Place, id: str) -> None:
        """Raises Missing."""
        await self.call("chat.delete", place.channel, ts=id)

    async def tell(self, channel: str, part: Part, *, thread: str | None = None) -> str:
        """A message that is not part of an exchange; its id."""
        told = await self.call("chat.postMessage", channel, **_content(part, ()), **_in(thread))
        return str(told["ts"])

    async def whisper(self, place: Place, user: str, text: str) -> None:
        """To one person, in the thread."""
        await self.call("chat.postEphemeral", place.channel, user=user, **_content(Part(text), ()), **_in(place.thread))

    async def tell_by_name(self, channel: str, user: str, text: str) -> str:
        """A message of ours with an asker's name, which pings nobody else; its id. The name goes where a NUL is."""
        said = mrkdwn_escaped(shielded(text.replace("<@\0>", "\ue000"))).replace("\ue000", f"<@{user}>")
        section = {"type": "section", "text": {"type": "mrkdwn", "text": said}}
        told = await self.call("chat.postMessage", channel, text=said, blocks=[section], parse="none")
        return str(told["ts"])

    async def direct_channel(self, user: str) -> str:
        response = await self._client.conversations_open(users=user)
        return str((response.get("channel") or {})["id"])

    async def find(self, place: Place, ledger: Ledger) -> None:
        """Look for a message that an earlier attempt, or process, may have posted, and adopt it."""
        if ledger.mark is None:
            return
        id = await self._search(place, ledger)
        if id is not None:
            log.info("slack.message_adopted")
        await ledger.settle(id)

    async def find_marked(self, place: Place, trace: Trace) -> None:
        """The same for what carries its mark for certain; where there is no thread, in the channel."""
        async for message in self._messages(place):
            files = {f"file:{file.get('id')}" for file in message.get("files") or ()}
            if message.get("user") == self._user and trace.mark in {_mark_of(message), *files}:
                log.info("slack.message_adopted")
                return await trace.settle(trace.mark if trace.mark in files else str(message["ts"]))
        return await trace.settle(None)

    async def _search(self, place: Place, ledger: Ledger) -> str | None:
        """By the mark in its metadata. A stream that has only begun carries none: then it is ours without one."""
        unmarked = None
        async for message in self._messages(place):
            if message.get("user") != self._user or message["ts"] in ledger.posted:
                continue
            if _mark_of(message) == ledger.mark:
                return str(message["ts"])
            if not (message.get("metadata") or {}).get("event_type") and float(message["ts"]) > float(place.message):
                unmarked = str(message["ts"])
        return unmarked

    async def _messages(self, place: Place) -> AsyncIterator[Mapping[str, Any]]:
        """Of a thread from the place's message on; the latest of a channel where the place has no thread."""
        method = "conversations.replies" if place.thread else "conversations.history"
        where = {"ts": place.thread, "oldest": place.message} if place.thread else {}
        cursor: dict[str, str] = {}
        for _ in range(MOST_PAGES):
            try:
                page = await self.call(method, place.channel, limit=PAGE, include_all_metadata=True, **where, **cursor)
            except SlackApiError as error:
                if error_of(error) == "thread_not_found":
                    return
                raise
            for message in page.get("messages", ()):
                yield message
            next_one = (page.get("response_metadata") or {}).get("next_cursor") or ""
            if not next_one:
                return
            cursor = {"cursor": next_one}

    async def _post(self, place: Place, part: Part, keyboard: Keyboard, mark: str, draft: str) -> str:
        content = _content(part, keyboard)
        content["metadata"] = _marked(mark)
        thread: str | None = place.thread or None
        while True:
            try:
                return str(
                    (await self.call("chat.postMessage", place.channel, draft=draft, **content, **_in(thread)))["ts"]
                )
            except SlackApiError as error:
                name = error_of(error)
                if content["blocks"] and name in _BLOCKS:
                    log.warning("slack.blocks_refused", reason=name)
                    content["blocks"] = []
                elif thread is not None and name in ("thread_not_found", "cannot_reply_to_message"):
                    if place.fixed:
                        raise ThreadGone(name) from error
                    thread = None
                else:
                    raise


def _content(part: Part, keyboard: Keyboard) -> dict[str, Any]:
    return {
        "text": part.text,
        "blocks": blocks(part, keyboard),
        "parse": "none",
        "unfurl_links": False,
        "unfurl_media": False,
    }


def _mark_of(message: Mapping[str, Any]) -> str | None:
    mark = ((message.get("metadata") or {}).get("event_payload") or {}).get("mark")
    return str(mark) if mark else None


def _marked(mark: str) -> dict[str, Any]:
    return {"event_type": EVENT_TYPE, "event_payload": {"mark": mark}}


def _in(thread: str | None) -> dict[str, str]:
    return {"thread_ts": thread} if thread else {}


def retry_after(error: SlackApiError) -> float:
    headers = {str(name).lower(): value for name, value in (getattr(error.response, "headers", None) or {}).items()}
    try:
        return max(0.0, float(headers.get("retry-after", DEFAULT_RETRY)))
    except ValueError:
        return DEFAULT_RETRY
