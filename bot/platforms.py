"""Which platforms run, made from the settings. Their libraries are loaded only when their tokens are set."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path

import yaml

from adapters.escalation import OwnerRules
from adapters.office_hours import OfficeHours
from adapters.reception import Habits
from adapters.support import Support
from adapters.telegram.config import Spot, TelegramConfig, Webhook
from adapters.texts import Texts
from bot.settings import Settings
from bot.wiring import App
from engine import ConfigurationError

NO_PLATFORM = (
    "there is no platform to run on: set REFDESK_TELEGRAM_TOKEN to the token that @BotFather gave you "
    "(`refdesk chat` talks in the terminal)"
)

KEPT_MESSAGES = timedelta(days=30)
"""Longer than any platform delivers a message again."""

_SECRET = re.compile(r"[A-Za-z0-9_-]{1,256}")


async def run_platforms(app: App, stop: asyncio.Event) -> None:
    """Every platform whose token is set, until `stop` is set. Raises ConfigurationError when one cannot go on."""
    config = telegram_config(app.settings)
    if config is None:
        raise ConfigurationError(NO_PLATFORM)
    texts = read_texts(app.settings.texts)
    habits = Habits(busy=app.settings.busy, at_once=app.settings.answers_at_once)
    from adapters.telegram.app import run_telegram

    inbox = app.inbox(config.desk)
    await inbox.sweep(KEPT_MESSAGES)
    if app.settings.keep_texts_days is not None:
        await inbox.forget_before(timedelta(days=app.settings.keep_texts_days))
        await app.tickets.sweep(timedelta(days=app.settings.keep_texts_days))
    await run_telegram(
        config,
        app.engine,
        inbox,
        stop,
        texts=texts,
        habits=habits,
        audience=app.settings.audiences,
        patience=app.settings.drain_seconds,
        support=support_desk(app, config.desk) if config.support else None,
    )


async def check_platforms(settings: Settings, tell: Callable[[bool, str, str], None]) -> bool:
    """Tell point by point whether the platforms could run. False when one could not."""
    try:
        config = telegram_config(settings)
        read_texts(settings.texts)
        office_hours(settings)
    except ConfigurationError as error:
        tell(False, "platforms", str(error))
        return False
    if config is None:
        tell(True, "platforms", "none: no token is set")
        return True
    from adapters.telegram.checking import check

    points = await check(config)
    for point in points:
        tell(point.good, point.name, point.text)
    return all(point.good for point in points)


def telegram_config(settings: Settings) -> TelegramConfig | None:
    """None when no token is set. Raises ConfigurationError."""
    if settings.telegram_token is None:
        return None
    token = settings.telegram_token.get_secret_value()
    if not re.fullmatch(r"\d+:\S+", token):
        raise ConfigurationError(
            "REFDESK_TELEGRAM_TOKEN is no token: it looks like 123456:ABC-DEF, and @BotFather gives it to you"
        )
    return TelegramConfig(
        token=token,
        url=settings.telegram_api_url.rstrip("/"),
        webhook=_webhook(settings),
        support=_spot(settings.telegram_support_chat, "SUPPORT_CHAT") if settings.telegram_support_chat else None,
        auto_answer=frozenset(
            _spot(one, "AUTO_ANSWER") for one in settings.telegram_auto_answer.split(",") if one.strip()
        ),
        drafts=settings.telegram_drafts,
        support_language=None if settings.support_language == "asker" else settings.support_language,
        remark=settings.support_remark,
    )


def support_desk(app: App, desk: str) -> Support:
    """Whose people are in the same platform's support chat. Raises ConfigurationError."""
    settings = app.settings
    return Support(
        tickets=app.tickets,
        desk=desk,
        people=desk,
        hours=office_hours(settings),
        rules=OwnerRules(
            words=tuple(_listed(settings.escalate_words)),
            domains=frozenset(_listed(settings.escalate_domains)),
            chats=frozenset(_listed(settings.escalate_chats)),
            misses=settings.escalate_misses,
        ),
        holds=timedelta(hours=settings.support_hours_held),
    )


def office_hours(settings: Settings) -> OfficeHours:
    return OfficeHours.parse(settings.office_hours, settings.office_time_zone, settings.office_holidays)


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _webhook(settings: Settings) -> Webhook | None:
    if settings.telegram_webhook_url is None:
        return None
    if settings.telegram_webhook_secret is None:
        raise ConfigurationError(
            "REFDESK_TELEGRAM_WEBHOOK_URL is set, but not REFDESK_TELEGRAM_WEBHOOK_SECRET: without it anybody could "
            "send messages in Telegram's name. Make one with `openssl rand -hex 32`"
        )
    secret = settings.telegram_webhook_secret.get_secret_value()
    if not _SECRET.fullmatch(secret):
        raise ConfigurationError("REFDESK_TELEGRAM_WEBHOOK_SECRET has 1 to 256 characters of A-Z, a-z, 0-9, _ and -")
    if not settings.telegram_webhook_path.startswith("/"):
        raise ConfigurationError("REFDESK_TELEGRAM_WEBHOOK_PATH begins with a slash, as in /telegram")
    host, _, port = settings.telegram_webhook_listen.rpartition(":")
    if not host or not port.isdigit():
        raise ConfigurationError("REFDESK_TELEGRAM_WEBHOOK_LISTEN is an address and a port, as in 127.0.0.1:8080")
    return Webhook(
        url=settings.telegram_webhook_url,
        secret=secret,
        host=host.strip("[]"),
        port=int(port),
        path=settings.telegram_webhook_path,
    )


def _spot(text: str, setting: str) -> Spot:
    found = re.fullmatch(r"\s*(-?\d+)(?::(\d+))?\s*", text)
    if found is None:
        raise ConfigurationError(
            f"REFDESK_TELEGRAM_{setting}: {text.strip()} is no chat; write its id, as in -1001234567890, or "
            "-1001234567890:7 for topic 7"
        )
    topic = int(found.group(2)) if found.group(2) else None
    return Spot(chat=int(found.group(1)), topic=None if topic == 1 else topic)


def read_texts(path: Path | None) -> Texts:
    """The owner's words. Raises ConfigurationError."""
    if path is None:
        return Texts()
    try:
        read = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigurationError(f"the texts in {path} cannot be read: {error}") from error
    if read is None:
        return Texts()
    if not isinstance(read, Mapping) or not all(_is_words(words) for words in read.values()):
        raise ConfigurationError(
            f"the texts in {path} are names and words by language, as in `ru: {{thanks: Спасибо}}`"
        )
    return Texts(read)


def _is_words(words: object) -> bool:
    return isinstance(words, Mapping) and all(isinstance(word, str) for pair in words.items() for word in pair)
