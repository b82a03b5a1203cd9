"""A draft as an editor types it, and as they see it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.telegram.formatting import render
from adapters.texts import Texts
from adapters.ticket_buttons import TicketTap, note_buttons
from bot.draft_page import Look, draft_page
from bot.faq_texts import read_entry
from engine import Ticket
from engine.matching.drafts import DraftState, FaqDraft, NearEntry
from engine.text.personal import specifics

DRAFT = FaqDraft(
    ticket=3,
    id=5,
    maker="Anna",
    questions=("May I *keep* a snake?",),
    answer="Dear John, **no**.",
    language="en",
    near=(NearEntry("pets", "Are cats allowed?", 0.71), NearEntry("a" * 200, "Are dogs allowed? " * 9, 0.65)),
)
TICKET = Ticket(desk="telegram:1", conversation="c", asker="7", question="?", language="en", reason="missed", id=3)
LOOK = Look(specifics=specifics(DRAFT.answer))


@pytest.mark.parametrize(
    ("text", "questions", "answer"),
    [
        ("? May I?\nNo.", ("May I?",), "No."),
        ("Only another answer\nof two lines", (), "Only another answer\nof two lines"),
        ("?One?\n ?  Two?\n\n? One?\n", ("One?", "Two?"), ""),
        ("No.\n? Can I?\nReally not.", ("Can I?",), "No.\nReally not."),
        ("Is it? Yes.", (), "Is it? Yes."),
        ("?\n", (), ""),
    ],
)
def test_lines_with_a_question_mark_in_front_are_questions(text: str, questions: tuple[str, ...], answer: str) -> None:
    assert read_entry(text) == (questions, answer)


def test_a_draft_shows_what_belongs_to_one_case_and_what_is_near() -> None:
    page, buttons = draft_page(DRAFT, LOOK, Texts(), "en")
    for part in (
        "FAQ draft #5",
        "waiting",
        "name: John",
        "0.71 Are cats allowed?",
        r"May I \*keep\* a snake?",
        "**no**",
    ):
        assert part in page
    assert [(verb, choice) for verb, choice, _ in buttons] == [
        ("good", "5.1"), ("merge", "5.1.0"), ("merge", "5.1.1"), ("bad", "5.1")
    ]  # fmt: skip


def test_what_is_wrong_with_it_is_said_and_may_be_insisted_on() -> None:
    look = replace(LOOK, trouble=("still there: name “John”",), insist="5.1.0")
    page, buttons = draft_page(DRAFT, look, Texts(), "en")
    assert "still there: name “John”" in page
    assert buttons[0][:2] == ["force", "5.1.0"]


@pytest.mark.parametrize("state", ["approved", "merged", "rejected", "expired"])
def test_what_was_decided_is_shown_without_buttons_to_decide(state: DraftState) -> None:
    decided = replace(DRAFT, state=state, decided_by="Boris", edit=9)
    page, buttons = draft_page(decided, replace(LOOK, entry="pets"), Texts(), "ru")
    assert {verb for verb, *_ in buttons} <= {"undo"}
    assert ("Boris" in page) == (state != "expired")
    undone, none = draft_page(decided, replace(LOOK, entry="pets", undone_by="Carol"), Texts(), "ru")
    assert none == []
    assert "Carol" in undone or state == "expired"


@given(
    st.text(min_size=1, max_size=3000),
    st.lists(st.text(min_size=1, max_size=300), min_size=1, max_size=2),
    st.lists(st.builds(NearEntry, st.text(max_size=100), st.text(max_size=300), st.floats(0, 1)), max_size=3),
)
def test_buttons_fit_whatever_the_texts_are(answer: str, questions: list[str], near: list[NearEntry]) -> None:
    draft = replace(DRAFT, id=10**9, answer=answer, questions=tuple(questions), near=tuple(near))
    page, buttons = draft_page(draft, Look(specifics=specifics(answer)), Texts(), "ru")
    assert render(page)
    for row in note_buttons(TICKET, {"buttons": buttons}, Texts(), "ru"):
        for caption, data in row:
            assert 0 < len(caption) <= 64
            assert len(data.encode()) <= 64
    assert TicketTap("undo", 10**12, "5.1").data()
