"""What editors are given to take away tells nothing of who asked, and what people wrote is forgotten on demand."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import structlog
import yaml

from bot.cli import run
from bot.settings import Settings
from bot.wiring import open_texts_of_people
from engine import Answer, Inbound, Outcome, Question
from engine.providers.state.database import Database
from engine.providers.state.faq_edits import SqlFaqEdits
from engine.providers.state.inbox import SqlInbox
from engine.providers.state.stores import SqlMissStore
from engine.types import Route
from tests.learning_desk import write_knowledge

USER, GROUP, TEAM = "700700700", "-1009009009", "T0TEAM"
QUESTION = "Меня зовут Иван Петров, телефон +7 912 345-67-89, заказ № 99812: где мой чек?"
ANSWERED = "When is the rent of a room due, asks Иван Петров of order 99812?"
TELLING = (USER, GROUP, TEAM, "Иван", "Петров", "345-67-89", "99812")


@pytest.fixture(autouse=True)
def own_log() -> Iterator[None]:
    """The command sets up the log for this process, whose error stream is the test's."""
    yield
    structlog.reset_defaults()


@pytest.fixture
def common(tmp_path: Path) -> list[str]:
    """A base that was used: questions of people missed, an entry for one group only."""
    write_knowledge(tmp_path / "knowledge")
    scoped = f"""\
- id: secret-club
  questions: ["Where does the club meet?"]
  answer: In the cellar.
  chats: ["telegram:1:{GROUP}::{USER}"]
"""
    (tmp_path / "knowledge" / "faq" / "chats.yaml").write_text(scoped, encoding="utf-8")
    common = ["--knowledge", str(tmp_path / "knowledge"), "--data", str(tmp_path / "data")]
    assert run(["ingest", *common]) == 0
    asyncio.run(used(tmp_path / "data"))
    return common


async def used(data: Path) -> None:
    async with Database.open(f"sqlite:///{data / 'state.db'}") as database:
        for desk, asker in (("telegram:1", USER), (f"slack:{TEAM}", USER)):
            inbox, conversation = SqlInbox(database, desk), f"{desk}:{GROUP}::{asker}"
            message = await inbox.accept(
                Inbound(key="m1", conversation=conversation, asker=asker, text=QUESTION, place={"name": "Иван Петров"})
            )
            assert message is not None
            exchange = await inbox.open([message])
            outcome = Outcome(id=str(exchange.id), kind="missed", text="?", language="ru", miss_reason="nothing_found",
                              route=Route(domain="rooms", collection="rules", documents=(), levels=()))  # fmt: skip
            question = Question(text=QUESTION, id=outcome.id, conversation=conversation)
            await SqlMissStore(database).add(question, outcome)
            await inbox.conclude(exchange.id, Answer.of(outcome))
            await inbox.close(exchange.id, "done")
            for number in range(5):  # asked often, and answered from documents
                again = await inbox.accept(
                    Inbound(key=f"a{number}", conversation=conversation, asker=asker, text=ANSWERED)
                )
                assert again is not None
                exchange = await inbox.open([again])
                await inbox.conclude(exchange.id, Answer(text="By the fifth day.", language="ru"))
                await inbox.close(exchange.id, "done")
        assert await SqlFaqEdits(database).all() == ()


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert run(arguments) == 0
    return capsys.readouterr().out


def test_no_export_tells_who_asked(common: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    add = ["--question", "May I keep a snake?", "--answer", "No.", "--by", "Иван Петров"]
    assert run(["faq", "add", "snakes", *add, *common]) == 0
    each = printed(capsys, "misses", "--each", "--json", *common)
    groups = printed(capsys, "misses", "--json", *common)
    exported = printed(capsys, "faq", "export", *common)
    report = printed(capsys, "report", "--json", *common)
    page = tmp_path / "report.html"
    assert run(["report", "--html", str(page), *common]) == 0
    for out in (each, groups, exported, report, page.read_text(encoding="utf-8")):
        assert out.strip()
        assert [part for part in TELLING if part in out] == []
    assert len(each.splitlines()) == 2
    unanswered, answered = (json.loads(line) for line in groups.splitlines())
    assert (unanswered["count"], answered["kind"]) == (2, "answered")
    assert "где мой чек?" in unanswered["question"]
    assert "где мой чек?" in page.read_text(encoding="utf-8")
    assert [entry["id"] for entry in yaml.safe_load(exported)] == ["cats", "guests", "snakes"]


def test_an_entry_for_one_group_is_exported_with_it_or_not_at_all(
    common: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["faq", "export", *common]) == 0
    told = capsys.readouterr()
    assert "secret-club" not in told.out, "without its chats it would be for everybody"
    assert "1 entries for some chats only are left out" in told.err
    whole = printed(capsys, "faq", "export", "--chats", *common)
    assert yaml.safe_load(whole)[0]["chats"] == [f"telegram:1:{GROUP}::{USER}"]


def test_figures_outlive_the_texts(common: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(["ask", "May I bring my cat?", *common]) == 0
    assert run(["ask", "Who is the king of the moon?", *common]) == 0
    before = printed(capsys, "report", "--json", *common)

    async def sweep() -> None:
        async with open_texts_of_people(Settings(data=tmp_path / "data")) as texts:
            await texts.sweep(timedelta(seconds=-1))

    asyncio.run(sweep())
    after = json.loads(printed(capsys, "report", "--json", *common))
    assert {**after, "since": ""} == {**json.loads(before), "since": ""}
    assert after["kinds"] == {"faq_direct": 1, "missed": 1}
    assert printed(capsys, "misses", "--json", *common) == "", "there is nothing left to read"


def test_somebody_is_forgotten_from_the_command_line(common: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert "6 questions" in printed(capsys, "forget", "--person", f"telegram:{USER}", *common)
    (left,) = printed(capsys, "misses", "--each", "--json", *common).splitlines()
    assert "где мой чек?" in left, "on the other platform it may be somebody else"
    assert "6 questions" in printed(capsys, "forget", "--person", f"slack:{USER}", *common)
    assert printed(capsys, "misses", "--json", *common) == ""
    assert "0 questions" in printed(capsys, "forget", "--person", "telegram:1", *common)
    assert run(["forget", "--person", "fax:1", *common]) == 1
    assert "is no person" in capsys.readouterr().err
