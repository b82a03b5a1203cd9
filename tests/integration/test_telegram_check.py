"""What `refdesk check` says about Telegram, and how the bot starts on settings that are wrong."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from adapters.checking import Point
from adapters.telegram.app import opened_bot, who_am_i
from adapters.telegram.checking import check
from adapters.telegram.config import Spot, TelegramConfig, Webhook
from engine import ConfigurationError
from tests.telegram_desk import config
from tests.telegram_faults import broken
from tests.telegram_server import BOT_ID, TelegramServer, person

SUPPORT = -1_000_000_000_009


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer().running() as server:
        yield server


async def points(chosen: TelegramConfig) -> dict[str, Point]:
    return {point.name: point for point in await check(chosen)}


async def test_a_bot_that_works(server: TelegramServer) -> None:
    found = await points(config(server))
    assert found["telegram"] == Point(True, "telegram", "the token works, this is @desk_bot")
    assert found["telegram updates"].good
    assert "polling" in found["telegram updates"].text
    assert not server.made("setWebhook", "deleteWebhook"), "a check changes nothing"


async def test_privacy_mode_is_explained_and_fails_only_where_it_matters(server: TelegramServer) -> None:
    calm = (await points(config(server)))["telegram groups"]
    assert calm.good
    assert "/setprivacy" in calm.text
    auto = frozenset({Spot(chat=-1)})
    assert not (await points(config(server, auto_answer=auto)))["telegram groups"].good
    server.reads_groups = True
    assert (await points(config(server, auto_answer=auto)))["telegram groups"].good


async def test_a_wrong_token_and_a_silent_server_are_told_apart(server: TelegramServer) -> None:
    (refused,) = (await points(TelegramConfig(token="1:wrong", url=server.url))).values()
    assert not refused.good
    assert "@BotFather" in refused.text
    server.faults = lambda method, params: broken()
    (silent,) = (await points(config(server))).values()
    assert "cannot be reached" in silent.text
    assert "wrong" not in refused.text, "the token itself is never shown"


async def test_a_webhook_that_fails_says_why(server: TelegramServer) -> None:
    hook = Webhook(url="https://desk.example.org", secret="s")
    assert "not set yet" in (await points(config(server, webhook=hook)))["telegram updates"].text
    server.webhook = {
        "url": "https://desk.example.org/telegram",
        "info": {"last_error_message": "Connection refused", "last_error_date": 1},
    }
    failing = (await points(config(server, webhook=hook)))["telegram updates"]
    assert not failing.good
    assert "Connection refused" in failing.text
    assert "removes it" in (await points(config(server)))["telegram updates"].text


RIGHTS = dict.fromkeys(
    (
        "can_be_edited is_anonymous can_manage_chat can_delete_messages can_manage_video_chats can_restrict_members "
        "can_promote_members can_change_info can_invite_users can_post_stories can_edit_stories can_delete_stories "
        "can_send_welcome_messages"
    ).split(),
    False,
)
ADMINISTRATOR = {"status": "administrator", "user": person(BOT_ID), **RIGHTS}

SUPPORT_CHATS = {
    "unknown": (None, None, None, False, "add the bot to the chat"),
    "left": ({"status": "left", "user": person(BOT_ID)}, None, None, False, "add it"),
    "a plain member": (None, set(), None, False, "make it one"),
    "no topics": (ADMINISTRATOR, set(), 7, False, "topics are off"),
    "may not manage topics": ({**ADMINISTRATOR, "can_manage_topics": False}, {7}, 7, False, "manage topics"),
    "all rights": ({**ADMINISTRATOR, "can_manage_topics": True}, {7}, 7, True, "administrator"),
}


@pytest.mark.parametrize("name", SUPPORT_CHATS)
async def test_missing_rights_in_the_support_chat(server: TelegramServer, name: str) -> None:
    member, topics, topic, good, says = SUPPORT_CHATS[name]
    if name != "unknown":
        server.chat(SUPPORT, "supergroup", topics=topics or set())
    if member is not None:
        server.members[SUPPORT] = member
    point = (await points(config(server, support=Spot(chat=SUPPORT, topic=topic))))["telegram support chat"]
    assert point.good is good
    assert says in point.text


async def test_a_token_that_is_none_is_refused_before_anything_is_asked() -> None:
    with pytest.raises(ConfigurationError, match="@BotFather"):
        async with opened_bot(TelegramConfig(token="nonsense")):
            pass


async def test_an_unreachable_server_is_told(server: TelegramServer) -> None:
    async with opened_bot(TelegramConfig(token="1:a", url="http://127.0.0.1:9")) as bot:
        with pytest.raises(ConfigurationError, match="REFDESK_TELEGRAM_API_URL"):
            await who_am_i(bot)
