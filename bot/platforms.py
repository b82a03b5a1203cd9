"""Which platforms run, made from the settings. Their libraries are loaded only when their tokens are set."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from datetime import timedelta

from adapters.escalation import OwnerRules
from adapters.office_hours import OfficeHours
from adapters.reception import Habits
from adapters.slack.config import Listening, SlackConfig
from adapters.support import Support
from adapters.telegram.config import Spot, TelegramConfig, Webhook
from bot.digest import digest_time, sending_digests
from bot.gap_desk import GapDesk
from bot.settings import Settings
from bot.wiring import App, gap_sources
from bot.words import read_words
from engine import ConfigurationError

NO_PLATFORM = (
    "there is no platform to run on: set REFDESK_TELEGRAM_TOKEN to the token that @BotFather gave you, or "
    "REFDESK_SLACK_BOT_TOKEN and REFDESK_SLACK_APP_TOKEN to those of your Slack app "
    "(`refdesk chat` talks in the terminal)"
)

KEPT_MESSAGES = timedelta(days=30)
"""Longer than any platform delivers a message again."""

_SECRET = re.compile(r"[A-Za-z0-9_-]{1,256}")


async def run_platforms(app: App, stop: asyncio.Event, ready: Callable[[str], None]) -> None:
    """Every platform whose token is set, until `stop` is set; `ready` hears of each that has begun.

    Raises ConfigurationError when one cannot go on.
    """
    running = [
        *([_run_telegram(app, telegram, stop, ready)] if (telegram := telegram_config(app.settings)) else ()),
        *([_run_slack(app, slack, stop, ready)] if (slack := slack_config(app.settings)) else ()),
    ]
    if not running:
        raise ConfigurationError(NO_PLATFORM)
    tasks = [asyncio.create_task(one) for one in running]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        stop.set()  # one that cannot go on stops the others, which drain
        await asyncio.wait(tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    for task in tasks:
        task.result()


async def _run_telegram(app: App, config: TelegramConfig, stop: asyncio.Event, ready: Callable[[str], None]) -> None:
    from adapters.telegram.app import run_telegram

    inbox = app.inbox(config.desk)
    await inbox.sweep(KEPT_MESSAGES)
    if app.settings.keep_texts_days is not None:
        await inbox.forget_before(timedelta(days=app.settings.keep_texts_days))
        await app.tickets.sweep(timedelta(days=app.settings.keep_texts_days))
    when = digest_time(app.settings, office_hours(app.settings).there) if config.support else None
    async with sending_digests(app, config.desk, when):
        await run_telegram(
            config,
            app.engine,
            inbox,
            stop,
            texts=read_words(app.settings.texts).texts,
            habits=_habits(app.settings),
            audience=app.settings.audiences,
            patience=app.settings.drain_seconds,
            ready=ready,
            support=support_desk(app, config.desk) if config.support else None,
        )


async def _run_slack(app: App, config: SlackConfig, stop: asyncio.Event, ready: Callable[[str], None]) -> None:
    from adapters.slack.app import opened_client, run_slack, who_am_i

    async def topics() -> list[tuple[str, str]]:
        shelf = await app.library.shelf()
        return [(domain.title, domain.description) for domain in shelf.domains(app.settings.audiences)]

    async with opened_client(config) as client:
        me = await who_am_i(client)
        inbox = app.inbox(me.desk)
        await inbox.sweep(KEPT_MESSAGES)
        await run_slack(
            client,
            me,
            config,
            app.engine,
            inbox,
            stop,
            texts=read_words(app.settings.texts).texts,
            habits=_habits(app.settings),
            audience=app.settings.audiences,
            patience=app.settings.drain_seconds,
            topics=topics,
            ready=ready,
        )


def _habits(settings: Settings) -> Habits:
    return Habits(busy=settings.busy, at_once=settings.answers_at_once)


async def check_platforms(settings: Settings, tell: Callable[[bool, str, str], None]) -> bool:
    """Tell point by point whether the platforms could run. False when one could not."""
    try:
        telegram, slack = telegram_config(settings), slack_config(settings)
        read_words(settings.texts)
        digest_time(settings, office_hours(settings).there)
    except ConfigurationError as error:
        tell(False, "platforms", str(error))
        return False
    good = True
    if telegram is not None:
        from adapters.telegram import checking as telegram_checking

        for point in await telegram_checking.check(telegram):
            tell(point.good, point.name, point.text)
            good = good and point.good
    if slack is not None:
        from adapters.slack import checking as slack_checking

        for found in await slack_checking.check(slack):
            tell(found.good, found.name, found.text)
            good = good and found.good
    return good


def slack_config(settings: Settings) -> SlackConfig | None:
    """None when no token is set. Raises ConfigurationError."""
    if settings.slack_bot_token is None:
        if settings.slack_app_token is not None:
            raise ConfigurationError(
                "REFDESK_SLACK_APP_TOKEN is set, but not REFDESK_SLACK_BOT_TOKEN: copy the Bot User "
                "OAuth Token, xoxb-..."
            )
        return None
    token = settings.slack_bot_token.get_secret_value()
    if not token.startswith("xoxb-"):
        raise ConfigurationError("REFDESK_SLACK_BOT_TOKEN is no bot token: it begins with xoxb-")
    app_token = settings.slack_app_token.get_secret_value() if settings.slack_app_token else None
    if app_token is not None and not app_token.startswith("xapp-"):
        raise ConfigurationError("REFDESK_SLACK_APP_TOKEN is no app-level token: it begins with xapp-")
    if app_token is None and settings.slack_signing_secret is None:
        raise ConfigurationError(
            "REFDESK_SLACK_BOT_TOKEN is set, but neither REFDESK_SLACK_APP_TOKEN (Socket Mode) nor "
            "REFDESK_SLACK_SIGNING_SECRET (requests from Slack)"
        )
    channels = frozenset(one.strip() for one in settings.slack_auto_answer.split(",") if one.strip())
    for channel in (*channels, *filter(None, [settings.slack_support_channel])):
        if not re.fullmatch(r"[CGD][A-Z0-9]{2,}", channel):
            raise ConfigurationError(f"{channel} is no channel of Slack: write its id, as in C0123456789")
    return SlackConfig(
        token=token,
        app_token=app_token,
        listening=_listening(settings) if app_token is None else None,
        url=settings.slack_api_url.rstrip("/") + "/",
        support=settings.slack_support_channel,
        auto_answer=channels,
        streams=settings.slack_streams,
        asked_for=settings.slack_ask,
    )


def _listening(settings: Settings) -> Listening:
    assert settings.slack_signing_secret is not None
    host, _, port = settings.slack_listen.rpartition(":")
    if not host or not port.isdigit():
        raise ConfigurationError("REFDESK_SLACK_LISTEN is an address and a port, as in 127.0.0.1:3000")
    if not settings.slack_path.startswith("/"):
        raise ConfigurationError("REFDESK_SLACK_PATH begins with a slash, as in /slack/events")
    return Listening(
        signing_secret=settings.slack_signing_secret.get_secret_value(),
        host=host.strip("[]"),
        port=int(port),
        path=settings.slack_path,
    )


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
        gaps=GapDesk(gap_sources(app), settings.audiences),
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
