"""What `refdesk check` says about Slack, the manifest, and how the bot starts on settings that are wrong."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from adapters.checking import Point
from adapters.slack.app import opened_client, who_am_i
from adapters.slack.checking import check
from adapters.slack.config import Listening, SlackConfig
from adapters.slack.scopes import EVENTS, NEEDED
from engine import ConfigurationError
from tests.delivery_fakes import ScriptedEngine, answered
from tests.slack_desk import config, slack_desk
from tests.slack_rules import broken, once
from tests.slack_server import SUPPORT, TOKEN, SlackServer

MANIFEST = Path(__file__).parents[2] / "deploy" / "slack-manifest.yaml"


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with SlackServer().running() as server:
        yield server


async def points(chosen: SlackConfig) -> dict[str, Point]:
    return {point.name: point for point in await check(chosen)}


def test_the_manifest_asks_for_what_is_used_and_no_more() -> None:
    manifest: dict[str, Any] = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))
    assert sorted(manifest["oauth_config"]["scopes"]["bot"]) == sorted(NEEDED)
    assert tuple(manifest["settings"]["event_subscriptions"]["bot_events"]) == EVENTS
    assert [one["command"] for one in manifest["features"]["slash_commands"]] == ["/ask", "/human", "/forget"]


async def test_a_bot_that_works(server: SlackServer) -> None:
    found = await points(config(server.url, support=SUPPORT))
    assert [point.good for point in found.values()] == [True] * 4
    assert found["slack"].text == "the token works, this is @desk"
    assert found["slack scopes"].text == "all granted"
    assert found["slack events"].text == "through Socket Mode"
    assert not server.made("chat.postMessage"), "a check changes nothing"


async def test_missing_scopes_are_named_with_what_they_are_for(server: SlackServer) -> None:
    server.scopes -= {"im:history"}
    server.scopes |= {"channels:read"}
    point = (await points(config(server.url)))["slack scopes"]
    assert not point.good
    assert "im:history (direct messages)" in point.text
    server.scopes |= {"im:history"}
    assert (await points(config(server.url)))["slack scopes"] == Point(
        True, "slack scopes", "all granted; not used: channels:read"
    )


async def test_a_support_channel_that_cannot_be_seen(server: SlackServer) -> None:
    server.channels[SUPPORT].member = False
    point = (await points(config(server.url, support=SUPPORT)))["slack support channel"]
    assert not point.good
    assert "not_in_channel" in point.text


async def test_wrong_tokens_and_a_silent_server_are_told_apart(server: SlackServer) -> None:
    (refused,) = (await points(config(server.url, token="xoxb-wrong"))).values()
    assert "REFDESK_SLACK_BOT_TOKEN (invalid_auth)" in refused.text
    socket = (await points(config(server.url, app_token="xapp-wrong")))["slack events"]
    assert not socket.good
    assert "REFDESK_SLACK_APP_TOKEN" in socket.text
    server.faults = once("auth.test", broken())
    (silent,) = (await points(config(server.url))).values()
    assert not silent.good
    assert not any("wrong" in point.text for point in (refused, socket, silent)), "tokens are never shown"


async def test_http_is_told_with_its_address(server: SlackServer) -> None:
    chosen = config(server.url, app_token=None, listening=Listening(signing_secret="s"))
    assert (await points(chosen))["slack events"].text == "by HTTP at 127.0.0.1:3000/slack/events, signed"


async def test_the_bot_does_not_start_on_a_wrong_app_token(server: SlackServer, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="REFDESK_SLACK_APP_TOKEN"):
        async with slack_desk(ScriptedEngine(answered()), tmp_path, server, app_token="xapp-wrong"):
            pass


async def test_an_unreachable_server_is_told() -> None:
    async with opened_client(SlackConfig(token=TOKEN, url="http://127.0.0.1:9/api/")) as client:
        with pytest.raises(ConfigurationError, match="REFDESK_SLACK_API_URL"):
            await who_am_i(client)
