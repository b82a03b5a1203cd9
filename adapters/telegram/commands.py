"""What the bot says itself: to commands, to messages it cannot read, to those who wait for people."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import assert_never

import structlog
from aiogram import Bot
from aiogram.types import BotCommand

from adapters.delivery import DeliveryFailed, Lane, Limits
from adapters.inbox import InboxStore
from adapters.pacing import insist
from adapters.telegram.calls import FAILURES, Calls
from adapters.telegram.config import Spot
from adapters.telegram.formatting import render
from adapters.telegram.place import Place
from adapters.telegram.updates import COMMANDS
from adapters.texts import Texts
from engine import LANGUAGES, Exchange, Language, Standing

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    store: InboxStore
    calls: Calls
    texts: Texts
    support: Spot | None

    async def own_words(self, exchange: Exchange, standing: Standing, language: Language) -> str | None:
        """None when it is a question for the engine."""
        match exchange.command:
            case "start" | "help":
                return self.texts(exchange.command, language, commands=self._listed(language))
            case "human":
                return await self._human(exchange, standing, language)
            case "language":
                return self.texts("choose_language", language)
            case "forget":
                await self.store.forget(exchange.conversation)
                return self.texts("forgotten", language)
            case "ask":
                return None if exchange.text.strip() else self.texts("ask_what", language)
            case "":
                return self._of_message(exchange, standing, language)
            case other:
                log.warning("telegram.unknown_command", command=other)
                return self.texts("help", language, commands=self._listed(language))

    def _of_message(self, exchange: Exchange, standing: Standing, language: Language) -> str | None:
        if not exchange.text.strip():
            kinds = ", ".join(self.texts(kind, language) for kind in exchange.unread)
            return self.texts("only_text", language, kinds=kinds)
        match standing.owner:
            case "queue":
                return self.texts("human_waiting", language)
            case "bot" | "human":
                return None
            case owner:
                assert_never(owner)

    async def _human(self, exchange: Exchange, standing: Standing, language: Language) -> str:
        if self.support is None:
            return self.texts("human_absent", language)
        if standing.owner == "queue":
            return self.texts("human_waiting", language)
        asker = Place.of(exchange.place)
        question = exchange.text or await self._last_question(exchange.conversation)
        told = self.texts("human_question", language, asker=asker.name or asker.asker, text=question)
        at = Place(chat=self.support.chat, topic=self.support.topic, message=0)
        try:
            for part in render(told):
                await insist("tell", partial(self.calls.tell, at, part), Lane(), Limits())
        except DeliveryFailed:
            log.error("telegram.support_unreachable")
            return self.texts("human_absent", language)
        await self.store.hand_over(exchange.conversation, "queue")
        return self.texts("human_asked", language)

    async def _last_question(self, conversation: str) -> str:
        turns = await self.store.history(conversation, 1)
        return turns[-1].question if turns else ""

    def _listed(self, language: Language) -> str:
        return "\n".join(f"/{name} — {self.texts(f'command_{name}', language)}" for name in COMMANDS)


async def publish_commands(bot: Bot, texts: Texts) -> None:
    """The menu of commands, in both languages; English for whoever speaks another one."""
    for language in LANGUAGES:
        menu = [BotCommand(command=name, description=texts(f"command_{name}", language)) for name in COMMANDS]
        try:
            await bot.set_my_commands(menu, language_code=language)
            if language == "en":
                await bot.set_my_commands(menu)
        except FAILURES as error:  # a menu is no reason not to answer
            log.warning("telegram.commands_not_set", error=type(error).__name__)
