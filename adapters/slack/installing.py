"""Installation by OAuth: slack-bolt's own flow, with states and installations in our database.

https://docs.slack.dev/authentication/installing-with-oauth. A state is good once, for ten minutes, and in the browser
that began with it. What is refused: organisations as a whole (each workspace is a desk of its own, so each installs the
app itself), workspaces that the owner did not name, and apps whose tokens expire.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import structlog
from slack_bolt.error import BoltError
from slack_bolt.oauth.async_callback_options import AsyncCallbackOptions, AsyncFailureArgs, AsyncSuccessArgs
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_bolt.response import BoltResponse
from slack_sdk.errors import SlackApiError
from slack_sdk.oauth.installation_store.async_installation_store import AsyncInstallationStore
from slack_sdk.oauth.installation_store.models.installation import Installation as Granted
from slack_sdk.oauth.state_store.async_state_store import AsyncOAuthStateStore
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.config import Installing, SlackConfig
from adapters.slack.installations import Installation, InstallationStore
from adapters.slack.scopes import NEEDED

log = structlog.get_logger()

STATE_LASTS = timedelta(minutes=10)

Installed = Callable[[Installation], Awaitable[None]]


class InstallationRefused(BoltError):
    """Said to whoever installs the app."""


class _States(AsyncOAuthStateStore):
    def __init__(self, store: InstallationStore) -> None:
        self._store = store

    async def async_issue(self, *args: Any, **kwargs: Any) -> str:
        state = secrets.token_urlsafe(32)
        await self._store.issue(state, STATE_LASTS)
        return state

    async def async_consume(self, state: str) -> bool:
        return await self._store.consume(state, STATE_LASTS)


class _Installations(AsyncInstallationStore):
    """The part of slack-bolt's interface that its flow uses."""

    def __init__(self, store: InstallationStore, wanted: frozenset[str], installed: Installed) -> None:
        self._store, self._wanted, self._installed = store, wanted, installed

    async def async_save(self, installation: Granted) -> None:
        """Raises InstallationRefused."""
        found = self._checked(installation)
        await self._store.save(found.team, found.stored())
        log.info("slack.installed", team=found.team)
        await self._installed(found)

    def _checked(self, granted: Granted) -> Installation:
        if granted.is_enterprise_install or not granted.team_id:
            raise InstallationRefused("this app is installed workspace by workspace, not for a whole organisation")
        if self._wanted and granted.team_id not in self._wanted:
            raise InstallationRefused(f"this app is not open to workspace {granted.team_id}; ask whoever runs it")
        if granted.bot_refresh_token:
            raise InstallationRefused("the app's token rotation has to be turned off")
        if not (granted.bot_token and granted.bot_user_id):
            raise InstallationRefused("Slack granted no bot token")
        return Installation(
            team=granted.team_id,
            name=granted.team_name or granted.team_id,
            user=granted.bot_user_id,
            bot=granted.bot_id or "",
            token=granted.bot_token,
            scopes=",".join(granted.bot_scopes or ()),
            installed_at=float(granted.installed_at),
        )


def oauth_flow(config: SlackConfig, store: InstallationStore, installed: Installed) -> AsyncOAuthFlow:
    installing = config.installing
    assert installing is not None
    # Its debug lines hold whole requests, with codes and states.
    logger = logging.getLogger("refdesk.slack.oauth")
    logger.setLevel(logging.ERROR)
    settings = AsyncOAuthSettings(
        client_id=installing.client_id,
        client_secret=installing.client_secret,
        scopes=sorted(NEEDED),
        user_scopes=[],
        redirect_uri=installing.redirect_url,
        install_path=installing.install_path,
        redirect_uri_path=installing.redirect_path,
        authorization_url=authorize_url(config),
        installation_store=_Installations(store, installing.teams, installed),
        installation_store_bot_only=True,
        state_store=_States(store),
        state_expiration_seconds=int(STATE_LASTS.total_seconds()),
        callback_options=AsyncCallbackOptions(success=_succeeded, failure=_failed),
        logger=logger,
    )
    client = AsyncWebClient(base_url=config.url, retry_handlers=[], timeout=30)
    return AsyncOAuthFlow(client=client, logger=logger, settings=settings)


def authorize_url(config: SlackConfig) -> str:
    return config.url.removesuffix("api/") + "oauth/v2/authorize"


async def why_refused(client: AsyncWebClient, installing: Installing) -> str | None:
    """Whether Slack knows the app by its id and secret, asked with a code that was never given."""
    try:
        await client.oauth_v2_access(
            client_id=installing.client_id, client_secret=installing.client_secret, code="refdesk-check"
        )
    except SlackApiError as error:
        reason = str(error.response.get("error", "unknown"))
        return None if reason in ("invalid_code", "code_already_used") else reason
    return None


async def _succeeded(args: AsyncSuccessArgs) -> BoltResponse:
    return await args.default.success(args)


async def _failed(args: AsyncFailureArgs) -> BoltResponse:
    log.warning("slack.not_installed", reason=args.reason, error=type(args.error).__name__ if args.error else None)
    if isinstance(args.error, InstallationRefused):
        args.reason, args.suggested_status_code = str(args.error), 403
    return await args.default.failure(args)
