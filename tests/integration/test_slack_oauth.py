"""Installation by OAuth against an emulator that others wrote, in a browser that keeps its cookies."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.checking import check_workspaces
from adapters.slack.config import Installing, Listening, SlackConfig
from adapters.slack.installations import Installation
from adapters.slack.scopes import NEEDED
from tests.delivery_fakes import ScriptedEngine, answered
from tests.emulated_oauth import (
    BOT,
    CLIENT_ID,
    CLIENT_SECRET,
    SIGNING_SECRET,
    Browser,
    browser,
    emulated_slack,
    needs_emulate,
)
from tests.slack_team import Team, posted, slack_team
from tests.waiting import PATIENCE

pytestmark = [
    needs_emulate,
    pytest.mark.filterwarnings("ignore:BasicAuth is deprecated:DeprecationWarning"),  # slack_sdk's own
]

QUESTION = "How do I get my deposit back?"


class World:
    def __init__(self, config: SlackConfig, team: Team, engine: ScriptedEngine, browser: Browser, ours: str) -> None:
        self.config, self.team, self.engine, self.browser, self.ours = config, team, engine, browser, ours

    async def installs(self, **changed: str) -> str:
        """Up to Slack's way back to us; its address."""
        return await self.browser.allows(await self.browser.asks(f"{self.ours}/slack/install"), **changed)

    async def installed(self) -> list[Installation]:
        return [Installation.of(content) for content in (await self.team.installations.all()).values()]


@asynccontextmanager
async def world(folder: Path, ports: Any, **values: Any) -> AsyncIterator[World]:
    port, events = ports(), ports()
    ours = f"http://127.0.0.1:{events}"
    redirect = f"{ours}/slack/oauth_redirect"
    async with emulated_slack(folder, port, redirect) as slack, browser(ours) as visitor:
        config = SlackConfig(
            installing=Installing(client_id=CLIENT_ID, client_secret=CLIENT_SECRET, redirect_url=redirect, **values),
            listening=Listening(signing_secret=SIGNING_SECRET, port=events),
            url=f"{slack}/api/",
        )
        engine = ScriptedEngine(answered("Ten days."))
        async with slack_team(engine, folder, config) as team:
            yield World(config, team, engine, visitor, ours)


async def asked(here: World, one: Installation) -> dict[str, Any]:
    """Whoever installed the app asks by a direct message; the event, unsigned."""
    client = AsyncWebClient(token=one.token, base_url=here.config.url)
    opened = await client.api_call("conversations.open", json={"users": here.browser.user})
    channel = opened["channel"]["id"]
    event = {"type": "message", "channel": channel, "channel_type": "im", "user": here.browser.user, "text": QUESTION}
    event["ts"] = "1700000000.000100"
    return {"type": "event_callback", "event_id": "Ev1", "team_id": one.team, "event": event}


async def said(here: World, one: Installation, event: dict[str, Any]) -> list[str]:
    client = AsyncWebClient(token=one.token, base_url=here.config.url)
    thread = {"channel": event["event"]["channel"], "ts": event["event"]["ts"]}
    found = await client.api_call("conversations.replies", json=thread)
    return [message["text"] for message in found["messages"]]


async def test_a_workspace_installs_the_app_and_is_answered(tmp_path: Path, unused_tcp_port_factory: Any) -> None:
    async with world(tmp_path, unused_tcp_port_factory) as here:
        page = await here.browser.get(await here.installs())
        assert page.status == 200
        (one,) = await here.installed()
        assert one.user == BOT
        assert set(one.scopes.split(",")) == set(NEEDED)
        assert one.token.startswith("xoxb-")
        assert one.token not in repr(one)
        assert one.token not in page.text
        event, url = await asked(here, one), f"{here.ours}/slack/events"
        assert (await posted(url, event, secret="wrong"))[0] == 401
        assert (await posted(url, event, secret=SIGNING_SECRET))[0] == 200
        async with asyncio.timeout(PATIENCE):
            while await said(here, one, event) != ["Ten days."]:  # noqa: ASYNC110  another program
                await asyncio.sleep(0.05)
        assert [question.conversation for question in here.engine.questions] == [
            f"slack:{one.team}:{BOT}:{event['event']['channel']}:{event['event']['ts']}"
        ]


async def test_a_way_back_from_slack_is_good_once_and_in_one_browser(
    tmp_path: Path, unused_tcp_port_factory: Any
) -> None:
    async with world(tmp_path, unused_tcp_port_factory) as here, browser(here.ours) as another:
        back = await here.installs()
        assert (await another.get(back)).status == 400, "a state belongs to the browser that began with it"
        assert (await here.browser.get(back)).status == 200
        (one,) = await here.installed()
        again = await here.browser.get(back)
        assert (again.status, "invalid_browser" in again.text) == (400, True), "the cookie is gone with the state"
        code = re.findall(r"code=(\w+)", back)[0]
        used = re.sub(r"code=\w+", f"code={code}", await here.installs())
        assert (await here.browser.get(used)).status == 401, "a code is good once"
        state = re.findall(r"state=([\w-]+)", await here.installs())[0]
        made_up = f"{here.ours}/slack/oauth_redirect?code={code}&state={state[::-1]}"
        assert (await here.browser.get(made_up)).status == 400
        assert await here.installed() == [one]


async def test_a_state_that_was_used_is_refused_though_the_browser_kept_its_cookie(
    tmp_path: Path, unused_tcp_port_factory: Any
) -> None:
    async with world(tmp_path, unused_tcp_port_factory) as here:
        back = await here.installs()
        cookies = here.browser.cookies()
        assert (await here.browser.get(back)).status == 200
        here.browser.keeps(cookies, here.ours)
        again = await here.browser.get(back)
        assert again.status == 401
        assert "invalid_state" in again.text


async def test_whoever_says_no_on_slacks_page_installs_nothing(tmp_path: Path, unused_tcp_port_factory: Any) -> None:
    async with world(tmp_path, unused_tcp_port_factory) as here:
        page = await here.browser.get(f"{here.ours}/slack/oauth_redirect?error=access_denied&state=x")
        assert "access_denied" in page.text
        assert await here.installed() == []


async def test_a_workspace_that_the_owner_did_not_name_is_refused(tmp_path: Path, unused_tcp_port_factory: Any) -> None:
    async with world(tmp_path, unused_tcp_port_factory, teams=frozenset({"T0OURS"})) as here:
        page = await here.browser.get(await here.installs())
        assert page.status == 403
        assert "not open to workspace T" in page.text
        assert await here.installed() == []


async def test_a_check_names_the_scopes_that_a_workspace_did_not_grant(
    tmp_path: Path, unused_tcp_port_factory: Any
) -> None:
    async with world(tmp_path, unused_tcp_port_factory) as here:
        installing = here.config.installing
        assert installing is not None
        none_yet = await check_workspaces(here.config, installing, here.team.installations)
        assert [point.text for point in none_yet][0] == "the app is known; 0 workspaces have installed it"
        granted = ",".join(sorted(NEEDED.keys() - {"im:history", "commands"}))
        await here.browser.get(await here.installs(scope=granted))
        (one,) = await here.installed()
        points = {
            point.name: point for point in await check_workspaces(here.config, installing, here.team.installations)
        }
        point = points[f"slack {one.team}"]
        assert not point.good
        assert "im:history (direct messages)" in point.text
        assert "commands (/ask" in point.text
        (refused,) = await check_workspaces(here.config, replace(installing, client_id="9.9"), here.team.installations)
        assert "REFDESK_SLACK_CLIENT_ID" in refused.text


async def test_what_slack_cannot_answer_is_told_and_can_be_done_again(
    tmp_path: Path, unused_tcp_port_factory: Any
) -> None:
    redirect = "http://127.0.0.1:1/slack/oauth_redirect"
    events = unused_tcp_port_factory()
    config = SlackConfig(
        installing=Installing(client_id=CLIENT_ID, client_secret=CLIENT_SECRET, redirect_url=redirect),
        listening=Listening(signing_secret=SIGNING_SECRET, port=events),
        url="http://127.0.0.1:9/api/",
    )
    ours = f"http://127.0.0.1:{events}"
    async with slack_team(ScriptedEngine(answered()), tmp_path, config), browser(ours) as visitor:
        authorize = await visitor.asks(f"{ours}/slack/install")
        state = re.findall(r"state=([\w-]+)", authorize)[0]
        page = await visitor.get(f"{ours}/slack/oauth_redirect?code=c&state={state}")
    assert page.status == 503
    assert "try again" in page.text
