"""Which platforms run, made from the settings. Their libraries are loaded only when their tokens are set."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from adapters.escalation import OwnerRules
from adapters.inbox import InboxStore
from adapters.office_hours import OfficeHours
from adapters.reception import Habits
from adapters.slack.config import REDIRECT_PATH, Installing, Listening, Me, SlackConfig
from adapters.support import Support
from adapters.support_desk import Bells
from adapters.telegram.config import Spot, TelegramConfig, Webhook
from bot.digest import digest_time, digests_in
from bot.faq_desk import FaqDesk
from bot.gap_desk import GapDesk
from bot.learning import FaqLearning
from bot.settings import Settings, listed
from bot.suggestions import FaqSuggestions
from bot.wiring import App, gap_sources, open_installations
from bot.words import read_words
from engine import ConfigurationError, RefdeskError

if TYPE_CHECKING:
    from adapters.checking import Point

NO_PLATFORM = (
    "there is no platform to run on: set REFDESK_TELEGRAM_TOKEN to the token that @BotFather gave you, or "
    "REFDESK_SLACK_BOT_TOKEN and REFDESK_SLACK_APP_TOKEN to those of your Slack app "
    "(`refdesk chat` talks in the terminal)"
)

KEPT_MESSAGES = timedelta(days=30)
"""Longer than any platform delivers a message again."""

_NO_DESK = (
    "REFDESK_SUPPORT_DESK is {name}, but {settings} of that platform are not both set; when another process serves it, "
    "write its desk's name, which `refdesk check` shows there"
)
_SECRET = re.compile(r"[A-Za-z0-9_-]{1,256}")
_TEAM = re.compile(r"T[A-Z0-9]{2,}")


async def run_platforms(app: App, stop: asyncio.Event, ready: Callable[[str], None]) -> None:
    """Every platform whose token is set, until `stop` is set; `ready` hears of each that has begun.

    Raises ConfigurationError when one cannot go on.
    """
    telegram, slack = telegram_config(app.settings), slack_config(app.settings)
    if telegram is None and slack is None:
        raise ConfigurationError(NO_PLATFORM)
    people = await people_elsewhere(app.settings, telegram, slack)
    bells = Bells()
    running = [
        *([_run_telegram(app, telegram, people, bells, stop, ready)] if telegram else ()),
        *([_run_slack(app, slack, people, bells, stop, ready)] if slack else ()),
    ]
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


async def people_elsewhere(
    settings: Settings, telegram: TelegramConfig | None, slack: SlackConfig | None
) -> str | None:
    """The desk that all tickets go to; None when each platform's go to its own. Raises ConfigurationError."""
    match settings.support_desk:
        case "own":
            return None
        case "telegram":
            if telegram is None or telegram.support is None:
                raise ConfigurationError(_NO_DESK.format(name="telegram", settings="token and support chat"))
            return telegram.desk
        case "slack":
            if slack is None or slack.support is None or slack.installing is not None:
                raise ConfigurationError(_NO_DESK.format(name="slack", settings="token and support channel"))
            from adapters.slack.app import opened_client, who_am_i

            async with opened_client(slack) as client:
                return (await who_am_i(client)).desk
        case desk:
            return desk


async def _run_telegram(
    app: App,
    config: TelegramConfig,
    people: str | None,
    bells: Bells,
    stop: asyncio.Event,
    ready: Callable[[str], None],
) -> None:
    from adapters.telegram.app import run_telegram

    inbox = app.inbox(config.desk)
    await inbox.sweep(KEPT_MESSAGES)
    async with digests_in(app, config.desk, people, here=config.support is not None):
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
            support=support_desk(app, config.desk, people, bells) if people or config.support else None,
        )


async def _run_slack(
    app: App,
    config: SlackConfig,
    people: str | None,
    bells: Bells,
    stop: asyncio.Event,
    ready: Callable[[str], None],
) -> None:
    from adapters.slack.app import opened_client, who_am_i
    from adapters.slack.running import run_slack, run_workspaces

    async def topics() -> list[tuple[str, str]]:
        shelf = await app.library.shelf()
        return [(domain.title, domain.description) for domain in shelf.domains(app.settings.audiences)]

    @asynccontextmanager
    async def equipped(me: Me, config: SlackConfig) -> AsyncIterator[tuple[InboxStore, dict[str, Any]]]:
        inbox = app.inbox(me.desk)
        await inbox.sweep(KEPT_MESSAGES)
        choices = {
            "texts": read_words(app.settings.texts).texts,
            "habits": _habits(app.settings),
            "audience": app.settings.audiences,
            "patience": app.settings.drain_seconds,
            "topics": topics,
            "support": support_desk(app, me.desk, people, bells) if people or config.support else None,
            "suggestions": FaqSuggestions(app.faq, app.settings.audiences),
        }
        async with digests_in(app, me.desk, people, here=config.support is not None):
            yield inbox, choices

    if config.installing is not None:
        installations = app.installations(config.installing.client_id)
        return await run_workspaces(config, installations, app.engine, equipped, stop, ready=ready)
    async with opened_client(config) as client:
        me = await who_am_i(client)
        async with equipped(me, config) as (inbox, choices):
            return await run_slack(client, me, config, app.engine, inbox, stop, ready=ready, **choices)


def _habits(settings: Settings) -> Habits:
    return Habits(busy=settings.busy, at_once=settings.answers_at_once)


async def check_platforms(settings: Settings, tell: Callable[[bool, str, str], None]) -> bool:
    """Tell point by point whether the platforms could run. False when one could not."""
    try:
        telegram, slack = telegram_config(settings), slack_config(settings)
        read_words(settings.texts)
        digest_time(settings)
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
        try:
            points = await _slack_points(settings, slack)
        except RefdeskError as error:  # the database that holds the installations
            tell(False, "slack", str(error))
            return False
        for found in points:
            tell(found.good, found.name, found.text)
            good = good and found.good
    return good


async def _slack_points(settings: Settings, config: SlackConfig) -> list[Point]:
    from adapters.slack.checking import check, check_workspaces

    if config.installing is None:
        return await check(config)
    async with open_installations(settings, config.installing.client_id) as installations:
        return await check_workspaces(config, config.installing, installations)


def slack_config(settings: Settings) -> SlackConfig | None:
    """None when neither a token nor a client id is set. Raises ConfigurationError."""
    installing = _installing(settings)
    if settings.slack_bot_token is None and installing is None:
        if settings.slack_app_token is not None:
            raise ConfigurationError(
                "REFDESK_SLACK_APP_TOKEN is set, but not REFDESK_SLACK_BOT_TOKEN: copy the Bot User "
                "OAuth Token, xoxb-..."
            )
        return None
    token = settings.slack_bot_token.get_secret_value() if settings.slack_bot_token else None
    if token is not None and installing is not None:
        raise ConfigurationError(
            "REFDESK_SLACK_BOT_TOKEN and REFDESK_SLACK_CLIENT_ID are both set: the token is for one workspace, the "
            "client id for all that install the app"
        )
    if token is not None and not token.startswith("xoxb-"):
        raise ConfigurationError("REFDESK_SLACK_BOT_TOKEN is no bot token: it begins with xoxb-")
    app_token = settings.slack_app_token.get_secret_value() if settings.slack_app_token else None
    if app_token is not None and not app_token.startswith("xapp-"):
        raise ConfigurationError("REFDESK_SLACK_APP_TOKEN is no app-level token: it begins with xapp-")
    if app_token is None and settings.slack_signing_secret is None:
        raise ConfigurationError(
            f"REFDESK_SLACK_{'BOT_TOKEN' if token else 'CLIENT_ID'} is set, but neither REFDESK_SLACK_APP_TOKEN "
            "(Socket Mode) nor REFDESK_SLACK_SIGNING_SECRET (requests from Slack)"
        )
    support, supports = _support_channels(settings, several=installing is not None)
    return SlackConfig(
        token=token,
        installing=installing,
        app_token=app_token,
        listening=_listening(settings) if app_token is None or installing else None,
        url=settings.slack_api_url.rstrip("/") + "/",
        support=support,
        supports=supports,
        auto_answer=frozenset(_channel(one) for one in listed(settings.slack_auto_answer)),
        quiet=frozenset(_channel(one) for one in listed(settings.slack_quiet)),
        streams=settings.slack_streams,
        asked_for=settings.slack_ask,
        support_language=None if settings.support_language == "asker" else settings.support_language,
        remark=settings.support_remark,
    )


def _installing(settings: Settings) -> Installing | None:
    if settings.slack_client_id is None and settings.slack_client_secret is None:
        return None
    if settings.slack_client_id is None or settings.slack_client_secret is None:
        raise ConfigurationError(
            "REFDESK_SLACK_CLIENT_ID and REFDESK_SLACK_CLIENT_SECRET belong together: copy both from the app's page "
            "“Basic Information”"
        )
    redirect = settings.slack_redirect_url
    path = "/" + redirect.partition("://")[2].partition("/")[2] if redirect else REDIRECT_PATH
    if redirect is not None and (not redirect.startswith(("https://", "http://")) or path == "/"):
        raise ConfigurationError("REFDESK_SLACK_REDIRECT_URL is no https://YOUR-HOST/slack/oauth_redirect")
    teams = frozenset(listed(settings.slack_teams))
    if wrong := next((team for team in teams if not _TEAM.fullmatch(team)), None):
        raise ConfigurationError(f"REFDESK_SLACK_TEAMS: {wrong} is no workspace; write its id, as in T0123456789")
    return Installing(
        client_id=settings.slack_client_id,
        client_secret=settings.slack_client_secret.get_secret_value(),
        redirect_url=redirect,
        redirect_path=path,
        teams=teams,
    )


def _support_channels(settings: Settings, *, several: bool) -> tuple[str | None, dict[str, str]]:
    """That of the workspace, or those by workspace."""
    written = settings.slack_support_channel
    if written is None:
        return None, {}
    if not several:
        return _channel(written), {}
    pairs = [one.partition(":") for one in listed(written)]
    if wrong := next((team for team, _, channel in pairs if not (_TEAM.fullmatch(team) and channel)), None):
        raise ConfigurationError(
            f"REFDESK_SLACK_SUPPORT_CHANNEL: {wrong} is for one workspace; for several write T01:C01,T02:C02"
        )
    return None, {team: _channel(channel) for team, _, channel in pairs}


def _channel(id: str) -> str:
    if not re.fullmatch(r"[CGD][A-Z0-9]{2,}", id):
        raise ConfigurationError(f"{id} is no channel of Slack: write its id, as in C0123456789")
    return id


def _listening(settings: Settings) -> Listening:
    secret = settings.slack_signing_secret
    host, _, port = settings.slack_listen.rpartition(":")
    if not host or not port.isdigit():
        raise ConfigurationError("REFDESK_SLACK_LISTEN is an address and a port, as in 127.0.0.1:3000")
    if not settings.slack_path.startswith("/"):
        raise ConfigurationError("REFDESK_SLACK_PATH begins with a slash, as in /slack/events")
    return Listening(
        signing_secret=secret.get_secret_value() if secret else "",
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
        auto_answer=frozenset(_spot(one, "AUTO_ANSWER") for one in listed(settings.telegram_auto_answer)),
        drafts=settings.telegram_drafts,
        support_language=None if settings.support_language == "asker" else settings.support_language,
        remark=settings.support_remark,
    )


def support_desk(app: App, desk: str, people: str | None, bells: Bells) -> Support:
    """Whose people are in the same platform's support chat unless told otherwise. Raises ConfigurationError."""
    settings = app.settings
    return Support(
        tickets=app.tickets,
        desk=desk,
        people=people or desk,
        bells=bells,
        hours=office_hours(settings),
        rules=OwnerRules(
            words=tuple(listed(settings.escalate_words)),
            domains=frozenset(listed(settings.escalate_domains)),
            chats=frozenset(listed(settings.escalate_chats)),
            misses=settings.escalate_misses,
        ),
        holds=timedelta(hours=settings.support_hours_held),
        learning=partial(
            FaqLearning, app.faq_base, FaqDesk(app.faq_base), editors=frozenset(listed(settings.faq_editors))
        ),
        gaps=GapDesk(gap_sources(app), settings.audiences),
    )


def office_hours(settings: Settings) -> OfficeHours:
    return OfficeHours.parse(settings.office_hours, settings.office_time_zone, settings.office_holidays)


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
