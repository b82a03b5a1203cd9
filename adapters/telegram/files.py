"""Files from Telegram, and files that come from elsewhere to Telegram."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from aiogram import Bot
from aiogram.exceptions import TelegramBadRequest
from aiogram.types import BufferedInputFile, ReplyParameters

from adapters.ledger import Trace
from adapters.telegram.calls import Calls
from adapters.telegram.formatting import Part
from adapters.telegram.place import Place

PICTURES = frozenset({"image/jpeg", "image/png", "image/webp"})
MOST_PICTURE = 10 * 2**20
"""Bytes; a larger one goes as a file."""


class Files:
    def __init__(self, bot: Bot, calls: Calls) -> None:
        self._bot, self._calls = bot, calls

    async def fetch(self, file_id: str) -> bytes:
        """Raises what the library raises: TelegramBadRequest for more than 20 MB."""
        found = await self._bot.get_file(file_id)
        assert found.file_path is not None, "Telegram gives one to every file that can be fetched"
        stream = await self._bot.download_file(found.file_path)
        assert stream is not None, "no destination was given"
        return stream.read()

    async def send(self, place: Place, file: Mapping[str, Any], body: bytes, trace: Trace, quoted: int | None) -> str:
        """A picture as one where Telegram takes it."""
        picture = file["mime"] in PICTURES and len(body) <= MOST_PICTURE
        upload = BufferedInputFile(body, filename=file["name"])
        try:
            return await self._traced(place, upload, picture, trace, quoted)
        except TelegramBadRequest:
            if not picture:
                raise
            return await self._traced(place, upload, False, trace, quoted)

    async def _traced(
        self, place: Place, upload: BufferedInputFile, picture: bool, trace: Trace, quoted: int | None
    ) -> str:
        async def send(chat: int, topic: int | None, part: Part) -> str:
            del part
            reply = ReplyParameters(message_id=quoted, allow_sending_without_reply=True) if quoted else None
            if picture:
                sent = await self._bot.send_photo(chat, upload, message_thread_id=topic, reply_parameters=reply)
            else:
                sent = await self._bot.send_document(chat, upload, message_thread_id=topic, reply_parameters=reply)
            return str(sent.message_id)

        touch = partial(self._calls.buttons, place, keyboard=())
        return await self._calls.traced(place, Part(""), send, trace, touch)
