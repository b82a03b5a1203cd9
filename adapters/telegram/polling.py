"""Long polling that acknowledges an update only when it has been kept: the next request's offset does it.

Written anew because the library's own loop starts a task for each update and asks for more at once, which acknowledges
what nobody has kept yet.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import structlog
from aiogram import Bot
from aiogram.exceptions import (
    ClientDecodeError,
    TelegramAPIError,
    TelegramConflictError,
    TelegramRetryAfter,
    TelegramUnauthorizedError,
)
from aiogram.types import Update

from engine import ConfigurationError

log = structlog.get_logger()

Keep = Callable[[Update], Awaitable[None]]

WAITED = 25
"""Seconds for which Telegram holds a request when there is nothing new."""
CONFLICT_PAUSE = 5.0
CONFLICTS_FORGOTTEN = 60.0
LONGEST_BACKOFF = 30.0

SECOND_POLLER = (
    "another process receives this bot's messages: its token is in use elsewhere. Stop the other one, or make a bot of "
    "your own for this one; Telegram gives each message to one of them only"
)


class Poller:
    def __init__(
        self,
        bot: Bot,
        keep: Keep,
        allowed: Sequence[str],
        *,
        waited: int = WAITED,
        conflict_pause: float = CONFLICT_PAUSE,
    ) -> None:
        self._bot, self._keep, self._allowed = bot, keep, list(allowed)
        self._waited, self._conflict_pause = waited, conflict_pause
        self._offset: int | None = None
        self._limit: int | None = None
        self._conflicted_at = float("-inf")
        self._failures = 0

    async def run(self) -> None:
        """Until cancelled. Raises ConfigurationError when the token is refused or in use elsewhere."""
        while True:
            for update in await self._fetch():
                await self._keep(update)
                self._offset = update.update_id + 1

    async def _fetch(self) -> Sequence[Update]:
        try:
            updates = await self._bot.get_updates(
                offset=self._offset,
                limit=self._limit,
                timeout=self._waited,
                allowed_updates=self._allowed,
                request_timeout=self._waited + 15,
            )
        except TelegramConflictError:
            await self._give_way()
        except TelegramUnauthorizedError:
            raise ConfigurationError("Telegram does not know this token any longer: get one from @BotFather") from None
        except TelegramRetryAfter as error:
            await asyncio.sleep(error.retry_after)
        except ClientDecodeError as error:
            self._skip_unreadable(error)
        except TelegramAPIError as error:
            self._failures += 1
            log.warning("telegram.polling_failed", error=type(error).__name__, failures=self._failures)
            await asyncio.sleep(min(LONGEST_BACKOFF, 0.5 * 2 ** min(self._failures, 8)))
        else:
            self._failures, self._limit = 0, None
            return updates
        return ()

    async def _give_way(self) -> None:
        """One conflict may be a process that is just ending. A second one is somebody else: no fight."""
        now = asyncio.get_running_loop().time()
        if now - self._conflicted_at < CONFLICTS_FORGOTTEN:
            raise ConfigurationError(SECOND_POLLER)
        self._conflicted_at = now
        log.warning("telegram.conflict")
        await asyncio.sleep(self._conflict_pause)

    def _skip_unreadable(self, error: ClientDecodeError) -> None:
        """An update that the library cannot read must not stand in the way of the others for ever."""
        first = _first_id(error.data)
        if self._limit != 1 or first is None:
            self._limit = 1
            return
        log.error("telegram.update_unreadable", update=first)
        self._offset, self._limit = first + 1, None


def _first_id(data: Any) -> int | None:
    found = data.get("result") if isinstance(data, dict) else None
    first = found[0].get("update_id") if isinstance(found, list) and found and isinstance(found[0], dict) else None
    return first if isinstance(first, int) else None
