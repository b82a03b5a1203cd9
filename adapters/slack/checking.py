"""What `refdesk check` says about Slack: each point is good or not, and what to do about it."""

from __future__ import annotations

from dataclasses import replace

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from adapters.checking import Point
from adapters.slack.app import TokenRefused, opened_client, who_am_i
from adapters.slack.calls import FAILURES, error_of
from adapters.slack.config import Installing, Me, SlackConfig
from adapters.slack.installations import Installation, InstallationStore
from adapters.slack.installing import why_refused
from adapters.slack.scopes import NEEDED
from adapters.slack.serving import check_app_token
from engine import ConfigurationError


async def check(config: SlackConfig) -> list[Point]:
    """Stops at a token that is no good; changes nothing in Slack."""
    async with opened_client(config) as client:
        try:
            me = await who_am_i(client)
        except ConfigurationError as error:
            return [Point(False, "slack", str(error))]
        points = [Point(True, "slack", f"the token works, this is @{me.name}"), _scopes(me), await _events(config)]
        return points if config.support is None else [*points, await _support(client, me, config.support)]


async def check_workspaces(config: SlackConfig, installing: Installing, store: InstallationStore) -> list[Point]:
    """The app itself, then each workspace that has installed it; changes nothing in Slack."""
    client = AsyncWebClient(base_url=config.url, retry_handlers=[], timeout=30)
    try:
        refused = await why_refused(client, installing)
    except FAILURES as error:
        text = f"Slack cannot be reached ({type(error).__name__}): look at the network, or at REFDESK_SLACK_API_URL"
        return [Point(False, "slack", text)]
    if refused is not None:
        text = f"Slack refuses REFDESK_SLACK_CLIENT_ID or REFDESK_SLACK_CLIENT_SECRET ({refused}): copy them again"
        return [Point(False, "slack", text)]
    found = [Installation.of(content) for content in (await store.all()).values()]
    many = f"{len(found)} workspaces have installed it" if len(found) != 1 else "one workspace has installed it"
    points = [Point(True, "slack", f"the app is known; {many}"), await _events(config)]
    for one in found:
        points += await _workspace(config.of_workspace(one.team, one.token), one)
    return points


async def _workspace(config: SlackConfig, installation: Installation) -> list[Point]:
    name = f"slack {installation.team}"
    async with opened_client(config) as client:
        try:
            me = await who_am_i(client)
        except TokenRefused:
            text = f"{installation.name}: its token works no longer; install the app there again"
            return [Point(False, name, text)]
        except ConfigurationError as error:
            return [Point(False, name, f"{installation.name}: {error}")]
        # What was granted when it was installed, where Slack does not say what is granted now.
        scopes = _scopes(me if me.scopes else replace(me, scopes=frozenset(installation.scopes.split(","))))
        points = [Point(scopes.good, name, f"{installation.name}: {scopes.text}")]
        return points if config.support is None else [*points, await _support(client, me, config.support)]


def _scopes(me: Me) -> Point:
    name = "slack scopes"
    if not me.scopes:
        return Point(True, name, "Slack does not say which are granted")
    missing = [f"{scope} ({purpose})" for scope, purpose in NEEDED.items() if scope not in me.scopes]
    if missing:
        text = f"not granted: {', '.join(missing)}; add them under “OAuth & Permissions” and install the app again"
        return Point(False, name, text)
    spare = sorted(me.scopes - NEEDED.keys())
    return Point(True, name, "all granted" + (f"; not used: {', '.join(spare)}" if spare else ""))


async def _events(config: SlackConfig) -> Point:
    name = "slack events"
    if config.app_token is None:
        assert config.listening is not None
        at = config.listening
        return Point(True, name, f"by HTTP at {at.host}:{at.port}{at.path}, signed")
    client = AsyncWebClient(token=config.app_token, base_url=config.url, retry_handlers=[])
    try:
        await check_app_token(client, config.app_token)
    except ConfigurationError as error:
        return Point(False, name, str(error))
    return Point(True, name, "through Socket Mode")


async def _support(client: AsyncWebClient, me: Me, channel: str) -> Point:
    """Slack tells a member only what is in a channel; so whether its history can be read says whether we are one."""
    name = "slack support channel"
    try:
        await client.api_call("conversations.history", json={"channel": channel, "limit": 1})
    except SlackApiError as error:
        return Point(False, name, f"the bot cannot see {channel} ({error_of(error)}): invite it there, look at its id")
    except FAILURES as error:
        return Point(False, name, f"Slack does not say ({type(error).__name__})")
    return Point(True, name, f"{channel}, desk {me.desk}")
