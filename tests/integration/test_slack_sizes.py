"""What is too long for Slack is split, wherever it is shown: the small Slack refuses whatever passes a published limit.

The kinds of failure that people report: blocks that are each legal and together too much, a section over 3,000
characters, and tables that nobody can read.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine import Citation, Final
from tests.delivery_fakes import ScriptedEngine, answered, outcome
from tests.slack_desk import slack_desk
from tests.slack_rules import MOST_BLOCKS, broken, once, refused
from tests.slack_server import CHANNEL, DIRECT, SlackServer

QUESTION = "How do I get my deposit back?"


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with SlackServer().running() as server:
        yield server


async def finished(server: SlackServer, channel: str = DIRECT) -> None:
    await server.until(lambda: any(server.buttons(one) for one in server.ours(channel)))


def paragraphs(count: int, size: int) -> str:
    return "\n\n".join((f"Paragraph {number}. " + "word " * size)[:size].rstrip() for number in range(count))


ANSWERS = {
    "four blocks of 14,000 in all": paragraphs(4, 3500),
    "a character over a section": "x" * 3001,
    "a character over an update": "слово " * 666 + "конец",
    "a character over a markdown block": "y" * 12_001,
    "escapes that make it five times as long": "& < > " * 1000,
    "a fence of 14,000": "```\n" + "value = 1\n" * 1400 + "```",
}


@pytest.mark.parametrize("name", ANSWERS)
async def test_an_answer_of_any_size_is_taken_at_once(server: SlackServer, tmp_path: Path, name: str) -> None:
    async with slack_desk(ScriptedEngine(answered(ANSWERS[name])), tmp_path, server):
        server.says(QUESTION)
        await finished(server)
    shown = "".join(server.texts()).replace("```", "")
    assert "".join(shown.split()) == "".join(ANSWERS[name].replace("```", "").split())
    posts = server.made("chat.postMessage")
    assert len(posts) == len(server.ours()), "none was refused"
    assert max(len(str(post.params["blocks"])) for post in posts) < MOST_BLOCKS


@pytest.mark.parametrize("error", ["msg_blocks_too_long", "invalid_blocks", "invalid_blocks_format"])
async def test_blocks_that_are_refused_all_the_same_are_left_out(
    server: SlackServer, tmp_path: Path, error: str
) -> None:
    server.faults = once("chat.postMessage", refused(error))
    async with slack_desk(ScriptedEngine(answered("Ten **working** days.")), tmp_path, server):
        server.says(QUESTION)
        await server.until(lambda: server.texts() == ["Ten *working* days."])


async def test_sources_of_any_size_are_shown(server: SlackServer, tmp_path: Path) -> None:
    cited = tuple(Citation(document=f"rent/{number}.md", section="7.2", title="t" * 100) for number in range(60))
    async with slack_desk(ScriptedEngine([Final(outcome("Ten days.", citations=cited))]), tmp_path, server):
        server.says(QUESTION)
        await finished(server)
        server.taps(server.buttons(server.ours()[0])["📄 Sources"], server.ours()[0])
        await server.until(lambda: "rent/59.md" in str(server.whispers))


@pytest.mark.parametrize("text", ["& " * 700, "<" * 1500, "слово " * 600, "?" * 8000])
async def test_a_command_of_any_size_is_quoted_and_answered(server: SlackServer, tmp_path: Path, text: str) -> None:
    engine = ScriptedEngine(answered())
    async with slack_desk(engine, tmp_path, server):
        server.commands(f"how {text}".strip())
        await finished(server, CHANNEL)
    assert [question.text for question in engine.questions] == [f"how {text}".strip()]


async def test_a_home_of_any_size_is_shown(server: SlackServer, tmp_path: Path) -> None:
    async def topics() -> list[tuple[str, str]]:
        return [("T" * 200, "& " * 3000)] * 80

    async with slack_desk(ScriptedEngine(answered()), tmp_path, server, topics=topics):
        server.faults = once("chat.postMessage", broken())
        server.deliver({"type": "app_home_opened", "user": "U01ALICE", "tab": "home", "channel": DIRECT})
        await server.until(lambda: len(server.views) == 1)
    blocks = server.views[0]["view"]["blocks"]
    assert len(blocks) <= 100
    assert all(len(block["text"]["text"]) <= 3000 for block in blocks if block["type"] == "section")


async def test_a_tariff_table_is_readable_in_each_message(server: SlackServer, tmp_path: Path) -> None:
    head = "| Тариф | Цена в месяц | Что входит |\n| --- | ---: | --- |\n"
    rows = [f"| Тариф {number} | {number * 100} рублей | вода, отопление и вывоз мусора |\n" for number in range(120)]
    text = f"Вот тарифы:\n\n{head}{''.join(rows)}\nЦены указаны с налогом."
    async with slack_desk(ScriptedEngine(answered(text)), tmp_path, server):
        server.says("Сколько стоят тарифы?")
        await finished(server)
    shown = server.texts()
    assert len(shown) > 1
    for part in shown:
        table = [line for line in part.splitlines() if line.startswith("|")]
        assert "\n".join(table).startswith(head.strip()), "a table that goes on says again what its columns are"
    told = [line for part in shown for line in part.splitlines() if line.startswith("| Тариф ") and "рублей" in line]
    assert told == [row.strip() for row in rows]
    fallback = server.ours()[0]["text"]
    assert "Тариф 1 | 100 рублей | вода" in fallback
    assert "---" not in fallback
