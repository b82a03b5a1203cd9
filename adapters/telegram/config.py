"""What Telegram needs to know to run; filled from the settings by `bot`."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine import Language

TELEGRAM_URL = "https://api.telegram.org"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A chat, or one topic of it."""

    chat: int
    topic: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    url: str
    """Where Telegram reaches us, as the proxy in front of us is seen from outside."""
    secret: str = field(repr=False)
    host: str = "127.0.0.1"
    port: int = 8080
    path: str = "/telegram"


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramConfig:
    token: str = field(repr=False)
    url: str = TELEGRAM_URL
    webhook: Webhook | None = None
    support: Spot | None = None
    """Where people answer what the bot could not."""
    support_language: Language | None = None
    """What people are spoken to in; the asker's language when None."""
    remark: str = "//"
    """What begins a remark that stays among people."""
    auto_answer: frozenset[Spot] = frozenset()
    """Groups and topics in which every message is taken for a question."""
    drafts: bool = False
    """Stream into private chats by native drafts."""

    @property
    def bot_id(self) -> int:
        return int(self.token.partition(":")[0])

    @property
    def desk(self) -> str:
        return f"telegram:{self.bot_id}"
