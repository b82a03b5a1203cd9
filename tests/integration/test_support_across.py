"""Askers on one platform, operators on the other, and several processes on one state database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from adapters.inbox import InboxStore
from adapters.support_desk import Bells
from adapters.telegram.config import Spot
from engine import Delta, Final
from engine.providers.state.tickets import SqlTickets
from tests.delivery_fakes import ScriptedEngine, answered, outcome
from tests.slack_desk import slack_desk
from tests.slack_files import Person
from tests.slack_rules import Json
from tests.slack_server import ASKER, BOT, CHANNEL, DIRECT, TEAM, SlackServer
from tests.slack_server import SUPPORT as ROOM
from tests.telegram_desk import telegram_desk
from tests.telegram_server import BOT_ID, TelegramServer
from tests.waiting import PATIENCE, until

GROUP = -1_000_000_000_009
TELEGRAM, SLACK = f"telegram:{BOT_ID}", f"slack:{TEAM}:{BOT}"
ANNA, BORIS = "U11ANNA", "U12BORIS"
QUESTION = "Can I keep a snake in my room?"
MISSED = [Final(outcome("I do not know.", kind="missed"))]


@dataclass
class World:
    telegram: TelegramServer
    slack: SlackServer
    folder: Path
    inbox: InboxStore | None = None
    """Of the bot in Telegram."""

    async def seen_to(self, text: str) -> None:
        """What was asked in Telegram, in these words."""
        inbox = self.inbox
        assert inbox is not None

        async def closed() -> bool:
            return any(one.text == text and one.ending != "open" for one in await inbox.latest(9))

        await until(closed)

    async def until(self, true: Any, seconds: float = 30.0) -> None:
        await self.slack.until(true, seconds)

    # --- the room in Slack

    def head(self, about: str = QUESTION) -> Json:
        heads = [one for one in self.slack.ours(ROOM) if "thread_ts" not in one]
        return next(one for one in heads if about in str(one["blocks"][0]["text"]))

    def in_room(self, about: str = QUESTION) -> list[Json]:
        return self.slack.ours(ROOM, self.head(about)["ts"])

    def says_in_room(self, text: str, *, about: str = QUESTION, user: str = ANNA, **values: Any) -> Json:
        return self.slack.says(text, channel=ROOM, user=user, thread=self.head(about)["ts"], **values)

    # --- the group in Telegram

    def topic(self, about: str = QUESTION) -> int:
        heads = (one for one in self.telegram.ours(GROUP) if "Asked by" in one["text"])
        return int(next(one["message_thread_id"] for one in heads if about in one["text"]))

    def in_group(self, about: str = QUESTION) -> list[Json]:
        return [one for one in self.telegram.ours(GROUP) if one.get("message_thread_id") == self.topic(about)]

    def says_in_group(self, text: str | None, *, about: str = QUESTION, sender: int = 501, **values: Any) -> Json:
        topic: Json = {"message_thread_id": self.topic(about), "is_topic_message": True}
        if sender_user := values.pop("as_", None):
            values["from"] = sender_user
        return self.telegram.says(text, chat=GROUP, sender=sender, **{**topic, **values})


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with TelegramServer(seconds_between=10).running() as telegram, SlackServer().running() as slack:
        telegram.chat(GROUP, "supergroup", forum=True)
        slack.shared.people |= {ANNA: Person("Anna"), BORIS: Person("Boris"), ASKER: Person("Alice")}
        yield World(telegram, slack, tmp_path)


@asynccontextmanager
async def both(
    world: World, people: str, *, engine: Any = None, separate: bool = False, lease_seconds: float = 8.0
) -> AsyncIterator[SqlTickets]:
    """Both platforms, whose tickets all go to `people`; in one process, or as if in two."""
    engine, bells = engine or ScriptedEngine(MISSED), Bells()
    async with AsyncExitStack() as stack:
        given = {"people": people, "lease_seconds": lease_seconds}
        telegram = telegram_desk(
            engine,
            world.folder,
            world.telegram,
            support=Spot(chat=GROUP) if people == TELEGRAM else None,
            supported={**given, "bells": Bells() if separate else bells},
        )
        slack = slack_desk(
            engine,
            world.folder,
            world.slack,
            support=ROOM if people == SLACK else None,
            supported={**given, "bells": bells},
        )
        world.inbox = (await stack.enter_async_context(telegram)).inbox
        yield (await stack.enter_async_context(slack)).tickets


async def all_carried(tickets: SqlTickets) -> None:
    async with asyncio.timeout(PATIENCE):
        while await tickets.due(TELEGRAM) or await tickets.due(SLACK):  # noqa: ASYNC110 - a store tells nobody
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("separate", [False, True])
async def test_an_asker_in_telegram_is_answered_from_slack(world: World, separate: bool) -> None:
    async with both(world, SLACK, separate=separate) as tickets:
        world.telegram.says(QUESTION)
        await world.until(lambda: bool(world.slack.ours(ROOM)))
        await world.until(lambda: any("passed your question to people" in text for text in world.telegram.texts()))
        wrote = world.says_in_room("*No snakes*, <https://a.example|sorry>.")
        await world.until(lambda: len(world.telegram.ours()) == 2)
        bold = [{"type": "bold", "offset": 5, "length": 4}]
        mine = world.telegram.says("And 2 * two tiny ones?", entities=[{**bold[0], "offset": 4, "length": 5}])
        await world.until(lambda: bool(world.in_room()))
        world.slack.shared.edits(ROOM, wrote["ts"], "No snakes _here_.")
        await world.until(lambda: world.telegram.texts()[1] == "No snakes here.")
        world.telegram.edits(mine["message"]["message_id"], "And three tiny ones?")
        await world.until(lambda: world.slack.texts(ROOM)[1] == "And three tiny ones?")
        await world.seen_to("And three tiny ones?")  # while it belongs to this ticket
        button = world.slack.buttons(world.head())["✅ Close"]
        world.slack.taps(button, world.head(), user=ANNA)
        await world.until(lambda: "Closed by Anna" in world.slack.texts(ROOM)[0])
        await all_carried(tickets)
    assert len(world.telegram.ours()) == 2
    assert world.telegram.ours()[1]["entities"] == [{"type": "italic", "offset": 10, "length": 4}]


@pytest.mark.parametrize("separate", [False, True])
async def test_an_asker_in_slack_is_answered_from_telegram(world: World, separate: bool) -> None:
    async with both(world, TELEGRAM, separate=separate) as tickets:
        asked = world.slack.says(f"<@{BOT}> {QUESTION}", channel=CHANNEL)
        await world.until(lambda: len(world.telegram.ours(GROUP)) == 1)
        assert "Alice" in world.telegram.texts(GROUP)[0]
        bold = [{"type": "bold", "offset": 0, "length": 9}, {"type": "text_link", "offset": 11, "length": 5,
                "url": "https://a.example"}]  # fmt: skip
        wrote = world.says_in_group("No snakes, sorry. 1 * 2", entities=bold)
        world.says_in_group("// between us")
        await world.until(lambda: len(world.slack.ours(CHANNEL, asked["ts"])) == 2)
        world.slack.says("And _two tiny_ ones?", channel=CHANNEL, thread=asked["ts"])
        await world.until(lambda: len(world.in_group()) == 2)
        world.telegram.edits(wrote["message"]["message_id"], "No snakes here.", chat=GROUP)
        await world.until(lambda: world.slack.texts(CHANNEL, asked["ts"])[1] == "No snakes here.")
        await all_carried(tickets)
    first = next(call.params for call in world.slack.made("chat.postMessage") if "**No snakes**" in str(call.params))
    assert first["blocks"][0]["text"] == "**No snakes**, [sorry](https://a.example). 1 \\* 2"
    joined = world.in_group()[1]
    assert joined["text"] == "And two tiny ones?"
    assert joined["entities"] == [{"type": "italic", "offset": 4, "length": 8}]
    assert len(world.slack.ours(CHANNEL)) == 2


async def test_files_go_from_telegram_to_slack_and_back(world: World) -> None:
    async with both(world, SLACK, separate=True) as tickets:
        world.telegram.says(QUESTION)
        await world.until(lambda: bool(world.slack.ours(ROOM)))
        await all_carried(tickets)
        photo = world.telegram.files.attached(b"picture of a snake")
        world.telegram.says(None, photo=[{**photo, "file_size": 1}, photo], caption="This *one*")
        await world.until(lambda: len(world.in_room()) == 2)
        text, file = world.in_room()
        assert text["blocks"][0]["text"] == "This \\*one\\*"
        assert world.slack.shared.bodies[file["files"][0]["id"]] == b"picture of a snake"
        attached = world.slack.shared.attached
        files = [attached("rule.png", b"picture 2", "image/png"), attached("rule.pdf", b"%PDF", "application/pdf"),
                 attached("odd.png", b"not one", "image/png")]  # fmt: skip
        world.says_in_room("See these", files=files, subtype="file_share")
        await world.until(lambda: len(world.telegram.ours()) == 6)
        await all_carried(tickets)
        assert await tickets.file(f"slack:{ROOM}:1:file:1") is None
    said, picture, document, odd = world.telegram.ours()[2:]
    assert said["text"] == "See these"
    assert world.telegram.files.bodies[picture["photo"][0]["file_id"]] == b"picture 2"
    assert (document["document"]["file_name"], odd["document"]["file_name"]) == ("rule.pdf", "odd.png")


async def test_a_file_that_is_too_big_is_named_to_both_sides(world: World) -> None:
    async with both(world, SLACK) as tickets:
        world.telegram.says(QUESTION)
        await world.until(lambda: bool(world.slack.ours(ROOM)))
        await all_carried(tickets)
        size = 31 * 2**20
        big = world.telegram.files.attached(b"x", name="my_film.mp4", mime="video/mp4", size=size)
        world.telegram.says(None, video={**big, "width": 1, "height": 1, "duration": 1})
        await world.until(lambda: "my_film.mp4 (31.0 MB) was not passed on" in "".join(world.telegram.texts()))
        await world.until(lambda: any("31.0 MB" in one for one in world.slack.texts(ROOM)))
        lost = world.slack.shared.attached("old.zip", b"z", "application/zip", size=9)
        world.slack.shared.files[lost["id"]]["mode"] = "tombstone"
        world.says_in_room("Here you are", files=[lost], subtype="file_share")
        await world.until(lambda: "could not be passed on" in world.telegram.texts()[-1])
        await world.until(lambda: any("old.zip" in one for one in world.slack.texts(ROOM)))
        await all_carried(tickets)


async def test_an_asker_who_blocked_the_bot_is_reported_on_the_other_platform(world: World) -> None:
    async with both(world, SLACK, separate=True):
        world.telegram.says(QUESTION)
        await world.until(lambda: bool(world.slack.ours(ROOM)))
        world.telegram.chats[7].blocked = True
        world.says_in_room("No snakes.")
        await world.until(lambda: any("has blocked the bot" in text for text in world.slack.texts(ROOM)))


async def test_an_answer_that_streams_ends_when_people_write_elsewhere(world: World) -> None:
    going_on = asyncio.Event()
    engine = ScriptedEngine(MISSED, [Delta("Half an ans"), going_on.wait, *answered()])
    async with both(world, SLACK, engine=engine, separate=True):
        world.telegram.says(QUESTION)
        await world.until(lambda: bool(world.slack.ours(ROOM)))
        world.telegram.says("And how about a lizard, please?")
        await world.until(lambda: any("Half" in text for text in world.telegram.texts()))
        world.says_in_room("No lizards either.")
        await world.until(lambda: "No lizards either." in world.telegram.texts())
        going_on.set()
        await world.until(lambda: not any("Half" in text for text in world.telegram.texts()))
    assert not any("final" in text for text in world.telegram.texts())


async def test_a_channel_that_answers_in_telegram_has_its_name(world: World) -> None:
    async with both(world, TELEGRAM):
        asked = world.slack.says(QUESTION)
        await world.until(lambda: bool(world.telegram.ours(GROUP)))
        channel = {"id": -1_000_000_000_077, "type": "channel", "title": "Our house"}
        bot = {"id": 136817688, "is_bot": True, "first_name": "Channel"}
        world.says_in_group("No snakes.", as_=bot, sender_chat=channel)
        await world.until(lambda: "No snakes." in world.slack.texts(DIRECT, asked["ts"]))
        await world.until(lambda: "Taken by Our house" in world.telegram.texts(GROUP)[0])


async def test_replicas_say_everything_once(world: World) -> None:
    """Three processes of each platform see the same database; Slack gives each event to any of them."""
    async with AsyncExitStack() as stack:
        tickets = await stack.enter_async_context(both(world, SLACK, lease_seconds=1.0))
        for _ in range(2):
            given = {"people": SLACK, "lease_seconds": 1.0}
            another = slack_desk(ScriptedEngine(MISSED), world.folder, world.slack, support=ROOM, supported=given)
            await stack.enter_async_context(another)
        for number in range(4):
            world.telegram.says(f"{QUESTION} Number {number}", chat=70 + number, sender=70 + number)
        await world.until(lambda: len(world.slack.ours(ROOM)) == 4)
        await all_carried(tickets)
        for number in range(4):
            world.says_in_room(f"Answer {number}", about=f"Number {number}")
        await world.until(lambda: all(len(world.telegram.ours(70 + number)) == 2 for number in range(4)))
        await all_carried(tickets)
        await asyncio.sleep(1.5)  # several turns of each process
    assert [world.telegram.texts(70 + number)[1] for number in range(4)] == [f"Answer {n}" for n in range(4)]
    assert len(world.slack.ours(ROOM)) == 4


async def test_another_process_goes_on_when_one_is_gone(world: World) -> None:
    async with AsyncExitStack() as stack:
        tickets = await stack.enter_async_context(both(world, SLACK, lease_seconds=1.0))
        # A process that died had it last, and its beat does not change any more.
        stale = await tickets.lease(SLACK, "x")
        assert stale.holder != "x"
        world.telegram.says(QUESTION)
        await world.until(lambda: bool(world.slack.ours(ROOM)))
        await all_carried(tickets)
        held = await tickets.lease(TELEGRAM, "x")
        while (await tickets.lease(TELEGRAM, "dead", held)).holder != "dead":
            held = await tickets.lease(TELEGRAM, "x")
        world.says_in_room("No snakes.")
        await world.until(lambda: "No snakes." in world.telegram.texts())
        await all_carried(tickets)
    assert world.telegram.texts().count("No snakes.") == 1


async def test_what_an_operator_deletes_in_slack_goes_from_telegram(world: World) -> None:
    async with both(world, SLACK, separate=True) as tickets:
        world.telegram.says(QUESTION)
        await world.until(lambda: bool(world.slack.ours(ROOM)) and bool(world.telegram.ours()))
        await all_carried(tickets)
        attached = world.slack.shared.attached
        files = [attached("rule.png", b"picture 2", "image/png"), attached("rule.pdf", b"%PDF", "application/pdf")]
        wrote = world.says_in_room("word " * 900, files=files, subtype="file_share")
        await world.until(lambda: "document" in world.telegram.ours()[-1])
        world.says_in_room("This stays.")
        await world.until(lambda: world.telegram.texts()[-1] == "This stays.")
        assert len(world.telegram.ours()) > 5
        world.slack.shared.deletes(ROOM, wrote["ts"])
        await world.until(lambda: len(world.telegram.ours()) == 2)
        await all_carried(tickets)
    assert world.telegram.texts()[-1] == "This stays."


async def test_what_an_asker_deletes_in_slack_goes_from_telegram(world: World) -> None:
    async with both(world, TELEGRAM, separate=True) as tickets:
        asked = world.slack.says(QUESTION)
        await world.until(lambda: len(world.telegram.ours(GROUP)) == 1)
        await all_carried(tickets)
        file = world.slack.shared.attached("mine.png", b"picture 1", "image/png")
        mine = world.slack.says("This is mine.", thread=asked["ts"], files=[file], subtype="file_share")
        await world.until(lambda: len(world.in_group()) == 3)
        world.slack.shared.deletes(DIRECT, mine["ts"])
        await world.until(lambda: len(world.in_group()) == 1)
        await all_carried(tickets)


async def test_files_of_edits_go_to_the_other_platform(world: World) -> None:
    async with both(world, SLACK, separate=True) as tickets:
        world.telegram.says(QUESTION)
        await world.until(lambda: bool(world.slack.ours(ROOM)) and bool(world.telegram.ours()))
        await all_carried(tickets)
        mine = world.telegram.says("Look at this one, please.")["message"]["message_id"]
        await world.until(lambda: len(world.in_room()) == 1)
        photo = world.telegram.files.attached(b"picture of a snake")
        world.telegram.edits(mine, "Look at it, please.", photo=[photo])
        await world.until(lambda: len(world.in_room()) == 2)
        await world.until(lambda: world.slack.texts(ROOM)[1] == "Look at it, please.")
        assert world.slack.shared.bodies[world.in_room()[1]["files"][0]["id"]] == b"picture of a snake"
        wrote = world.says_in_room("See the rule")
        await world.until(lambda: "See the rule" in world.telegram.texts())
        file = world.slack.shared.attached("rule.pdf", b"%PDF", "application/pdf")
        world.slack.shared.edits(ROOM, wrote["ts"], "See this rule", files=[file])
        await world.until(lambda: any("document" in one for one in world.telegram.ours()))
        await world.until(lambda: "See this rule" in world.telegram.texts())
        await all_carried(tickets)
    (sent,) = [one["document"] for one in world.telegram.ours() if "document" in one]
    assert sent["file_name"] == "rule.pdf"


async def test_what_is_deleted_in_a_business_chat_goes_from_slack(world: World) -> None:
    """The only deletions that Telegram tells a bot of."""
    world.telegram.chat(7, is_business=True)
    business: Json = {"update": "business_message", "business_connection_id": "b1"}
    async with both(world, SLACK, separate=True) as tickets:
        world.telegram.says(QUESTION, **business)
        await world.until(lambda: bool(world.slack.ours(ROOM)) and bool(world.telegram.ours()))
        mine = world.telegram.says("My number is 1234.", **business)["business_message"]["message_id"]
        await world.until(lambda: len(world.in_room()) == 1)
        wrote = world.says_in_room("Thank you.")
        await world.until(lambda: "Thank you." in world.telegram.texts())
        gone = {"business_connection_id": "b1", "chat": {"id": 7, "type": "private"}, "message_ids": [mine, 999]}
        world.telegram.deliver({"deleted_business_messages": gone})
        await world.until(lambda: not world.in_room())
        world.slack.shared.deletes(ROOM, wrote["ts"])
        await world.until(lambda: "Thank you." not in world.telegram.texts())
        await all_carried(tickets)
    assert world.telegram.made("deleteBusinessMessages")


async def test_pictures_of_somebody_forgotten_go_from_the_other_platform(world: World) -> None:
    async with both(world, SLACK, separate=True) as tickets:
        world.telegram.says(QUESTION)
        await world.until(lambda: bool(world.slack.ours(ROOM)) and bool(world.telegram.ours()))
        await all_carried(tickets)
        photo = world.telegram.files.attached(b"picture of my room")
        world.telegram.says(None, photo=[photo], caption="This is my room")
        await world.until(lambda: len(world.in_room()) == 2)
        (copy,) = world.in_room()[1]["files"]
        world.telegram.says("/forget")
        await world.until(lambda: any("обращение закрыто" in text for text in world.slack.texts(ROOM)))
        await world.until(lambda: copy["id"] not in world.slack.shared.bodies)
        await all_carried(tickets)
    assert len(world.slack.ours(ROOM)) == 2, "what the ticket is, and the note"
    assert QUESTION not in "".join(world.slack.texts(ROOM))
