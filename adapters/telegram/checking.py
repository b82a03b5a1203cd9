"""What `refdesk check` says about Telegram: each point is good or not, and what to do about it."""

from __future__ import annotations

from aiogram import Bot
from aiogram.types import ChatMemberAdministrator, ChatMemberOwner, User

from adapters.checking import Point
from adapters.telegram.app import opened_bot, who_am_i
from adapters.telegram.calls import FAILURES, reason
from adapters.telegram.config import TelegramConfig
from engine import ConfigurationError


async def check(config: TelegramConfig) -> list[Point]:
    """Stops at a token that is no good; changes nothing at Telegram."""
    async with opened_bot(config) as bot:
        try:
            me = await who_am_i(bot)
        except ConfigurationError as error:
            return [Point(False, "telegram", str(error))]
        points = [
            Point(True, "telegram", f"the token works, this is @{me.username}"),
            _privacy(me, config),
            await _webhook(bot, config),
        ]
        return points if config.support is None else [*points, await _support(bot, me, config)]


def _privacy(me: User, config: TelegramConfig) -> Point:
    name = "telegram groups"
    if me.can_join_groups is False:
        return Point(not config.auto_answer, name, "the bot may not be added to groups; /setjoingroups at @BotFather")
    if me.can_read_all_group_messages:
        return Point(True, name, "privacy mode is off: mentions reach the bot")
    text = (
        "privacy mode is on: only commands and replies to the bot reach it, no plain mentions; use /ask, or turn it "
        "off with /setprivacy at @BotFather and add the bot to the group again, or make it an administrator"
    )
    return Point(not config.auto_answer, name, text)


async def _webhook(bot: Bot, config: TelegramConfig) -> Point:
    name = "telegram updates"
    try:
        info = await bot.get_webhook_info()
    except FAILURES as error:
        return Point(False, name, f"Telegram does not say whether there is a webhook: {reason(error)}")
    wanted = "" if config.webhook is None else f"{config.webhook.url.rstrip('/')}{config.webhook.path}"
    waiting = f"{info.pending_update_count} updates wait"
    if config.webhook is None:
        if info.url:
            return Point(True, name, f"a webhook is set; `refdesk run` removes it and polls; {waiting}")
        return Point(True, name, f"by long polling; {waiting}")
    if info.last_error_message and info.url == wanted:
        text = f"Telegram cannot deliver to the webhook: {info.last_error_message}; {waiting}. Look at your proxy"
        return Point(False, name, text)
    if info.url != wanted:
        return Point(True, name, f"the webhook is not set yet; `refdesk run` sets it; {waiting}")
    return Point(True, name, f"by webhook; {waiting}")


async def _support(bot: Bot, me: User, config: TelegramConfig) -> Point:
    name = "telegram support chat"
    assert config.support is not None
    try:
        chat = await bot.get_chat(config.support.chat)
        member = await bot.get_chat_member(config.support.chat, me.id)
    except FAILURES as error:
        return Point(False, name, f"the bot cannot see it ({reason(error)}): add the bot to the chat, look at its id")
    if member.status in ("left", "kicked"):
        return Point(False, name, "the bot is not in the chat: add it")
    if config.support.topic is not None and not chat.is_forum:
        return Point(False, name, "REFDESK_TELEGRAM_SUPPORT_CHAT names a topic, but topics are off in the chat")
    if isinstance(member, ChatMemberOwner):
        return Point(True, name, f"“{chat.title}”, desk {config.desk}")
    if not isinstance(member, ChatMemberAdministrator):
        text = "the bot is no administrator there and would not see what people answer: make it one"
        return Point(bool(me.can_read_all_group_messages), name, text)
    if chat.is_forum and not member.can_manage_topics:
        return Point(False, name, "the bot may not manage topics there: give it that right")
    return Point(True, name, f"“{chat.title}”, the bot is an administrator, desk {config.desk}")
