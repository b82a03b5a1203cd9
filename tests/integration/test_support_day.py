"""A day at the desk: two askers and two operators on each platform, and tickets that cross from one to the other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from adapters.support_desk import Bells
from adapters.telegram.config import Spot
from engine import Final
from engine.providers.state.tickets import SqlTickets
from tests.delivery_fakes import ScriptedEngine, outcome
from tests.slack_desk import slack_desk
from tests.slack_files import Person
from tests.slack_rules import Channel, Json, shown
from tests.slack_server import BOT, DIRECT, TEAM, SlackServer
from tests.slack_server import SUPPORT as ROOM
from tests.telegram_desk import telegram_desk
from tests.telegram_server import BOT_ID, TelegramServer

GROUP = -1_000_000_000_009
TELEGRAM, SLACK = f"telegram:{BOT_ID}", f"slack:{TEAM}:{BOT}"
MISSED = [Final(outcome("I do not know.", kind="missed"))]


@dataclass
class Asker:
    """One conversation, wherever it is; and the ticket of it, wherever that is."""

    name: str
    telegram: TelegramServer
    slack: SlackServer
    chat: int = 0
    direct: str = ""
    sent: list[str] = field(default_factory=list[str])
    root: str | None = None

    @property
    def topic(self) -> str:
        return f"Where is the parcel of {self.name}, please?"

    def asks(self, text: str) -> None:
        if self.chat:
            self.telegram.says(text, chat=self.chat, sender=self.chat)
        else:
            said = self.slack.says(text, channel=self.direct, user=f"U{self.name.upper()}", thread=self.root)
            self.root = self.root or said["ts"]

    def reads(self) -> list[str]:
        return self.telegram.texts(self.chat) if self.chat else self.slack.texts(self.direct)

    def head(self) -> Json | None:
        if self.chat:  # their people are in Slack
            heads = [one for one in self.slack.ours(ROOM) if "thread_ts" not in one]
        else:
            heads = [one for one in self.telegram.ours(GROUP) if "Asked by" in str(one.get("text"))]
        return next((one for one in heads if self.topic in str(one)), None)

    def state(self) -> str:
        head = self.head()
        return "" if head is None else shown(head) if self.chat else str(head["text"])

    def people_read(self) -> list[str]:
        head = self.head()
        assert head is not None
        if self.chat:
            return self.slack.texts(ROOM, head["ts"])
        topic = head["message_thread_id"]
        return [
            one["text"] for one in self.telegram.ours(GROUP) if one.get("message_thread_id") == topic and one != head
        ]

    def answered(self, text: str, *, by: int) -> None:
        head = self.head()
        assert head is not None
        if self.chat:
            self.slack.says(text, channel=ROOM, user=("U11ANNA", "U12BORIS")[by], thread=head["ts"])
        else:
            topic = {"message_thread_id": head["message_thread_id"], "is_topic_message": True}
            self.telegram.says(text, chat=GROUP, sender=501 + by, **topic)

    def tapped(self, caption: str, *, by: int) -> None:
        head = self.head()
        assert head is not None
        if self.chat:
            data = next(
                value for text, value in self.slack.buttons({**head, "channel": ROOM}).items() if caption in text
            )
            self.slack.taps(data, {**head, "channel": ROOM}, user=("U11ANNA", "U12BORIS")[by])
        else:
            rows = head["reply_markup"]["inline_keyboard"]
            data = next(one["callback_data"] for row in rows for one in row if caption in one["text"])
            self.telegram.taps(data, head, sender=501 + by)


@pytest.fixture
async def servers() -> AsyncIterator[tuple[TelegramServer, SlackServer]]:
    async with TelegramServer(seconds_between=10).running() as telegram, SlackServer().running() as slack:
        telegram.chat(GROUP, "supergroup", forum=True)
        slack.shared.people |= {"U11ANNA": Person("Anna"), "U12BORIS": Person("Boris"), "UDORA": Person("Dora")}
        slack.channels["D02DORA"] = Channel("D02DORA")
        yield telegram, slack


async def test_a_day_of_crossing_tickets(servers: tuple[TelegramServer, SlackServer], tmp_path: Path) -> None:
    telegram, slack = servers
    askers = [
        Asker("Anton", telegram, slack, chat=71),
        Asker("Berta", telegram, slack, chat=72),
        Asker("Carl", telegram, slack, direct=DIRECT),
        Asker("Dora", telegram, slack, direct="D02DORA"),
    ]
    async with AsyncExitStack() as stack:
        bells = Bells()
        engine = ScriptedEngine(MISSED)
        # Telegram's askers are answered in Slack, Slack's in Telegram.
        one = telegram_desk(
            engine, tmp_path, telegram, support=Spot(chat=GROUP), supported={"people": SLACK, "bells": bells}
        )
        other = slack_desk(engine, tmp_path, slack, support=ROOM, supported={"people": TELEGRAM, "bells": bells})
        await stack.enter_async_context(one)
        tickets = (await stack.enter_async_context(other)).tickets
        await asyncio.gather(*(life(asker, number, slack) for number, asker in enumerate(askers)))
        await all_carried(tickets)
        heads = [one for one in telegram.ours(GROUP) if "Asked by" in str(one.get("text"))]
        assert len(heads) == len([one for one in slack.ours(ROOM) if "thread_ts" not in one]) == 2
        assert all(head["text"].startswith("🟢 Closed by") for head in heads)
    for number, asker in enumerate(askers):
        own = [text for text in asker.reads() if not text.startswith("I do not know")]
        assert own == [f"Looking for it, {asker.name}.", f"Found it, {asker.name}!"], number
        assert asker.people_read() == [f"It is urgent, says {asker.name}."]


async def life(asker: Asker, number: int, slack: SlackServer) -> None:
    """One ticket: each step follows when the one before can be seen."""

    async def until(true: Callable[[], bool]) -> None:
        await slack.until(true, 60)

    asker.asks(asker.topic)
    await until(lambda: asker.head() is not None and bool(asker.reads()))
    asker.tapped("Take", by=number % 2)
    await until(lambda: "Taken by" in asker.state())
    asker.asks(f"It is urgent, says {asker.name}.")
    await until(lambda: bool(asker.people_read()))
    asker.answered(f"// {asker.name} is always in a hurry", by=number % 2)
    asker.answered(f"Looking for it, {asker.name}.", by=number % 2)
    await until(lambda: any("Looking" in text for text in asker.reads()))
    asker.answered(f"Found it, {asker.name}!", by=number % 2)
    await until(lambda: any("Found" in text for text in asker.reads()))
    asker.tapped("Close", by=number % 2)
    await until(lambda: "Closed by" in asker.state())


async def all_carried(tickets: SqlTickets) -> None:
    async with asyncio.timeout(30):
        while await tickets.due(TELEGRAM) or await tickets.due(SLACK):  # noqa: ASYNC110 - a store tells nobody
            await asyncio.sleep(0.02)
