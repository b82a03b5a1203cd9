"""Drafts of FAQ entries and flags on entries, on both databases."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from engine import Inbound
from engine.logged import LoggedAnswer
from engine.matching.drafts import FaqDraft, NearEntry
from engine.matching.edits import EDITED, FaqEdit
from engine.providers.state.answers import SqlAnswerStore
from engine.providers.state.database import Database
from engine.providers.state.drafts import SqlDrafts, SqlFlags
from engine.providers.state.faq_edits import SqlFaqEdits
from engine.providers.state.inbox import SqlInbox
from engine.types import FaqEntry, OutcomeKind, Usage

NEAR = (NearEntry("pets", "Are cats allowed?", 0.71),)
DRAFT = FaqDraft(ticket=3, maker="Анна", questions=("Можно змею?",), answer="**Нельзя.**", language="ru", near=NEAR)


@pytest.fixture
async def database(state_url: str) -> AsyncIterator[Database]:
    async with Database.open(state_url) as database:
        yield database


def edit(editor: str = "Борис", entry: str = "draft-1") -> FaqEdit:
    body = FaqEntry(id=entry, questions=("Можно змею?",), answer="Нельзя.", language="ru", source=EDITED)
    return FaqEdit(kind="put", entry=entry, editor=editor, body=body)


async def test_a_draft_is_kept_as_it_is_and_there_is_one_for_a_ticket(database: Database, state_url: str) -> None:
    drafts = SqlDrafts(database)
    made = await asyncio.gather(*(drafts.open(DRAFT) for _ in range(5)))
    assert sum(new for _, new in made) == 1
    first = made[0][0]
    assert (first.questions, first.answer, first.near) == (DRAFT.questions, DRAFT.answer, NEAR)
    assert (first.state, first.version, first.maker, first.edit) == ("open", 1, "Анна", None)
    async with Database.open(state_url) as again:
        assert await SqlDrafts(again).waiting() == (first,)
        assert await SqlDrafts(again).draft(first.id) == first
    assert await drafts.of_ticket(3) == first
    assert await drafts.of_ticket(4) is None
    assert await drafts.draft(99) is None


async def test_of_two_editors_one_wins_and_the_edit_is_made_once(database: Database) -> None:
    drafts, edits = SqlDrafts(database), SqlFaqEdits(database)
    draft, _ = await drafts.open(DRAFT)
    made = await asyncio.gather(
        *(drafts.approve(draft.id, 1, edit(f"editor {number}"), "approved") for number in range(4)),
        drafts.reject(draft.id, "nobody"),
    )
    assert sum(bool(one) for one in made) == 1
    decided = await drafts.draft(draft.id)
    assert decided is not None
    assert await drafts.waiting() == ()
    found = await edits.all()
    if decided.state == "approved":
        assert [one.id for one in found] == [decided.edit]
        assert decided.decided_by == found[0].editor
    else:
        assert found == ()
    assert await drafts.rewrite(draft.id, ("x?",), "x", ()) is None
    _, new = await drafts.open(DRAFT)
    assert new, "another answer of the same ticket"


async def test_what_was_rewritten_is_not_approved_unseen(database: Database) -> None:
    drafts = SqlDrafts(database)
    draft, _ = await drafts.open(DRAFT)
    changed = await drafts.rewrite(draft.id, ("Можно удава?",), "Нет.", ())
    assert changed is not None
    assert (changed.version, changed.questions, changed.answer, changed.near) == (2, ("Можно удава?",), "Нет.", ())
    assert await drafts.approve(draft.id, 1, edit(), "approved") is None
    assert await SqlFaqEdits(database).all() == ()
    assert await drafts.approve(draft.id, 2, edit(), "merged") is not None


def logged(exchange: int, kind: OutcomeKind = "faq_direct") -> LoggedAnswer:
    return LoggedAnswer(
        question_id=str(exchange), asked_at=datetime.now(UTC).isoformat(timespec="microseconds"), kind=kind,
        language="ru", domain=None, collection=None, faq_entry="pets" if kind == "faq_direct" else None,
        faq_score=0.95, passes=0, cited=(), references=(), usage=Usage(), timings_ms={},
        faq_version="v1" if kind == "faq_direct" else None, chunks=(("c1", 0.5),), made_with={"models": "m"},
    )  # fmt: skip


async def answered(database: Database, kind: OutcomeKind = "faq_direct") -> tuple[SqlInbox, int]:
    inbox = SqlInbox(database, "desk")
    message = await inbox.accept(Inbound(key=f"m{kind}", conversation="c", asker="7", text="Можно кота?"))
    assert message is not None
    exchange = await inbox.open([message])
    await SqlAnswerStore(database).add(logged(exchange.id, kind))
    return inbox, exchange.id


async def test_a_stored_answer_that_did_not_help_is_flagged_with_all_that_led_to_it(database: Database) -> None:
    inbox, exchange = await answered(database)
    flags, answers = SqlFlags(database), SqlAnswerStore(database)
    await inbox.rate(exchange, "not_helpful")
    await inbox.rate(exchange, "not_helpful")
    await answers.add(logged(exchange, "answered"))  # the documents were asked instead
    await inbox.rate(exchange, "not_helpful", "wrong")
    (flag,) = await flags.standing()
    assert (flag.entry, flag.version, flag.question_id, flag.reason) == ("pets", "v1", str(exchange), "wrong")
    direct, documents = await answers.since("2026")
    assert (direct.rating, direct.reason, documents.rating) == ("not_helpful", "wrong", None)
    assert (direct.faq_version, direct.chunks, direct.made_with) == ("v1", (("c1", 0.5),), {"models": "m"})
    assert await flags.clear("pets", "Анна") == 1
    assert await flags.standing() == ()


async def test_an_answer_that_was_rated_before_it_was_logged_has_its_rating(database: Database) -> None:
    """A known question is answered first and logged then; one rating is for one answer, whatever has the same id."""
    inbox, answers = SqlInbox(database, "desk"), SqlAnswerStore(database)
    message = await inbox.accept(Inbound(key="m", conversation="c", asker="7", text="Можно кота?"))
    assert message is not None
    exchange = await inbox.open([message])
    await inbox.rate(exchange.id, "not_helpful")
    await inbox.rate(exchange.id, "not_helpful", "wrong")
    for kind in ("faq_direct", "answered", "faq_direct"):
        await answers.add(logged(exchange.id, kind))
    assert [(one.rating, one.reason) for one in await answers.since("2026")] == [
        ("not_helpful", "wrong"),
        (None, ""),
        (None, ""),
    ]
    (flag,) = await SqlFlags(database).standing()
    assert (flag.entry, flag.reason) == ("pets", "wrong")


async def test_an_edit_clears_the_flags_of_its_entry(database: Database) -> None:
    inbox, exchange = await answered(database)
    await inbox.rate(exchange, "not_helpful")
    edits, flags = SqlFaqEdits(database), SqlFlags(database)
    await edits.add(edit(entry="other"))
    assert len(await flags.standing()) == 1
    await edits.add(edit(entry="pets"))
    assert await flags.standing() == ()


async def test_what_helped_after_all_or_came_from_documents_flags_nothing(database: Database) -> None:
    inbox, exchange = await answered(database)
    await inbox.rate(exchange, "not_helpful")
    await inbox.rate(exchange, "helpful")
    inbox, other = await answered(database, "answered")
    await inbox.rate(other, "not_helpful", "wrong")
    assert await SqlFlags(database).standing() == ()


async def test_a_question_from_the_command_line_with_the_same_id_is_not_rated(database: Database) -> None:
    yesterday = datetime.now(UTC) - timedelta(days=1)
    answers = SqlAnswerStore(database)
    old = LoggedAnswer(
        question_id="1", asked_at=yesterday.isoformat(timespec="microseconds"), kind="faq_direct", language="en",
        domain=None, collection=None, faq_entry="mine", faq_score=1.0, passes=0, cited=(), references=(),
        usage=Usage(), timings_ms={},
    )  # fmt: skip
    await answers.add(old)
    inbox, exchange = await answered(database)
    assert exchange == 1
    await inbox.rate(exchange, "not_helpful")
    assert [one.entry for one in await SqlFlags(database).standing()] == ["pets"]
