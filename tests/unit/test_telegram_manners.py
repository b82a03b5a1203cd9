"""Which messages the bot takes for questions, and what of them."""

from __future__ import annotations

from typing import Any

import pytest
from aiogram.types import Update, User

from adapters.telegram.config import Spot
from adapters.telegram.updates import Manners, TakenByHuman
from engine import Inbound

ME = User(id=4242, is_bot=True, first_name="Desk", username="desk_bot")
ALICE = {"id": 7, "is_bot": False, "first_name": "Alice", "last_name": "A", "language_code": "en-GB"}
OTHER_BOT = {"id": 99, "is_bot": True, "first_name": "Bot", "username": "other_bot"}
SELF = {"id": 4242, "is_bot": True, "first_name": "Desk", "username": "desk_bot"}
GROUP = {"id": -1001, "type": "supergroup", "title": "Help"}
PRIVATE = {"id": 7, "type": "private", "first_name": "Alice"}
QUESTION = "How do I get my deposit back?"


def manners(**values: Any) -> Manners:
    return Manners(desk="telegram:4242", me=ME, **values)


def update(chat: dict[str, Any] = PRIVATE, kind: str = "message", **message: Any) -> Update:
    said = {"message_id": 5, "date": 1_700_000_000, "chat": chat, "from": ALICE, **message}
    return Update.model_validate({"update_id": 1, kind: {name: one for name, one in said.items() if one is not None}})


def read(*args: Any, **message: Any) -> Inbound | None:
    found = manners().read(update(*args, **message))
    assert not isinstance(found, TakenByHuman)
    return found


def mention(text: str) -> dict[str, Any]:
    start = text.index("@")
    return {"text": text, "entities": [{"type": "mention", "offset": start, "length": len("@desk_bot")}]}


def test_every_private_message_is_a_question() -> None:
    found = read(text=QUESTION)
    assert found is not None
    assert (found.text, found.asker, found.language, found.whole) == (QUESTION, "7", "en", True)
    assert found.conversation == "telegram:4242::7"
    assert found.place["chat"] == 7
    assert found.place["message"] == 5


NOT_FOR_US: dict[str, dict[str, Any]] = {
    "another bot": {"from": OTHER_BOT, "text": QUESTION},
    "itself": {"from": SELF, "text": QUESTION},
    "through an inline bot": {"via_bot": OTHER_BOT, "text": QUESTION},
    "a sticker": {"sticker": {"file_id": "1", "file_unique_id": "1", "type": "regular", "width": 1, "height": 1,
                              "is_animated": False, "is_video": False}},
    "somebody joined": {"new_chat_members": [ALICE]},
    "a pinned message": {"pinned_message": {"message_id": 1, "date": 0, "chat": PRIVATE}},
    "a new title": {"new_chat_title": "Help!"},
    "nothing but spaces": {"text": "  "},
    "a post forwarded by Telegram itself": {"is_automatic_forward": True, "text": QUESTION},
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_FOR_US)
@pytest.mark.parametrize("chat", [PRIVATE, GROUP], ids=["private", "group"])
def test_what_is_never_a_question(name: str, chat: dict[str, Any]) -> None:
    assert read(chat, **NOT_FOR_US[name]) is None


IN_GROUPS: dict[str, tuple[dict[str, Any], str | None]] = {
    "a plain message": ({"text": QUESTION}, None),
    "a mention": (mention(f"@desk_bot {QUESTION}"), QUESTION),
    "a mention in other letters": (mention(f"@Desk_Bot, {QUESTION}"), QUESTION),
    "a mention at the end": (mention(f"{QUESTION} @desk_bot"), QUESTION),
    "a mention of somebody else": (
        {"text": f"@other_bot {QUESTION}", "entities": [{"type": "mention", "offset": 0, "length": 10}]},
        None,
    ),
    "our name inside a word": ({"text": "mail@desk_bot.example how?"}, None),
    "a mention in a caption": (
        {"caption": f"@desk_bot {QUESTION}", "photo": [],
         "caption_entities": [{"type": "mention", "offset": 0, "length": 9}]},
        QUESTION,
    ),
    "a reply to us": (
        {"text": QUESTION, "reply_to_message": {"message_id": 2, "date": 0, "chat": GROUP, "from": SELF}},
        QUESTION,
    ),
    "a reply to somebody": (
        {"text": QUESTION, "reply_to_message": {"message_id": 2, "date": 0, "chat": GROUP, "from": ALICE}},
        None,
    ),
    "a mention as a reply to somebody's question": (
        {**mention("@desk_bot"),
         "reply_to_message": {"message_id": 2, "date": 0, "chat": GROUP, "from": ALICE, "text": QUESTION}},
        QUESTION,
    ),
    "our command": ({"text": f"/ask {QUESTION}"}, QUESTION),
    "our command by name": ({"text": f"/ask@desk_bot {QUESTION}"}, QUESTION),
    "another bot's command": ({"text": f"/ask@other_bot {QUESTION}"}, None),
    "an unknown command": ({"text": "/weather"}, None),
    "an anonymous administrator": (
        {**mention(f"@desk_bot {QUESTION}"), "sender_chat": GROUP,
         "from": {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}},
        QUESTION,
    ),
    "a channel": (
        {**mention(f"@desk_bot {QUESTION}"), "sender_chat": {"id": -1002, "type": "channel", "title": "News"},
         "from": {"id": 136817688, "is_bot": True, "first_name": "Channel", "username": "Channel_Bot"}},
        QUESTION,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", IN_GROUPS)
def test_in_groups_the_bot_has_to_be_addressed(name: str) -> None:
    message, expected = IN_GROUPS[name]
    found = read(GROUP, **message)
    assert (found.text if found else None) == expected


def test_all_is_a_question_in_a_topic_set_to_auto_answer() -> None:
    polite = manners(auto_answer=frozenset({Spot(chat=-1001, topic=42)}))
    in_topic = polite.read(update(GROUP, text=QUESTION, message_thread_id=42, is_topic_message=True))
    assert isinstance(in_topic, Inbound)
    assert in_topic.place["topic"] == 42
    assert polite.read(update(GROUP, text=QUESTION, message_thread_id=43, is_topic_message=True)) is None
    assert polite.read(update(GROUP, text=QUESTION)) is None
    command = update(GROUP, text="/weather", message_thread_id=42, is_topic_message=True)
    assert polite.read(command) is None


def test_a_thread_that_is_no_topic_and_the_general_topic_are_not_addressed() -> None:
    for message in ({"message_thread_id": 9}, {"message_thread_id": 1, "is_topic_message": True}):
        found = read(GROUP, text="/ask now?", **message)
        assert found is not None
        assert found.place["topic"] is None


def test_each_asker_and_topic_of_a_group_is_a_conversation() -> None:
    bob = {**ALICE, "id": 8}
    places = [
        read(GROUP, text="/ask one?"),
        read(GROUP, text="/ask one?", **{"from": bob}),
        read(GROUP, text="/ask one?", message_thread_id=42, is_topic_message=True),
    ]
    assert len({found.conversation for found in places if found}) == 3


def test_the_support_chat_asks_nothing() -> None:
    polite = manners(support=Spot(chat=-1001))
    assert polite.read(update(GROUP, **mention(f"@desk_bot {QUESTION}"))) is None


PHOTO = {"photo": [{"file_id": "1", "file_unique_id": "1", "width": 1, "height": 1}]}
VOICE = {"voice": {"file_id": "1", "file_unique_id": "1", "duration": 1}}


def test_a_caption_is_the_question_and_the_rest_is_named() -> None:
    found = read(caption=QUESTION, **PHOTO)
    assert found is not None
    assert (found.text, found.unread) == (QUESTION, ("photo",))
    spoken = read(**VOICE)
    assert spoken is not None
    assert (spoken.text, spoken.unread) == ("", ("voice",))
    assert read(GROUP, **VOICE) is None


def test_an_album_without_a_caption_is_one_message() -> None:
    keys = {found.key for number in (5, 6, 7) if (found := read(media_group_id="g", message_id=number, **PHOTO))}
    assert len(keys) == 1


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("здравствуйте", False),
        ("у меня", False),
        ("не входит", False),
        ("сколько?", True),
        ("как мне вернуть депозит", True),
        ("word " * 800, False),
    ],
)
def test_what_waits_for_more(text: str, whole: bool) -> None:
    found = read(text=text)
    assert found is not None
    assert found.whole is whole


def test_a_forwarded_message_waits_for_a_comment() -> None:
    origin = {"type": "hidden_user", "date": 1, "sender_user_name": "Bob"}
    found = read(text="error 500 while signing in to the cabinet", forward_origin=origin)
    assert found is not None
    assert not found.whole


def test_an_edit_within_a_minute_is_a_new_wording() -> None:
    edited = read(PRIVATE, "edited_message", text=QUESTION, edit_date=1_700_000_030)
    asked = read(text=QUESTION)
    assert edited is not None
    assert asked is not None
    assert edited.amends == asked.key
    assert edited.key != asked.key
    assert read(PRIVATE, "edited_message", text=QUESTION, edit_date=1_700_000_061) is None


def test_a_start_with_a_payload_and_an_unknown_command_in_private() -> None:
    start, unknown = read(text="/start from_site"), read(text="/weather")
    assert start is not None
    assert unknown is not None
    assert (start.command, start.text, unknown.command) == ("start", "from_site", "help")


BUSINESS = {"business_connection_id": "b1"}


def test_a_customer_of_a_business_account_is_answered_through_it() -> None:
    found = read(PRIVATE, "business_message", text=QUESTION, **BUSINESS)
    assert found is not None
    assert found.place["business"] == "b1"
    assert found.conversation == "telegram:4242:b1:7"


def test_a_word_of_the_business_accounts_owner_takes_the_conversation_over() -> None:
    owner = {**ALICE, "id": 500}
    said = update(PRIVATE, "business_message", text="I am looking into it.", **BUSINESS, **{"from": owner})
    assert manners().read(said) == TakenByHuman("telegram:4242:b1:7")
    by_us = update(PRIVATE, "business_message", text="hi", sender_business_bot=SELF, **BUSINESS, **{"from": owner})
    assert manners().read(by_us) is None


def test_updates_that_say_nothing_are_nothing() -> None:
    assert manners().read(Update.model_validate({"update_id": 1})) is None
