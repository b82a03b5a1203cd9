"""What the bot says itself: to commands, to messages it cannot read, to those who wait for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

import structlog
from aiogram import Bot
from aiogram.types import BotCommand

from adapters.escalation import Escalation
from adapters.inbox import InboxStore
from adapters.telegram.calls import FAILURES
from adapters.telegram.updates import COMMANDS
from adapters.texts import Texts, farewell
from engine import LANGUAGES, Exchange, Language, Standing

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    store: InboxStore
    texts: Texts
    escalation: Escalation | None = None
    people_language: Language | None = None
    """What is spoken in the support chat; the asker's language when None."""

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
                await self.store.forget(exchange.asker, farewell(self.texts, self.people_language or language))
                return self.texts("forgotten", language)
            case "ask":
                return None if exchange.text.strip() else self.texts("ask_what", language)
            case "":
                return await self._of_message(exchange, standing, language)
            case other:
                log.warning("telegram.unknown_command", command=other)
                return self.texts("help", language, commands=self._listed(language))

    async def _of_message(self, exchange: Exchange, standing: Standing, language: Language) -> str | None:
        if not exchange.text.strip() and standing.owner != "queue":
            kinds = ", ".join(self.texts(kind, language) for kind in exchange.unread)
            return self.texts("only_text", language, kinds=kinds)
        match standing.owner:
            case "queue" if self.escalation is not None:
                return await self.escalation.waiting(exchange, language)
            case "queue" | "bot" | "human":
                return None
            case owner:
                assert_never(owner)

    async def _human(self, exchange: Exchange, standing: Standing, language: Language) -> str:
        if self.escalation is None:
            return self.texts("human_absent", language)
        return await self.escalation.called(exchange, standing, language)

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
