"""A small Slack of our own, on the loopback: Web API, Socket Mode, streams. It knows one workspace and one bot.

It follows Slack's published methods, with their error names, and covers what no emulator does: streams, the assistant's
status, rate limits, retried and replayed events, and faults (429, 5xx, slow, response lost after the deed). It is no
proof of how Slack behaves.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from aiohttp import WSMsgType, web

from adapters.slack.scopes import NEEDED
from tests.slack_agents import AgentMethods
from tests.slack_files import SlackFiles
from tests.slack_rules import (
    MOST_POST,
    MOST_STREAM,
    MOST_UPDATE,
    Channel,
    Fault,
    Json,
    Made,
    Params,
    Refusal,
    check_content,
    shown,
)
from tests.slack_whispers import WhisperMethods
from tests.waiting import PATIENCE, until

TOKEN = "xoxb-test-token"
APP_TOKEN = "xapp-test-token"
TEAM = "T01TEST"
BOT = "U0BOT"
ASKER = "U01ALICE"
CHANNEL = "C01GENERAL"
DIRECT = "D01ALICE"
SUPPORT = "C02SUPPORT"


class SlackServer(AgentMethods, WhisperMethods):
    team, token = TEAM, TOKEN

    def __init__(self, *, streams: bool = True, statuses: bool = True, envelope_seconds: float = 5.0) -> None:
        AgentMethods.__init__(self, statuses=statuses)
        WhisperMethods.__init__(self)
        self.streams = streams
        self.envelope_seconds = envelope_seconds
        """After which an event that was not acknowledged comes again."""
        self.calls: list[Made] = []
        self.channels = {id: Channel(id) for id in (CHANNEL, DIRECT, SUPPORT)}
        self.scopes = set(NEEDED)
        self.views: list[Params] = []
        self.appended: list[str] = []
        self.acknowledged: list[Json] = []
        self.faults: Callable[[str, Params], Fault | None] = lambda method, params: None
        self.after: Callable[[str, Params], None] = lambda method, params: None
        """Called when a request's deed is done and its response not yet sent."""
        self.url = ""
        self.shared = SlackFiles(self.channels, self.put, self.deliver, BOT)
        self._ids = itertools.count(1)
        self._envelopes: dict[str, Json] = {}
        self._sent_at: dict[str, float] = {}
        self.waited: list[float] = []
        """Seconds from each event to its acknowledgement."""
        self._sockets: list[web.WebSocketResponse] = []
        self.others: dict[str, SlackServer] = {}

    def workspace(self, team: str, token: str) -> SlackServer:
        """Another workspace behind the same socket: the same ids of channels and people, its own messages."""
        other = SlackServer(streams=self.streams, statuses=self.statuses, envelope_seconds=self.envelope_seconds)
        other.team, other.token, other.url = team, token, self.url
        other._ids, other._envelopes, other._sent_at = self._ids, self._envelopes, self._sent_at
        self.others[token] = other
        return other

    # --- what people do -------------------------------------------------------------------------------------------

    def says(
        self, text: str, *, channel: str = DIRECT, user: str = ASKER, thread: str | None = None, **more: Any
    ) -> Json:
        """Somebody writes; the event goes out, and for a mention a second one. Returns the event."""
        message = self.put(channel, {"user": user, "text": text, **({"thread_ts": thread} if thread else {}), **more})
        event = {"type": "message", "channel": channel, "team": self.team, "event_ts": message["ts"], **message}
        event["channel_type"] = "im" if channel.startswith("D") else "channel"
        if thread and (root := self.channels[channel].messages.get(thread)):
            event["parent_user_id"] = root.get("user", "")
        self.deliver(event)
        if f"<@{BOT}>" in text and not channel.startswith("D"):
            mention = {name: value for name, value in event.items() if name not in ("channel_type", "subtype")}
            self.deliver({**mention, "type": "app_mention"})
        return event

    def stops(self, thread: str, *, channel: str = DIRECT, user: str = ASKER) -> None:
        """Somebody presses the stop button: Slack ends the streams, and tells."""
        found = [one for one in self.channels[channel].messages.values() if one.get("thread_ts") == thread]
        streaming = [one for one in found if one.get("streaming")]
        for one in streaming:
            one.update(streaming=False, stopped=True)
        event = {"type": "agent_session_stopped", "channel": channel, "thread_ts": thread, "user": user}
        self.deliver({**event, "streaming_message_ts": [one["ts"] for one in streaming]})

    def deliver(self, event: Json, *, attempt: int = 0, at: float | None = None) -> None:
        """`at` is when it happened, in seconds since 1970; now if not said."""
        id = f"Ev{next(self._ids):05d}"
        payload: Json = {
            "type": "event_callback",
            "team_id": self.team,
            "api_app_id": "A01",
            "event_id": id,
            "event": event,
        }
        payload["event_time"] = int(time.time() if at is None else at)
        self.envelope("events_api", payload, attempt=attempt)

    def taps(self, data: str, message: Json, *, user: str = ASKER, action: str | None = None) -> None:
        self.envelope("interactive", self.tap(data, message, user=user, action=action))

    def tap(self, data: str, message: Json, *, user: str = ASKER, action: str | None = None) -> Json:
        payload: Json = {
            "type": "block_actions",
            "team": {"id": self.team, "domain": "t"},
            "user": {"id": user},
            "api_app_id": "A01",
            "channel": {"id": message["channel"]},
            "container": {"type": "message", "message_ts": message["ts"], "channel_id": message["channel"]},
            "message": message,
            "trigger_id": f"t{next(self._ids)}",
            "actions": [{"type": "button", "action_id": action or f"refdesk:{data}", "block_id": "b", "value": data}],
        }
        if message.get("ephemeral"):
            del payload["message"]
            payload["container"] |= {"is_ephemeral": True}
            payload["response_url"] = self.url.replace("/api/", f"/response/{message['ts']}")
        return payload

    def commands(self, text: str, *, channel: str = CHANNEL, user: str = ASKER, command: str = "/ask") -> None:
        payload = {"command": command, "text": text, "user_id": user, "channel_id": channel, "team_id": self.team}
        payload |= {"trigger_id": f"t{next(self._ids)}", "response_url": "http://127.0.0.1/r", "api_app_id": "A01"}
        self.envelope("slash_commands", payload)

    def envelope(self, kind: str, payload: Json, *, attempt: int = 0) -> None:
        id = f"env{next(self._ids)}"
        self._envelopes[id] = {
            "envelope_id": id,
            "type": kind,
            "payload": payload,
            "accepts_response_payload": kind == "slash_commands",
            **({"retry_attempt": attempt, "retry_reason": "timeout"} if kind == "events_api" else {}),
        }

    # --- what is to be seen ---------------------------------------------------------------------------------------

    def put(self, channel: str, message: Json) -> Json:
        ts = f"{1_700_000_000 + next(self._ids) * 10}.000100"
        stored = {"type": "message", "ts": ts, **message}
        self.channels[channel].messages[ts] = stored
        return dict(stored)

    def ours(self, channel: str = DIRECT, thread: str | None = None) -> list[Json]:
        """The bot's messages, those of a thread or all."""
        found = [{**one, "channel": channel} for one in self.channels[channel].messages.values() if one["user"] == BOT]
        return [one for one in found if thread is None or one.get("thread_ts") == thread]

    def texts(self, channel: str = DIRECT, thread: str | None = None) -> list[str]:
        return [shown(message) for message in self.ours(channel, thread)]

    def buttons(self, message: Json) -> dict[str, str]:
        """Value by text."""
        rows = [block["elements"] for block in message.get("blocks") or () if block["type"] == "actions"]
        return {button["text"]["text"]: button["value"] for row in rows for button in row}

    def made(self, *methods: str) -> list[Made]:
        return [call for call in self.calls if call.method in methods]

    @property
    def pending(self) -> int:
        """Events that were not acknowledged."""
        return len(self._envelopes)

    def counted(self) -> Counter[str]:
        return Counter(call.method for call in self.calls)

    async def until(self, true: Callable[[], bool], seconds: float = PATIENCE) -> None:
        await until(true, seconds)

    # --- the server -----------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def running(self) -> AsyncIterator[SlackServer]:
        app = web.Application()
        app.router.add_route("*", "/api/{method}", self._handle)
        app.router.add_get("/socket", self._socket)
        app.router.add_post("/api/upload/{id}", self.shared.upload)
        app.router.add_get("/api/download/{id}", self.shared.download)
        app.router.add_post("/response/{message}", self.respond)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        self.url = self.shared.url = f"http://{host}:{port}/api/"
        pushing = asyncio.create_task(self._push())
        try:
            yield self
        finally:
            pushing.cancel()
            with suppress(asyncio.CancelledError):
                await pushing
            for socket in self._sockets:
                await socket.close()
            await runner.cleanup()

    async def _push(self) -> None:
        """Each envelope to one socket, and again when it is not acknowledged in time."""
        time = asyncio.get_running_loop().time
        while True:
            await asyncio.sleep(0.005)
            live = [socket for socket in self._sockets if not socket.closed]
            for id, envelope in list(self._envelopes.items()):
                if live and time() - self._sent_at.get(id, float("-inf")) > self.envelope_seconds:
                    self._sent_at[id] = time()
                    with suppress(ConnectionError):
                        await live[-1].send_str(json.dumps(envelope))

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_str(json.dumps({"type": "hello", "num_connections": 1}))
        for id in list(self._sent_at):
            self._sent_at[id] = float("-inf")  # what a dead connection did not acknowledge comes at once
        self._sockets.append(socket)
        async for message in socket:
            if message.type == WSMsgType.TEXT:
                self._acknowledge(json.loads(message.data))
        return socket

    def _acknowledge(self, answer: Json) -> None:
        id = answer.get("envelope_id")
        if id in self._envelopes:
            self.waited.append(asyncio.get_running_loop().time() - self._sent_at[id])
            self.acknowledged.append({**self._envelopes.pop(id), "answer": answer.get("payload")})

    async def disconnect(self, reason: str = "refresh_requested") -> None:
        for socket in self._sockets:
            if not socket.closed:
                await socket.send_str(json.dumps({"type": "disconnect", "reason": reason}))

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        other = self.others.get(request.headers.get("Authorization", "").removeprefix("Bearer "))
        if other is not None:
            return await other._handle(request)
        method = request.match_info["method"]
        params: Params = await request.json() if request.content_type == "application/json" else {}
        if not params:
            params = {**request.query, **await request.post()}
        self.calls.append(Made(method, params, asyncio.get_running_loop().time()))
        fault = self.faults(method, params) or Fault()
        await asyncio.sleep(fault.seconds)
        headers = {"X-OAuth-Scopes": ",".join(sorted(self.scopes))}
        try:
            if fault.refusal:
                raise fault.refusal
            result = self.do(method, params, request.headers.get("Authorization", ""))
        except Refusal as refusal:
            if refusal.retry_after is not None:
                headers["Retry-After"] = str(refusal.retry_after)
            return web.json_response({"ok": False, "error": refusal.error}, status=refusal.status, headers=headers)
        self.after(method, params)
        if fault.lost:
            assert request.transport is not None
            request.transport.abort()
        return web.json_response({"ok": True, **result}, headers=headers)

    def do(self, method: str, params: Params, authorization: str) -> Json:
        if method == "oauth.v2.access":
            raise Refusal("invalid_code")
        wanted = APP_TOKEN if method == "apps.connections.open" else self.token
        if authorization != f"Bearer {wanted}":
            raise Refusal("invalid_auth")
        name = method.replace(".", "_")
        act = getattr(self, f"_{name}", None) or getattr(self.shared, name, None)
        if act is None:
            raise Refusal("unknown_method")
        done: Json = act(params)
        return done

    def _auth_test(self, params: Params) -> Json:
        return {"team_id": self.team, "user_id": BOT, "bot_id": "B01", "user": "desk", "url": "https://t.slack.com/"}

    def _apps_connections_open(self, params: Params) -> Json:
        return {"url": self.url.replace("http://", "ws://").replace("/api/", "/socket")}

    def _chat_postMessage(self, params: Params) -> Json:
        channel = self._channel(params)
        check_content(params, MOST_POST)
        stored = {"user": BOT, "bot_id": "B01", "text": params.get("text", ""), "blocks": params.get("blocks")}
        if thread := params.get("thread_ts"):
            if thread not in channel.messages:
                raise Refusal("thread_not_found")
            stored["thread_ts"] = thread
        if params.get("metadata"):
            stored["metadata"] = params["metadata"]
        return {"channel": channel.id, "ts": self.put(channel.id, stored)["ts"]}

    def _chat_update(self, params: Params) -> Json:
        message = self._ours(params)
        if message.get("streaming"):
            raise Refusal("streaming_state_conflict")
        check_content(params, MOST_UPDATE)
        message.update(text=params.get("text", ""), blocks=params.get("blocks"), edited={"user": BOT})
        if params.get("metadata"):
            message["metadata"] = params["metadata"]
        return {"channel": params["channel"], "ts": params["ts"]}

    def _chat_delete(self, params: Params) -> Json:
        self._ours(params)
        del self.channels[params["channel"]].messages[params["ts"]]
        return {}

    def _chat_startStream(self, params: Params) -> Json:
        if not self.streams:
            raise Refusal("unknown_method")
        channel = self._channel(params)
        if params.get("thread_ts") not in channel.messages:
            raise Refusal("invalid_thread_ts")
        if not channel.id.startswith("D") and not (params.get("recipient_user_id") and params.get("recipient_team_id")):
            raise Refusal("missing_recipient_user_id")
        message = {"user": BOT, "thread_ts": params["thread_ts"], "text": params.get("markdown_text", "")}
        return {"channel": channel.id, "ts": self.put(channel.id, {**message, "streaming": True})["ts"]}

    def _chat_appendStream(self, params: Params) -> Json:
        message = self._streaming(params)
        if len(message["text"]) + len(params["markdown_text"]) > MOST_STREAM:
            raise Refusal("msg_too_long")
        self.appended.append(params["markdown_text"])
        message["text"] += params["markdown_text"]
        return {}

    def _chat_stopStream(self, params: Params) -> Json:
        message = self._streaming(params)
        message["text"] += params.get("markdown_text", "")
        message["streaming"] = False
        return {"ts": params["ts"]}

    def _conversations_replies(self, params: Params) -> Json:
        channel = self._channel(params)
        if params["ts"] not in channel.messages:
            raise Refusal("thread_not_found")
        oldest = float(params.get("oldest", 0))
        found = [
            one
            for ts, one in channel.messages.items()
            if ts == params["ts"] or (one.get("thread_ts") == params["ts"] and float(ts) > oldest)
        ]
        start, limit = int(params.get("cursor") or 0), 2  # small pages, so that they are turned
        cursor = str(start + limit) if start + limit < len(found) else ""
        return {"messages": found[start : start + limit], "response_metadata": {"next_cursor": cursor}}

    def _conversations_history(self, params: Params) -> Json:
        newest = [one for one in reversed(self._channel(params).messages.values()) if "thread_ts" not in one]
        return {"messages": newest[: int(params["limit"])]}

    def _conversations_open(self, params: Params) -> Json:
        return {"channel": {"id": DIRECT}}

    def _views_publish(self, params: Params) -> Json:
        self.views.append(params)
        return {}

    def _channel(self, params: Params) -> Channel:
        channel = self.channels.get(str(params.get("channel")))
        if channel is None:
            raise Refusal("channel_not_found")
        if not channel.member:
            raise Refusal("not_in_channel")
        return channel

    def _ours(self, params: Params) -> Json:
        message = self._channel(params).messages.get(str(params.get("ts")))
        if message is None:
            raise Refusal("message_not_found")
        if message["user"] != BOT:
            raise Refusal("cant_update_message")
        return message

    def _streaming(self, params: Params) -> Json:
        message = self._ours(params)
        if not message.get("streaming"):
            raise Refusal("stopped_by_user" if message.get("stopped") else "message_not_in_streaming_state")
        return message
