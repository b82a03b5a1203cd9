"""A reply to a draft that has just been sent, whose id is not known yet, is a reply to the draft and to nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.support_desk import SupportDesk
from adapters.texts import Texts
from bot.faq_base import FaqBase, open_faq
from bot.faq_desk import FaqDesk
from bot.learning import FaqLearning
from bot.settings import Settings
from engine import Relay, Ticket

DESK = "telegram:1"
TICKET = Ticket(desk=DESK, conversation="c", asker="7", question="May I keep a snake?", language="en", reason="missed")


@pytest.fixture
async def base(tmp_path: Path) -> AsyncIterator[FaqBase]:
    async with open_faq(Settings(data=tmp_path, knowledge=tmp_path / "knowledge")) as base:
        yield base


async def drafted(base: FaqBase) -> tuple[FaqLearning, Ticket]:
    desk = SupportDesk(name=DESK, people=DESK, tickets=base.tickets, inbox=base.inbox(DESK))
    learning = FaqLearning(base, FaqDesk(base), desk, Texts(), frozenset({"anna"}))
    ticket, _ = await desk.open(TICKET)
    await base.tickets.say(Relay(ticket=ticket.id, to=DESK, key="m1", kind="people", content={"text": "No snakes."}))
    assert await learning.tapped("draft", ticket, "", "boris", "Boris", "en") == "draft_made"
    return learning, ticket


async def test_a_reply_to_a_draft_waits_for_the_drafts_id(base: FaqBase) -> None:
    learning, ticket = await drafted(base)
    reply = asyncio.create_task(learning.rewritten(ticket, "55", "Snakes are fine.", "anna", "Anna", "en"))
    await asyncio.sleep(0)
    note = await base.tickets.relay("draft:1")
    assert note is not None
    await base.tickets.note(note.id, "55", None)
    assert await reply
    changed = await base.drafts.draft(1)
    assert changed is not None
    assert (changed.answer, changed.version) == ("Snakes are fine.", 2)


async def test_a_reply_to_something_else_is_none_to_the_draft(base: FaqBase) -> None:
    learning, ticket = await drafted(base)
    note = await base.tickets.relay("draft:1")
    assert note is not None
    await base.tickets.note(note.id, "55", None)
    assert not await learning.rewritten(ticket, "56", "Dear asker, ...", "anna", "Anna", "en")
    assert await learning.rewritten(ticket, "55", "I am no editor", "boris", "Boris", "en")
    draft = await base.drafts.draft(1)
    assert draft is not None
    assert draft.answer == "No snakes."


async def test_a_change_after_the_look_is_not_approved(base: FaqBase) -> None:
    learning, ticket = await drafted(base)
    assert await learning.rewrite(1, "Ask Mr. Brown, +1 202 555 0175.", "en") is not None
    assert await learning.tapped("good", ticket, "1.1", "anna", "Anna", "en") == "draft_changed"
    assert await learning.tapped("force", ticket, "1.1", "anna", "Anna", "en") == "draft_changed"
    assert await learning.tapped("good", ticket, "1.2", "boris", "Boris", "en") == "not_editor"
    assert await learning.tapped("good", ticket, "1.2", "anna", "Anna", "en") == "entry_refused"
    assert await learning.tapped("good", ticket, "7.1", "anna", "Anna", "en") == "gone"
    assert (await base.faq.load()).entries == ()
    assert await learning.tapped("force", ticket, "1.2", "anna", "Anna", "en") == "entry_live"
    assert await learning.tapped("bad", ticket, "1.2", "anna", "Anna", "en") == "draft_decided"
    assert await learning.tapped("undo", ticket, "1.2", "anna", "Anna", "en") == "entry_undone"
    assert await learning.tapped("undo", ticket, "1.2", "anna", "Anna", "en") == "edited_later"
    assert (await base.faq.load()).entries == ()
