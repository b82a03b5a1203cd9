"""A small Bot API server of our own, on the loopback: it follows the published list of methods and their errors.

It covers what no emulator does: topics, drafts, migration, blocked users, message ids as Telegram counts them, and
faults (429, 5xx, slow, response lost after the deed). It knows one bot. It is no proof of how Telegram behaves.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.telegram_faults import Fault, Made, Refusal
from tests.telegram_files import TelegramFiles
from tests.telegram_rules import content_of, decoded
from tests.waiting import PATIENCE, until

TOKEN = "4242:test-token"
BOT_ID = 4242
BOT_NAME = "desk_bot"

Params = dict[str, Any]
Json = dict[str, Any]


@dataclass
class Chat:
    id: int
    kind: str = "private"
    topics: set[int] = field(default_factory=set[int])
    messages: dict[int, Json] = field(default_factory=dict[int, Json])
    moved_to: int | None = None
    blocked: bool = False
    is_business: bool = False
    forum: bool = False


class TelegramServer:
    def __init__(self, *, seconds_between: int = 0) -> None:
        """`seconds_between` messages, by the server's clock."""
        self.seconds_between = seconds_between
        self.calls: list[Made] = []
        self.chats: dict[int, Chat] = {}
        self.answered_taps: dict[str, Params] = {}
        self.drafts: list[Params] = []
        self.webhook: Params = {}
        self.commands: dict[str, Any] = {}
        self.faults: Callable[[str, Params], Fault | None] = lambda method, params: None
        self.after: Callable[[str, Params], None] = lambda method, params: None
        """Called when a request's deed is done and its response not yet sent."""
        self.reads_groups = False
        self.members: dict[int, Json] = {}
        self._updates: list[Json] = []
        self._update_ids = itertools.count(1000)
        self._account_ids = itertools.count(1)
        self._dates = itertools.count(1_700_000_000, self.seconds_between)
        self._news = asyncio.Event()
        self._poll = 0
        self.url = ""
        self.files = TelegramFiles(self._posted)

    # --- what people do -------------------------------------------------------------------------------------------

    def chat(self, id: int, kind: str = "private", **values: Any) -> Chat:
        return self.chats.setdefault(id, Chat(id, kind, **values))

    def says(self, text: str | None, *, chat: int = 7, sender: int = 7, update: str = "message", **values: Any) -> Json:
        """Somebody writes; the update goes out. Returns it, so that it can be delivered again."""
        place = self.chat(chat, "private" if chat > 0 else "supergroup")
        message = self._put(place, {"from": person(sender), **({"text": text} if text is not None else {}), **values})
        return self.deliver({update: message})

    def edits(self, message_id: int, text: str, *, chat: int = 7, seconds: int = 5, **media: Any) -> Json:
        """With `media`, the text is its caption from now on."""
        message = self.chats[chat].messages[message_id]
        for name in ("entities", "text", "caption", *(_MEDIA if media else ())):
            message.pop(name, None)
        worded = "caption" if any(name in {**message, **media} for name in _MEDIA) else "text"
        message.update({worded: text, **media}, edit_date=message["date"] + seconds)
        return self.deliver({"edited_message": dict(message)})

    def taps(self, data: str, message: Json, *, sender: int = 7) -> Json:
        query = {
            "id": str(next(self._update_ids)),
            "from": person(sender),
            "chat_instance": "1",
            "message": message,
            "data": data,
        }
        return self.deliver({"callback_query": query})

    def deliver(self, update: Json) -> Json:
        update = {"update_id": next(self._update_ids), **update}
        self.redeliver(update)
        return update

    def redeliver(self, update: Json) -> None:
        self._updates.append(update)
        self._news.set()

    # --- what is to be seen ---------------------------------------------------------------------------------------

    def ours(self, chat: int = 7) -> list[Json]:
        """The bot's messages in a chat."""
        messages = self.chats[chat].messages.values() if chat in self.chats else ()
        return [message for message in messages if message["from"]["id"] == BOT_ID]

    def texts(self, chat: int = 7) -> list[str]:
        return [str(message.get("text") or message.get("caption") or "") for message in self.ours(chat)]

    def made(self, *methods: str) -> list[Made]:
        return [call for call in self.calls if call.method in methods]

    def buttons(self, chat: int = 7) -> dict[str, str]:
        """Data by text, of the last message."""
        last = self.ours(chat)[-1] if chat in self.chats and self.ours(chat) else {}
        rows = last.get("reply_markup", {}).get("inline_keyboard", [])
        return {button["text"]: button["callback_data"] for row in rows for button in row}

    async def until(self, true: Callable[[], bool], seconds: float = PATIENCE) -> None:
        await until(true, seconds)

    @property
    def pending_updates(self) -> list[Json]:
        return self._updates

    # --- the server -----------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def running(self) -> AsyncIterator[TelegramServer]:
        app = web.Application()
        app.router.add_post("/bot{token}/{method}", self._handle)
        app.router.add_get("/file/bot{token}/files/{id}", self.files.download)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        try:
            yield self
        finally:
            self._poll += 1
            self._news.set()
            await runner.cleanup()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        params = {name: decoded(value) for name, value in (await request.post()).items()}
        self.calls.append(Made(method, params, asyncio.get_running_loop().time()))
        fault = self.faults(method, params) or Fault()
        await asyncio.sleep(fault.seconds)
        if fault.until is not None:
            await until(fault.until)
        try:
            if request.match_info["token"] != TOKEN:
                raise Refusal(401, "Unauthorized")
            if fault.refusal:
                raise fault.refusal
            act = getattr(self, f"_{method}", None) or getattr(self.files, method, None)
            if act is None:
                raise Refusal(404, "Not Found: method not found")
            result = await act(params)
        except Refusal as refusal:
            body: Json = {"ok": False, "error_code": refusal.code, "description": refusal.description}
            if refusal.parameters:
                body["parameters"] = refusal.parameters
            return web.json_response(body, status=refusal.code)
        self.after(method, params)
        if fault.lost:
            assert request.transport is not None
            request.transport.abort()
        return web.json_response({"ok": True, "result": result})

    async def _getMe(self, params: Params) -> Json:
        return {**person(BOT_ID), "can_read_all_group_messages": self.reads_groups, "can_join_groups": True}

    async def _getUpdates(self, params: Params) -> list[Json]:
        self._poll += 1
        mine = self._poll
        offset = int(params.get("offset", 0))
        self._updates = [update for update in self._updates if update["update_id"] >= offset]
        self._news.set()
        limit = int(params.get("limit", 100))
        try:
            async with asyncio.timeout(min(float(params.get("timeout", 0)), 5.0)):
                while not self._updates:
                    self._news.clear()
                    await self._news.wait()
                    if mine != self._poll:
                        raise Refusal(409, "Conflict: terminated by other getUpdates request")
        except TimeoutError:
            return []
        return self._updates[:limit]

    async def _deleteWebhook(self, params: Params) -> bool:
        self.webhook = {}
        return True

    async def _setWebhook(self, params: Params) -> bool:
        self.webhook = params
        return True

    async def _getWebhookInfo(self, params: Params) -> Json:
        return {
            "url": self.webhook.get("url", ""),
            "has_custom_certificate": False,
            "pending_update_count": len(self._updates),
            **self.webhook.get("info", {}),
        }

    async def _setMyCommands(self, params: Params) -> bool:
        self.commands[params.get("language_code", "")] = params["commands"]
        return True

    async def _getChat(self, params: Params) -> Json:
        chat = self._chat(params)
        return {"id": chat.id, "type": chat.kind, "title": "Support", "accent_color_id": 0, "max_reaction_count": 1,
                "accepted_gift_types": _GIFTS, "is_forum": bool(chat.topics)}  # fmt: skip

    async def _getChatMember(self, params: Params) -> Json:
        chat = self._chat(params)
        return self.members.get(chat.id, {"status": "member", "user": person(BOT_ID)})

    async def _sendChatAction(self, params: Params) -> bool:
        self._thread(self._chat(params), params)
        return True

    async def _sendMessage(self, params: Params) -> Json:
        return self._posted(params, content_of(params))

    def _posted(self, params: Params, content: Json) -> Json:
        chat = self._chat(params)
        self._thread(chat, params)
        message: Json = {"from": person(BOT_ID), **content}
        if "message_thread_id" in params:
            message.update(message_thread_id=params["message_thread_id"], is_topic_message=True)
        if (reply := params.get("reply_parameters")) is not None:
            quoted = chat.messages.get(reply["message_id"])
            if quoted is None and not reply.get("allow_sending_without_reply"):
                raise Refusal(400, "Bad Request: message to be replied not found")
            message["quotes"] = reply["message_id"] if quoted else None
        return self._put(chat, message)

    async def _createForumTopic(self, params: Params) -> Json:
        chat = self._chat(params)
        if not chat.forum:
            raise Refusal(400, "Bad Request: the chat is not a forum")
        topic = max(chat.topics, default=100) + 1
        chat.topics.add(topic)
        return {"message_thread_id": topic, "name": params["name"], "icon_color": 7322096}

    async def _editForumTopic(self, params: Params) -> bool:
        self._thread(self._chat(params), params)
        return True

    async def _copyMessage(self, params: Params) -> Json:
        chat = self._chat(params)
        self._thread(chat, params)
        source = self.chats.get(int(params["from_chat_id"]))
        original = source.messages.get(int(params["message_id"])) if source else None
        if original is None:
            raise Refusal(400, "Bad Request: message to copy not found")
        copied = {name: original[name] for name in _COPIED if name in original}
        message: Json = {"from": person(BOT_ID), "copied": True, **copied}
        if "message_thread_id" in params:
            message.update(message_thread_id=params["message_thread_id"], is_topic_message=True)
        message["quotes"] = params.get("reply_parameters", {}).get("message_id")
        return {"message_id": self._put(chat, message)["message_id"]}

    async def _editMessageCaption(self, params: Params) -> Json:
        message = self._editable(params)
        if "text" in message:
            raise Refusal(400, "Bad Request: there is no caption in the message to edit")
        if message.get("caption", "") == params.get("caption", ""):
            raise Refusal(400, "Bad Request: message is not modified")
        message["caption"] = params.get("caption", "")
        return message

    async def _editMessageText(self, params: Params) -> Json:
        message = self._editable(params)
        if "text" not in message:
            raise Refusal(400, "Bad Request: there is no text in the message to edit")
        content = content_of(params)
        before = {name: message.get(name) for name in ("text", "entities", "reply_markup")}
        if before == {name: content.get(name) for name in before}:
            raise Refusal(400, "Bad Request: message is not modified: specified new message content and reply markup "
                               "are exactly the same as a current content and reply markup of the message")  # fmt: skip
        for name in before:
            message.pop(name, None)
        message.update(content)
        return message

    async def _editMessageReplyMarkup(self, params: Params) -> Json:
        message = self._editable(params)
        message.pop("reply_markup", None)
        if "reply_markup" in params:
            message["reply_markup"] = params["reply_markup"]
        return message

    async def _deleteMessage(self, params: Params) -> bool:
        chat = self._chat(params)
        if chat.messages.pop(int(params["message_id"]), None) is None:
            raise Refusal(400, "Bad Request: message to delete not found")
        return True

    async def _deleteBusinessMessages(self, params: Params) -> bool:
        (chat,) = [one for one in self.chats.values() if one.is_business]
        for id in params["message_ids"]:
            chat.messages.pop(int(id), None)
        return True

    async def _answerCallbackQuery(self, params: Params) -> bool:
        self.answered_taps[str(params["callback_query_id"])] = params
        return True

    async def _sendMessageDraft(self, params: Params) -> bool:
        if self._chat(params).kind != "private":
            raise Refusal(400, "Bad Request: TEXTDRAFT_PEER_INVALID")
        self.drafts.append(params)
        return True

    def _chat(self, params: Params) -> Chat:
        chat = self.chats.get(int(params["chat_id"]))
        if chat is None:
            raise Refusal(400, "Bad Request: chat not found")
        if chat.moved_to is not None:
            raise Refusal(400, "Bad Request: group chat was upgraded to a supergroup chat",
                          {"migrate_to_chat_id": chat.moved_to})  # fmt: skip
        if chat.blocked:
            raise Refusal(403, "Forbidden: bot was blocked by the user")
        if chat.is_business and "business_connection_id" not in params:
            raise Refusal(403, "Forbidden: bot can't initiate conversation with a user")
        return chat

    def _thread(self, chat: Chat, params: Params) -> None:
        thread = params.get("message_thread_id")
        if thread is not None and int(thread) not in chat.topics:
            raise Refusal(400, "Bad Request: message thread not found")

    def _editable(self, params: Params) -> Json:
        message = self._chat(params).messages.get(int(params["message_id"]))
        if message is None:
            raise Refusal(400, "Bad Request: message to edit not found")
        if message["from"]["id"] != BOT_ID:
            raise Refusal(400, "Bad Request: message can't be edited")
        return message

    def _put(self, chat: Chat, message: Json) -> Json:
        ids = (
            self._account_ids
            if chat.kind in ("private", "group")
            else itertools.count(max(chat.messages, default=0) + 1)
        )
        stored = {
            "message_id": next(ids),
            "date": next(self._dates),
            "chat": {"id": chat.id, "type": chat.kind, "first_name": "A", "title": "T"},
            **message,
        }
        chat.messages[stored["message_id"]] = stored
        return dict(stored)


_MEDIA = ("photo", "document", "voice")
_COPIED = ("text", "entities", "caption", "caption_entities", *_MEDIA)
_GIFTS = dict.fromkeys(
    ("unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription", "gifts_from_channels"), False
)


def person(id: int, **values: Any) -> Json:
    if id == BOT_ID:
        return {"id": id, "is_bot": True, "first_name": "Desk", "username": BOT_NAME}
    return {"id": id, "is_bot": False, "first_name": f"Asker {id}", "language_code": "ru", **values}
