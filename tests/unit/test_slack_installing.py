"""Which installations are refused, and with which words."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from slack_sdk.oauth.installation_store.models.installation import Installation as Granted

from adapters.slack.config import Installing, SlackConfig
from adapters.slack.installations import Installation
from adapters.slack.installing import InstallationRefused, authorize_url, oauth_flow

TOKEN = "xoxb-1-secret"


class Store:
    def __init__(self) -> None:
        self.saved: dict[str, Mapping[str, Any]] = {}
        self.states: list[str] = []

    async def save(self, workspace: str, content: Mapping[str, Any]) -> None:
        self.saved[workspace] = content

    async def find(self, workspace: str) -> Mapping[str, Any] | None:
        return self.saved.get(workspace)

    async def all(self) -> dict[str, Mapping[str, Any]]:
        return self.saved

    async def remove(self, workspace: str) -> None:
        self.saved.pop(workspace, None)

    async def issue(self, state: str, lasting: timedelta) -> None:
        self.states.append(state)

    async def consume(self, state: str, lasting: timedelta) -> bool:
        return state in self.states


def granted(**values: Any) -> Granted:
    given = {"user_id": "U9", "team_id": "T01", "team_name": "Acme", "bot_token": TOKEN, "bot_user_id": "U0BOT"}
    return Granted(**{**given, "bot_scopes": "chat:write,commands", **values})


async def saved(one: Granted, **values: Any) -> tuple[Store, list[Installation]]:
    store, told = Store(), list[Installation]()

    async def installed(installation: Installation) -> None:
        told.append(installation)

    config = SlackConfig(installing=Installing(client_id="1.2", client_secret="hush", **values))
    await oauth_flow(config, store, installed).settings.installation_store.async_save(one)
    return store, told


async def test_what_is_granted_is_kept_and_told(caplog: pytest.LogCaptureFixture, capsys: Any) -> None:
    caplog.set_level(logging.DEBUG)
    store, (one,) = await saved(granted(), teams=frozenset({"T01"}))
    assert Installation.of(store.saved["T01"]) == one
    assert (one.name, one.token, one.scopes) == ("Acme", TOKEN, "chat:write,commands")
    written = caplog.text + capsys.readouterr().out + capsys.readouterr().err + repr(one)
    assert "secret" not in written


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "an organisation": ({"is_enterprise_install": True, "enterprise_id": "E01", "team_id": None}, "workspace by"),
    "an organisation by a workspace": ({"is_enterprise_install": True}, "workspace by workspace"),
    "a workspace not named": ({"team_id": "T09"}, "not open to workspace T09"),
    "tokens that expire": ({"bot_refresh_token": "xoxe-1"}, "token rotation"),
    "no bot": ({"bot_token": None}, "no bot token"),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_what_is_refused_is_not_kept(name: str) -> None:
    values, says = REFUSED[name]
    with pytest.raises(InstallationRefused, match=says) as raised:
        await saved(granted(**values), teams=frozenset({"T01"}))
    assert TOKEN not in str(raised.value)


def test_slacks_page_is_beside_its_api() -> None:
    assert authorize_url(SlackConfig()) == "https://slack.com/oauth/v2/authorize"
