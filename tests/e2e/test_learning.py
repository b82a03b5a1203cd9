"""From a question that nobody could answer to one that is answered at once: people's answers become knowledge."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import structlog

from bot.cli import run
from engine.matching.edits import EDITED, FaqEdit
from engine.types import FaqEntry
from tests.learning_desk import ANNA, BORIS, SUPPORT, Running, running
from tests.telegram_server import TelegramServer
from tests.waiting import until

QUESTION = "May I keep a snake in my room?"

pytestmark = pytest.mark.timeout(240)


@pytest.fixture(autouse=True)
def own_log() -> Iterator[None]:
    """The command sets up the log for this process, whose error stream is the test's."""
    yield
    structlog.reset_defaults()


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer(seconds_between=10).running() as server:
        server.chat(SUPPORT, "supergroup", forum=True)
        yield server


async def drafted(desk: Running, answer: str = "No snakes, sorry.", question: str = QUESTION) -> None:
    """Asked, missed, answered by people, made a draft by one tap."""
    desk.says(question)
    await desk.has(question)
    desk.people_say("// what do the rules say? ask Mr. Brown")
    desk.people_say(answer)
    await desk.has("Would it help others too?")
    assert await desk.tap("Would it help others", "Make a FAQ entry") == "The draft is made."
    await desk.has("FAQ draft #1")


async def test_an_answer_of_people_becomes_an_entry_and_is_taken_back(server: TelegramServer, tmp_path: Path) -> None:
    async with running(server, tmp_path) as desk:
        await drafted(desk)
        page = desk.note("FAQ draft #1")["text"]
        assert QUESTION in page
        assert "No snakes, sorry." in page
        assert not any(part in page for part in ("Brown", "what do the rules say")), "remarks stay private"
        assert await desk.tap("FAQ draft #1", "Put into the FAQ") == "It answers from now on."
        await desk.has("approved by Asker 501")
        await desk.follows(QUESTION, direct=True)
        asked = len(desk.model.requests)
        desk.says(f"{QUESTION[:-1]} please?", sender=8)
        await desk.has("No snakes, sorry.", chat=8)
        assert len(desk.model.requests) == asked, "no model call"
        assert await desk.tap("FAQ draft #1", "Take it back out") == "Taken back."
        await desk.has("taken back out of the FAQ")
        await desk.follows(QUESTION, direct=False)
        desk.says(QUESTION, sender=9)
        await desk.has("I have passed your question to people", chat=9)
        assert "No snakes, sorry." not in server.texts(9)
        edits = await desk.app.faq_edits.all()
    assert [(one.kind, one.editor, one.undoes) for one in edits] == [
        ("put", "Asker 501", None),
        ("retire", "Asker 501", 1),
    ]


async def test_details_of_one_case_are_shown_and_do_not_go_live_unseen(server: TelegramServer, tmp_path: Path) -> None:
    async with running(server, tmp_path) as desk:
        await drafted(desk, "Dear John, order #99812 is cancelled and you get a one-off 10% discount just for you.")
        page = desk.note("FAQ draft #1")["text"]
        for detail in ("name: John", "number: order #99812", "one-off 10% discount"):
            assert detail in page
        assert "Not added" in await desk.tap("FAQ draft #1", "Put into the FAQ")
        await desk.has("still there: number “order #99812”")
        assert len((await desk.app.faq.load()).entries) == 2
        note = desk.note("FAQ draft #1")
        desk.people_say("? May I keep a snake?\n? Are snakes allowed?\nNo snakes, sorry.", reply_to_message=note)
        await server.until(lambda: "Are snakes allowed?" in desk.note("FAQ draft #1")["text"])
        assert "one case only" not in desk.note("FAQ draft #1")["text"]
        assert await desk.tap("FAQ draft #1", "Put into the FAQ") == "It answers from now on."
        (entry,) = [one for one in (await desk.app.faq.load()).entries if one.id == "draft-1"]
        assert (entry.questions, entry.answer) == (("May I keep a snake?", "Are snakes allowed?"), "No snakes, sorry.")
    assert not any("Are snakes allowed" in text for text in server.texts()), "the new text is not sent to the asker"


async def test_a_near_entry_gets_the_wording_and_collisions_are_refused(server: TelegramServer, tmp_path: Path) -> None:
    question = "Could I perhaps live here together with my cat?"
    async with running(server, tmp_path, escalate_words="perhaps") as desk:
        await drafted(desk, "Yes, cats are fine.", question)
        assert "Near entries" in desk.note("FAQ draft #1")["text"]
        note = desk.note("FAQ draft #1")
        desk.people_say("? Can guests stay overnight?\nYes.", reply_to_message=note)
        await desk.has("Question: Can guests stay overnight?")
        assert "Not added" in await desk.tap("FAQ draft #1", "Put into the FAQ")
        await desk.has("could not be told from guests")
        assert "⚠️ Add it all the same" in desk.captions("FAQ draft #1")
        desk.people_say(f"? {question}\nYes, cats are fine.", reply_to_message=desk.note("FAQ draft #1"))
        await desk.has(f"Question: {question}")
        assert await desk.tap("FAQ draft #1", "Wording of:") == "It answers from now on."
        (cats,) = [one for one in (await desk.app.faq.load()).entries if one.id == "cats"]
        assert cats.questions[-1] == question
        assert cats.answer == "Cats are welcome."
        assert [one.state for one in [await desk.app.faq_base.drafts.draft(1)] if one] == ["merged"]


async def test_an_answer_taken_from_the_faq_teaches_its_entry_the_question(
    server: TelegramServer, tmp_path: Path
) -> None:
    question = "Might my cat move in with me as well?"
    async with running(server, tmp_path) as desk:
        desk.says(question)
        await desk.has(question)
        await desk.tap(question, "📎")
        await desk.has("Cats are welcome.", chat=7)
        assert await desk.tap("Shall the question become a wording", "Make a FAQ entry") == "The draft is made."
        assert await desk.tap("FAQ draft #1", "Wording of:") == "It answers from now on."
        await desk.follows(question, direct=True)
        (cats,) = [one for one in (await desk.app.faq.load()).entries if one.id == "cats"]
        assert cats.questions[-1] == question


async def test_drafts_outlive_a_restart_and_only_editors_decide(server: TelegramServer, tmp_path: Path) -> None:
    editors = {"faq_editors": f"{BORIS}, U0123"}
    async with running(server, tmp_path, **editors) as desk:
        await drafted(desk)
        assert "editors" in await desk.tap("FAQ draft #1", "Put into the FAQ", sender=ANNA)
        desk.people_say("Snakes are fine!", sender=ANNA, reply_to_message=desk.note("FAQ draft #1"))
        await desk.has("This is for the editors of the FAQ.")
    async with running(server, tmp_path, **editors) as desk:
        desk.people_say("/faq drafts", sender=ANNA)
        await desk.has("#1 · May I keep a snake in my room?")
        desk.people_say("/faq approve 1", sender=ANNA)
        await server.until(lambda: desk.desk()[-1] == "This is for the editors of the FAQ.")
        desk.people_say("/faq approve 1", sender=BORIS)
        await desk.has("approved by Asker 502")
        assert "decided" in await desk.answered(server.taps("t:bad:1:1.1", desk.note("FAQ draft #1"), sender=BORIS))
    assert "Snakes are fine!" not in server.texts()


async def test_of_two_editors_one_wins(server: TelegramServer, tmp_path: Path) -> None:
    async with running(server, tmp_path) as desk:
        await drafted(desk)
        said = await asyncio.gather(
            desk.tap("FAQ draft #1", "Put into the FAQ", sender=ANNA),
            desk.tap("FAQ draft #1", "Put into the FAQ", sender=BORIS),
        )
        assert sorted(said) == ["It answers from now on.", "That has been decided already."]
        assert len(await desk.app.faq_edits.all()) == 1


async def test_an_approval_outlives_a_crash_right_after_it(server: TelegramServer, tmp_path: Path) -> None:
    async with running(server, tmp_path) as desk:
        await drafted(desk)
        body = FaqEntry(id="draft-1", questions=(QUESTION,), answer="No snakes, sorry.", language="en", source=EDITED)
        edit = FaqEdit(kind="put", entry=body.id, editor="Anna", body=body)
        assert await desk.app.faq_base.drafts.approve(1, 1, edit, "approved") is not None
        assert len((await desk.app.faq.load()).entries) == 2, "as if the process had died here"
    async with running(server, tmp_path) as desk:
        desk.says(QUESTION, sender=8)
        await desk.has("No snakes, sorry.", chat=8)
        assert "decided" in await desk.tap("FAQ draft #1", "Put into the FAQ")
        await desk.has("approved by Anna")
        assert len(await desk.app.faq_edits.all()) == 1


async def test_the_command_line_decides_while_the_bot_runs(
    server: TelegramServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    common = ["--knowledge", str(tmp_path / "knowledge"), "--data", str(tmp_path / "data")]

    async def refdesk(*arguments: str) -> int:
        return await asyncio.to_thread(run, ["faq", *arguments, *common])

    async with running(server, tmp_path) as desk:
        await drafted(desk, "Dear John, no snakes.")
        assert await refdesk("drafts") == 0
        assert "ticket 1  May I keep a snake in my room?  ->  Dear John, no snakes." in capsys.readouterr().out
        assert await refdesk("approve", "1", "--by", "carol") == 3
        assert "still there: name “John”" in capsys.readouterr().err
        assert await refdesk("approve", "1", "--by", "carol", "--force") == 0
        await desk.has("approved by carol")
        await desk.follows(QUESTION, direct=True)
        desk.says(QUESTION, sender=8)
        await desk.has("Dear John, no snakes.", chat=8)
        same = ["--question", "May I bring my cat?", "--by", "carol"]
        assert await refdesk("edit", "guests", *same) == 3
        assert "could not be told from cats" in capsys.readouterr().err


async def test_the_faq_is_edited_from_the_support_chat(server: TelegramServer, tmp_path: Path) -> None:
    async with running(server, tmp_path) as desk:

        async def command(text: str) -> str:
            before = len(desk.desk())
            server.says(text, chat=SUPPORT, sender=BORIS)
            await server.until(lambda: len(desk.desk()) > before, seconds=60)
            return desk.desk()[-1]

        assert "/faq retire" in await command("/faq")
        assert "Both a question" in await command("/faq add snakes\nNo snakes.")
        assert "could not be told from cats" in await command("/faq add pets\n? Are cats allowed?\nNo.")
        assert "Edit 1: snakes" in await command("/faq add snakes\n? May I keep a snake?\nNo *snakes*.")
        await desk.follows("May I keep a snake?", direct=True)
        desk.says("May I keep a snake?")
        await desk.has("No snakes.", chat=7)
        assert "Edit 2: snakes" in await command("/faq edit snakes\n? Are snakes allowed here?")
        assert "Are snakes allowed here?" in await command("/faq show snakes")
        assert "snakes" in await command("/faq list SNAKE")
        assert "Edit 3: guests" in await command("/faq retire guests")
        assert "no entry nothing" in await command("/faq retire nothing")
        assert "changed snakes later" in await command("/faq undo 1")
        assert "takes back edit 2" in await command("/faq undo 2")
        history = await command("/faq history")
        assert "Asker 502 · put · snakes (takes back 2)" in history
        assert "guests" not in await command("/faq list")
        assert await command("/faq drafts") == "There is nothing."


async def test_a_stored_answer_that_did_not_help_is_flagged_until_it_is_edited(
    server: TelegramServer, tmp_path: Path
) -> None:
    async with running(server, tmp_path) as desk:
        desk.says("Are cats allowed?")
        await desk.has("Cats are welcome.", chat=7)
        await server.until(lambda: bool(server.buttons()))
        await desk.answered(server.taps("down:1", server.ours()[-1]))

        async def flagged() -> bool:
            return bool(await desk.app.faq_base.flags.standing())

        await until(flagged)  # a tap is answered before it is done
        for command in ("/faq list flagged", "/faq drafts"):
            before = len(desk.desk())
            server.says(command, chat=SUPPORT, sender=BORIS)
            await server.until(lambda before=before: len(desk.desk()) > before)  # type: ignore[misc]
            assert "cats Are cats allowed? ⚑ did not help: 1" in desk.desk()[-1]
        server.says("/faq edit cats\nCats are welcome, two at most.", chat=SUPPORT, sender=BORIS)
        await desk.has("Edit 1: cats")
        assert await desk.app.faq_base.flags.standing() == ()
