"""Several workspaces in one process: the same ids of channels, people and messages in each, and nothing mixed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from adapters.slack.checking import check_workspaces
from adapters.slack.config import Listening, SlackConfig
from tests.delivery_fakes import ScriptedEngine, answered
from tests.slack_server import APP_TOKEN, ASKER, BOT, CHANNEL, SUPPORT, TEAM, TOKEN, SlackServer
from tests.slack_team import INSTALLING, Team, installed, slack_team
from tests.waiting import PATIENCE

QUESTION = "How do I get my deposit back?"
OTHER, OTHER_TOKEN = "T02OTHER", "xoxb-other-token"
ONE, TWO = installed(TEAM, TOKEN, BOT), installed(OTHER, OTHER_TOKEN, BOT)


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with SlackServer(envelope_seconds=0.5).running() as server:
        yield server


@pytest.fixture
def other(server: SlackServer) -> SlackServer:
    return server.workspace(OTHER, OTHER_TOKEN)


def config(server: SlackServer, port: int = 0, **values: Any) -> SlackConfig:
    return SlackConfig(
        **{
            "installing": INSTALLING,
            "app_token": APP_TOKEN,
            "listening": Listening(port=port),
            "url": server.url,
            **values,
        }
    )


async def until_removed(team: Team, workspace: str) -> None:
    async with asyncio.timeout(PATIENCE):
        while await team.installations.find(workspace) is not None:  # noqa: ASYNC110  the database knows no event
            await asyncio.sleep(0.01)


async def test_each_workspace_is_answered_by_its_own_bot(
    server: SlackServer, other: SlackServer, tmp_path: Path
) -> None:
    engine = ScriptedEngine(answered("For the first."), answered("For the second."))
    async with slack_team(engine, tmp_path, config(server), ONE, TWO) as team:
        first = server.says(f"<@{BOT}> {QUESTION}", channel=CHANNEL)
        await server.until(lambda: server.texts(CHANNEL) == ["For the first."])
        other.channels[CHANNEL].messages[first["ts"]] = {
            "user": ASKER,
            "text": QUESTION,
        }  # the thread of the same id, over there
        other.says("And by when is it?", channel=CHANNEL, thread=first["ts"])
        await server.until(lambda: not server.pending)
        other.says(f"<@{BOT}> {QUESTION}", channel=CHANNEL)
        await server.until(lambda: other.texts(CHANNEL)[-1:] == ["For the second."])
        assert set(team.inboxes) == {f"slack:{TEAM}:{BOT}", f"slack:{OTHER}:{BOT}"}
    assert [question.history for question in engine.questions] == [(), ()]
    assert len({question.conversation for question in engine.questions}) == 2
    assert server.texts(CHANNEL) == ["For the first."]
    assert len(engine.questions) == 2, "a thread of the same id over there is not one that the bot takes part in"


async def test_people_are_those_of_the_same_workspace(server: SlackServer, other: SlackServer, tmp_path: Path) -> None:
    supports = {TEAM: SUPPORT}
    async with slack_team(ScriptedEngine(answered()), tmp_path, config(server, supports=supports), ONE, TWO):
        for slack in (server, other):
            slack.says(QUESTION)
            await server.until(lambda slack=slack: any(map(slack.buttons, slack.ours())))  # type: ignore[misc]
    assert "🙋 Ask a human" in server.buttons(server.ours()[0])
    assert "🙋 Ask a human" not in other.buttons(other.ours()[0])


async def test_taps_and_languages_of_one_workspace_are_not_the_others(
    server: SlackServer, other: SlackServer, tmp_path: Path
) -> None:
    engine = ScriptedEngine(answered())
    async with slack_team(engine, tmp_path, config(server), ONE, TWO) as team:
        server.says(QUESTION)
        await server.until(lambda: any(map(server.buttons, server.ours())))
        stolen = server.buttons(server.ours()[0])["👍 Helpful"]
        other.taps(stolen, server.ours()[0])
        await server.until(lambda: bool(other.whispers))
        exchange = await team.inboxes[f"slack:{TEAM}:{BOT}"].exchange(1)
        assert exchange is not None
        assert exchange.rating is None
        server.taps("ru", {"channel": "D01ALICE", "ts": "1.1"}, action="refdesk-language:ru")
        await server.until(lambda: bool(server.views))
        other.says(QUESTION)
        await server.until(lambda: any(map(other.buttons, other.ours())))
    assert [question.language for question in engine.questions] == [None, None]


async def test_a_rate_limit_of_one_workspace_holds_up_no_other(
    server: SlackServer, other: SlackServer, tmp_path: Path
) -> None:
    from tests.slack_rules import once, too_many

    server.faults = once("chat.postMessage", too_many(3))
    async with slack_team(ScriptedEngine(answered()), tmp_path, config(server), ONE, TWO):
        server.says(QUESTION)
        await server.until(lambda: bool(server.made("chat.postMessage")))
        other.says(QUESTION)
        await server.until(lambda: bool(other.ours()))
        assert not server.ours()
        await server.until(lambda: bool(server.ours()))


async def test_questions_from_where_the_app_is_not_installed_are_refused(
    server: SlackServer, other: SlackServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = ScriptedEngine(answered())
    async with slack_team(engine, tmp_path, config(server), ONE):
        other.says(QUESTION)
        other.commands(QUESTION)
        await server.until(lambda: not server.pending)
        told = sorted("не установлено" in str(one["answer"]) for one in server.acknowledged)
        assert told == [False, True], "only a command can be answered at once"
        server.says(QUESTION)
        await server.until(lambda: server.texts() == ["The final text."])
    assert len(engine.questions) == 1
    assert not other.calls
    assert "slack.not_installed" in capsys.readouterr().out


async def test_a_workspace_that_another_process_installed_is_found_at_its_first_event(
    server: SlackServer, other: SlackServer, tmp_path: Path
) -> None:
    async with slack_team(ScriptedEngine(answered()), tmp_path, config(server), ONE) as team:
        await team.installations.save(OTHER, TWO.stored())
        other.says(QUESTION)
        await server.until(lambda: other.texts() == ["The final text."])


async def test_what_a_killed_process_left_is_answered_in_its_workspace(
    server: SlackServer, other: SlackServer, tmp_path: Path
) -> None:
    async with slack_team(ScriptedEngine([60.0, *answered()]), tmp_path, config(server), ONE, TWO, patience=0.1):
        server.says(QUESTION)
        other.says(QUESTION)
        await server.until(lambda: not server.pending)
    async with slack_team(ScriptedEngine(answered()), tmp_path, config(server), ONE, TWO):
        await server.until(lambda: server.texts() == ["The final text."] and other.texts() == ["The final text."])


@pytest.mark.parametrize(
    "event",
    [{"type": "app_uninstalled"}, {"type": "tokens_revoked", "tokens": {"oauth": [], "bot": [BOT]}}],
    ids=lambda event: str(event["type"]),
)
async def test_a_workspace_that_takes_the_app_out_is_forgotten(
    server: SlackServer, other: SlackServer, tmp_path: Path, event: dict[str, Any]
) -> None:
    engine = ScriptedEngine(answered())
    async with slack_team(engine, tmp_path, config(server), ONE, TWO) as team:
        other.deliver(event)
        await until_removed(team, OTHER)
        other.says(QUESTION)
        await server.until(lambda: not server.pending)
        server.says(QUESTION)
        await server.until(lambda: server.texts() == ["The final text."])
        assert not engine.questions[1:]
        await team.installations.save(OTHER, installed(OTHER, OTHER_TOKEN, BOT, installed_at=time.time()).stored())
        other.says("And now?")
        await server.until(lambda: other.texts() == ["The final text."])
        other.deliver(event, at=time.time() - 300)
        await server.until(lambda: not server.pending)
        assert await team.installations.find(OTHER), "what is told late is of the installation before"


async def test_a_revoked_token_of_a_person_changes_nothing(server: SlackServer, tmp_path: Path) -> None:
    async with slack_team(ScriptedEngine(answered()), tmp_path, config(server), ONE) as team:
        server.deliver({"type": "tokens_revoked", "tokens": {"oauth": [ASKER], "bot": []}})
        await server.until(lambda: not server.pending)
        assert await team.installations.find(TEAM)


@pytest.mark.filterwarnings("ignore:BasicAuth is deprecated:DeprecationWarning")  # slack_sdk's own
async def test_a_check_tells_of_each_workspace(server: SlackServer, other: SlackServer, tmp_path: Path) -> None:
    del other
    gone = installed("T03GONE", "xoxb-gone", BOT)
    async with slack_team(ScriptedEngine(answered()), tmp_path, config(server), ONE, TWO, gone) as team:
        points = await check_workspaces(config(server), INSTALLING, team.installations)
    told = {point.name: (point.good, point.text) for point in points}
    assert told["slack"] == (True, "the app is known; 3 workspaces have installed it")
    assert told[f"slack {TEAM}"] == (True, f"{TEAM} Ltd: all granted")
    assert told[f"slack {OTHER}"] == (True, f"{OTHER} Ltd: all granted")
    assert told["slack T03GONE"] == (False, "T03GONE Ltd: its token works no longer; install the app there again")
