"""Files, names and changes of messages in the small Slack of our own."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.slack_rules import Channel, Json, Params, Refusal


@dataclass
class Person:
    name: str
    is_bot: bool = False
    deleted: bool = False


@dataclass
class SlackFiles:
    """A part of the server; it has the channels."""

    channels: dict[str, Channel]
    put: Callable[[str, Json], Json]
    deliver: Callable[[Json], None]
    bot: str
    url: str = ""
    people: dict[str, Person] = field(default_factory=dict[str, Person])
    files: dict[str, Json] = field(default_factory=dict[str, Json])
    bodies: dict[str, bytes] = field(default_factory=dict[str, bytes])
    numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    # --- what people do -------------------------------------------------------------------------------------------

    def attached(self, name: str, body: bytes, mime: str = "application/pdf", **more: Any) -> Json:
        """A file to be put into a message."""
        id = self._new(name, body, mime)
        return {**self.files[id], **more}

    def edits(self, channel: str, ts: str, text: str, **more: Any) -> None:
        """`files` are all that it has from then on."""
        message = self.channels[channel].messages[ts]
        before = dict(message)
        message.update(text=text, edited={"user": message["user"]}, **more)
        event = {"type": "message", "subtype": "message_changed", "channel": channel, "hidden": True}
        self.deliver({**event, "message": dict(message), "previous_message": before, "event_ts": ts})

    def deletes(self, channel: str, ts: str) -> None:
        """One with a thread below it leaves a stone."""
        before = self.channels[channel].messages.pop(ts)
        event = {"type": "message", "subtype": "message_deleted", "channel": channel, "hidden": True}
        event |= {"previous_message": before, "event_ts": ts}
        if not any(one.get("thread_ts") == ts for one in self.channels[channel].messages.values()):
            return self.deliver({**event, "deleted_ts": ts})
        stone = {"type": "message", "subtype": "tombstone", "user": "USLACKBOT", "ts": ts, "thread_ts": ts}
        self.channels[channel].messages[ts] = {**stone, "text": "This message was deleted.", "hidden": True}
        return self.deliver({**event, "subtype": "message_changed", "message": self.channels[channel].messages[ts]})

    # --- methods --------------------------------------------------------------------------------------------------

    def users_info(self, params: Params) -> Json:
        id = str(params["user"])
        person = self.people.get(id, Person(f"Person {id}", is_bot=id == self.bot))
        profile = {"real_name": person.name, "display_name": ""}
        return {"user": {"id": id, "is_bot": person.is_bot, "deleted": person.deleted, "profile": profile}}

    def files_info(self, params: Params) -> Json:
        if params["file"] not in self.files:
            raise Refusal("file_not_found")
        return {"file": self.files[params["file"]]}

    def files_delete(self, params: Params) -> Json:
        if params["file"] not in self.files:
            raise Refusal("file_not_found")
        del self.files[params["file"]], self.bodies[params["file"]]
        for channel in self.channels.values():
            for file in (file for one in channel.messages.values() for file in one.get("files") or ()):
                if file["id"] == params["file"]:
                    file["mode"] = "tombstone"
        return {}

    def files_getUploadURLExternal(self, params: Params) -> Json:
        if int(params["length"]) < 1:
            raise Refusal("invalid_arguments")
        id = self._new(str(params["filename"]), b"", "")
        return {"upload_url": f"{self.url}upload/{id}", "file_id": id}

    def files_completeUploadExternal(self, params: Params) -> Json:
        channel = self.channels.get(str(params["channel_id"]))
        if channel is None or not channel.member:
            raise Refusal("channel_not_found")
        shared = [self.files[one["id"]] for one in json.loads(params["files"])]
        if any(not self.bodies[one["id"]] for one in shared):
            raise Refusal("file_not_found")
        message = {"user": self.bot, "bot_id": "B01", "text": "", "files": shared}
        if params.get("thread_ts"):
            message["thread_ts"] = params["thread_ts"]
        ts = self.put(channel.id, message)["ts"]
        for one in shared:
            one["shares"] = {"private": {channel.id: [{"ts": ts}]}}
        return {"files": shared}

    async def upload(self, request: web.Request) -> web.Response:
        self.bodies[request.match_info["id"]] = await request.read()
        return web.Response(text="OK")

    async def download(self, request: web.Request) -> web.Response:
        if request.headers.get("Authorization") != "Bearer xoxb-test-token":
            return web.Response(text="<html>Sign in</html>", content_type="text/html")
        return web.Response(body=self.bodies[request.match_info["id"]])

    def _new(self, name: str, body: bytes, mime: str) -> str:
        id = f"F{next(self.numbers):04d}"
        self.bodies[id] = body
        shown = {"id": id, "name": name, "mimetype": mime, "size": len(body), "mode": "hosted"}
        self.files[id] = {**shown, "url_private_download": f"{self.url}download/{id}"}
        return id
