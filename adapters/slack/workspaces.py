"""Several workspaces in one process: each that has installed the app is a bot of its own.

Client, budgets, desk, threads and tickets are a workspace's own, so nothing of one is seen in another. A workspace is
opened when the process starts or at its first event, which may have been installed through another process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.app import SlackApp, opened_client
from adapters.slack.config import Me, SlackConfig
from adapters.slack.installations import Installation, InstallationStore

log = structlog.get_logger()

Opening = Callable[[AsyncWebClient, Me, SlackConfig], AbstractAsyncContextManager[SlackApp]]
"""A workspace's bot, for as long as it is entered."""


@dataclass(slots=True)
class _Running:
    installation: Installation
    app: asyncio.Future[SlackApp]
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    async def ready(self) -> SlackApp:
        """Raises what its opening has raised."""
        assert self.task is not None
        either: set[asyncio.Future[Any]] = {self.app, self.task}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not self.app.done():
            self.task.result()
        return await self.app


class InstalledWorkspaces:
    """Enter it to begin with all that is installed; leaving it drains."""

    def __init__(self, config: SlackConfig, store: InstallationStore, opening: Opening) -> None:
        self._config, self._store, self._opening = config, store, opening
        self._running: dict[str, _Running] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        """The last one of each workspace: it may still be ending."""

    async def __aenter__(self) -> InstalledWorkspaces:
        for content in (await self._store.all()).values():
            self._begin(Installation.of(content))
        return self

    async def __aexit__(self, *_: object) -> None:
        for running in self._running.values():
            running.stop.set()
        tasks = list(self._tasks.values())
        try:
            await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            for task in tasks:
                task.cancel()

    async def of(self, team: str | None) -> SlackApp | None:
        if team is None:
            return None
        running = self._running.get(team)
        if running is None:
            content = await self._store.find(team)
            if content is None:
                return None
            running = self._running.get(team) or self._begin(Installation.of(content))
        return await running.ready()

    async def installed(self, installation: Installation) -> None:
        """For the first time, or anew: with a new token, or as another bot."""
        running = self._running.get(installation.team)
        if running is not None and running.installation.me == installation.me:
            running.installation = installation
            (await running.ready()).renew(installation.token)
            return
        if running is not None:
            running.stop.set()
        self._begin(installation)

    async def removed(self, team: str | None, at: float) -> None:
        content = None if team is None else await self._store.find(team)
        if team is None or content is None:
            return
        if Installation.of(content).installed_at > at > 0:
            return  # told late: it has been installed again since
        await self._store.remove(team)
        log.info("slack.uninstalled", team=team)
        if (running := self._running.pop(team, None)) is not None:
            running.stop.set()

    def _begin(self, installation: Installation) -> _Running:
        team = installation.team
        running = _Running(installation, asyncio.get_running_loop().create_future())
        running.task = asyncio.create_task(self._run(running, self._tasks.get(team)), name=f"workspace {team}")
        self._running[team], self._tasks[team] = running, running.task
        running.task.add_done_callback(lambda task: self._ended(running, task))
        return running

    async def _run(self, running: _Running, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait({before})  # two at a time would both answer what is open
        one = running.installation
        config = self._config.of_workspace(one.team, one.token)
        async with opened_client(config) as client, self._opening(client, one.me, config) as app:
            running.app.set_result(app)
            await running.stop.wait()

    def _ended(self, running: _Running, task: asyncio.Task[None]) -> None:
        team = running.installation.team
        if self._running.get(team) is running:
            del self._running[team]
        if self._tasks.get(team) is task:
            del self._tasks[team]
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("slack.workspace_broken", team=team, error=type(error).__name__, exc_info=error)
