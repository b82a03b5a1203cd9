"""Updates by webhook: answered with 200 when they have been kept, with 503 when they could not be, to come again."""

from __future__ import annotations

import hmac
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import structlog
from aiogram import Bot
from aiogram.types import Update
from aiohttp import web
from pydantic import ValidationError

from adapters.telegram.config import Webhook
from engine import ConfigurationError, RefdeskError

log = structlog.get_logger()

Keep = Callable[[Update], Awaitable[None]]

SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"
MOST_BYTES = 2**20


@asynccontextmanager
async def listening(webhook: Webhook, bot: Bot, keep: Keep) -> AsyncIterator[None]:
    """Serve the webhook's path. Raises ConfigurationError when the port is taken."""

    async def receive(request: web.Request) -> web.Response:
        given = request.headers.get(SECRET_HEADER, "")
        if not hmac.compare_digest(given.encode(), webhook.secret.encode()):
            return web.Response(status=401)
        try:
            update = Update.model_validate_json(await request.read(), context={"bot": bot})
        except ValidationError:
            log.error("telegram.update_unreadable")
            return web.Response()  # it would come again and again
        try:
            await keep(update)
        except RefdeskError as error:
            log.error("telegram.update_not_kept", error=type(error).__name__)
            return web.Response(status=503)
        return web.Response()

    app = web.Application(client_max_size=MOST_BYTES)
    app.router.add_post(webhook.path, receive)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, webhook.host, webhook.port).start()
        except OSError as error:
            raise ConfigurationError(
                f"the webhook cannot listen on {webhook.host}:{webhook.port}: {error.strerror}; "
                "set REFDESK_TELEGRAM_WEBHOOK_LISTEN to a free address"
            ) from None
        yield
    finally:
        await runner.cleanup()
