"""Copies on the other side of a ticket in Slack: they go when the message is deleted, and get the files of an edit."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.delivery_fakes import ScriptedEngine, missed
from tests.slack_desk import slack_desk
from tests.slack_rules import Fault, Json, refused, too_many
from tests.slack_server import CHANNEL, DIRECT, SUPPORT, SlackServer
from tests.slack_tickets import all_carried, head, people_say, peopled, shown, ticket_made


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with peopled().running() as server:
        yield server


async def ticket_told(server: SlackServer) -> Json:
    """The asker knows of it."""
    asked = await ticket_made(server)
    await server.until(lambda: "passed your question to people" in shown(server, DIRECT))
    return asked


async def test_what_an_operator_deletes_goes_with_all_its_pieces_and_files(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT) as desk:
        await ticket_told(server)
        file = server.shared.attached("rules.pdf", b"%PDF-1")
        wrote = people_say(server, "word " * 900, files=[file], subtype="file_share")
        await server.until(lambda: any(one.get("files") for one in server.ours()))
        assert len(server.ours()) > 3
        people_say(server, "This stays.")
        await server.until(lambda: server.texts()[-1] == "This stays.")
        server.shared.deletes(SUPPORT, wrote["ts"])
        await server.until(lambda: len(server.ours()) == 2)
        server.deliver(wrote, attempt=1)
        await server.until(lambda: server.pending == 0)
        await all_carried(desk)
    assert server.texts()[-1] == "This stays."
    assert len(server.ours()) == 2, "what is told again of it changes nothing"
    assert len(server.made("files.delete")) == 1
    assert "Not delivered" not in shown(server)


async def test_what_an_asker_deletes_goes_from_the_ticket(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT) as desk:
        asked = await ticket_told(server)
        mine = server.says("My number is 1234.", thread=asked["ts"])
        await server.until(lambda: "1234" in shown(server))
        server.shared.deletes(DIRECT, mine["ts"])
        await server.until(lambda: "1234" not in shown(server))
        server.shared.deletes(DIRECT, asked["ts"])  # it leaves a stone: answers are below it
        await server.until(lambda: server.pending == 0)
        await all_carried(desk)
    assert len(server.ours(SUPPORT)) == 1
    assert asked["text"] in shown(server), "what a ticket is about stays in it"


async def test_a_ticket_of_which_a_stone_is_left_begins_a_new_thread(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT) as desk:
        await ticket_told(server)
        people_say(server, "I will see to it.")
        await server.until(lambda: "I will see to it." in server.texts())
        await all_carried(desk)
        first = head(server)
        server.shared.deletes(SUPPORT, first["ts"])
        await server.until(lambda: "earlier topic was deleted" in shown(server))
        people_say(server, "Here we are.")
        await server.until(lambda: "Here we are." in server.texts())
    assert head(server)["ts"] != first["ts"]


async def test_files_follow_an_edit(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT) as desk:
        await ticket_told(server)
        wrote = people_say(server, "See the rules.")
        await server.until(lambda: "See the rules." in server.texts())
        first, second = (server.shared.attached(f"{name}.pdf", name.encode()) for name in ("old", "new"))
        for _ in range(2):
            server.shared.edits(SUPPORT, wrote["ts"], "See the rules!", files=[first])
        await server.until(lambda: any(one.get("files") for one in server.ours()))
        await server.until(lambda: server.texts()[1] == "See the rules!")
        server.shared.edits(SUPPORT, wrote["ts"], "See the rules!", files=[{**first, "mode": "tombstone"}, second])
        await server.until(lambda: [one["name"] for one in server.ours()[-1].get("files") or ()] == ["new.pdf"])
        await server.until(lambda: server.pending == 0)
        await all_carried(desk)
    assert [[file["name"] for file in one.get("files") or ()] for one in server.ours()[1:]] == [[], ["new.pdf"]]


async def test_what_a_workspace_lets_nobody_delete_is_emptied(server: SlackServer, tmp_path: Path) -> None:
    server.faults = lambda method, params: refused("cant_delete_message") if method == "chat.delete" else None
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT) as desk:
        asked = await ticket_told(server)
        mine = server.says("My number is 1234.", thread=asked["ts"])
        await server.until(lambda: "1234" in shown(server))
        server.shared.deletes(DIRECT, mine["ts"])
        await server.until(lambda: "1234" not in shown(server))
        await all_carried(desk)
    assert server.texts(SUPPORT)[-1] == "…"


@pytest.mark.parametrize(
    ("method", "error", "left"),
    [("files.delete", "file_deleting_disabled", 2), ("files.info", "file_deleted", 3), ("files.info", "fatal", 3)],
)
async def test_a_file_that_cannot_be_deleted_holds_up_nothing(
    server: SlackServer, tmp_path: Path, method: str, error: str, left: int
) -> None:
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT) as desk:
        await ticket_told(server)
        file = server.shared.attached("rules.pdf", b"%PDF-1")
        wrote = people_say(server, "", files=[file], subtype="file_share")
        await server.until(lambda: any(one.get("files") for one in server.ours()))
        server.faults = lambda called, params: refused(error) if called == method else None
        server.shared.deletes(SUPPORT, wrote["ts"])
        people_say(server, "Forget that one.")
        await server.until(lambda: "Forget that one." in server.texts())
        await all_carried(desk)
    assert "Not delivered" not in shown(server)
    assert len(server.ours()) == left


async def test_a_deletion_waits_until_it_may_be_done(server: SlackServer, tmp_path: Path) -> None:
    faults = [too_many(1), Fault(lost=True)]
    server.faults = lambda method, params: faults.pop(0) if method == "chat.delete" and faults else None
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT) as desk:
        await ticket_told(server)
        wrote = people_say(server, "No snakes.")
        await server.until(lambda: "No snakes." in server.texts())
        server.shared.deletes(SUPPORT, wrote["ts"])
        await server.until(lambda: "No snakes." not in server.texts())
        await all_carried(desk)
    assert not faults


async def test_what_was_deleted_while_we_were_away_goes_when_we_are_back(server: SlackServer, tmp_path: Path) -> None:
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT) as desk:
        await ticket_made(server, f"<@{desk.me.user}> Can I keep a snake?", channel=CHANNEL)
        wrote = people_say(server, "No snakes.")
        await server.until(lambda: "No snakes." in server.texts(CHANNEL))
        await all_carried(desk)
    server.shared.deletes(SUPPORT, wrote["ts"])
    async with slack_desk(ScriptedEngine(missed()), tmp_path, server, support=SUPPORT):
        await server.until(lambda: "No snakes." not in server.texts(CHANNEL))
