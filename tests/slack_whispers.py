"""Messages that one person sees, in a Slack of ours: kept by nobody, changed only in response to a tap on them."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from tests.slack_rules import MOST_POST, Json, Params, Refusal, check_content, shown

MOST_RESPONSES = 5


class WhisperMethods:
    def __init__(self) -> None:
        self.whispers: list[Params] = []
        self.absent: set[str] = set()
        """Those who are not in the channels."""
        self.closed = False
        """No response is taken any more."""
        self._whispered: dict[str, Json] = {}
        self._responses: dict[str, int] = {}

    def whispered(self, user: str | None = None) -> list[Json]:
        """What is still to be seen of them, by one person or all."""
        return [one for one in self._whispered.values() if user in (None, one["user"])]

    def whispered_texts(self, user: str | None = None) -> list[str]:
        return [shown(one) for one in self.whispered(user)]

    def forget_whispers(self) -> None:
        """A client is opened anew."""
        self._whispered.clear()

    def _channel(self, params: Params) -> Any:
        raise NotImplementedError

    def _chat_postEphemeral(self, params: Params) -> Json:
        self._channel(params)
        check_content(params, MOST_POST)
        if params["user"] in self.absent:
            raise Refusal("user_not_in_channel")
        self.whispers.append(params)
        id = f"{len(self.whispers)}.000900"
        self._whispered[id] = {**params, "ts": id, "ephemeral": True}
        return {"message_ts": id}

    async def respond(self, request: web.Request) -> web.Response:
        """https://docs.slack.dev/interactivity/handling-user-interaction#message_responses"""
        id, said = request.match_info["message"], await request.json()
        self._responses[id] = self._responses.get(id, 0) + 1
        if self.closed or id not in self._whispered or self._responses[id] > MOST_RESPONSES:
            return web.json_response({"ok": False, "error": "used_url"}, status=404)
        if said.get("delete_original"):
            del self._whispered[id]
        elif said.get("replace_original"):
            self._whispered[id] |= {"text": said["text"], "blocks": said["blocks"]}
        return web.Response(text="ok")
