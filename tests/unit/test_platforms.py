"""Settings of platforms: what is understood, and what is told about the rest."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adapters.telegram.config import Spot
from adapters.texts import TEXTS, Texts
from bot.platforms import people_elsewhere, slack_config, telegram_config
from bot.settings import Settings
from bot.words import read_words
from engine import LANGUAGES, ConfigurationError
from engine.phrases import PHRASES, Phrases
from engine.types import Reference
from tests.slack_server import BOT, TEAM, TOKEN, SlackServer

ROOT = Path(__file__).parents[2]


def settings(**values: str) -> Settings:
    return Settings.load(environment={f"REFDESK_TELEGRAM_{name}".upper(): value for name, value in values.items()})


def test_without_a_token_there_is_no_telegram() -> None:
    assert telegram_config(settings()) is None


def test_chats_and_topics_are_read() -> None:
    config = telegram_config(settings(token="42:a", auto_answer="-1001:7, -1002,-1003:1", support_chat="-1009:1"))
    assert config is not None
    assert config.auto_answer == {Spot(chat=-1001, topic=7), Spot(chat=-1002), Spot(chat=-1003)}
    assert config.support == Spot(chat=-1009), "the general topic must not be addressed by its id"
    assert config.desk == "telegram:42"
    assert "42:a" not in repr(config)


def test_a_webhook_is_read() -> None:
    config = telegram_config(
        settings(token="42:a", webhook_url="https://x.y", webhook_secret="abc", webhook_listen="[::1]:9000")
    )
    assert config is not None
    assert config.webhook is not None
    assert (config.webhook.host, config.webhook.port, config.webhook.path) == ("::1", 9000, "/telegram")
    assert "abc" not in repr(config)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"token": "nonsense"}, "@BotFather"),
        ({"auto_answer": "my group"}, "AUTO_ANSWER: my group is no chat"),
        ({"support_chat": "@support"}, "SUPPORT_CHAT: @support is no chat"),
        ({"webhook_url": "https://x.y"}, "WEBHOOK_SECRET"),
        ({"webhook_url": "https://x.y", "webhook_secret": "a b"}, "1 to 256 characters"),
        ({"webhook_url": "https://x.y", "webhook_secret": "a", "webhook_listen": "8080"}, "an address and a port"),
        ({"webhook_url": "https://x.y", "webhook_secret": "a", "webhook_path": "x"}, "begins with a slash"),
    ],
)
def test_what_is_wrong_is_told_with_what_to_do(values: dict[str, str], says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        telegram_config(settings(**{"token": "42:a", **values}))


# --- texts ----------------------------------------------------------------------------------------------------------


def test_every_text_is_there_in_both_languages() -> None:
    every = {**TEXTS, **PHRASES}
    assert len(every) == len(TEXTS) + len(PHRASES), "an owner's file names each text once"
    assert {name: set(words) for name, words in every.items() if set(words) != set(LANGUAGES)} == {}


def test_every_text_that_is_said_is_in_a_catalogue() -> None:
    said = re.compile(r"\b_?(?:texts|phrases)\(\s*\"(\w+)\"")
    sources = [
        path.read_text(encoding="utf-8") for part in ("adapters", "engine") for path in (ROOT / part).rglob("*.py")
    ]
    names = {name for source in sources for name in said.findall(source)}
    assert len(names) > 20
    assert names - TEXTS.keys() - PHRASES.keys() == set()


def test_the_owner_may_put_other_words_in_place(tmp_path: Path) -> None:
    file = tmp_path / "texts.yaml"
    file.write_text("ru:\n  thanks: Благодарим!\nen:\n  help: 'Just ask. {commands}'\n", encoding="utf-8")
    texts = read_words(file).texts
    assert texts("thanks", "ru") == "Благодарим!"
    assert texts("thanks", "en") == "Thank you!"
    assert texts("help", "en", commands="/ask") == "Just ask. /ask"


def test_the_owner_may_word_what_the_engine_says(tmp_path: Path) -> None:
    file = tmp_path / "texts.yaml"
    file.write_text("ru:\n  missed: Спросите в чате жильцов.\n  gathering: 'Ищу: {places}'\n", encoding="utf-8")
    phrases = read_words(file).phrases
    assert phrases("missed", "ru") == "Спросите в чате жильцов."
    assert phrases("missed", "en") == Phrases()("missed", "en")
    place = Reference(type="section", target="7.2", marker="п. 7.2", word="clause", status="resolved")
    assert phrases.gathering("ru", [place, place]) == "Ищу: пункт 7.2"


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("de: {thanks: Danke}", "de is no language here"),
        ("ru: {thankss: x}", "did you mean thanks"),
        ("ru: {misssed: x}", "did you mean missed"),
        ("ru: {gathering: '{place}'}", "has no {place} to fill in"),
        ("ru: {help: '{name}'}", "has no {name} to fill in"),
        ("ru: {help: '{'}", "for braces"),
        ("- a", "names and words by language"),
        ("ru: {thanks: 5}", "names and words by language"),
        ("ru: [", "are not YAML"),
    ],
)
def test_texts_that_are_wrong_are_told(tmp_path: Path, written: str, says: str) -> None:
    file = tmp_path / "texts.yaml"
    file.write_text(written, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=says):
        read_words(file)


def test_a_file_of_texts_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_words(tmp_path / "none.yaml")
    (tmp_path / "empty.yaml").write_text("", encoding="utf-8")
    assert read_words(tmp_path / "empty.yaml").texts("thanks", "ru") == Texts()("thanks", "ru")


# --- Slack ----------------------------------------------------------------------------------------------------------


def slack_settings(**values: str) -> Settings:
    return Settings.load(environment={f"REFDESK_SLACK_{name}".upper(): value for name, value in values.items()})


def test_slack_by_socket_and_by_http() -> None:
    assert slack_config(slack_settings()) is None
    socket = slack_config(slack_settings(bot_token="xoxb-1", app_token="xapp-1", auto_answer="C01, C02"))
    assert socket is not None
    assert socket.listening is None
    assert socket.auto_answer == {"C01", "C02"}
    assert "xoxb-1" not in repr(socket)
    assert "xapp-1" not in repr(socket)
    http = slack_config(slack_settings(bot_token="xoxb-1", signing_secret="abc", listen="[::1]:9000", path="/x"))
    assert http is not None
    assert http.listening is not None
    assert (http.listening.host, http.listening.port, http.listening.path) == ("::1", 9000, "/x")
    assert "abc" not in repr(http)


def test_slack_in_several_workspaces() -> None:
    oauth = {"client_id": "1.2", "client_secret": "hush", "teams": "T01, T02"}
    http = slack_config(slack_settings(**oauth, signing_secret="abc", redirect_url="https://x.y/back"))
    assert http is not None
    assert http.installing is not None
    assert http.installing.teams == {"T01", "T02"}
    assert http.installing.redirect_path == "/back"
    assert "hush" not in repr(http)
    socket = slack_config(slack_settings(**oauth, app_token="xapp-1", support_channel="T01:C01,T02:C02"))
    assert socket is not None
    assert socket.listening is not None, "browsers come to install it"
    assert socket.of_workspace("T02", "xoxb-2").support == "C02"
    assert socket.of_workspace("T03", "xoxb-3").support is None


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"client_id": "1.2"}, "belong together"),
        ({"client_secret": "hush"}, "belong together"),
        ({"bot_token": "xoxb-1"}, "are both set"),
        ({"redirect_url": "x.y/z"}, "REDIRECT_URL is no https://"),
        ({"redirect_url": "https://x.y"}, "REDIRECT_URL is no https://"),
        ({"teams": "Acme"}, "Acme is no workspace"),
        ({"support_channel": "C01"}, "C01 is for one workspace"),
        ({"support_channel": "T01:help"}, "help is no channel"),
        ({"app_token": ""}, "CLIENT_ID is set, but neither"),
    ],
)
def test_what_is_wrong_with_several_workspaces_is_told(values: dict[str, str], says: str) -> None:
    oauth = {"app_token": "xapp-1"}
    if not {"client_id", "client_secret"} & values.keys():
        oauth |= {"client_id": "1.2", "client_secret": "hush"}
    with pytest.raises(ConfigurationError, match=says) as raised:
        slack_config(slack_settings(**{**oauth, **values}))
    assert "hush" not in str(raised.value)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"app_token": "xapp-1"}, "not REFDESK_SLACK_BOT_TOKEN"),
        ({"bot_token": "xoxp-1", "app_token": "xapp-1"}, "begins with xoxb-"),
        ({"bot_token": "xoxb-1", "app_token": "abc"}, "begins with xapp-"),
        ({"bot_token": "xoxb-1"}, "neither REFDESK_SLACK_APP_TOKEN"),
        ({"bot_token": "xoxb-1", "app_token": "xapp-1", "auto_answer": "#general"}, "#general is no channel"),
        ({"bot_token": "xoxb-1", "app_token": "xapp-1", "support_channel": "help"}, "help is no channel"),
        ({"bot_token": "xoxb-1", "signing_secret": "a", "listen": "3000"}, "an address and a port"),
        ({"bot_token": "xoxb-1", "signing_secret": "a", "path": "x"}, "begins with a slash"),
    ],
)
def test_what_is_wrong_with_slack_is_told(values: dict[str, str], says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        slack_config(slack_settings(**values))


# --- where tickets go ----------------------------------------------------------------------------------------------

BOTH = {
    "telegram_token": "42:a",
    "telegram_support_chat": "-1009",
    "slack_bot_token": "xoxb-1",
    "slack_app_token": "xapp-1",
}


async def people(**values: str) -> str | None:
    found = Settings.load(environment={f"REFDESK_{name}".upper(): value for name, value in values.items()})
    return await people_elsewhere(found, telegram_config(found), slack_config(found))


async def test_tickets_go_where_the_settings_say() -> None:
    assert await people(**BOTH) is None
    assert await people(**BOTH, support_desk="own") is None
    assert await people(**BOTH, support_desk="telegram") == "telegram:42"
    assert await people(telegram_token="42:a", support_desk="slack:T01:U01") == "slack:T01:U01"


async def test_tickets_go_to_the_slack_of_this_process() -> None:
    async with SlackServer().running() as server:
        given = {"slack_bot_token": TOKEN, "slack_api_url": server.url, "slack_support_channel": "C02SUPPORT"}
        assert await people(**{**BOTH, **given}, support_desk="slack") == f"slack:{TEAM}:{BOT}"


@pytest.mark.parametrize(
    "values",
    [
        {**BOTH, "support_desk": "slack"},
        {"telegram_token": "42:a", "support_desk": "slack"},
        {"telegram_token": "42:a", "support_desk": "telegram"},
    ],
)
async def test_a_desk_that_nobody_sits_at_is_told(values: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="REFDESK_SUPPORT_DESK is .* not both set"):
        await people(**values)


def test_a_desk_is_a_platform_or_a_name() -> None:
    with pytest.raises(ConfigurationError, match="SUPPORT_DESK"):
        Settings.load(environment={"REFDESK_SUPPORT_DESK": "somewhere"})
