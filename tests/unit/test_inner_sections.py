"""Tiny sections share a chunk: each is still cited by its own name, and followed when another of them points at it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine import Final, Outcome, Question
from engine.record import citations
from engine.text.inner_sections import inner_sections
from engine.text.passages import passages
from tests.fakes import chunk, evidence
from tests.small_base import SmallBase, small_base

SHARED = """**Towels**

A towel costs 5 coins.

**4.1. Replacement fees**

A badge costs 35 coins.

**Годовая плата**

Абонемент стоит 900 монет."""
CLAUSES = "2.1 Acids stand in the cabinet.\n\n2.2. Spills are reported to the officer.\n\n2.3 Bases stand apart."


async def ask(base: SmallBase, text: str) -> Outcome:
    async with base.engine().answer(Question(text=text)) as events:
        seen = [event async for event in events]
    assert isinstance(seen[-1], Final)
    return seen[-1].outcome


def test_sections_and_passages_know_their_numbers() -> None:
    assert [(one.number, one.title) for one in inner_sections(SHARED)] == [
        ("", "Towels"),
        ("4.1", "Replacement fees"),
        ("", "Годовая плата"),
    ]
    assert [one.section for one in passages(SHARED)] == ["", "4.1", ""]
    assert [one.number for one in inner_sections(CLAUSES)] == ["2.1", "2.2", "2.3"]
    assert [one.section for one in passages(CLAUSES)] == ["2.1", "2.2", "2.3"]
    assert inner_sections("Plain words.\n\n1. One item\n2. Another item") == []


@pytest.mark.parametrize(
    ("answer", "cited"),
    [
        ("A towel costs 5 coins.", [("", "Towels")]),
        ("It is 35 coins for a badge.", [("4.1", "Replacement fees")]),
        ("A towel costs 5 coins. A badge costs 35 coins.", [("", "Towels"), ("4.1", "Replacement fees")]),
        ("Абонемент стоит 900 монет в год.", [("", "Годовая плата")]),
        ("Nothing of the kind.", [("", "Towels")]),
    ],
)
def test_the_section_is_cited_that_the_answer_took_from(answer: str, cited: list[tuple[str, str]]) -> None:
    shared = replace(chunk("c1", SHARED), section="", section_title="Towels")
    found = citations(evidence(shared).chunks, ("c1",), answer)
    assert [(one.section, one.title) for one in found] == cited


def test_a_section_with_a_chunk_of_its_own_is_cited_by_its_own_name() -> None:
    own = replace(chunk("c1", f"Money first.\n\n{SHARED}"), section="7", section_title="Money")
    (found,) = citations(evidence(own).chunks, ("c1",), "A badge costs 35 coins.")
    assert (found.section, found.title) == ("7", "Money")


async def test_a_section_beside_is_followed_within_the_chunk(tmp_path: Path) -> None:
    text = (
        "# Safety\n\n## 1. Spills\n\nSpills of acid are reported within the period given in section 3.\n\n"
        "## 2. Bases\n\nBases stand apart.\n\n## 3. Periods\n\nThe duty officer is called within 20 minutes.\n"
    )
    base = await small_base(tmp_path, {"lab/safety/rules.md": text})
    assert len(await base.chunks("lab/safety/rules.md")) == 1
    outcome = await ask(base, "Within what period are spills of acid reported?")
    assert "within 20 minutes" in outcome.text
    assert "Bases" not in outcome.text
    assert [(one.section, one.status) for one in outcome.references] == [("3", "resolved")]
    assert [one.section for one in outcome.citations] == ["1", "3"]


async def test_a_short_document_that_the_answer_points_at_is_quoted_whatever_its_words(tmp_path: Path) -> None:
    files = {
        "gym/club/memo.md": "# Memo\n\n## Guests\n\nThe conditions for guests are set out in the Guest Policy.\n",
        "gym/club/guests.md": "# Guest Policy\n\nGuests pay 600 coins.\n",
    }
    outcome = await ask(await small_base(tmp_path, files), "On what conditions may guests come?")
    assert "600 coins" in outcome.text
    assert outcome.citations[-1].document == "gym/club/guests.md"
