"""Files from Slack, and files that come from elsewhere to Slack.

https://docs.slack.dev/messaging/working-with-files
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from adapters.ledger import Trace
from adapters.relays import Refused
from adapters.said import MOST_FILE
from adapters.slack.calls import error_of, understood
from adapters.slack.place import Place

T = TypeVar("T")

FILE_MARK = "file:"


class Files:
    def __init__(self, client: AsyncWebClient) -> None:
        self._client = client

    async def fetch(self, id: str) -> bytes:
        """Raises Refused, RateLimited, or what the library raises."""
        with understood("files.info"):
            found: Mapping[str, Any] = (await self._client.files_info(file=id))["file"]
        url = str(found.get("url_private_download") or found.get("url_private") or "")
        if not url or found.get("mode") in ("external", "tombstone", "hidden_by_limit"):
            raise Refused("the file is not in Slack any longer")
        if not self._is_slacks(url):
            raise Refused("the file is elsewhere")
        headers = {"Authorization": f"Bearer {self._client.token}"}
        async with self._session() as session, session.get(url, headers=headers) as response:
            response.raise_for_status()
            if response.content_type == "text/html" and found.get("mimetype") != "text/html":
                raise Refused("Slack shows the file to people only")
            body = bytearray()
            async for piece in response.content.iter_chunked(2**16):
                body += piece
                if len(body) > MOST_FILE:
                    raise Refused("too_big")
        return bytes(body)

    async def send(self, place: Place, file: Mapping[str, Any], body: bytes, trace: Trace) -> str:
        """In the thread; what it is found by is the file's id."""
        with understood("files.getUploadURLExternal"):
            ticket = await self._client.files_getUploadURLExternal(filename=file["name"], length=len(body))
        id = str(ticket["file_id"])
        async with self._session() as session, session.post(str(ticket["upload_url"]), data=body) as response:
            response.raise_for_status()
        await trace.intend(f"{FILE_MARK}{id}")
        with understood("files.completeUploadExternal"):
            await self._client.files_completeUploadExternal(
                files=[{"id": id, "title": file["name"]}], channel_id=place.channel, thread_ts=place.thread
            )
        await trace.settle(f"{FILE_MARK}{id}")
        return f"{FILE_MARK}{id}"

    async def messages_of(self, id: str) -> list[tuple[str, str]]:
        """Channel and `ts` of each message with what `send` sent, by what it is found by."""
        try:
            with understood("files.info"):
                found: Mapping[str, Any] = (await self._client.files_info(file=id.removeprefix(FILE_MARK)))["file"]
        except SlackApiError as error:
            return _gone(error, [])
        places = [place for of_kind in (found.get("shares") or {}).values() for place in of_kind.items()]
        return [(str(channel), str(one["ts"])) for channel, some in places for one in some]

    async def delete(self, id: str) -> None:
        """A message that has it says from then on that it was deleted."""
        try:
            with understood("files.delete"):
                await self._client.files_delete(file=id.removeprefix(FILE_MARK))
        except SlackApiError as error:
            _gone(error, None)

    def _is_slacks(self, url: str) -> bool:
        """The token goes to Slack only."""
        host, own = urlsplit(url).hostname or "", urlsplit(self._client.base_url).hostname
        return host == own or host == "slack.com" or host.endswith(".slack.com")

    @asynccontextmanager
    async def _session(self) -> AsyncIterator[aiohttp.ClientSession]:
        if self._client.session is not None:
            yield self._client.session
        else:
            async with aiohttp.ClientSession() as session:
                yield session


def _gone(error: SlackApiError, then: T) -> T:
    """Raises what is not about a file that was deleted."""
    if error_of(error) not in ("file_not_found", "file_deleted"):
        raise error
    return then
