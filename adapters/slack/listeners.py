"""What slack-bolt hears, given to the workspace that it comes from."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.app import SlackApp
from adapters.slack.config import SlackConfig
from adapters.slack.home import CHOOSE

log = structlog.get_logger()

NOT_INSTALLED = "Приложение не установлено в это рабочее пространство. · The app is not installed in this workspace."


GONE = ("app_uninstalled", "tokens_revoked")


class Workspaces(Protocol):
    async def of(self, team: str | None) -> SlackApp | None:
        """The bot of a workspace; None when the app is not installed there."""
        ...

    async def removed(self, team: str | None, at: float) -> None:
        """The app was taken out of a workspace, `at` seconds after 1970."""
        ...


class OneWorkspace:
    """A bot whose token is in the settings."""

    def __init__(self, app: SlackApp) -> None:
        self._app = app

    async def of(self, team: str | None) -> SlackApp | None:
        del team
        return self._app

    async def removed(self, team: str | None, at: float) -> None:
        del at
        log.error("slack.token_revoked", team=team)


def made_bolt(config: SlackConfig, workspaces: Workspaces) -> AsyncApp:
    async def find(
        body: dict[str, Any], context: AsyncBoltContext, next: Callable[[], Awaitable[BoltResponse]]
    ) -> BoltResponse:
        context["workspace"] = app = await workspaces.of(context.team_id)
        if app is None and not _needs_no_workspace(body):
            log.warning("slack.not_installed", team=context.team_id)
            return BoltResponse(status=200, body=NOT_INSTALLED if "command" in body else "")
        return await next()

    async def authorize(workspace: SlackApp) -> AuthorizeResult:
        me = workspace.me
        return AuthorizeResult(
            enterprise_id=None, team_id=me.team, bot_user_id=me.user, bot_id=me.bot, bot_token=workspace.token
        )

    bolt = AsyncApp(
        client=AsyncWebClient(base_url=config.url, retry_handlers=[]),
        before_authorize=find,
        authorize=authorize,
        signing_secret=config.listening.signing_secret if config.listening else "",
        # A listener has returned, so the event is kept, before Slack is told that it has arrived.
        process_before_response=True,
    )
    _hear_events(bolt, workspaces)
    _hear_people(bolt)

    @bolt.error
    async def broken(error: Exception) -> BoltResponse:
        log.error("slack.event_not_kept", error=type(error).__name__, exc_info=error)
        return BoltResponse(status=500)

    return bolt


def _needs_no_workspace(body: Mapping[str, Any]) -> bool:
    """Slack looks whether we are there, or tells that a workspace is gone."""
    return body.get("type") == "url_verification" or (body.get("event") or {}).get("type") in GONE


def _hear_events(bolt: AsyncApp, workspaces: Workspaces) -> None:
    @bolt.event("message")
    @bolt.event("app_mention")
    async def keep(event: dict[str, Any], workspace: SlackApp) -> None:
        await workspace.keep(event)

    @bolt.event("app_home_opened")
    async def open_home(event: dict[str, Any], workspace: SlackApp) -> None:
        workspace.home_opened(event)

    @bolt.event("assistant_thread_started")
    async def start_thread(event: dict[str, Any], workspace: SlackApp) -> None:
        workspace.thread_started(event)

    @bolt.event("assistant_thread_context_changed")
    async def change_context() -> None:
        """What somebody looks at beside the pane changes no answer."""

    @bolt.event("agent_session_stopped")
    async def stop(event: dict[str, Any], workspace: SlackApp) -> None:
        await workspace.stopped(event)

    @bolt.event(GONE[0])
    @bolt.event(GONE[1])
    async def remove(event: dict[str, Any], body: dict[str, Any], context: AsyncBoltContext) -> None:
        if event.get("type") == GONE[0] or (event.get("tokens") or {}).get("bot"):
            await workspaces.removed(context.team_id, float(body.get("event_time") or 0))


def _hear_people(bolt: AsyncApp) -> None:
    @bolt.action(re.compile(r"refdesk:"))
    async def take(ack: AsyncAck, body: dict[str, Any], workspace: SlackApp) -> None:
        act = await workspace.tapped(body)
        await ack()
        workspace.later(act())

    @bolt.action(re.compile(CHOOSE))
    async def choose(ack: AsyncAck, body: dict[str, Any], workspace: SlackApp) -> None:
        act = await workspace.chosen(body)
        await ack()
        workspace.later(act)

    @bolt.command(re.compile(r"/"))
    async def ask(ack: AsyncAck, body: dict[str, Any], workspace: SlackApp) -> None:
        await ack(await workspace.asked(body))
