"""How events come in: through a socket that we open (Socket Mode), or as signed HTTP requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

import structlog
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.calls import FAILURES, error_of
from adapters.slack.config import Listening, SlackConfig
from engine import ConfigurationError, RefdeskError

log = structlog.get_logger()

MOST_BYTES = 2**20
COME_AGAIN = "Не получилось, попробуйте ещё раз. · That did not work, please try again."

Answering = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def serving(config: SlackConfig, bolt: AsyncApp, flow: AsyncOAuthFlow | None = None) -> AsyncIterator[None]:
    """Take events while entered, and installations with a `flow`. Raises ConfigurationError when that cannot be."""
    async with AsyncExitStack() as stack:
        routes: list[web.RouteDef] = []
        if flow is not None:
            routes += _installing(flow)
        if config.app_token is None:
            assert config.listening is not None
            routes.append(web.post(config.listening.path, _receiving(bolt)))
        if routes:
            assert config.listening is not None
            await stack.enter_async_context(_listening(config.listening, routes))
        if config.app_token is not None:
            await stack.enter_async_context(_socket(config.app_token, config.url, bolt))
        yield


@asynccontextmanager
async def _socket(token: str, url: str, bolt: AsyncApp) -> AsyncIterator[None]:
    client = AsyncWebClient(token=token, base_url=url, retry_handlers=[])
    address = await check_app_token(client, token)
    handler = AsyncSocketModeHandler(bolt, token, web_client=client, ping_interval=10)
    handler.client.wss_uri = address  # asking for one more would spend the next minute's call
    try:
        await handler.connect_async()  # type: ignore[no-untyped-call]
        yield
    finally:
        await handler.close_async()  # type: ignore[no-untyped-call]
        await asyncio.gather(
            *(
                task
                for task in (
                    handler.client.message_processor,
                    handler.client.current_session_monitor,
                    handler.client.message_receiver,
                )
                if task is not None
            ),
            return_exceptions=True,
        )


async def check_app_token(client: AsyncWebClient, token: str) -> str:
    """The address of a socket. Raises ConfigurationError when Slack gives none: the library would try for ever."""
    try:
        return str((await client.apps_connections_open(app_token=token))["url"])
    except FAILURES as error:
        raise ConfigurationError(
            f"Slack opens no socket ({error_of(error)}): turn Socket Mode on, and copy REFDESK_SLACK_APP_TOKEN "
            "(xapp-..., with the scope connections:write) again"
        ) from None


def _receiving(bolt: AsyncApp) -> Answering:
    async def receive(request: web.Request) -> web.StreamResponse:
        return await to_aiohttp_response(await bolt.async_dispatch(await to_bolt_request(request)))

    return receive


def _installing(flow: AsyncOAuthFlow) -> list[web.RouteDef]:
    async def begin(request: web.Request) -> web.StreamResponse:
        return await to_aiohttp_response(await flow.handle_installation(await to_bolt_request(request)))

    async def finish(request: web.Request) -> web.StreamResponse:
        return await to_aiohttp_response(await flow.handle_callback(await to_bolt_request(request)))

    return [web.get(flow.install_path, _guarded(begin)), web.get(flow.redirect_uri_path, _guarded(finish))]


def _guarded(answer: Answering) -> Answering:
    """When Slack or the database fails, whoever installs the app is told to come again."""

    async def guarded(request: web.Request) -> web.StreamResponse:
        try:
            return await answer(request)
        except (*FAILURES, RefdeskError) as error:
            log.error("slack.not_installed", error=type(error).__name__, exc_info=error)
            return web.Response(status=503, text=COME_AGAIN)

    return guarded


@asynccontextmanager
async def _listening(listening: Listening, routes: Sequence[web.RouteDef]) -> AsyncIterator[None]:
    app = web.Application(client_max_size=MOST_BYTES)
    app.add_routes(routes)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, listening.host, listening.port).start()
        except OSError as error:
            raise ConfigurationError(
                f"Slack's events cannot be listened for on {listening.host}:{listening.port}: {error.strerror}; "
                "set REFDESK_SLACK_LISTEN to a free address"
            ) from None
        yield
    finally:
        await runner.cleanup()
