"""The bot before GramLab, a Bot API server with a memory that others wrote; `gramlab_world.py` runs it.

A thin shim stands between, because GramLab refuses what it does not model and says some things in its own words:

dropped              link previews, quotes, links in texts; typing and menus of commands are taken for done
done in other words  a change of buttons is an edit with the text that GramLab has
refusals             put as the Bot API puts them
added                "@name" in a group is marked as a mention, which Telegram's servers do and GramLab does not

Chats, messages, their ids and formatting, buttons, taps, updates and their acknowledgement are GramLab's alone.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import aiohttp
import pytest

from tests.fault_proxy import FaultProxy
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / ".venv-gramlab" / "bin" / "python"
UNTESTED = "NOTHING IS TESTED ON GRAMLAB"

NOT_MODELLED = ("link_preview_options", "reply_parameters")
TAKEN_FOR_DONE = ("sendChatAction", "setMyCommands")
REFUSALS = {
    "MESSAGE_NOT_MODIFIED": "message is not modified",
    "Unknown message": "message to edit not found",
    "Only the sending bot can edit this message": "message can't be edited",
}

Json = dict[str, Any]


@dataclass
class GramLab:
    """What people do in GramLab's world, and what it knows."""

    process: asyncio.subprocess.Process
    alice: int
    boris: int
    bot: int
    private: int
    """Alice's chat with the bot, by the world's own count; to the bot it has Alice's id."""
    group: int
    token: str
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def says(self, text: str, *, user: int | None = None, chat: int | None = None) -> Json:
        return cast(Json, await self._do("says", user=user or self.alice, chat=chat or self.private, text=text))

    async def edits(self, message: int, text: str) -> None:
        await self._do("edits", bot=self.bot, chat=self.private, message=message, text=text)

    async def taps(self, button: str, *, user: int | None = None, chat: int | None = None) -> str:
        """Tap a button of the last message by its text; the tap's id."""
        message = (await self.ours(chat))[-1]
        (data,) = [one["callback_data"] for one in buttons(message) if one["text"] == button]
        tap = await self._do(
            "taps", user=user or self.alice, chat=chat or self.private, message=message["id"], data=data
        )
        return str(tap["id"])

    async def told(self, tap: str, *, user: int | None = None) -> str:
        """What the bot answered to a tap, when it has."""
        answer: Json = {}
        async with asyncio.timeout(PATIENCE):
            while not answer:
                answer = (await self._do("tap", user=user or self.alice, id=tap))["answer"] or {}
                await asyncio.sleep(0.05)
        return str(answer["text"])

    async def history(self, chat: int | None = None) -> list[Json]:
        return cast(list[Json], await self._do("history", chat=chat or self.private))

    async def ours(self, chat: int | None = None) -> list[Json]:
        return [message for message in await self.history(chat) if message["sender_id"] == self.bot]

    async def texts(self, chat: int | None = None) -> list[str]:
        return [message["text"].strip() for message in await self.ours(chat)]

    async def lives(self, message: int, chat: int | None = None) -> list[str]:
        """All texts that a message has ever had."""
        events = cast(list[Json], await self._do("events"))
        texts = [
            event["data"]["text"].strip()
            for event in events
            if event["type"].startswith("message.")
            and (event["data"]["chat_id"], event["data"]["id"]) == (chat or self.private, message)
        ]
        return [text for text, before in zip(texts, ["", *texts], strict=False) if text != before]

    async def until(self, true: Callable[[list[Json]], bool], chat: int | None = None) -> list[Json]:
        """The bot's messages, as soon as they are so."""
        async with asyncio.timeout(PATIENCE):
            while not true(ours := await self.ours(chat)):  # noqa: ASYNC110  another program's state
                await asyncio.sleep(0.05)
        return ours

    async def until_said(self, *texts: str, chat: int | None = None) -> list[Json]:
        return await self.until(lambda ours: [one["text"].strip() for one in ours] == list(texts), chat)

    async def _do(self, verb: str, **values: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        async with self._turn:
            self.process.stdin.write(json.dumps([verb, values]).encode() + b"\n")
            return json.loads(await self.process.stdout.readline())


def buttons(message: Json) -> list[Json]:
    rows = message.get("reply_markup", {}).get("inline_keyboard", [])
    return [button for row in rows for button in row]


def marked(message: Json) -> dict[str, str]:
    """What of a message's text is formatted, by how."""
    units = message["text"].encode("utf-16-le")
    return {
        one["type"]: units[2 * one["offset"] : 2 * (one["offset"] + one["length"])].decode("utf-16-le")
        for one in message.get("entities", ())
    }


@dataclass
class Shim(FaultProxy):
    target: str = "http://gramlab"
    dropped: tuple[str, ...] = NOT_MODELLED
    unmodelled: tuple[str, ...] = TAKEN_FOR_DONE
    path: str = ""
    """Of the socket that leads to GramLab."""
    gramlab: GramLab = field(kw_only=True)
    refused: list[str] = field(default_factory=list[str])
    """Whatever was refused, in GramLab's words."""

    def _connector(self) -> aiohttp.BaseConnector | None:
        return aiohttp.UnixConnector(self.path)

    async def _forwarded(self, path: str, method: str, form: Json) -> tuple[bytes, int]:
        if method == "editMessageReplyMarkup":
            path, form = path.replace(method, "editMessageText"), {**await self._shown(form), **form}
        if "entities" in form:
            form["entities"] = json.dumps([one for one in json.loads(form["entities"]) if one["type"] != "text_link"])
        content, status = await super()._forwarded(path, method, form)
        answer: Json = json.loads(content)
        if method == "getUpdates" and answer["ok"]:
            for update in answer["result"]:
                mark_mentions(update.get("message", {}))
        if not answer["ok"]:
            self.refused.append(answer["description"])
            words = REFUSALS.get(answer["description"], answer["description"])
            answer["description"] = f"Bad Request: {words}" if status == 400 else words
        return json.dumps(answer).encode(), status

    async def _shown(self, form: Json) -> Json:
        """The text of a message, and its formatting, as parameters."""
        chat = int(form["chat_id"])
        messages = await self.gramlab.history(self.gramlab.private if chat == self.gramlab.alice else chat)
        (message,) = [one for one in messages if one["id"] == int(form["message_id"])]
        return {"text": message["text"], "entities": json.dumps(message.get("entities", []))}


def mark_mentions(message: Json) -> None:
    text = message.get("text", "")
    found = [
        {"type": "mention", "offset": len(text[: one.start()].encode("utf-16-le")) // 2, "length": len(one.group())}
        for one in re.finditer(r"@\w+", text, re.ASCII)
    ]
    if found:
        message["entities"] = [*message.get("entities", []), *found]


@asynccontextmanager
async def gramlab_running() -> AsyncIterator[Shim]:
    if not PYTHON.exists():
        pytest.skip(f"{UNTESTED}: it is not set up (make setup-gramlab).")
    with tempfile.TemporaryDirectory(prefix="gramlab-") as folder:  # short: a socket's path must be
        process = await asyncio.create_subprocess_exec(
            PYTHON,
            Path(__file__).with_name("gramlab_world.py"),
            folder,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=2**24,
        )
        try:
            assert process.stdout is not None
            async with asyncio.timeout(60):
                known = json.loads(await process.stdout.readline())
            if "unable" in known:
                pytest.skip(f"{UNTESTED}: a process may not have a network of its own here ({known['unable']}).")
            gramlab = GramLab(process, **known)
            async with Shim(gramlab=gramlab, path=f"{folder}/gramlab.sock").running() as shim:
                yield shim
        finally:
            if process.returncode is None:
                process.kill()
            await process.communicate()
