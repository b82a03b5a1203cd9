"""The weekly digest in Slack's support channel."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.bringing_up import open_app
from bot.platforms import run_platforms
from bot.settings import Settings
from bot.wiring import App
from engine import Inbound, Outcome, Question
from engine.stages.answer_log import logged
from tests.delivery_fakes import ScriptedEngine, answered
from tests.digest_gaps import Marked, digest
from tests.learning_desk import write_knowledge
from tests.slack_desk import Desk, slack_desk
from tests.slack_files import Person
from tests.slack_server import APP_TOKEN, BOT, SUPPORT, TEAM, TOKEN, SlackServer
from tests.slack_team import INSTALLING, installed

ANNA = "U11ANNA"


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with SlackServer().running() as server:
        server.shared.people |= {ANNA: Person("Anna")}
        yield server


def running(server: SlackServer, folder: Path, gaps: Marked) -> AbstractAsyncContextManager[Desk]:
    return slack_desk(ScriptedEngine(answered("Hello.")), folder, server, support=SUPPORT, supported={"gaps": gaps})


async def all_carried(desk: Desk) -> None:
    async with asyncio.timeout(20):
        while await desk.tickets.due(desk.me.desk):  # noqa: ASYNC110  a store tells nobody
            await asyncio.sleep(0.02)


async def test_a_digest_is_sent_once_and_follows_the_taps(server: SlackServer, tmp_path: Path) -> None:
    gaps = Marked()
    async with running(server, tmp_path, gaps) as desk:
        assert await desk.tickets.say(digest(desk.me.desk))
        await server.until(lambda: bool(server.ours(SUPPORT)))
        (sent,) = server.ours(SUPPORT)
        assert "thread_ts" not in sent, "it is no ticket's"
        assert "Unanswered questions, 23.11 – 30.11" in server.texts(SUPPORT)[0]
        buttons = server.buttons(sent)
        assert [*buttons] == ["1 ✋", "1 ✅", "1 🚫", "2 ✋", "2 ✅", "2 🚫"]
        server.taps(buttons["2 🚫"], sent, user=ANNA)
        await server.until(lambda: "⚫ *2.*" in server.texts(SUPPORT)[0] or "⚫ **2.**" in server.texts(SUPPORT)[0])
        assert gaps.states == {2: ("wont_do", "Anna")}
        assert "Anna" in server.texts(SUPPORT)[0]
        await all_carried(desk)
    async with running(server, tmp_path, gaps) as desk:
        assert not await desk.tickets.say(digest(desk.me.desk))
        await all_carried(desk)
    assert len(server.ours(SUPPORT)) == 1


async def test_a_tap_from_elsewhere_does_nothing(server: SlackServer, tmp_path: Path) -> None:
    gaps = Marked()
    async with running(server, tmp_path, gaps) as desk:
        await desk.tickets.say(digest(desk.me.desk))
        await server.until(lambda: bool(server.ours(SUPPORT)))
        (sent,) = server.ours(SUPPORT)
        data = server.buttons(sent)["1 ✋"]
        server.says("Hello?")
        await server.until(lambda: bool(server.ours()))
        server.taps(data, server.ours()[0], user=ANNA)
        await server.until(lambda: bool(server.made("chat.postEphemeral")))
    assert gaps.states == {}


# --- several workspaces ---------------------------------------------------------------------------------------------

OTHER, OTHER_TOKEN, THIRD, THIRD_TOKEN = "T02OTHER", "xoxb-other-token", "T03THIRD", "xoxb-third-token"


def settings(server: SlackServer, folder: Path) -> Settings:
    if not (folder / "knowledge").exists():
        write_knowledge(folder / "knowledge")
    now = datetime.now(UTC) - timedelta(minutes=1)
    return Settings(
        knowledge=folder / "knowledge",
        data=folder / "data",
        index_embedder="use",
        slack_client_id=INSTALLING.client_id,
        slack_client_secret=SecretStr(INSTALLING.client_secret),
        slack_app_token=SecretStr(APP_TOKEN),
        slack_api_url=server.url,
        slack_listen="127.0.0.1:0",
        slack_support_channel=f"{TEAM}:{SUPPORT},{OTHER}:{SUPPORT}",
        support_language="en",
        digest=f"{now:%a %H:%M}",
        drain_seconds=1.0,
    )


async def missed_in(app: App, team: str, *questions: str) -> None:
    desk = f"slack:{team}:{BOT}"
    inbox = app.inbox(desk)
    for number, text in enumerate(questions):
        message = await inbox.accept(Inbound(key=f"{number}", conversation=f"{desk}:D:{number}", asker="U", text=text))
        assert message is not None
        exchange = await inbox.open([message])
        await inbox.close(exchange.id, "done")
        outcome = Outcome(id=str(exchange.id), kind="missed", text="", language="en", miss_reason="nothing_found")
        question = Question(text=text, id=outcome.id, conversation=exchange.conversation)
        await app.misses.add(question, outcome)
        await app.answers.add(logged(outcome, datetime.now(UTC) - timedelta(minutes=2)))


async def test_each_workspace_has_the_digest_of_its_own_questions(server: SlackServer, tmp_path: Path) -> None:
    """Those without a support channel have none."""
    other, third = server.workspace(OTHER, OTHER_TOKEN), server.workspace(THIRD, THIRD_TOKEN)
    async with open_app(settings(server, tmp_path)) as app:
        for team, token in ((TEAM, TOKEN), (OTHER, OTHER_TOKEN), (THIRD, THIRD_TOKEN)):
            await app.installations(INSTALLING.client_id).save(team, installed(team, token, BOT).stored())
        await missed_in(app, TEAM, "Where is my receipt?", "May I keep a snake?")
        await missed_in(app, OTHER, "Who repairs the boiler?")
        await missed_in(app, THIRD, "When does the pool open?")
        stop = asyncio.Event()
        serving = asyncio.create_task(run_platforms(app, stop, lambda name: None))
        try:
            for slack in (server, other):
                await server.until(lambda slack=slack: bool(slack.ours(SUPPORT)) or serving.done())  # type: ignore[misc]
        finally:
            stop.set()
            await serving
    (ours,), (theirs,) = server.texts(SUPPORT), other.texts(SUPPORT)
    assert "Where is my receipt?" in ours
    assert "May I keep a snake?" in ours
    assert "boiler" not in ours
    assert "Who repairs the boiler?" in theirs
    assert "snake" not in theirs
    assert not third.ours(SUPPORT)
