"""A ticket's life during which the process is killed at every step, on all pairs of platforms: each word comes once."""

from __future__ import annotations

import asyncio
import random
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lives import Lives, lives
from tests.slack_rules import Json
from tests.slack_server import BOT, DIRECT, TEAM, SlackServer
from tests.slack_server import SUPPORT as ROOM
from tests.support_lives import GROUP
from tests.telegram_server import BOT_ID, TelegramServer

TELEGRAM, SLACK = f"telegram:{BOT_ID}", f"slack:{TEAM}:{BOT}"
QUESTION = "Can I keep a snake in my room?"
VISIBLE = frozenset(
    "sendMessage copyMessage createForumTopic editMessageText deleteMessage chat.postMessage chat.update chat.delete "
    "chat.startStream".split()
)
KILLS = 9
ANNA = "U11ANNA"


class Day:
    """What the asker and the operator do, each step when the one before can be seen."""

    def __init__(self, telegram: TelegramServer, slack: SlackServer, asker: str, people: str) -> None:
        self.telegram, self.slack, self.asker, self.people = telegram, slack, asker, people
        self.step = "begun"
        self._asked: Json = {}

    async def run(self) -> None:
        self.ask(QUESTION)
        await self.seen("opened", lambda: len(self.heads()) == 1)
        wrote = self.answer("No snakes.")
        await self.seen("replied", lambda: "No snakes." in self.to_asker())
        self.ask("And two tiny ones?")
        await self.seen("asked", lambda: "And two tiny ones?" in self.to_people())
        self.edit(wrote, "No snakes here.")
        await self.seen("edited", lambda: "No snakes here." in self.to_asker())
        await self.slip()
        self.answer("Not even two.")
        await self.seen("said", lambda: "Not even two." in self.to_asker())
        self.close()
        await self.seen("closed", lambda: any("Closed by" in one for one in self.heads()))

    async def slip(self) -> None:
        """What was written by mistake, and deleted, where the platform tells the bot so."""
        if self.people == "slack":
            wrote = self.answer("Wrong ticket.")
            await self.seen("slipped", lambda: "Wrong ticket." in self.to_asker())
            self.slack.shared.deletes(ROOM, wrote["ts"])
            await self.seen("taken back", lambda: "Wrong ticket." not in self.to_asker())
        if self.asker == "slack":
            wrote = self.ask("Wrong thread.")
            await self.seen("asked by mistake", lambda: "Wrong thread." in self.to_people())
            self.slack.shared.deletes(DIRECT, wrote["ts"])
            await self.seen("withdrawn", lambda: "Wrong thread." not in self.to_people())

    async def seen(self, step: str, true: Callable[[], bool]) -> None:
        await self.slack.until(true, 60)
        self.step = step

    def to_asker(self) -> list[str]:
        return self.telegram.texts() if self.asker == "telegram" else self.slack.texts(DIRECT)

    def to_people(self) -> list[str]:
        return self.telegram.texts(GROUP) if self.people == "telegram" else self.slack.texts(ROOM)

    def heads(self) -> list[str]:
        return [one for one in self.to_people() if "Asked by" in one]

    def ask(self, text: str) -> Json:
        if self.asker == "telegram":
            return self.telegram.says(text)
        said = self.slack.says(text, thread=self._asked.get("ts"))
        self._asked = self._asked or said
        return said

    def answer(self, text: str) -> Json:
        if self.people == "slack":
            return self.slack.says(text, channel=ROOM, user=ANNA, thread=self._head()["ts"])
        topic = {"message_thread_id": self._head()["message_thread_id"], "is_topic_message": True}
        said: Json = self.telegram.says(text, chat=GROUP, sender=501, **topic)["message"]
        return said

    def edit(self, wrote: Json, text: str) -> None:
        if self.people == "slack":
            self.slack.shared.edits(ROOM, wrote["ts"], text)
        else:
            self.telegram.edits(wrote["message_id"], text, chat=GROUP)

    def close(self) -> None:
        head = self._head()
        if self.people == "slack":
            self.slack.taps(self.slack.buttons(head)["✅ Close"], head, user=ANNA)
            return
        rows = head["reply_markup"]["inline_keyboard"]
        data = next(one["callback_data"] for row in rows for one in row if "Close" in one["text"])
        self.telegram.taps(data, head, sender=501)

    def _head(self) -> Json:
        ours = self.slack.ours(ROOM) if self.people == "slack" else self.telegram.ours(GROUP)
        return next(one for one in ours if "Asked by" in str(one))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("people", ["slack", "telegram"])
@pytest.mark.parametrize("asker", ["telegram", "slack"])
async def test_a_ticket_lives_through_kills_at_every_step(tmp_path: Path, asker: str, people: str) -> None:
    dice = random.Random(f"{asker} {people}")
    async with (
        TelegramServer(seconds_between=10).running() as telegram,
        SlackServer(envelope_seconds=0.5).running() as slack,
        lives("tests.support_lives", f"{telegram.url} {slack.url} {_desk(people)}", tmp_path) as bots,
    ):
        telegram.chat(GROUP, "supergroup", forum=True)
        day = Day(telegram, slack, asker, people)
        living = asyncio.create_task(day.run())
        deaths: list[str] = []
        while len(deaths) < KILLS and not living.done():
            point = _point(dice, len(deaths), tmp_path, bots, telegram, slack)
            await bots.begin()
            ended = asyncio.create_task(bots.ended())
            await asyncio.wait({ended, living}, timeout=1.5, return_when=asyncio.FIRST_COMPLETED)
            deaths.append(f"{day.step}: {point}{'' if ended.done() else ', not reached'}")
            if not ended.done():
                bots.kill()
            await ended
        telegram.after = slack.after = lambda method, params: None
        (tmp_path / "fatal").unlink(missing_ok=True)
        await bots.begin()
        await living
        await slack.until(lambda: slack.pending == 0)
        await asyncio.sleep(0.5)
        bots.kill(signal.SIGTERM)
        await bots.ended()
    told, shown = day.to_asker(), day.to_people()
    # The bot says once that it does not know, or nothing when people were faster.
    assert sum(one.startswith("I do not know.") for one in told) <= 1, deaths
    said = [one for one in told if not one.startswith("I do not know.")]
    assert said == ["No snakes here.", "Not even two."], deaths
    assert [one for one in shown if "Asked by" not in one] == ["And two tiny ones?"], deaths
    assert len(day.heads()) == 1, deaths
    assert "Closed by" in day.heads()[0], deaths


def _desk(people: str) -> str:
    return SLACK if people == "slack" else TELEGRAM


def _point(
    dice: random.Random, number: int, folder: Path, bots: Lives, telegram: TelegramServer, slack: SlackServer
) -> str:
    """Where the next process dies: at a write of its own, or when a deed is done whose response never arrives."""
    telegram.after = slack.after = lambda method, params: None
    (folder / "fatal").unlink(missing_ok=True)
    left = dice.randrange(1, 6) if number % 3 == 2 else dice.randrange(2, 12)
    if number % 3 == 2:
        telegram.after = slack.after = _killer(bots, left)
        return f"after visible call {left}"
    when = "before" if number % 3 else "after"
    (folder / "fatal").write_text(f"{left} {when}")
    return f"{when} write {left}"


def _killer(bots: Lives, left: int) -> Callable[[str, Json], None]:
    def kill(method: str, params: Json) -> None:
        nonlocal left
        left -= method in VISIBLE
        if method in VISIBLE and left == 0:
            bots.kill()

    return kill
