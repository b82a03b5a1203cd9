"""All of Refdesk in this process: a knowledge folder, the state database, Telegram on the loopback, a model that counts
how often it is asked and always fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from bot.bringing_up import open_app
from bot.platforms import run_platforms
from bot.settings import Settings
from bot.wiring import App
from engine import Question
from tests.scripted_server import ScriptedServer, failing
from tests.telegram_server import TOKEN, Json, TelegramServer, person

SUPPORT = -1_000_000_000_009
ANNA, BORIS = 501, 502

FILES = {
    "knowledge.yaml": """\
domains:
  - {id: rooms, title: Rooms, description: "Rooms, rent, guests, animals"}
""",
    "rooms/rules/rules.md": """\
# House rules

## 1. Rent

The rent is paid by the fifth day of each month.
""",
    "faq/en.yaml": """\
- id: cats
  questions: ["Are cats allowed?", "May I bring my cat?", "Can I live here with a cat?"]
  answer: Cats are welcome.
- id: guests
  questions: ["Can guests stay overnight?"]
  answer: For three nights at most.
""",
}


@dataclass
class Running:
    app: App
    model: ScriptedServer
    server: TelegramServer

    def says(self, text: str, *, sender: int = 7) -> Json:
        return self.server.says(text, chat=sender, sender=sender)

    def people_say(self, text: str, *, sender: int = ANNA, **values: Any) -> Json:
        topic: dict[str, Any] = {"message_thread_id": max(self.server.chats[SUPPORT].topics), "is_topic_message": True}
        return self.server.says(text, chat=SUPPORT, sender=sender, **{**topic, **values})

    def desk(self) -> list[str]:
        return self.server.texts(SUPPORT)

    def note(self, part: str) -> Json:
        """The last of our messages in the support chat with this in it."""
        return next(one for one in reversed(self.server.ours(SUPPORT)) if part in one["text"])

    def captions(self, part: str) -> list[str]:
        rows = self.note(part).get("reply_markup", {}).get("inline_keyboard", [])
        return [button["text"] for row in rows for button in row]

    async def follows(self, question: str, *, direct: bool) -> None:
        """The gate has seen what became of the FAQ, which takes it up to half a second."""
        async with asyncio.timeout(60):
            # The gate tells nobody.
            while ((await self.app.engine.gate.match(Question(text=question))).band == "direct") != direct:  # noqa: ASYNC110
                await asyncio.sleep(0.05)

    async def tap(self, part: str, caption: str, *, sender: int = ANNA) -> str:
        """A button below the last message with `part` in it; returns what the tap is answered with."""
        under = self.note(part)
        rows = under["reply_markup"]["inline_keyboard"]
        data = next(one["callback_data"] for row in rows for one in row if caption in one["text"])
        return await self.answered(self.server.taps(data, {**under, "from": person(4242)}, sender=sender))

    async def answered(self, tap: Json) -> str:
        id = tap["callback_query"]["id"]
        await self.server.until(lambda: id in self.server.answered_taps, seconds=60)
        return str(self.server.answered_taps[id].get("text", ""))

    async def has(self, text: str, *, chat: int = SUPPORT) -> None:
        await self.server.until(lambda: any(text in one for one in self.server.texts(chat)), seconds=60)


def write_knowledge(folder: Path) -> None:
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@asynccontextmanager
async def running(server: TelegramServer, folder: Path, **settings: object) -> AsyncIterator[Running]:
    """Until the block ends; again on the same folder, it is the next process."""
    knowledge = folder / "knowledge"
    if not knowledge.exists():
        write_knowledge(knowledge)
    async with ScriptedServer(failing(500)).serving() as model:
        chosen = Settings.model_validate(
            {
                "knowledge": knowledge,
                "data": folder / "data",
                "index_embedder": "use",
                "model_url": model.url,
                "model_name": "down",
                "telegram_token": SecretStr(TOKEN),
                "telegram_api_url": server.url,
                "telegram_support_chat": str(SUPPORT),
                "support_language": "en",
                "drain_seconds": 1.0,
                **settings,
            }
        )
        stop, ready = asyncio.Event(), asyncio.Event()
        async with open_app(chosen) as app:
            serving = asyncio.create_task(run_platforms(app, stop, lambda name: ready.set()))
            try:
                await asyncio.wait({serving, asyncio.create_task(ready.wait())}, return_when=asyncio.FIRST_COMPLETED)
                yield Running(app, model, server)
            finally:
                stop.set()
                await serving
