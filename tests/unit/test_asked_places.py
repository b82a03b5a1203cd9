"""A question for a place by its number gets that place, whatever other texts say of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import Final, Outcome, Question
from tests.small_base import small_base

LAB = """# Lab rules

## 1. Entry

The badge of section 2.2 opens the door. Visitors follow section 3.

## 2. Badges

2.1. A badge is issued for a year.

2.2. A lost badge is blocked within the hour.

## 3. Visitors

Visitors wear goggles as set out in annex A.

## Annex A. Goggles

Goggles hang beside the door.
"""
POOL = """# Правила бассейна

## 1. Вход

О шапочках сказано в пункте 2.2, о детях сказано в разделе 3.

## 2. Гигиена

2.1. Перед водой принимают душ.

2.2. Шапочку надевают в раздевалке.

## 3. Дети

Дети плавают на первой дорожке.
"""
CANTEEN = (
    "# Canteen rules\n\n## 2. Trays\n\nTrays go to the rack.\n\n## 3. Guests\n\nGuests of the canteen pay in cash.\n"
)
FILES = {"lab/safety/lab-rules.md": LAB, "pool/rules/pravila.md": POOL, "canteen/rules/canteen.md": CANTEEN}


async def asked(root: Path, text: str, files: dict[str, str] | None = None) -> Outcome:
    base = await small_base(root, files or FILES)
    async with base.engine().answer(Question(text=text)) as events:
        seen = [event async for event in events]
    assert isinstance(seen[-1], Final)
    return seen[-1].outcome


@pytest.mark.parametrize(
    ("question", "said", "places"),
    [
        ("section 2.2", "A lost badge is blocked within the hour.", [("lab/safety/lab-rules.md", "2.2")]),
        ("What does clause 2.1 say?", "A badge is issued for a year.", [("lab/safety/lab-rules.md", "2.1")]),
        ("Show me section 3 of the canteen rules", "Guests of the canteen", [("canteen/rules/canteen.md", "3")]),
        ("п. 2.2", "Шапочку надевают в раздевалке.", [("pool/rules/pravila.md", "2.2")]),
        ("Что сказано в пункте 2.1?", "Перед водой принимают душ.", [("pool/rules/pravila.md", "2.1")]),
        ("Процитируй раздел 3 правил бассейна", "Дети плавают на первой", [("pool/rules/pravila.md", "3")]),
        ("Annex A", "Goggles hang beside the door.", [("lab/safety/lab-rules.md", "A")]),
    ],
)
async def test_the_place_itself_is_quoted_and_cited(
    tmp_path: Path, question: str, said: str, places: list[tuple[str, str]]
) -> None:
    outcome = await asked(tmp_path, question)
    assert outcome.text.startswith(said)
    assert [(one.document, one.section) for one in outcome.citations] == places


async def test_a_whole_section_is_quoted_in_its_own_order(tmp_path: Path) -> None:
    outcome = await asked(tmp_path, "What is in section 2 of the lab rules?")
    assert outcome.text == "A badge is issued for a year. A lost badge is blocked within the hour."


async def test_a_number_that_several_documents_have_is_quoted_of_each_in_the_language_of_the_question(
    tmp_path: Path,
) -> None:
    outcome = await asked(tmp_path, "section 3")
    assert {one.document for one in outcome.citations} >= {"lab/safety/lab-rules.md", "canteen/rules/canteen.md"}
    assert "Дети" not in outcome.text


async def test_a_number_that_many_documents_have_names_none_of_them(tmp_path: Path) -> None:
    trees = ("alder", "birch", "cedar", "hazel", "larch", "maple", "poplar", "willow")
    many = {f"shop/sheets/{tree}.md": f"# The {tree}\n\n## 3. Price\n\nIt is dear.\n" for tree in trees}
    assert (await asked(tmp_path, "section 3", many)).kind == "missed"
    outcome = await asked(tmp_path, "section 3 of the hazel", many)
    assert [one.document for one in outcome.citations] == ["shop/sheets/hazel.md"]


@pytest.mark.parametrize("question", ["section 77", "Что сказано в пункте 9.9?", "Annex Q"])
async def test_a_number_that_leads_nowhere_is_a_miss(tmp_path: Path, question: str) -> None:
    assert (await asked(tmp_path, question)).kind == "missed"


async def test_a_subject_beside_the_number_is_looked_for_as_ever(tmp_path: Path) -> None:
    outcome = await asked(tmp_path, "Where do the goggles of annex A hang?")
    assert "beside the door" in outcome.text


async def test_a_place_of_others_is_not_shown(tmp_path: Path) -> None:
    registry = "domains:\n  - {id: lab, audience: [staff]}\n"
    outcome = await asked(tmp_path, "section 2.2", {"knowledge.yaml": registry, "lab/safety/rules.md": LAB})
    assert outcome.kind == "missed"
    assert "badge" not in outcome.text
