"""The bot in Slack from start to stop: in one workspace, or wherever the app is installed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from adapters.delivery import Answers
from adapters.inbox import InboxStore
from adapters.slack.app import SlackApp, opened
from adapters.slack.config import Me, SlackConfig
from adapters.slack.installations import InstallationStore
from adapters.slack.installing import oauth_flow
from adapters.slack.listeners import OneWorkspace, made_bolt
from adapters.slack.serving import serving
from adapters.slack.workspaces import InstalledWorkspaces

Equipped = Callable[[Me, SlackConfig], AbstractAsyncContextManager[tuple[InboxStore, dict[str, Any]]]]
"""What the bot of a workspace works with while it runs: its inbox, and the choices of `opened`."""


async def run_slack(
    client: AsyncWebClient,
    me: Me,
    config: SlackConfig,
    engine: Answers,
    store: InboxStore,
    stop: asyncio.Event,
    *,
    ready: Callable[[str], None] = lambda name: None,
    **choices: Any,
) -> None:
    """Answer in one workspace until `stop` is set; then drain. `choices` are those of `opened`.

    Raises ConfigurationError.
    """
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(opened(client, me, config, engine, store, **choices))
        await stack.enter_async_context(serving(config, made_bolt(config, OneWorkspace(app))))
        ready(f"{me.name} in Slack")
        await stop.wait()


async def run_workspaces(
    config: SlackConfig,
    installations: InstallationStore,
    engine: Answers,
    equipped: Equipped,
    stop: asyncio.Event,
    *,
    ready: Callable[[str], None] = lambda name: None,
) -> None:
    """Answer wherever the app is installed until `stop` is set; then drain. Raises ConfigurationError."""

    @asynccontextmanager
    async def opening(client: AsyncWebClient, me: Me, config: SlackConfig) -> AsyncIterator[SlackApp]:
        async with (
            equipped(me, config) as (store, choices),
            opened(client, me, config, engine, store, **choices) as app,
        ):
            yield app

    async with AsyncExitStack() as stack:
        workspaces = await stack.enter_async_context(InstalledWorkspaces(config, installations, opening))
        flow = oauth_flow(config, installations, workspaces.installed)
        await stack.enter_async_context(serving(config, made_bolt(config, workspaces), flow))
        ready(f"the app {flow.client_id} in Slack, to be installed at {flow.install_path}")
        await stop.wait()
